import PTP
import TestSupport
import Testing

/// The initiator alone, happening by happening.
@Suite struct InitiatorTests {
    let ack = InitCommandAck(connectionNumber: 7, guid: .zero, name: "camera")
    let identity = InitCommandRequest(guid: .anonymous, name: "us")

    func machine(_ change: (inout Peculiarities) -> Void = { _ in }) -> Initiator {
        var peculiarities = Peculiarities()
        change(&peculiarities)
        return Initiator(identity: identity, peculiarities: peculiarities)
    }

    /// A machine with an open session; whatever it does next is transaction 1.
    func open(_ change: (inout Peculiarities) -> Void = { _ in }) -> Initiator {
        var machine = machine(change)
        _ = machine.handle(.start, at: .zero)
        _ = machine.handle(.linkOpened(.command), at: .zero)
        _ = machine.handle(.received(.initCommandAck(ack), .command), at: .zero)
        _ = machine.handle(.linkOpened(.event), at: .zero)
        _ = machine.handle(.received(.initEventAck, .event), at: .zero)
        let answered = machine.handle(
            .received(
                .operationResponse(OperationResponse(code: .ok, transaction: .outsideSession)), .command),
            at: .zero)
        precondition(answered == [.sessionOpened])
        return machine
    }

    func request(_ code: OperationCode, _ transaction: UInt32, _ parameters: [UInt32] = []) -> Packet {
        .operationRequest(
            OperationRequest(
                code: code, transaction: TransactionID(rawValue: transaction), parameters: parameters))
    }

    func response(_ code: ResponseCode, _ transaction: UInt32) -> Initiator.Happening {
        .received(
            .operationResponse(
                OperationResponse(code: code, transaction: TransactionID(rawValue: transaction))), .command)
    }

    func startData(_ transaction: UInt32, _ total: UInt64) -> Initiator.Happening {
        .received(
            .startData(StartData(transaction: TransactionID(rawValue: transaction), totalLength: total)),
            .command)
    }

    func data(_ transaction: UInt32, _ length: UInt32, isLast: Bool) -> Initiator.Happening {
        let header = PayloadHeader(transaction: TransactionID(rawValue: transaction), length: length)
        return .received(isLast ? .endData(header) : .data(header), .command)
    }

    // MARK: Handshake

