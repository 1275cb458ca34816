extension Responder {
    mutating func dataStarted(_ start: StartData, at now: Duration) -> [Action] {
        guard let exchange = connection?.exchange, exchange.request.transaction == start.transaction,
            exchange.phase == .expectingData
        else { return [] }
        connection?.exchange?.phase = .receivingData
        return []
    }

    mutating func dataContinued(_ header: PayloadHeader, isLast: Bool, at now: Duration) -> [Action] {
        guard let connection, var exchange = connection.exchange,
            exchange.request.transaction == header.transaction, exchange.phase == .receivingData
        else { return [] }
        exchange.announcedOut += Int(header.length)
        exchange.sawEndOfData = isLast
        guard exchange.announcedOut <= settings.longestIncomingData else {
            return close(connection.commandLink, .misbehaved("more data than this camera takes"))
        }
        self.connection?.exchange = exchange
        return performWhenComplete(exchange, at: now)
    }

    mutating func collected(_ bytes: [UInt8], _ link: LinkID, at now: Duration) -> [Action] {
        guard link == connection?.commandLink, var exchange = connection?.exchange,
            exchange.phase == .receivingData
        else { return [] }
        exchange.collected += bytes
        connection?.exchange = exchange
        return performWhenComplete(exchange, at: now)
    }

    private mutating func performWhenComplete(_ exchange: Exchange, at now: Duration) -> [Action] {
        guard exchange.sawEndOfData, exchange.collected.count == exchange.announcedOut else { return [] }
        connection?.exchange?.phase = .performing
        if exchange.isCancelled { return finishCancelled(at: now) }
        return perform(exchange.request, data: exchange.collected, at: now)
    }

    mutating func answered(_ answer: Answer, at now: Duration) -> [Action] {
        // The client may be gone by now.
        guard let connection, let exchange = connection.exchange else { return [] }
        precondition(exchange.phase == .performing, "an operation is answered once")
        if exchange.isCancelled { return finishCancelled(at: now) }
        guard answer.data != .none else { return respond(answer, at: now) }
        self.connection?.exchange?.phase = .sendingData(answer)
        return [.sendData(answer.data, exchange.request.transaction, connection.commandLink)]
    }

    mutating func dataSent(at now: Duration) -> [Action] {
        guard let exchange = connection?.exchange, case .sendingData(let answer) = exchange.phase else {
            return []
        }
        // "Cancel after the response has begun to be sent is ignored", and all the data is out.
        return respond(answer, at: now)
    }

    mutating func dataStopped(at now: Duration) -> [Action] {
        guard let exchange = connection?.exchange, case .sendingData = exchange.phase else { return [] }
        return finishCancelled(at: now)
    }

    /// "Responder-initiated cancel: an error in the middle of the data, and no End Data" (CIPA DC-X005 §2.7).
    mutating func dataBroken(_ code: ResponseCode, at now: Duration) -> [Action] {
        guard let exchange = connection?.exchange, case .sendingData = exchange.phase else { return [] }
        return exchange.isCancelled ? finishCancelled(at: now) : respond(Answer(code), at: now)
    }

    mutating func cancelled(_ transaction: TransactionID, onCommandLink: Bool, at now: Duration) -> [Action] {
        guard var exchange = connection?.exchange, exchange.request.transaction == transaction else {
            return []
        }
        let isFirst = !exchange.isCancelled
        exchange.isCancelled = true
        exchange.sawCancelOnCommandLink = exchange.sawCancelOnCommandLink || onCommandLink
        connection?.exchange = exchange
        switch exchange.phase {
        case .expectingData, .receivingData, .performing:
            // Data that is on its way is read to its end, work that has begun is finished; then comes the answer.
            return []
        case .sendingData:
            return isFirst ? [.stopData] : []
        case .expectingCancelCopy:
            return onCommandLink ? respond(Answer(.transactionCancelled), at: now) : []
        }
    }

    /// "After the event copy it still waits for the command copy before answering" (CIPA DC-X005 annex 5.6),
    /// but not for ever.
    private mutating func finishCancelled(at now: Duration) -> [Action] {
        guard var exchange = connection?.exchange else { return [] }
        if exchange.sawCancelOnCommandLink { return respond(Answer(.transactionCancelled), at: now) }
        exchange.phase = .expectingCancelCopy
        exchange.answerCancelAt = now + settings.cancelCopyLimit
        connection?.exchange = exchange
        return []
    }

    /// Ends the exchange, and begins the one that came meanwhile.
    mutating func respond(_ answer: Answer, at now: Duration) -> [Action] {
        guard var connection, let exchange = connection.exchange else { return [] }
        let request = exchange.request
        let response = OperationResponse(
            code: answer.code, transaction: request.transaction, parameters: answer.parameters)
        connection.exchange = nil
        // A refused id does not move the count: the client is to ask again with the right one.
        if answer.code != .invalidTransactionID, request.code != .openSession, connection.session != nil {
            connection.expectedTransaction = request.transaction.next
        }
        let waiting = connection.waitingRequest
        connection.waitingRequest = nil
        connection.lastRequestAt = now
        self.connection = connection
        let actions: [Action] = [.send(.operationResponse(response), connection.commandLink)]
        return actions + (waiting.map { requested($0, at: now) } ?? [])
    }

    func noticed(_ notice: EventPacket) -> [Action] {
        guard let link = connection?.eventLink else { return [] }
        return [.send(.event(notice), link)]
    }

    mutating func timePassed(at now: Duration) -> [Action] {
        var actions: [Action] = []
        for (link, guest) in guests.sorted(by: { $0.key < $1.key }) {
            switch guest {
            case .expectingInit(let until) where now >= until:
                actions += close(link, .silent(during: "the first packet"))
            case .expectingInit, .waitingForSlot, .waitingForAdmission:
                break
            }
        }
        return actions + lateProbeAnswers(at: now) + connectionOverdue(at: now)
    }

    private mutating func lateProbeAnswers(at now: Duration) -> [Action] {
        let due = connection?.probeAnswersDue.prefix { $0.at <= now } ?? []
        connection?.probeAnswersDue.removeFirst(due.count)
        return due.map { .send(.probeResponse, $0.link) }
    }

    private mutating func connectionOverdue(at now: Duration) -> [Action] {
        guard let connection else { return [] }
        if case .expected(let until?) = connection.events, now >= until {
            return close(connection.commandLink, .silent(during: "the event connection"))
        }
        if let askedAt = connection.probeAskedAt, now - askedAt >= settings.probeAnswerLimit {
            let parting: Parting = waitingForSlot.isEmpty ? .silent(during: "a probe") : .replaced
            return close(connection.commandLink, parting)
        }
        if let limit = settings.idleLimit, connection.exchange == nil, now - connection.lastRequestAt >= limit
        {
            return close(connection.commandLink, .asleep)
        }
        if let until = connection.exchange?.answerCancelAt, now >= until {
            return respond(Answer(.transactionCancelled), at: now)
        }
        guard let interval = settings.probeInterval, let eventLink = connection.eventLink,
            connection.probeAskedAt == nil, now - connection.lastProbeAt >= interval
        else { return [] }
        self.connection?.probeAskedAt = now
        self.connection?.lastProbeAt = now
        return [.send(.probeRequest, settings.probesOnCommandLink ? connection.commandLink : eventLink)]
    }
}
