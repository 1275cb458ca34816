extension Responder {
    mutating func received(_ packet: Packet, _ link: LinkID, at now: Duration) -> [Action] {
        if let guest = guests[link] {
            switch guest {
            case .expectingInit:
                return introduced(packet, link, at: now)
            case .waitingForSlot, .waitingForAdmission:
                return close(link, .misbehaved("\(packet.type) came before the answer to Init"))
            }
        }
        guard let connection else { return [] }
        if link == connection.eventLink { return receivedOnEventLink(packet, link, at: now) }
        guard link == connection.commandLink else { return [] }
        switch packet {
        case .operationRequest(let request):
            return requested(request, at: now)
        case .startData(let start):
            return dataStarted(start, at: now)
        case .data(let header):
            return dataContinued(header, isLast: false, at: now)
        case .endData(let header):
            return dataContinued(header, isLast: true, at: now)
        case .cancel(let transaction):
            return cancelled(transaction, onCommandLink: true, at: now)
        case .probeRequest:
            return probed(link, at: now)
        case .probeResponse:
            return holderAnswered()
        case .initCommandRequest, .initCommandAck, .initEventRequest, .initEventAck, .initFail,
            .operationResponse, .event:
            return close(link, .misbehaved("\(packet.type) came on the command connection"))
        }
    }

    private mutating func receivedOnEventLink(_ packet: Packet, _ link: LinkID, at now: Duration) -> [Action]
    {
        switch packet {
        case .probeRequest:
            return probed(link, at: now)
        case .probeResponse:
            return holderAnswered()
        case .cancel(let transaction):
            return cancelled(transaction, onCommandLink: false, at: now)
        case .initCommandRequest, .initCommandAck, .initEventRequest, .initEventAck, .initFail,
            .operationRequest, .operationResponse, .event, .startData, .data, .endData:
            return close(link, .misbehaved("\(packet.type) came on the event connection"))
        }
    }

    private mutating func probed(_ link: LinkID, at now: Duration) -> [Action] {
        switch settings.answersProbes {
        case .all: break
        case .idle: if connection?.exchange != nil { return [] }
        case .none: return []
        case .hangUp: return close(link, .misbehaved("a Probe request came"))
        }
        guard settings.probeAnswerDelay > .zero else { return [.send(.probeResponse, link)] }
        if connection?.probeAnswersDue.count ?? 0 < settings.mostProbeAnswersDue {
            connection?.probeAnswersDue.append(.init(link: link, at: now + settings.probeAnswerDelay))
        }
        return []
    }

    mutating func requested(_ request: OperationRequest, at now: Duration) -> [Action] {
        guard var connection else { return [] }
        connection.lastRequestAt = now
        guard connection.exchange == nil else {
            // A client that gave up on the last answer asks again: PTP has no pipelining, TCP has.
            guard connection.waitingRequest == nil else {
                return close(connection.commandLink, .misbehaved("a third request before an answer"))
            }
            connection.waitingRequest = request
            self.connection = connection
            return []
        }
        // Sony's own software says "no data" in the request and sends data all the same.
        let bringsData =
            request.dataPhase == .outgoing || settings.operationsWithOutgoingData.contains(request.code)
        let phase: Exchange.Phase = bringsData ? .expectingData : .performing
        connection.exchange = Exchange(request: request, phase: phase)
        self.connection = connection
        if let refusal = refusal(of: request, connection) {
            // "A responder that wants to refuse must still read and discard the remaining data": what comes
            // after this response belongs to no exchange and is dropped.
            return respond(refusal, at: now)
        }
        guard phase == .performing else { return [] }
        return perform(request, data: [], at: now)
    }

    /// What PTP itself says no to, before the body is asked.
    private func refusal(of request: OperationRequest, _ connection: Connection) -> Answer? {
        if settings.countsTransactions, let expected = connection.expectedTransaction,
            request.transaction != expected
        {
            return Answer(.invalidTransactionID)
        }
        switch request.code {
        case _ where settings.sessionOpenings.contains(request.code):
            guard let number = request.parameters.first, number != 0 else { return Answer(.invalidParameter) }
            if let only = settings.onlySession, number != only {
                return Answer(settings.refusalOfOtherSessions)
            }
            return connection.session.map { Answer(.sessionAlreadyOpen, [$0]) }
        case .getDeviceInfo:
            return nil
        default:
            return connection.session == nil ? Answer(.sessionNotOpen) : nil
        }
    }

    mutating func perform(_ request: OperationRequest, data: [UInt8], at now: Duration) -> [Action] {
        switch request.code {
        case _ where settings.sessionOpenings.contains(request.code):
            let number = request.parameters.first ?? 0
            connection?.session = number
            connection?.expectedTransaction = .first
            return [.sessionOpened(number: number)] + respond(Answer(.ok), at: now)
        case .closeSession:
            connection?.session = nil
            connection?.expectedTransaction = nil
            return [.sessionClosed] + respond(Answer(.ok), at: now)
        default:
            return [
                .perform(
                    Operation(
                        code: request.code, parameters: request.parameters, transaction: request.transaction,
                        data: data))
            ]
        }
    }
}
