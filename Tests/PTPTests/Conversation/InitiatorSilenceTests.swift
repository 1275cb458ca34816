import PTP
import TestSupport
import Testing

/// A camera whose system holds both links while nothing comes from it any more.
@Suite struct InitiatorSilenceTests {
    private let base = InitiatorTests()

    /// A machine with an open session, which bears 28 s of silence.
    private func open(
        answersProbes: Bool = false, _ change: (inout Peculiarities) -> Void = { _ in }
    ) -> Initiator {
        var peculiarities = Peculiarities()
        peculiarities.hasAnsweredProbes = answersProbes
        change(&peculiarities)
        var patience = Patience()
        patience.call = .seconds(14)
        patience.silence = .seconds(28)
        var machine = Initiator(identity: base.identity, peculiarities: peculiarities, patience: patience)
        _ = machine.handle(.start, at: .zero)
        _ = machine.handle(.linkOpened(.command), at: .zero)
        _ = machine.handle(.received(.initCommandAck(base.ack), .command), at: .zero)
        _ = machine.handle(.linkOpened(.event), at: .zero)
        _ = machine.handle(.received(.initEventAck, .event), at: .zero)
        _ = machine.handle(base.response(.ok, 0), at: .zero)
        precondition(machine.isReadyForCall)
        return machine
    }

    private let question = Call(.getStorageIDs, data: .incoming(limit: 1000), silence: .seconds(9))
    private func list(silence: Duration? = nil) -> Call {
        Call(.getObjectHandles, data: .incoming(limit: 400_000), patience: .seconds(120), silence: silence)
    }

    private func ended(_ silence: Int, over operation: OperationCode) -> [Initiator.Action] {
        let ending = Ending.hung(silentFor: .seconds(silence), over: operation)
        return [.fail(.connectionEnded(ending)), .closeLinks(ending)]
    }

    /// Lets time pass whenever the machine wants it, and gives what it does, with when.
    private func wait(
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
            // What nobody waits for any more.
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

    // MARK: Probes in a long call

    @Test("a camera that has answered a probe and answers none in a long call hangs: 25 s")
    func probesUnanswered() {
        var machine = open(answersProbes: true)
        _ = machine.handle(.call(list()), at: .zero)
        let seen = wait(&machine, until: 200)
        #expect(seen.map(\.second) == [5, 15, 25, 25])
        #expect(
            seen.map(\.action) == [.send(.probeRequest, .event), .send(.probeRequest, .event)]
                + ended(25, over: .getObjectHandles))
    }

    @Test("one that answers them has its two minutes for the list")
    func probesAnswered() {
        var machine = open(answersProbes: true)
        _ = machine.handle(.call(list()), at: .zero)
        var asked = 0
        while let deadline = machine.nextDeadline, deadline < .seconds(120) {
            #expect(machine.handle(.timePassed, at: deadline) == [.send(.probeRequest, .event)])
            asked += 1
            _ = machine.handle(.received(.probeResponse, .event), at: deadline + .milliseconds(9_900))
        }
        #expect(asked == 8)
        #expect(machine.handle(base.response(.ok, 1), at: .seconds(119)).count == 1)
        #expect(machine.hasAnsweredProbeInCall)
    }

    @Test(
        "one that has never answered a probe is not left because it does not",
        arguments: [false, true])
    func neverAnswered(isTried: Bool) {
        var machine = open()
        if isTried { #expect(machine.handle(.tryProbe, at: .zero) == [.send(.probeRequest, .event)]) }
        #expect(!machine.hasAnsweredProbes)
        _ = machine.handle(.call(list()), at: .zero)
        let seen = wait(&machine, until: 119)
        #expect(seen.map(\.action) == [.send(.probeRequest, .event), .send(.probeRequest, .event)])
        #expect(machine.handle(base.response(.ok, 1), at: .seconds(119)).count == 1)
    }

    @Test("to have answered once, in this connection, is enough")
    func answeredOnce() {
        var machine = open()
        _ = machine.handle(.tryProbe, at: .zero)
        _ = machine.handle(.received(.probeResponse, .event), at: .seconds(1))
        #expect(machine.hasAnsweredProbes && machine.trustsProbesInCalls && !machine.hasAnsweredProbeInCall)
        _ = machine.handle(.call(list()), at: .seconds(1))
        #expect(wait(&machine, until: 200).last?.second == 26)
    }

    @Test("one that was deaf in a call before is trusted again when it answers in one")
    func deaf() {
        var machine = open(answersProbes: true) { $0.answersProbesInCalls = false }
        #expect(machine.hasAnsweredProbes && !machine.trustsProbesInCalls)
        var deaf = machine
        _ = deaf.handle(.call(list()), at: .zero)
        #expect(wait(&deaf, until: 119).count == 2)
        #expect(deaf.isAlive)

        _ = machine.handle(.call(list()), at: .zero)
        _ = machine.handle(.timePassed, at: .seconds(5))
        _ = machine.handle(.received(.probeResponse, .event), at: .seconds(6))
        #expect(machine.trustsProbesInCalls)
        #expect(wait(&machine, until: 119).last?.second == 31)
    }

    @Test("a photo is never probed, nor is a short call, nor a body that does not want it")
    func notProbed() {
        let photo = Call(.getObject, [5], data: .streamed(limit: 1 << 30), noProgress: .seconds(60))
        let info = Call(.getObjectInfo, [5], data: .incoming(limit: 1000))
        for call in [photo, info, list(silence: .seconds(20))] {
            var machine = open(answersProbes: true)
            _ = machine.handle(.call(call), at: .zero)
            #expect(!wait(&machine, until: 200).contains { $0.action == .send(.probeRequest, .event) })
        }
        var mute = open { $0.answersProbes = false }
        #expect(mute.handle(.tryProbe, at: .zero).isEmpty)
        _ = mute.handle(.call(list()), at: .zero)
        #expect(wait(&mute, until: 200).map(\.second) == [120])
    }

    @Test("a probe right after the handshake is nothing that a body is left for which answered none before")
    func afterHandshake() {
        for hasAnswered in [false, true] {
            var machine = open(answersProbes: hasAnswered) { $0.probesAfterHandshake = true }
            #expect(wait(&machine, until: 100).isEmpty == !hasAnswered)
        }
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
    fileprivate var isAlive: Bool {
        if case .connected = state { true } else { false }
    }
}
