extension Initiator {
    mutating func received(_ packet: Packet, _ channel: Channel, at now: Duration) -> [Action] {
        if case .closed = state { return [] }
        if let ending = flooded(by: packet, channel, at: now) { return end(ending) }
        // "the receiver must answer at once" (CIPA DC-X005 §2.4): Sony asks on the command channel too.
        if case .probeRequest = packet { return probed(channel, at: now) }
        switch state {
        case .closed:
            return []
        case .idle, .openingCommandLink:
            return unexpected(packet, channel, during: "the opening of the command connection")
        case .expectingInitCommandAck:
            return initAnswer(packet, at: now)
        case .openingEventLink:
            if case .event(let notice) = packet { return [.notice(notice)] }
            return unexpected(packet, channel, during: "the opening of the event connection")
        case .expectingInitEventAck(let opening, _):
            // Seen from no camera yet, but harmless, and a lost photo if it were dropped.
            if case .event(let notice) = packet { return [.notice(notice)] }
            guard channel == .event else {
                return unexpected(packet, channel, during: "the init of the event connection")
            }
            return eventInitAnswer(packet, opening.peer, at: now)
        case .connected(var connection):
            if channel == .event { connection.probe.signOfLife(at: now) }
            if case .probeResponse = packet { probeAnswered(&connection, at: now) }
            connection.heard(at: now)
            return conversed(packet, channel, connection, at: now)
        }
    }

    private mutating func probed(_ channel: Channel, at now: Duration) -> [Action] {
        guard case .connected(var connection) = state else { return [] }
        if channel == .event { connection.probe.signOfLife(at: now) }
        connection.heard(at: now)
        let mayAnswer = connection.probe.mayAnswer(at: now, timeouts)
        state = .connected(connection)
        return mayAnswer ? [.send(.probeResponse, channel)] : []
    }

    private mutating func conversed(
        _ packet: Packet, _ channel: Channel, _ connection: Connection, at now: Duration
    ) -> [Action] {
        state = .connected(connection)
        switch packet {
        case .event(let notice):
            return [.notice(notice)]
        case .probeResponse, .probeRequest:
            return []
        case .cancel:
            // The standard has no Cancel from the camera; one that sends it means nothing we can use.
            return []
        case .startData(let start):
            return dataStarted(start, channel, connection, at: now)
        case .data(let header):
            return dataContinued(header, isLast: false, channel, connection, at: now)
        case .endData(let header):
            return dataContinued(header, isLast: true, channel, connection, at: now)
        case .operationResponse(let response):
            return responded(response, channel, connection, at: now)
        case .initCommandRequest, .initCommandAck, .initEventRequest, .initEventAck, .initFail,
            .operationRequest:
            return unexpected(packet, channel, during: "the conversation")
        }
    }

    private mutating func dataStarted(
        _ start: StartData, _ channel: Channel, _ connection: Connection, at now: Duration
    ) -> [Action] {
        var connection = connection
        guard var exchange = connection.exchange, start.transaction == exchange.transaction else {
            return stale(start.transaction, channel, connection)
        }
        guard exchange.phase == .expectingAnswer else {
            return unexpected(.startData(start), channel, during: "the data of \(exchange.call.operation)")
        }
        exchange.phase = .receivingData
        exchange.announced = start.knownLength
        connection.exchange = exchange
        connection.stalePackets = 0
        connection.staleBytes = 0
        state = .connected(connection)
        return []
    }

    private mutating func dataContinued(
        _ header: PayloadHeader, isLast: Bool, _ channel: Channel, _ connection: Connection, at now: Duration
    ) -> [Action] {
        var connection = connection
        guard var exchange = connection.exchange, header.transaction == exchange.transaction else {
            return stale(header.transaction, channel, connection, bytes: UInt64(header.length))
        }
        guard exchange.phase == .receivingData else {
            let packet = isLast ? Packet.endData(header) : .data(header)
            return unexpected(packet, channel, during: "the wait for \(exchange.call.operation)")
        }
        exchange.take(header)
        guard exchange.excess <= exchange.excessLimit(timeouts) else {
            let conduct = Misconduct.tooMuchData(exchange.call.operation, limit: exchange.dataLimit)
            return end(.misbehaved(conduct, channel))
        }
        if isLast { exchange.phase = .expectingResponse }
        connection.payloadOwner = exchange.transaction
        connection.exchange = exchange
        state = .connected(connection)
        return []
    }

