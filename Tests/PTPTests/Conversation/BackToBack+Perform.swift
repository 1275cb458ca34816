import PTP
import TestSupport

extension BackToBack {
    mutating func perform(_ actions: [Initiator.Action]) {
        for action in actions {
            switch action {
            case .openLink(let channel):
                agenda.plan(
                    .linkOpened(channel), at: now + .milliseconds(Int.random(in: 1...50, using: &random)))
            case .send(let packet, let channel):
                carry(packet.encoded, channel, to: .responder)
            case .sendPayload(let bytes):
                carry(bytes, .command, to: .responder)
            case .askPerson, .connected, .remark:
                break
            case .sessionOpened:
                agenda.plan(.nextStep, at: now)
            case .notice(let notice):
                notices.append(notice)
            case .finish(let reply):
                outcomes[outcomes.count - 1].reply = reply
                agenda.plan(.nextStep, at: now + .milliseconds(Int.random(in: 0...300, using: &random)))
            case .callAgain(let call, _):
                preconditionFailure("none of these calls has retries, and this one is made again: \(call)")
            case .fail(let failure):
                outcomes[outcomes.count - 1].failure = failure
                agenda.plan(.nextStep, at: now + .milliseconds(Int.random(in: 0...300, using: &random)))
            case .closeLinks(let why):
                ending = why
                for channel in Channel.allCases {
                    agenda.plan(.broke(channel, .responder), at: now + .milliseconds(5))
                }
            }
        }
    }

    mutating func perform(_ actions: [Responder.Action]) {
        for action in actions {
            switch action {
            case .send(let packet, let link):
                carry(packet.encoded, link == Self.commandLink ? .command : .event, to: .initiator)
            case .askForAdmission(_, let link):
                perform(responder.handle(.admit(link), at: now))
            case .connected, .sessionOpened, .sessionClosed:
                break
            case .perform(let operation):
                let late = body.answersLate && random.chance(30)
                let delay = Duration.milliseconds(
                    Int.random(in: late ? 31_000...35_000 : 0...200, using: &random))
                let answer = body.answer(operation.code, operation.parameters, operation.data)
                agenda.plan(.answered(answer), at: now + delay)
                noticeSomething()
            case .sendData(let source, let transaction, _):
                begin(source, transaction)
            case .stopData:
                sending?.stops = true
            case .closeLink(let link, _):
                let channel: Channel = link == Self.commandLink ? .command : .event
                agenda.plan(.broke(channel, .initiator), at: now + .milliseconds(5))
            case .disconnected:
                responderFree = true
            }
        }
    }

    private mutating func noticeSomething() {
        guard random.chance(30), responder.isConnected else { return }
        let notice = EventPacket(code: .objectAdded, parameters: [UInt32(sentNotices.count + 1)])
        sentNotices.append(notice)
        perform(responder.handle(.notice(notice), at: now))
    }

    private mutating func begin(_ source: Responder.DataSource, _ transaction: TransactionID) {
        guard case .bytes(let bytes) = source else { return }
        dataPhases += 1
        sending = Sending(
            id: dataPhases, transaction: transaction, rest: bytes[...], endsEmpty: random.chance(40))
        let start = StartData(transaction: transaction, totalLength: UInt64(bytes.count))
        carry(Packet.startData(start).encoded, .command, to: .initiator)
        agenda.plan(.sendNextPacket(dataPhases), at: now)
    }

    mutating func sendNextPacket(_ id: Int) {
        guard var sending, sending.id == id else { return }
        if sending.stops {
            self.sending = nil
            perform(responder.handle(.dataStopped, at: now))
            return
        }
        let isWhole = !sending.endsEmpty && random.chance(50)
        let count = isWhole ? sending.rest.count : Int.random(in: 0...sending.rest.count, using: &random)
        let isLast = count == sending.rest.count && !(sending.endsEmpty && count > 0)
        let header = PayloadHeader(transaction: sending.transaction, length: UInt32(count))
        let packet = isLast ? Packet.endData(header) : .data(header)
        carry(packet.encoded + sending.rest.prefix(count), .command, to: .initiator)
        sending.rest = sending.rest.dropFirst(count)
        self.sending = isLast ? nil : sending
        if isLast {
            perform(responder.handle(.dataSent, at: now))
        } else {
            agenda.plan(.sendNextPacket(id), at: now + .milliseconds(Int.random(in: 0...100, using: &random)))
        }
    }

    mutating func nextStep() {
        guard ending == nil else { return }
        guard outcomes.count < steps.count else {
            perform(initiator.handle(.close, at: now))
            return
        }
        let call = steps[outcomes.count]
        outcomes.append(Outcome(call: call))
        if random.chance(15) {
            let delay = Duration.milliseconds(Int.random(in: 0...400, using: &random))
            agenda.plan(.cancelCall(step: outcomes.count - 1), at: now + delay)
        }
        perform(initiator.handle(.call(call), at: now))
    }
}