    @Test("the handshake takes both links in order and then opens a session")
    func handshake() {
        var machine = machine()
        #expect(machine.handle(.start, at: .zero) == [.openLink(.command)])
        #expect(
            machine.handle(.linkOpened(.command), at: .zero) == [
                .send(.initCommandRequest(identity), .command)
            ])
        #expect(machine.handle(.received(.initCommandAck(ack), .command), at: .zero) == [.openLink(.event)])
        #expect(
            machine.handle(.linkOpened(.event), at: .zero)
                == [.send(.initEventRequest(connectionNumber: 7), .event)])
        let actions = machine.handle(.received(.initEventAck, .event), at: .zero)
        #expect(actions.last == .send(request(.openSession, 0, [1]), .command))
        #expect(!machine.isReadyForCall)
        #expect(machine.handle(response(.ok, 0), at: .zero) == [.sessionOpened])
        #expect(machine.isReadyForCall)
    }

    @Test("a person is asked for when the camera does not answer at once, and given up in the end")
    func waitingForPerson() {
        var machine = machine()
        _ = machine.handle(.start, at: .zero)
        _ = machine.handle(.linkOpened(.command), at: .zero)
        let askAt = machine.timeouts.beforeAskingForPerson
        #expect(machine.nextDeadline == askAt)
        #expect(machine.handle(.timePassed, at: askAt - .milliseconds(1)).isEmpty)
        #expect(machine.handle(.timePassed, at: askAt) == [.askPerson(waitingUntil: .seconds(180))])
        #expect(machine.nextDeadline == .seconds(180))
        #expect(
            machine.handle(.timePassed, at: .seconds(180)) == [
                .closeLinks(.notConfirmed(after: .seconds(180)))
            ])
    }

    @Test(
        "a refusal on either link ends both and says why",
        arguments: [InitFailReason.rejectedInitiator, .busy])
    func refusal(reason: InitFailReason) {
        var machine = machine()
        _ = machine.handle(.start, at: .zero)
        _ = machine.handle(.linkOpened(.command), at: .zero)
        #expect(
            machine.handle(.received(.initFail(reason), .command), at: .zero)
                == [.closeLinks(.refused(reason, .command))])
    }

    @Test("a camera that refuses the event link at first gets it offered again, but not for ever")
    func eventLinkRetries() throws {
        var machine = machine()
        _ = machine.handle(.start, at: .zero)
        _ = machine.handle(.linkOpened(.command), at: .zero)
        _ = machine.handle(.received(.initCommandAck(ack), .command), at: .zero)
        var now = Duration.zero
        for pause in machine.timeouts.eventLinkRetries {
            #expect(machine.handle(.linkLost(.event, reason: "refused"), at: now).isEmpty)
            #expect(machine.nextDeadline == now + pause)
            now += pause
            #expect(machine.handle(.timePassed, at: now) == [.openLink(.event)])
        }
        #expect(
            machine.handle(.linkLost(.event, reason: "refused"), at: now)
                == [.closeLinks(.unreachable(.event, reason: "refused"))])
    }

    // MARK: Transactions

    @Test("a dataset is collected between Start Data and the response")
    func collects() {
        var machine = open()
        let call = Call(.getStorageIDs, data: .incoming(limit: 64))
        #expect(machine.handle(.call(call), at: .zero) == [.send(request(.getStorageIDs, 1), .command)])
        #expect(machine.handle(startData(1, 6), at: .zero).isEmpty)
        #expect(machine.handle(data(1, 4, isLast: false), at: .zero).isEmpty)
        #expect(machine.payloadDestination == .collect)
        _ = machine.handle(.collected([1, 2, 3, 4]), at: .zero)
        _ = machine.handle(data(1, 2, isLast: true), at: .zero)
        _ = machine.handle(.collected([5, 6]), at: .zero)
        #expect(
            machine.handle(response(.ok, 1), at: .zero)
                == [.finish(Reply(code: .ok, data: [1, 2, 3, 4, 5, 6], received: 6, announced: 6))])
        #expect(machine.handle(.call(call), at: .zero) == [.send(request(.getStorageIDs, 2), .command)])
    }

    @Test("an empty data phase, a missing one and one broken off by an error each give a reply")
    func oddDataPhases() {
        var machine = open()
        let call = Call(.getObjectInfo, [5], data: .incoming(limit: 64))
        _ = machine.handle(.call(call), at: .zero)
        _ = machine.handle(startData(1, 0), at: .zero)
        _ = machine.handle(data(1, 0, isLast: true), at: .zero)
        #expect(machine.handle(response(.ok, 1), at: .zero) == [.finish(Reply(code: .ok, announced: 0))])

        _ = machine.handle(.call(call), at: .zero)
        #expect(
            machine.handle(response(.deviceBusy, 2), at: .zero) == [.finish(Reply(code: .deviceBusy))])

        _ = machine.handle(.call(call), at: .zero)
        _ = machine.handle(startData(3, 60), at: .zero)
        _ = machine.handle(data(3, 20, isLast: false), at: .zero)
        _ = machine.handle(.collected([UInt8](repeating: 9, count: 20)), at: .zero)
        let reply = machine.handle(response(.incompleteTransfer, 3), at: .zero)
        guard case .finish(let broken)? = reply.first else {
            Issue.record("\(reply)")
            return
        }
        #expect(broken.code == .incompleteTransfer)
        #expect(broken.received == 20)
    }

    @Test("OK after half the data fails the call and nothing else, unless all that was promised is there")
    func dataWithoutEnd() {
        var short = open()
        _ = short.handle(.call(Call(.getObject, [5], data: .streamed(limit: 100))), at: .zero)
        _ = short.handle(startData(1, 60), at: .zero)
        _ = short.handle(data(1, 20, isLast: false), at: .zero)
        #expect(
            short.handle(response(.ok, 1), at: .zero)
                == [.fail(.dataCutShort(.getObject, announced: 60, received: 20))])
        #expect(short.isReadyForCall)

        var endless = open()
        _ = endless.handle(.call(Call(.getObjectHandles, data: .incoming(limit: 100))), at: .zero)
        _ = endless.handle(startData(1, .max), at: .zero)
        #expect(
            endless.handle(response(.ok, 1), at: .zero)
                == [.fail(.dataCutShort(.getObjectHandles, announced: nil, received: 0))])

        // A Leica M10 never sends End Data.
        var leica = open()
        _ = leica.handle(.call(Call(.getObject, [5], data: .streamed(limit: 100))), at: .zero)
        _ = leica.handle(startData(1, 20), at: .zero)
        _ = leica.handle(data(1, 20, isLast: false), at: .zero)
        #expect(
            leica.handle(response(.ok, 1), at: .zero)
                == [.finish(Reply(code: .ok, received: 20, announced: 20))])
    }

    @Test(
        "the total of Start Data may be unknown or wrong; End Data decides",
        arguments: [.max, 0xFFFF_FFFF, 3, 90])
    func announcedTotals(total: UInt64) {
        var machine = open()
        _ = machine.handle(.call(Call(.getObject, [5], data: .streamed(limit: 100))), at: .zero)
        _ = machine.handle(startData(1, total), at: .zero)
        _ = machine.handle(data(1, 20, isLast: true), at: .zero)
        let announced = total > 100 ? nil : Optional(total)
        #expect(
            machine.handle(response(.ok, 1), at: .zero)
                == [.finish(Reply(code: .ok, received: 20, announced: announced))])
    }

    @Test("data goes out in one End Data, or as Sony's own software sends it")
    func outgoing() {
        let call = Call(OperationCode(rawValue: 0x9280), [4], data: .outgoing([1, 2, 3]))
        let id = TransactionID(rawValue: 1)
        let out = OperationRequest(
            dataPhase: .outgoing, code: call.operation, transaction: id, parameters: [4])
        var plain = open()
        #expect(
            plain.handle(.call(call), at: .zero) == [
                .send(.operationRequest(out), .command),
                .send(.startData(StartData(transaction: id, totalLength: 3)), .command),
                .send(.endData(PayloadHeader(transaction: id, length: 3)), .command),
                .sendPayload([1, 2, 3]),
            ])
        var sony = open { $0.outgoingPackets = .dataThenEmptyEnd }
        #expect(
            sony.handle(.call(call), at: .zero).suffix(3) == [
                .send(.data(PayloadHeader(transaction: id, length: 3)), .command),
                .sendPayload([1, 2, 3]),
                .send(.endData(PayloadHeader(transaction: id, length: 0)), .command),
            ])
    }

    @Test("a Leica gets five parameters and data phase 0")
    func padding() {
        var machine = open {
            $0.parameters = .alwaysFive
            $0.noneOrIncoming = DataPhaseInfo(rawValue: 0)
        }
        let expected = OperationRequest(
            dataPhase: DataPhaseInfo(rawValue: 0), code: .getObjectInfo, transaction: .first,
            parameters: [5, 0, 0, 0, 0])
        #expect(
            machine.handle(.call(Call(.getObjectInfo, [5], data: .incoming(limit: 64))), at: .zero)
                == [.send(.operationRequest(expected), .command)])
    }
}