    private mutating func responded(
        _ response: OperationResponse, _ channel: Channel, _ connection: Connection, at now: Duration
    ) -> [Action] {
        var connection = connection
        guard let exchange = connection.exchange, isAnswer(response.transaction, to: exchange, connection)
        else {
            return stale(response.transaction, channel, connection.paidOff(by: response.transaction))
        }
        connection.callEnded()
        connection.owedSign = nil
        connection.stalePackets = 0
        connection.staleBytes = 0
        connection.unansweredCalls = 0
        state = .connected(connection)
        switch connection.session {
        case .opening:
            return sessionAnswered(response, connection, at: now)
        case .closing:
            return end(.closed)
        case .none, .open:
            let conclusion = exchange.conclusion(response, at: now)
            guard let gone = connection.eventLinkGone else { return [conclusion] }
            // What would be asked next could only be charged with what has happened already.
            return [conclusion] + end(.linkLost(.event, reason: gone.reason))
        }
    }

    /// A Leica answers CloseSession with transaction 0, and OpenSession is answered loosely too. A response without a
    /// transaction can only be the one that is due, unless an earlier one is still owed.
    private func isAnswer(
        _ transaction: TransactionID, to exchange: Exchange, _ connection: Connection
    ) -> Bool {
        if transaction == exchange.transaction { return true }
        if transaction == .none { return connection.unansweredCalls == 0 }
        switch exchange.call.operation {
        case .openSession, .closeSession: return transaction == .outsideSession
        default: return false
        }
    }

    /// "A response with a lower id is a stale answer to an earlier, timed-out request: skip and keep reading."
    private mutating func stale(
        _ transaction: TransactionID, _ channel: Channel, _ connection: Connection, bytes: UInt64 = 0
    ) -> [Action] {
        var connection = connection
        let last = connection.lastTransaction ?? .outsideSession
        let isOld = transaction.isEarlier(than: last) || (transaction == last && connection.exchange == nil)
        guard isOld else {
            return end(.misbehaved(.outOfStep(expected: last, got: transaction), channel))
        }
        connection.stalePackets += 1
        connection.staleBytes += bytes
        guard connection.stalePackets <= timeouts.stalePackets, connection.staleBytes <= timeouts.excessBytes
        else {
            return end(.misbehaved(.staleWithoutEnd(packets: connection.stalePackets), channel))
        }
        connection.payloadOwner = nil
        state = .connected(connection)
        return []
    }

    mutating func collected(_ bytes: [UInt8], at now: Duration) -> [Action] {
        guard case .connected(var connection) = state, connection.payloadDestination == .collect else {
            return []
        }
        connection.heard(at: now)
        connection.exchange?.collected += bytes
        connection.exchange?.moved(bytes.count, at: now, timeouts)
        connection.eventLinkGone?.until = now + timeouts.afterEventLink
        state = .connected(connection)
        return []
    }

    mutating func payloadMoved(_ count: Int, at now: Duration) -> [Action] {
        // Also what is thrown away of the photo's data: the camera is not slow.
        guard case .connected(var connection) = state else { return [] }
        connection.heard(at: now)
        guard connection.ownsPayload else {
            state = .connected(connection)
            return []
        }
        connection.exchange?.moved(count, at: now, timeouts)
        connection.eventLinkGone?.until = now + timeouts.afterEventLink
        state = .connected(connection)
        return []
    }

    mutating func consumer(isBusy: Bool, at now: Duration) -> [Action] {
        guard case .connected(var connection) = state else { return [] }
        connection.exchange?.consumer(isBusy: isBusy, at: now)
        state = .connected(connection)
        return []
    }

    mutating func unexpected(_ packet: Packet, _ channel: Channel, during step: String) -> [Action] {
        end(.misbehaved(.unexpectedPacket(packet.type, during: step), channel))
    }
}
