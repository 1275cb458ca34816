import PTP
import TestSupport
import Testing

/// Probes in a long call, and what is made of their answers.
extension InitiatorSilenceTests {
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

    @Test(
        "a probe's answer that comes behind its call, or when it is not waited for any more, was not given in one"
    )
    func answeredOutsideCall() {
        // Between two calls.
        var machine = open(answersProbes: true)
        _ = machine.handle(.call(list()), at: .zero)
        _ = machine.handle(.timePassed, at: .seconds(5))
        _ = machine.handle(base.response(.ok, 1), at: .seconds(6))
        _ = machine.handle(.received(.probeResponse, .event), at: .seconds(7))
        #expect(!machine.hasAnsweredProbeInCall)
        // Behind a call that was not answered.
        machine = open(answersProbes: true) { $0.answersProbesInCalls = false }
        _ = machine.handle(.call(list()), at: .zero)
        #expect(wait(&machine, until: 120).count == 3)
        _ = machine.handle(.received(.probeResponse, .event), at: .seconds(121))
        #expect(!machine.hasAnsweredProbeInCall)
        // In it, when the camera was known to be deaf already.
        machine = open(answersProbes: true) { $0.answersProbesInCalls = false }
        _ = machine.handle(.call(list()), at: .zero)
        #expect(wait(&machine, until: 30).count == 2)
        _ = machine.handle(.received(.probeResponse, .event), at: .seconds(35))
        #expect(!machine.hasAnsweredProbeInCall && machine.isAlive)
        // When the call has been taken back.
        machine = open(answersProbes: true)
        _ = machine.handle(.call(list()), at: .zero)
        _ = machine.handle(.timePassed, at: .seconds(5))
        _ = machine.handle(.cancelCall, at: .seconds(6))
        _ = machine.handle(.received(.probeResponse, .event), at: .seconds(7))
        #expect(!machine.hasAnsweredProbeInCall)
    }

    @Test(
        "a link that is lost within 10 s of a probe is lost over it, where the camera has never answered one")
    func lostOverProbe() {
        func isLostOverProbe(answersProbes: Bool = false, isAnswered: Bool = false, at second: Int) -> Bool {
            var machine = open(answersProbes: answersProbes)
            _ = machine.handle(.tryProbe, at: .zero)
            if isAnswered { _ = machine.handle(.received(.probeResponse, .event), at: .zero) }
            _ = machine.handle(.linkLost(.event, reason: "closed"), at: .seconds(second))
            return machine.wasLostOverProbe
        }
        #expect(isLostOverProbe(at: 9))
        #expect(!isLostOverProbe(at: 10))
        #expect(!isLostOverProbe(answersProbes: true, at: 1))
        #expect(!isLostOverProbe(isAnswered: true, at: 1))
    }

    @Test("a probed question has its whole time where the camera answers, and what is left where it does not")
    func probedQuestion() {
        var probed = question
        (probed.silence, probed.timeout, probed.isProbed) = (.seconds(14), .seconds(28), true)
        var machine = open(answersProbes: true)
        _ = machine.handle(.call(question), at: .seconds(5))
        _ = machine.handle(.timePassed, at: .seconds(14))
        #expect(machine.owesAnswer)
        _ = machine.handle(.call(probed), at: .seconds(14))
        var silent = machine
        #expect(wait(&silent, until: 100).map(\.second) == [19, 28, 28])
        for second in [19, 24, 29, 34, 39] {
            #expect(wait(&machine, until: second).map(\.action) == [.send(.probeRequest, .event)])
            _ = machine.handle(.received(.probeResponse, .event), at: .seconds(second))
        }
        #expect(wait(&machine, until: 100).map(\.second) == [42, 42])
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
}
