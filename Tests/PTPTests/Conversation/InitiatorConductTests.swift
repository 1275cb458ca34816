import PTP
import TestSupport
import Testing

/// What the initiator does when the camera, the network or time gets in the way.
extension InitiatorTests {
    @Test("late answers to an earlier call are skipped, their data included")
    func staleAnswers() {
        var machine = open()
        let call = Call(.getObjectHandles, [0xFFFF_FFFF, 0, 0], data: .incoming(limit: 64))
        _ = machine.handle(.call(call), at: .zero)
        #expect(
            machine.handle(.timePassed, at: .seconds(30))
                == [.fail(.timedOut(.getObjectHandles, after: .seconds(30)))])
        // The next call is already out when the first one is answered.
        _ = machine.handle(.call(call), at: .seconds(31))
        #expect(machine.handle(startData(1, 4), at: .seconds(31)).isEmpty)
        #expect(machine.handle(data(1, 4, isLast: true), at: .seconds(31)).isEmpty)
        #expect(machine.payloadDestination == .discard)
        #expect(machine.handle(response(.ok, 1), at: .seconds(31)).isEmpty)
        _ = machine.handle(startData(2, 4), at: .seconds(31))
        _ = machine.handle(data(2, 4, isLast: true), at: .seconds(31))
        #expect(machine.payloadDestination == .collect)
        _ = machine.handle(.collected([0, 0, 0, 0]), at: .seconds(31))
        #expect(
            machine.handle(response(.ok, 2), at: .seconds(31))
                == [.finish(Reply(code: .ok, data: [0, 0, 0, 0], received: 4, announced: 4))])
    }

    @Test("payload of a call that timed out never lands in the next call")
    func payloadOwner() {
        var machine = open()
        let call = Call(.getObjectHandles, data: .incoming(limit: 1000))
        _ = machine.handle(.call(call), at: .zero)
        _ = machine.handle(startData(1, 100), at: .seconds(29))
        _ = machine.handle(data(1, 100, isLast: true), at: .seconds(29))
        #expect(machine.payloadDestination == .collect)
        _ = machine.handle(.timePassed, at: .seconds(30))
        #expect(machine.payloadDestination == .discard)
        _ = machine.handle(.call(call), at: .seconds(30))
        #expect(machine.payloadDestination == .discard)
    }

    @Test("stale answers without end are misconduct")
    func staleWithoutEnd() {
        var machine = open()
        _ = machine.handle(.call(Call(.getNumObjects)), at: .zero)
        _ = machine.handle(response(.ok, 1), at: .zero)
        _ = machine.handle(.call(Call(.getNumObjects)), at: .zero)
        var actions: [Initiator.Action] = []
        for _ in 0...machine.timeouts.stalePackets where actions.isEmpty {
            actions = machine.handle(response(.ok, 1), at: .zero)
        }
        let ending = Ending.misbehaved(
            .staleWithoutEnd(packets: machine.timeouts.stalePackets + 1), .command)
        #expect(actions == [.fail(.connectionEnded(ending)), .closeLinks(ending)])
    }

    @Test("and so is stale data without end, whatever its packets are cut into")
    func staleData() {
        var machine = open()
        _ = machine.handle(.call(Call(.getNumObjects)), at: .zero)
        _ = machine.handle(.timePassed, at: .seconds(30))
        let most = UInt32(machine.timeouts.excessBytes)
        #expect(machine.handle(data(1, most, isLast: false), at: .seconds(31)).isEmpty)
        #expect(
            machine.handle(data(1, 1, isLast: false), at: .seconds(31))
                == [.closeLinks(.misbehaved(.staleWithoutEnd(packets: 2), .command))])
    }

    @Test("an answer from the future means the two count differently: the connection ends")
    func outOfStep() {
        var machine = open()
        _ = machine.handle(.call(Call(.getNumObjects)), at: .zero)
        let ending = Ending.misbehaved(
            .outOfStep(expected: .first, got: TransactionID(rawValue: 9)), .command)
        #expect(
            machine.handle(response(.ok, 9), at: .zero)
                == [.fail(.connectionEnded(ending)), .closeLinks(ending)])
    }

    @Test("two calls in a row without a response end the connection")
    func silence() {
        var machine = open()
        _ = machine.handle(.call(Call(.getNumObjects)), at: .zero)
        #expect(machine.nextDeadline == .seconds(30))
        _ = machine.handle(.timePassed, at: .seconds(30))
        _ = machine.handle(.call(Call(.getNumObjects)), at: .seconds(30))
        let ending = Ending.silent(waitingFor: "response to GetNumObjects", after: .seconds(30))
        #expect(
            machine.handle(.timePassed, at: .seconds(60))
                == [.fail(.connectionEnded(ending)), .closeLinks(ending)])
    }

    // MARK: Cancel

    @Test("a cancel goes to the event link first, then to the command link, and ends with any response")
    func cancel() {
        var machine = open()
        _ = machine.handle(.call(Call(.getObject, [5], data: .streamed(limit: 1000))), at: .zero)
        _ = machine.handle(startData(1, 1000), at: .zero)
        _ = machine.handle(data(1, 500, isLast: false), at: .zero)
        #expect(machine.payloadDestination == .stream)
        #expect(
            machine.handle(.cancelCall, at: .zero)
                == [.send(.cancel(.first), .event), .send(.cancel(.first), .command)])
        #expect(machine.payloadDestination == .discard)
        #expect(machine.handle(response(.transactionCancelled, 1), at: .zero) == [.fail(.cancelled)])
        #expect(machine.isReadyForCall)
    }

    @Test("a cancel that is not answered drops both links")
    func cancelUnanswered() {
        var machine = open()
        _ = machine.handle(.call(Call(.getObject, [5], data: .streamed(limit: 1000))), at: .zero)
        _ = machine.handle(.cancelCall, at: .seconds(1))
        #expect(machine.nextDeadline == .seconds(4))
        #expect(machine.handle(.timePassed, at: .seconds(4)) == [.fail(.cancelled), .closeLinks(.cancelled)])
    }

    @Test("at the end of everything a cancel is waited for less long, also one that was sent before")
    func cancelAtEnd() {
        var machine = open()
        _ = machine.handle(.call(Call(.getObject, [5], data: .streamed(limit: 1000))), at: .zero)
        var other = machine
        #expect(
            other.handle(.cancelCallAtEnd, at: .seconds(1)) == machine.handle(.cancelCall, at: .seconds(1)))
        #expect(other.nextDeadline == .seconds(2))
        #expect(machine.handle(.cancelCallAtEnd, at: .milliseconds(1500)).isEmpty, "the camera was told")
        #expect(machine.nextDeadline == .milliseconds(2500))
        #expect(machine.handle(.cancelCall, at: .milliseconds(1600)).isEmpty)
        #expect(machine.nextDeadline == .milliseconds(2500))
        #expect(
            machine.handle(.timePassed, at: .milliseconds(2500))
                == [.fail(.cancelled), .closeLinks(.cancelled)])
        #expect(other.handle(.timePassed, at: .seconds(2)) == [.fail(.cancelled), .closeLinks(.cancelled)])
    }

    @Test("a camera that does not know Cancel loses both links at once")
    func cancelByDropping() {
        var machine = open { $0.cancelling = .dropLinks }
        _ = machine.handle(.call(Call(.getObject, [5], data: .streamed(limit: 1000))), at: .zero)
        #expect(machine.handle(.cancelCall, at: .zero) == [.fail(.cancelled), .closeLinks(.cancelled)])
    }

    // MARK: Probes, notices, ends

    @Test("a probe is answered at once on the channel it came on", arguments: Channel.allCases)
    func probes(channel: Channel) {
        var machine = open()
        #expect(
            machine.handle(.received(.probeRequest, channel), at: .zero) == [.send(.probeResponse, channel)])
    }

    @Test("a flood of probes is not answered one by one")
    func probeFlood() {
        var machine = open()
        var answers = 0
        for _ in 0..<1000 { answers += machine.handle(.received(.probeRequest, .event), at: .zero).count }
        #expect(answers == machine.timeouts.probeAnswersPerSecond)
        #expect(machine.handle(.received(.probeRequest, .event), at: .seconds(1)).count == 1)
    }

    @Test("an idle camera is asked whether it is there, and given up when it does not say so")
    func probing() {
        var machine = open { $0.probeInterval = .seconds(15) }
        #expect(machine.nextDeadline == .seconds(15))
        #expect(machine.handle(.timePassed, at: .seconds(15)) == [.send(.probeRequest, .event)])
        _ = machine.handle(.received(.probeResponse, .event), at: .seconds(16))
        #expect(machine.nextDeadline == .seconds(31))
        _ = machine.handle(.timePassed, at: .seconds(31))
        #expect(
            machine.handle(.timePassed, at: .seconds(41))
                == [.closeLinks(.silent(waitingFor: "answer to a probe", after: .seconds(10)))])
    }

    @Test("notices are passed on from either channel, at any time after the first ack")
    func notices() {
        var machine = machine()
        _ = machine.handle(.start, at: .zero)
        _ = machine.handle(.linkOpened(.command), at: .zero)
        _ = machine.handle(.received(.initCommandAck(ack), .command), at: .zero)
        _ = machine.handle(.linkOpened(.event), at: .zero)
        let notice = EventPacket(code: .objectAdded, parameters: [9])
        #expect(machine.handle(.received(.event(notice), .event), at: .zero) == [.notice(notice)])
        _ = machine.handle(.received(.initEventAck, .event), at: .zero)
        #expect(machine.handle(.received(.event(notice), .command), at: .zero) == [.notice(notice)])
    }

    @Test("losing the command link ends both and fails the call under way")
    func commandLinkLost() {
        var machine = open()
        _ = machine.handle(.call(Call(.getNumObjects)), at: .zero)
        let ending = Ending.linkLost(.command, reason: "reset")
        #expect(
            machine.handle(.linkLost(.command, reason: "reset"), at: .zero)
                == [.fail(.connectionEnded(ending)), .closeLinks(ending)])
        #expect(machine.handle(.linkLost(.command, reason: "again"), at: .zero).isEmpty)
        #expect(machine.nextDeadline == nil)
    }

    @Test("losing the event link while nothing is asked, or a call is cancelled, ends both at once")
    func eventLinkLost() {
        let ending = Ending.linkLost(.event, reason: "reset")
        var machine = open()
        #expect(machine.handle(.linkLost(.event, reason: "reset"), at: .zero) == [.closeLinks(ending)])

        var cancelled = open()
        _ = cancelled.handle(.call(Call(.getObject, [5], data: .streamed(limit: 1000))), at: .zero)
        _ = cancelled.handle(.cancelCall, at: .zero)
        #expect(
            cancelled.handle(.linkLost(.event, reason: "reset"), at: .zero)
                == [.fail(.cancelled), .closeLinks(ending)])
    }

    @Test(
        "what the camera answers is heard for a second after the event link has ended: it may be here already"
    )
    func eventLinkLostInCall() {
        var machine = open()
        _ = machine.handle(.call(Call(.getNumObjects)), at: .zero)
        #expect(machine.handle(.linkLost(.event, reason: "reset"), at: .zero).isEmpty)
        #expect(machine.nextDeadline == .seconds(1))
        var silent = machine
        let ending = Ending.linkLost(.event, reason: "reset")
        let heard = machine.handle(response(.ok, 1), at: .milliseconds(900))
        guard case .finish(let reply) = heard.first else {
            Issue.record("the answer was not heard: \(heard)")
            return
        }
        #expect(reply.code == .ok)
        #expect(heard.dropFirst() == [.closeLinks(ending)])
        #expect(
            silent.handle(.timePassed, at: .seconds(1))
                == [.fail(.connectionEnded(ending)), .closeLinks(ending)])
    }

    @Test("when the event link ends in the middle of a photo, the photo's bytes are taken while they come")
    func eventLinkLostInPhoto() {
        var machine = open()
        _ = machine.handle(.call(Call(.getObject, [5], data: .streamed(limit: 1000))), at: .zero)
        _ = machine.handle(startData(1, 1000), at: .zero)
        _ = machine.handle(data(1, 1000, isLast: true), at: .zero)
        let eventEnding = Ending.linkLost(.event, reason: "gone")
        #expect(machine.handle(.linkLost(.event, reason: "gone"), at: .seconds(1)).isEmpty)
        #expect(machine.nextDeadline == .seconds(2))
        #expect(machine.handle(.payloadMoved(500), at: .milliseconds(1500)).isEmpty)
        #expect(machine.handle(.timePassed, at: .seconds(2)).isEmpty)
        var other = machine
        // The end of the command link is the end of what can come.
        #expect(
            other.handle(.linkLost(.command, reason: "gone, too"), at: .seconds(2)).last
                == .closeLinks(.linkLost(.command, reason: "gone, too")))
        #expect(
            machine.handle(.timePassed, at: .milliseconds(2500))
                == [.fail(.connectionEnded(eventEnding)), .closeLinks(eventEnding)])
    }

    @Test("and also when none of them has been seen yet: they may lie in the machine already")
    func eventLinkLostBeforePhoto() {
        var machine = open()
        _ = machine.handle(.call(Call(.getObject, [5], data: .streamed(limit: 1000))), at: .zero)
        #expect(machine.handle(.linkLost(.event, reason: "gone"), at: .seconds(1)).isEmpty)
        #expect(machine.handle(startData(1, 1000), at: .milliseconds(1100)).isEmpty)
        #expect(machine.handle(data(1, 1000, isLast: true), at: .milliseconds(1100)).isEmpty)
        #expect(machine.payloadDestination == .stream)
        #expect(
            machine.handle(.timePassed, at: .seconds(2)).last
                == .closeLinks(.linkLost(.event, reason: "gone")))
    }

    @Test("closing says CloseSession first, except to a camera that cannot bear it")
    func closing() {
        var machine = open()
        #expect(machine.handle(.close, at: .zero) == [.send(request(.closeSession, 1), .command)])
        // A Leica answers CloseSession with transaction 0.
        #expect(machine.handle(response(.ok, 0), at: .zero) == [.closeLinks(.closed)])

        var canon = open { $0.closesSession = false }
        #expect(canon.handle(.close, at: .zero) == [.closeLinks(.closed)])

        var silent = open()
        _ = silent.handle(.close, at: .zero)
        #expect(silent.nextDeadline == .milliseconds(700))
        #expect(silent.handle(.timePassed, at: .milliseconds(700)) == [.closeLinks(.closed)])
    }

    @Test("what only a camera may get ends the connection when the camera sends it")
    func misplacedPackets() {
        var machine = open()
        let ending = Ending.misbehaved(
            .unexpectedPacket(.operationRequest, during: "the conversation"), .command)
        #expect(
            machine.handle(.received(request(.getObject, 1), .command), at: .zero) == [.closeLinks(ending)])
    }
}
