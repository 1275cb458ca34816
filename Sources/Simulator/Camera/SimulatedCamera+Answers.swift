import Basics
import PTP
import Posix

extension SimulatedCamera {
    /// Has the body do it, and plans what goes wrong on the way out.
    func answer(_ operation: Responder.Operation) {
        let code = operation.code
        let object =
            body.operations.object(of: code, operation.parameters)
            ?? OperationTable.folder(of: code, operation.parameters)
        var answer =
            refusal(of: code, object).map { .refusal($0) }
            ?? body.perform(operation, &faults, at: time.now)
        reportComplaints()
        postponed = answer.isLater ? operation : nil
        if answer.isLater { return }
        if answer.isPhotoTaken { photoTaken() }
        if let restart = answer.restart { restartWiFi(restart) }
        noticesAfterResponse = answer.notices
        staleResponse = faults.take(.staleResponse, object: object, operation: code) != nil
        if answer.hasData, faults.take(.noDataPhase, object: object, operation: code) != nil {
            answer.data = .none
            answer.code = .ok
        }
        var source = Responder.DataSource.none
        switch answer.data {
        case .none:
            dataJob = nil
            if let (_, what) = mishap(object, code, nil), let link = machine.commandLink {
                lines[link]?.outbox.post(.mishap(what))
            }
        case .bytes(let bytes):
            let trailing = faults.take(.trailingBytes, object: object, operation: code)
            dataJob = job(
                BytesContent(bytes: bytes), 0..<UInt64(bytes.count), code, object, answer,
                trailing: Int(trailing?.number("bytes") ?? 0), isFromCard: false)
            source = .stream(length: UInt64(bytes.count))
        case .content(let content, let range):
            dataJob = job(content, range, code, object, answer, trailing: 0, isFromCard: true)
            source = .stream(length: UInt64(range.count))
        }
        feed(.answered(Responder.Answer(answer.code, answer.parameters, data: source)))
    }

    /// What goes wrong before any body looks at an operation.
    private func refusal(of code: OperationCode, _ object: ObjectHandle?) -> ResponseCode? {
        if isPoisoned { return .generalError }
        if let rule = faults.first(.poison), rule.number("operation") == UInt64(code.rawValue) {
            isPoisoned = faults.take(.poison) != nil
            return .generalError
        }
        if body.operations.isMissing(code, faults) { return .operationNotSupported }
        if body.operations.partialReads.contains(code),
            let rule = faults.take(.refuseParts, object: object, operation: code)
        {
            return ResponseCode(rawValue: UInt16(rule.number("code") ?? 0x2005))
        }
        if let rule = faults.take(.refuse, object: object, operation: code) {
            return ResponseCode(rawValue: UInt16(rule.number("code") ?? 0x2002))
        }
        if faults.take(.busy, object: object, operation: code) != nil { return .deviceBusy }
        if object != nil, faults.take(.accessLock, object: object, operation: code) != nil {
            return .accessDenied
        }
        return nil
    }

    private func job(
        _ content: any ObjectContent, _ range: Range<UInt64>, _ code: OperationCode, _ object: ObjectHandle?,
        _ answer: BodyAnswer, trailing: Int, isFromCard: Bool
    ) -> DataJob {
        let mode = faults.take(.packets, object: object, operation: code)?.text("mode")
        let length = UInt64(range.count) + UInt64(trailing)
        var announced = answer.announced ?? length
        if let rule = faults.take(.unknownTotal, object: object, operation: code) {
            announced = rule.text("bits") == "32" ? StartData.unknownLength32 : StartData.unknownLength
        } else if let rule = faults.take(.wrongTotal, object: object, operation: code) {
            announced = rule.changed(length)
        }
        return DataJob(
            content: content, range: range,
            packets: mode.flatMap { Packetisation($0) } ?? answer.packets ?? settings.packets,
            announced: announced, trailing: trailing, mishap: mishap(object, code, length),
            disorder: faults.take(.outOfStep, object: object, operation: code)?.text("kind")
                .flatMap(DataJob.Disorder.init), isFromCard: isFromCard)
    }

    /// The first thing that is to go wrong with this answer, and after how many bytes of its data. What has no data, or
    /// not enough, goes wrong only where nothing of it is to come.
    private func mishap(
        _ object: ObjectHandle?, _ code: OperationCode, _ length: UInt64?
    ) -> (after: UInt64, what: Mishap)? {
        if let rule = faults.take(.flood, object: object, operation: code, where: \.isFloodInsteadOfData) {
            return (0, .emptyPackets(perSecond: rule.number("rate") ?? 0))
        }
        for name in [FaultSwitch.stall, .cut, .reset, .lostFin] {
            let rule = faults.take(name, object: object, operation: code) { rule in
                rule.number("after").map { $0 == 0 || $0 <= length ?? 0 } ?? false
            }
            guard let rule else { continue }
            let after = rule.number("after") ?? 0
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
                line.post(.event(notice))
            }
            line.post(packet)
        case .operationResponse(var response):
            if staleResponse {
                staleResponse = false
                let earlier = TransactionID(rawValue: max(1, response.transaction.rawValue) - 1)
                let stale = OperationResponse(code: .ok, transaction: earlier)
                line.post(.operationResponse(stale))
            }
            if answersAlreadyOpen {
                answersAlreadyOpen = false
                response.code = .sessionAlreadyOpen
                response.parameters = [1]
            }
            if let (code, object) = lastRequest,
                faults.take(.fiveParameters, object: object, operation: code) != nil
            {
                response.parameters += [UInt32](repeating: 0, count: max(0, 5 - response.parameters.count))
            }
            line.post(.operationResponse(response))
            let notices = noticesAfterResponse
            noticesAfterResponse = []
            for notice in notices { feed(.notice(notice)) }
            vanishIfDue()
        default:
            line.post(packet)
        }
    }
}
