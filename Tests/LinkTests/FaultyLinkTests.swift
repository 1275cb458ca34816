import Link
import Posix
import TestSupport
import Testing

@Suite struct FaultyLinkTests {
    let clock = ManualClock()

    func pair(_ change: (inout FaultPlan) -> Void) -> (faulty: FaultyLink, other: MemoryLink) {
        var plan = FaultPlan()
        change(&plan)
        let (left, right) = MemoryLink.pair()
        return (FaultyLink(left, plan, time: clock), right)
    }

    @Test("a link ends exactly where the plan says, in either direction")
    func end() async throws {
        let (receiving, sender) = pair { $0.receiving.faults = [(5, .end)] }
        try await sender.send([1, 2, 3, 4, 5, 6, 7])
        #expect(try await receive(10, from: receiving) == [1, 2, 3, 4, 5])

        let (sending, receiver) = pair { $0.sending.faults = [(5, .end)] }
        await #expect(throws: LinkError.self) { try await sending.send([1, 2, 3, 4, 5, 6, 7]) }
        #expect(try await receive(10, from: receiver) == [1, 2, 3, 4, 5])
    }

    @Test("a reset after so many bytes is a reset for both")
    func reset() async throws {
        let (faulty, other) = pair { $0.sending.faults = [(3, .reset)] }
        await #expect(throws: LinkError.self) { try await faulty.send([1, 2, 3, 4]) }
        await #expect(throws: LinkError.self) { try await receive(10, from: other) }
    }

    @Test("a pause holds bytes back for its time and then goes on")
    func pause() async throws {
        let (faulty, other) = pair { $0.receiving.faults = [(2, .pause(.seconds(30)))] }
        try await other.send([1, 2, 3])
        #expect(try await receive(2, from: faulty) == [1, 2])
        let task = Task { try await receive(1, from: faulty) }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        #expect(try await task.value == [3])
    }

    @Test("silence delivers nothing, tells neither end, and is over when the link is closed")
    func silence() async throws {
        let (faulty, other) = pair {
            $0.sending.faults = [(1, .silence)]
            $0.receiving.faults = [(1, .silence)]
        }
        try await faulty.send([1, 2, 3])
        #expect(try await receive(1, from: other) == [1])
        try await other.send([7, 8])
        #expect(try await receive(1, from: faulty) == [7])
        let task = Task { try await faulty.receive(into: Buffer(capacity: 4)) }
        faulty.close(.orderly)
        await #expect(throws: LinkError.closedHere) { try await task.value }
    }
}
