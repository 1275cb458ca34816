import PTP
import Simulator
import TestSupport
import Testing

/// What goes wrong with an answer, packet by packet, as a client of hand-written bytes sees it.
@Suite struct AnswerFaultTests {
    static let photo: UInt32 = 0x0001_0003

    /// Operations about an object, and what is asked with them.
    static let operations: [(code: UInt16, more: [UInt32])] = [
        (0x1008, []), (0x1009, []), (0x100A, []), (0x101B, [0, 100]), (0x101B, [19_999, 100]),
        (0x101B, [20_000, 100]), (0x95C1, [7, 0, 100]),
    ]

    @Test(
        "an answer to any operation about an object ends before its first byte, and both links with it",
        arguments: operations, ["cut", "reset"])
    func beforeTheFirstByte(operation: (code: UInt16, more: [UInt32]), fault: String) async throws {
        let bench = try HandBench("\(fault) after=0 object=0x00010003 times=1", size: 20_000)
        let client = try await bench.connected()
        #expect(try await client.ask(0x1008, [Self.photo + 1]).code == 0x2001)
        try await client.request(operation.code, [Self.photo] + operation.more)
        let rest = await client.command.rest()
        // Start Data may be out; nothing of the data and no response is.
        #expect(rest.allSatisfy { $0[4] == 9 }, "\(rest)")
        #expect(await client.event.rest().isEmpty)
        let again = try await bench.connected()
        #expect(try await again.ask(operation.code, [Self.photo] + operation.more).code != 0x2002)
    }

    @Test("an answer without data stalls as well, and comes when the time has passed")
    func stallWithoutData() async throws {
        let clock = ManualClock()
        let bench = try HandBench("stall after=0 for=5s operation=0x1012", clock: clock)
        let client = try await bench.connected()
        try await client.request(0x1012, [Self.photo, 1])
        await bench.waitForLog("stalling")
        await clock.waitForSleeper(until: .seconds(5))
        clock.advance(by: .seconds(5))
        #expect(try await client.answer().packets == [Bytes.response(0x2001, 1)])
    }

    @Test(
        "an answer may end behind its last byte, before the response",
        arguments: ["one-end", "data-then-end"])
    func behindTheLastByte(mode: String) async throws {
        let bench = try HandBench("packets mode=\(mode)\ncut after=100 operation=0x101B")
        let client = try await bench.connected()
        try await client.request(0x101B, [Self.photo, 0, 100])
        let rest = await client.command.rest()
        #expect(rest.map { $0[4] } == [9, 12] && rest.last?.count == 112)
    }

    @Test("two rules of one kind are two objects' own")
    func twoRules() async throws {
        let bench = try HandBench("cut after=5000 object=0x00010003\ncut after=0 object=0x00010004")
        let client = try await bench.connected()
        try await client.request(0x1009, [Self.photo + 1])
        #expect(await client.command.rest().allSatisfy { $0[4] == 9 })
        let again = try await bench.connected()
        try await again.request(0x1009, [Self.photo])
        _ = try await again.command.packet()
        #expect(try await again.command.bytes(12 + 5000).count == 5012)
    }
}
