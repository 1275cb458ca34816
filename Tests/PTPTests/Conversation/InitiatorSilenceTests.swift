import PTP
import TestSupport
import Testing

/// A camera whose system holds both links while nothing comes from it any more.
@Suite struct InitiatorSilenceTests {
    let base = InitiatorTests()

    /// A machine with an open session, which bears 28 s of silence.
    func open(
        answersProbes: Bool = false, _ change: (inout Peculiarities) -> Void = { _ in }
    ) -> Initiator {
        var peculiarities = Peculiarities()
        peculiarities.hasAnsweredProbes = answersProbes
        change(&peculiarities)
        var timeouts = Timeouts()
        timeouts.call = .seconds(14)
        timeouts.silence = .seconds(28)
        var machine = Initiator(identity: base.identity, peculiarities: peculiarities, timeouts: timeouts)
        _ = machine.handle(.start, at: .zero)
        _ = machine.handle(.linkOpened(.command), at: .zero)
        _ = machine.handle(.received(.initCommandAck(base.ack), .command), at: .zero)
        _ = machine.handle(.linkOpened(.event), at: .zero)
        _ = machine.handle(.received(.initEventAck, .event), at: .zero)
        _ = machine.handle(base.response(.ok, 0), at: .zero)
        precondition(machine.isReadyForCall)
        return machine
    }

    let question = Call(.getStorageIDs, data: .incoming(limit: 1000), silence: .seconds(9))
    func list(silence: Duration? = nil) -> Call {
        Call(.getObjectHandles, data: .incoming(limit: 400_000), timeout: .seconds(120), silence: silence)
    }

    func ended(_ silence: Int, over operation: OperationCode) -> [Initiator.Action] {
        let ending = Ending.hung(silentFor: .seconds(silence), over: operation)
        return [.fail(.connectionEnded(ending)), .closeLinks(ending)]
    }

    /// Lets time pass whenever the machine wants it, and gives what it does, with when.
    func wait(
        _ machine: inout Initiator, until end: Int
    ) -> [(second: Int, action: Initiator.Action)] {
        var seen: [(Int, Initiator.Action)] = []
        while let deadline = machine.nextDeadline, deadline <= .seconds(end) {
            let actions = machine.handle(.timePassed, at: deadline)
            seen += actions.map { (Int(deadline.components.seconds), $0) }
        }
        return seen
    }

    // MARK: Short questions

