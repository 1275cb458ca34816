import PTP
import TestSupport
import Testing

/// The responder alone, happening by happening.
@Suite struct ResponderTests {
    let client = InitCommandRequest(guid: .anonymous, name: "client")
    let identity = InitCommandAck(connectionNumber: 3, guid: .zero, name: "body")

    func machine(_ change: (inout Responder.Settings) -> Void = { _ in }) -> Responder {
        var settings = Responder.Settings(identity: identity)
        change(&settings)
        return Responder(settings: settings)
    }

    /// Link 1 is the command link, link 2 the event link, session 1 is open.
    func open(_ change: (inout Responder.Settings) -> Void = { _ in }) -> Responder {
        var machine = machine(change)
        _ = machine.handle(.accepted(1), at: .zero)
        _ = machine.handle(.received(.initCommandRequest(client), 1), at: .zero)
        _ = machine.handle(.admit(1), at: .zero)
        _ = machine.handle(.accepted(2), at: .zero)
        _ = machine.handle(.received(.initEventRequest(connectionNumber: 3), 2), at: .zero)
        _ = machine.handle(request(.openSession, 0, [1]), at: .zero)
        precondition(machine.hasSession)
        return machine
    }

    func request(
        _ code: OperationCode, _ transaction: UInt32, _ parameters: [UInt32] = [],
        phase: DataPhaseInfo = .noneOrIncoming
    ) -> Responder.Happening {
        .received(
            .operationRequest(
                OperationRequest(
                    dataPhase: phase, code: code, transaction: TransactionID(rawValue: transaction),
                    parameters: parameters)), 1)
    }

    func sent(_ code: ResponseCode, _ transaction: UInt32, _ parameters: [UInt32] = []) -> Responder.Action {
        .send(
            .operationResponse(
                OperationResponse(
                    code: code, transaction: TransactionID(rawValue: transaction), parameters: parameters)), 1
        )
    }

