import Bridge
import PTP
import Posix

extension SimulatedCamera {
    /// Has the body do it, and plans what goes wrong on the way out.
    func answer(_ operation: Responder.Operation) {
        let answer = body.perform(operation, &faults, at: time.now)
        for complaint in body.takeComplaints() { log(complaint) }
        noticesAfterResponse = answer.notices
        staleResponse = faults.take(.staleResponse, object: answer.object, operation: operation.code) != nil
        var source = Responder.DataSource.none
        switch answer.data {
        case .none:
            dataJob = nil
        case .bytes(let bytes):
            let trailing = faults.take(.trailingBytes, object: answer.object, operation: operation.code)
            dataJob = job(
                BytesContent(bytes: bytes), 0..<UInt64(bytes.count), operation, answer,
                trailing: Int(trailing?.number("bytes") ?? 0))
            source = .stream(length: UInt64(bytes.count))
        case .content(let content, let range):
            dataJob = job(content, range, operation, answer, trailing: 0)
            source = .stream(length: UInt64(range.count))
        }
        feed(.answered(Responder.Answer(answer.code, answer.parameters, data: source)))
    }

    private func job(
        _ content: any ObjectContent, _ range: Range<UInt64>, _ operation: Responder.Operation,
        _ answer: BodyAnswer, trailing: Int
    ) -> DataJob {
        let (object, code) = (answer.object, operation.code)
        let mode = faults.take(.packets, object: object, operation: code)?.text("mode")
        let length = UInt64(range.count) + UInt64(trailing)
        var announced = answer.announced ?? length
        if let rule = faults.take(.unknownTotal, object: object, operation: code) {
            announced = rule.text("bits") == "32" ? StartData.unknownLength32 : StartData.unknownLength
        } else if let rule = faults.take(.wrongTotal, object: object, operation: code) {
            announced = UInt64(max(0, Int64(clamping: length) + rule.difference("by")))
        }
        return DataJob(
            content: content, range: range,
            packets: mode.flatMap { Packetisation($0) } ?? answer.packets ?? settings.packets,
            announced: announced, trailing: trailing, mishap: mishap(object, code, length))
    }

    /// The first thing that is to go wrong with this data, if there is enough of it.
    private func mishap(
        _ object: ObjectHandle?, _ code: OperationCode, _ length: UInt64
    ) -> (after: UInt64, what: DataJob.Mishap)? {
        for name in [FaultSwitch.stall, .cut, .reset, .lostFin] {
            guard let after = faults.first(name)?.number("after"), after < length,
                let rule = faults.take(name, object: object, operation: code)
            else { continue }
            switch name {
            case .stall: return (after, rule.duration("for").map { .pause($0) } ?? .stall)
            case .cut: return (after, .cut)
            case .reset: return (after, .reset)
            default: return (after, .lost(hold: rule.duration("hold") ?? .seconds(30)))
            }
        }
        return nil
    }

    func send(_ packet: Packet, on link: Responder.LinkID) {
        guard let line = lines[link] else { return }
        switch packet {
        case .initEventAck:
            if faults.take(.earlyNotice) != nil {
                let notice = EventPacket(code: .objectAdded, parameters: [0x0001_0003])
                line.outbox.post(.packet(Packet.event(notice).encoded))
            }
            line.outbox.post(.packet(packet.encoded))
        case .operationResponse(var response):
            if staleResponse {
                staleResponse = false
                let earlier = TransactionID(rawValue: max(1, response.transaction.rawValue) - 1)
                let stale = OperationResponse(code: .ok, transaction: earlier)
                line.outbox.post(.packet(Packet.operationResponse(stale).encoded))
            }
            if answersAlreadyOpen {
                answersAlreadyOpen = false
                response.code = .sessionAlreadyOpen
                response.parameters = [1]
            }
            line.outbox.post(.packet(Packet.operationResponse(response).encoded))
            let notices = noticesAfterResponse
            noticesAfterResponse = []
            for notice in notices { feed(.notice(notice)) }
        default:
            line.outbox.post(.packet(packet.encoded))
        }
    }
}