    @Test("two short questions without an answer are a camera that hangs")
    func twoQuestions() {
        var machine = open()
        _ = machine.handle(.call(question), at: .seconds(5))
        #expect(machine.nextDeadline == .seconds(14))
        #expect(
            machine.handle(.timePassed, at: .seconds(14))
                == [.fail(.timedOut(.getStorageIDs, after: .seconds(9)))])
        _ = machine.handle(.call(question), at: .seconds(14))
        #expect(machine.handle(.timePassed, at: .milliseconds(22_999)).isEmpty)
        #expect(machine.handle(.timePassed, at: .seconds(23)) == ended(23, over: .getStorageIDs))
    }

    @Test("whatever follows an unanswered call has what is left of 28 s, and 9 s at the least")
    func whatIsLeft() {
        func limit(_ first: Call, _ next: Call) -> Duration? {
            var machine = open()
            _ = machine.handle(.call(first), at: .zero)
            let failedAt = machine.nextDeadline ?? .zero
            _ = machine.handle(.timePassed, at: failedAt)
            _ = machine.handle(.call(next), at: failedAt)
            return machine.nextDeadline
        }
        let info = Call(.getObjectInfo, [5], data: .incoming(limit: 1000))
        let photo = Call(.getObject, [5], data: .streamed(limit: 1 << 30))
        #expect(limit(info, photo) == .seconds(28))
        #expect(limit(info, list()) == .seconds(28))
        #expect(limit(list(silence: .seconds(20)), question) == .seconds(29))
        #expect(limit(list(silence: .seconds(20)), photo) == .seconds(29))
    }

    @Test("a photo whose first byte has come has its own pace again")
    func paceAfterSilence() {
        var machine = open()
        _ = machine.handle(.call(list(silence: .seconds(20))), at: .zero)
        _ = machine.handle(.timePassed, at: .seconds(20))
        _ = machine.handle(.call(Call(.getObject, [5], data: .streamed(limit: 1 << 20))), at: .seconds(20))
        _ = machine.handle(base.startData(2, 1 << 20), at: .seconds(28))
        _ = machine.handle(base.data(2, 1 << 20, isLast: true), at: .seconds(28))
        _ = machine.handle(.payloadMoved(1 << 16), at: .seconds(28))
        #expect(machine.nextDeadline == .seconds(48))
    }

    @Test("a sign of life gives what follows an unanswered call its own time again, whatever is asked")
    func signAfterSilence() {
        let photo = Call(.getObject, [5], data: .streamed(limit: 1 << 30))
        for (call, limit) in [(list(silence: .seconds(20)), 45), (list(), 120 + 14), (photo, 14 + 20)] {
            var machine = open()
            _ = machine.handle(.call(question), at: .zero)
            _ = machine.handle(.timePassed, at: .seconds(9))
            _ = machine.handle(.call(call), at: .seconds(14))
            #expect(machine.nextDeadline ?? .zero <= .seconds(28))
            _ = machine.handle(.received(.probeRequest, .event), at: .seconds(25))
            #expect(wait(&machine, until: 300).last?.second == limit)
        }
    }

    @Test("an answer to anything that comes too late shows that the camera is there")
    func lateAnswers() throws {
        let info = Call(.getObjectInfo, [5], data: .incoming(limit: 1000))
        var machine = open()
        for round in 0..<5 {
            let now = Duration.seconds(20 * round)
            try #require(machine.isReadyForCall)
            _ = machine.handle(.call(info), at: now)
            #expect(
                machine.handle(.timePassed, at: now + .seconds(14))
                    == [.fail(.timedOut(.getObjectInfo, after: .seconds(14)))], "round \(round)")
            _ = machine.handle(base.response(.deviceBusy, UInt32(round + 1)), at: now + .seconds(19))
        }
        #expect(machine.isReadyForCall)
    }

    @Test("a camera that answers each question too late is slow, and is not left for that")
    func late() {
        var machine = open()
        for round in 0..<20 {
            let now = Duration.seconds(13 * round)
            let transaction = UInt32(round + 1)
            _ = machine.handle(.call(question), at: now)
            #expect(
                machine.handle(.timePassed, at: now + .seconds(9))
                    == [.fail(.timedOut(.getStorageIDs, after: .seconds(9)))], "round \(round)")
            // An answer that is not waited for any more.
            _ = machine.handle(base.response(.deviceBusy, transaction), at: now + .seconds(12))
        }
        #expect(machine.isReadyForCall)
    }

    @Test("a list that comes slowly is not silent, however long it takes, up to its two minutes")
    func slowList() {
        var machine = open()
        _ = machine.handle(.call(list(silence: .seconds(20))), at: .zero)
        _ = machine.handle(base.startData(1, 400_000), at: .seconds(19))
        _ = machine.handle(base.data(1, 400_000, isLast: true), at: .seconds(19))
        for second in stride(from: 30, to: 120, by: 15) {
            #expect(machine.handle(.timePassed, at: .seconds(second)).isEmpty)
            _ = machine.handle(.collected([0, 0, 0, 0]), at: .seconds(second))
        }
        #expect(
            machine.handle(.timePassed, at: .seconds(120))
                == [.fail(.timedOut(.getObjectHandles, after: .seconds(120)))])
    }

    @Test("the sentence says how long it was silent and what it was asked")
    func sentence() {
        #expect(
            "\(Ending.hung(silentFor: .milliseconds(23_400), over: .getStorageIDs))"
                == "the camera holds the connection and has said nothing for 23 s, the last time not to GetStorageIDs"
        )
    }
}

extension Initiator {
    var isAlive: Bool {
        if case .connected = state { true } else { false }
    }
}