    @Test("the first packet decides which link is which, and both together make a connection")
    func handshake() {
        var machine = machine()
        #expect(machine.handle(.accepted(1), at: .zero).isEmpty)
        #expect(
            machine.handle(.received(.initCommandRequest(client), 1), at: .zero)
                == [.askForAdmission(client, 1)])
        #expect(machine.handle(.admit(1), at: .zero) == [.send(.initCommandAck(identity), 1)])
        _ = machine.handle(.accepted(2), at: .zero)
        #expect(
            machine.handle(.received(.initEventRequest(connectionNumber: 3), 2), at: .zero)
                == [.send(.initEventAck, 2), .connected(client)])
    }

    @Test("an event link with another connection number is refused")
    func wrongNumber() {
        var machine = machine()
        _ = machine.handle(.accepted(1), at: .zero)
        _ = machine.handle(.received(.initCommandRequest(client), 1), at: .zero)
        _ = machine.handle(.admit(1), at: .zero)
        _ = machine.handle(.accepted(2), at: .zero)
        #expect(
            machine.handle(.received(.initEventRequest(connectionNumber: 4), 2), at: .zero)
                == [.send(.initFail(.unspecified), 2), .closeLink(2, .refused(.unspecified))])
    }

    @Test("a link that never says who it is, and an event link that never comes, are given up")
    func silentLinks() {
        var machine = machine()
        _ = machine.handle(.accepted(1), at: .zero)
        #expect(machine.nextDeadline == .seconds(30))
        #expect(
            machine.handle(.timePassed, at: .seconds(30)) == [
                .closeLink(1, .silent(during: "the first packet"))
            ])

        _ = machine.handle(.accepted(2), at: .seconds(40))
        _ = machine.handle(.received(.initCommandRequest(client), 2), at: .seconds(40))
        _ = machine.handle(.admit(2), at: .seconds(40))
        #expect(machine.nextDeadline == .seconds(50))
        let parting = Responder.Parting.silent(during: "the event connection")
        #expect(
            machine.handle(.timePassed, at: .seconds(50)) == [.closeLink(2, parting), .disconnected(parting)])
    }

    @Test("silent connections make room for new ones, the longest silent first")
    func silentCrowd() {
        var machine = machine { $0.maximumLinks = 4 }
        for link in 1...4 { #expect(machine.handle(.accepted(link), at: .zero).isEmpty) }
        let parting = Responder.Parting.misbehaved("too many connections, and nothing said on this one")
        for link in 5...1000 {
            #expect(machine.handle(.accepted(link), at: .zero) == [.closeLink(link - 4, parting)])
        }
        // The last to come is heard.
        #expect(
            machine.handle(.received(.initCommandRequest(client), 1000), at: .zero)
                == [.askForAdmission(client, 1000)])
    }

    @Test("where all have said something, one more is closed at once")
    func talkingCrowd() {
        var machine = machine { $0.maximumLinks = 4 }
        for link in 1...4 {
            _ = machine.handle(.accepted(link), at: .zero)
            _ = machine.handle(.received(.initCommandRequest(client), link), at: .zero)
        }
        #expect(
            machine.handle(.accepted(5), at: .zero) == [.closeLink(5, .misbehaved("too many connections"))])
    }

    @Test("a second client waits until the first has shown that it is there, then it is busy")
    func secondClient() {
        var machine = open()
        _ = machine.handle(.accepted(5), at: .seconds(100))
        #expect(
            machine.handle(.received(.initCommandRequest(client), 5), at: .seconds(100))
                == [.send(.probeRequest, 2)])
        #expect(
            machine.handle(.received(.probeResponse, 2), at: .seconds(101))
                == [.send(.initFail(.busy), 5), .closeLink(5, .refused(.busy))])
        #expect(machine.hasSession)
    }

    @Test("a second client takes the place of a first that is gone")
    func replacement() {
        var machine = open()
        _ = machine.handle(.accepted(5), at: .seconds(100))
        _ = machine.handle(.received(.initCommandRequest(client), 5), at: .seconds(100))
        #expect(
            machine.handle(.timePassed, at: .seconds(110)) == [
                .closeLink(1, .replaced), .closeLink(2, .replaced), .sessionClosed, .disconnected(.replaced),
                .askForAdmission(client, 5),
            ])
    }

    @Test("what needs a session gets Session_Not_Open without one; GetDeviceInfo does not need one")
    func sessionRules() {
        var machine = open()
        #expect(
            machine.handle(request(.openSession, 1, [2]), at: .zero) == [sent(.sessionAlreadyOpen, 1, [1])])
        #expect(machine.handle(request(.closeSession, 2), at: .zero) == [.sessionClosed, sent(.ok, 2)])
        #expect(machine.handle(request(.getStorageIDs, 3), at: .zero) == [sent(.sessionNotOpen, 3)])
        #expect(machine.handle(request(.openSession, 0, [0]), at: .zero) == [sent(.invalidParameter, 0)])
        guard case .perform(let operation)? = machine.handle(request(.getDeviceInfo, 0), at: .zero).first
        else {
            Issue.record("GetDeviceInfo was not performed")
            return
        }
        #expect(operation.code == .getDeviceInfo)
    }

    @Test("a camera that counts refuses an id out of turn, and one that does not takes any")
    func counting() {
        var strict = open { $0.countsTransactions = true }
        #expect(strict.handle(request(.getStorageIDs, 2), at: .zero) == [sent(.invalidTransactionID, 2)])
        #expect(strict.handle(request(.closeSession, 1), at: .zero) == [.sessionClosed, sent(.ok, 1)])

        var lax = open()
        guard case .perform? = lax.handle(request(.getStorageIDs, 77), at: .zero).first else {
            Issue.record("a lax camera refused")
            return
        }
    }

    @Test("an answer with data is sent data first, response when the data is out")
    func dataIn() {
        var machine = open()
        _ = machine.handle(request(.getObject, 1, [9]), at: .zero)
        let answer = Responder.Answer(.ok, [5], data: .stream(length: 5))
        #expect(
            machine.handle(.answered(answer), at: .zero)
                == [.sendData(.stream(length: 5), TransactionID(rawValue: 1), 1)])
        #expect(machine.handle(.dataSent, at: .zero) == [sent(.ok, 1, [5])])
    }

    @Test("data from the client is gathered before the body is asked")
    func dataOut() {
        var machine = open()
        let id = TransactionID(rawValue: 1)
        let code = OperationCode(rawValue: 0x1016)
        #expect(machine.handle(request(code, 1, [0x5011], phase: .outgoing), at: .zero).isEmpty)
        _ = machine.handle(.received(.startData(StartData(transaction: id, totalLength: 3)), 1), at: .zero)
        _ = machine.handle(.received(.data(PayloadHeader(transaction: id, length: 2)), 1), at: .zero)
        #expect(machine.handle(.collected([1, 2], 1), at: .zero).isEmpty)
        _ = machine.handle(.received(.endData(PayloadHeader(transaction: id, length: 1)), 1), at: .zero)
        let actions = machine.handle(.collected([3], 1), at: .zero)
        guard case .perform(let operation)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(operation.data == [1, 2, 3])
        #expect(operation.parameters == [0x5011])
    }

    @Test("data without end is refused before it is kept")
    func dataOutFlood() {
        var machine = open { $0.longestIncomingData = 1000 }
        let id = TransactionID(rawValue: 1)
        _ = machine.handle(request(OperationCode(rawValue: 0x1016), 1, phase: .outgoing), at: .zero)
        _ = machine.handle(.received(.startData(StartData(transaction: id, totalLength: .max)), 1), at: .zero)
        let actions = machine.handle(
            .received(.data(PayloadHeader(transaction: id, length: 0x7FFF_FFFF)), 1), at: .zero)
        #expect(actions.first == .closeLink(1, .misbehaved("more data than this camera takes")))
    }

    @Test("a cancel stops the data, waits for its copy on the command link, and is answered")
    func cancel() {
        var machine = open()
        let id = TransactionID(rawValue: 1)
        _ = machine.handle(request(.getObject, 1, [9]), at: .zero)
        _ = machine.handle(.answered(Responder.Answer(.ok, data: .stream(length: 1 << 30))), at: .zero)
        #expect(machine.handle(.received(.cancel(id), 2), at: .zero) == [.stopData])
        #expect(machine.handle(.dataStopped, at: .zero).isEmpty)
        #expect(machine.nextDeadline == .seconds(1))
        #expect(machine.handle(.received(.cancel(id), 1), at: .zero) == [sent(.transactionCancelled, 1)])
        #expect(machine.handle(.received(.cancel(id), 1), at: .zero).isEmpty)
    }

    @Test("a cancel whose copy never comes is answered all the same")
    func cancelWithoutCopy() {
        var machine = open()
        _ = machine.handle(request(.getObject, 1, [9]), at: .zero)
        _ = machine.handle(.received(.cancel(TransactionID(rawValue: 1)), 2), at: .zero)
        #expect(machine.handle(.answered(Responder.Answer(.ok)), at: .zero).isEmpty)
        #expect(machine.handle(.timePassed, at: .seconds(1)) == [sent(.transactionCancelled, 1)])
    }

    @Test("one request may wait for the last answer, a second one may not")
    func pipelining() {
        var machine = open()
        _ = machine.handle(request(.getStorageIDs, 1), at: .zero)
        #expect(machine.handle(request(.getNumObjects, 2), at: .zero).isEmpty)
        let actions = machine.handle(.answered(Responder.Answer(.ok)), at: .zero)
        #expect(actions.first == sent(.ok, 1))
        guard case .perform(let next)? = actions.last else {
            Issue.record("\(actions)")
            return
        }
        #expect(next.code == .getNumObjects)
        _ = machine.handle(request(.getNumObjects, 3), at: .zero)
        #expect(
            machine.handle(request(.getNumObjects, 4), at: .zero).first
                == .closeLink(1, .misbehaved("a third request before an answer")))
    }

    @Test("notices go out on the event link, and nowhere without one")
    func notices() {
        let notice = EventPacket(code: .objectAdded, parameters: [9])
        var alone = machine()
        #expect(alone.handle(.notice(notice), at: .zero).isEmpty)
        var connected = open()
        #expect(connected.handle(.notice(notice), at: .zero) == [.send(.event(notice), 2)])
    }

    @Test("a client's probes are answered, or not, or only while nothing else is asked")
    func clientProbes() {
        for (answers, whileIdle, whileAsked) in [
            (.all, true, true), (.idle, true, false), (.none, false, false),
        ]
            as [(Responder.ProbeAnswers, Bool, Bool)]
        {
            var machine = open { $0.answersProbes = answers }
            let response = [Responder.Action.send(.probeResponse, 2)]
            #expect(machine.handle(.received(.probeRequest, 2), at: .zero) == (whileIdle ? response : []))
            _ = machine.handle(request(.getStorageIDs, 1), at: .zero)
            #expect(machine.handle(.received(.probeRequest, 2), at: .zero) == (whileAsked ? response : []))
            _ = machine.handle(.answered(Responder.Answer(.ok)), at: .zero)
            #expect(machine.handle(.received(.probeRequest, 2), at: .zero) == (whileIdle ? response : []))
        }
    }

    @Test(
        "a client's probes are answered late, while something else is asked, too, or the client is hung up on"
    )
    func lateAnswers() {
        var late = open { $0.probeAnswerDelay = .seconds(30) }
        #expect(late.handle(.received(.probeRequest, 2), at: .seconds(1)).isEmpty)
        #expect(late.handle(.received(.probeRequest, 2), at: .seconds(2)).isEmpty)
        _ = late.handle(request(.getStorageIDs, 1), at: .seconds(3))
        #expect(late.nextDeadline == .seconds(31))
        #expect(late.handle(.timePassed, at: .seconds(31)) == [.send(.probeResponse, 2)])
        #expect(late.handle(.timePassed, at: .seconds(32)) == [.send(.probeResponse, 2)])
        #expect(late.nextDeadline == nil)
        var deaf = open { $0.answersProbes = .hangUp }
        let parting = Responder.Parting.misbehaved("a Probe request came")
        #expect(deaf.handle(.received(.probeRequest, 2), at: .zero).contains(.disconnected(parting)))
    }

    @Test("a client that does not answer probes, or asks nothing for too long, is dropped")
    func quietClients() {
        var probing = open { $0.probeInterval = .seconds(5) }
        #expect(probing.handle(.timePassed, at: .seconds(5)) == [.send(.probeRequest, 2)])
        let silent = Responder.Parting.silent(during: "a probe")
        #expect(probing.handle(.timePassed, at: .seconds(15)).last == .disconnected(silent))

        var sleepy = open { $0.idleLimit = .seconds(60) }
        #expect(sleepy.nextDeadline == .seconds(60))
        #expect(sleepy.handle(.timePassed, at: .seconds(60)).last == .disconnected(.asleep))
    }
}
