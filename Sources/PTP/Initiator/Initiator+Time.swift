extension Initiator {
    mutating func timePassed(at now: Duration) -> [Action] {
        switch state {
        case .idle, .openingCommandLink, .closed:
            return []
        case .expectingInitCommandAck(var waiting):
            if now >= waiting.until { return end(.notConfirmed(after: timeouts.person)) }
            guard let askAt = waiting.askPersonAt, now >= askAt else { return [] }
            waiting.askPersonAt = nil
            state = .expectingInitCommandAck(waiting)
            return [.askPerson(waitingUntil: waiting.until)]
        case .openingEventLink(var opening):
            guard let retryAt = opening.retryAt, now >= retryAt else { return [] }
            opening.retryAt = nil
            state = .openingEventLink(opening)
            return [.openLink(.event)]
        case .expectingInitEventAck(_, let until):
            guard now >= until else { return [] }
            return end(.silent(waitingFor: "answer on the event connection", after: timeouts.eventAck))
        case .connected(let connection):
            return overdue(connection, at: now)
        }
    }

    private mutating func overdue(_ connection: Connection, at now: Duration) -> [Action] {
        var connection = connection
        if let gone = connection.eventLinkGone, now >= gone.until {
            return end(.linkLost(.event, reason: gone.reason))
        }
        if connection.probe.isUnanswered(at: now, timeouts) {
            return end(.silent(waitingFor: "answer to a probe", after: timeouts.probeAnswer))
        }
        var actions: [Action] = []
        if connection.probe.isDue(at: now) {
            connection.probe.asked(at: now, expectsAnswer: peculiarities.answersProbes)
            actions.append(.send(.probeRequest, .event))
        }
        switch watched(&connection, at: now) {
        case .nothing: break
        case .asks: actions.append(.send(.probeRequest, .event))
        case .ends(let ending): return end(ending)
        }
        state = .connected(connection)
        guard var exchange = connection.exchange else { return actions }
        if case .asked(let until) = exchange.cancel {
            return now >= until ? end(.cancelled) : actions
        }
        if !exchange.call.isPaced {
            guard let limit = exchange.limitPassed(at: now, timeouts) else { return actions }
            return actions + unanswered(exchange, limit, connection, at: now)
        }
        let verdict = exchange.paceVerdict(at: now, timeouts)
        connection.exchange = exchange
        state = .connected(connection)
        return verdict.map { end($0) } ?? actions
    }

    /// One call without an answer may be the camera's bad moment; several are its absence.
    private mutating func unanswered(
        _ exchange: Exchange, _ limit: Duration, _ connection: Connection, at now: Duration
    ) -> [Action] {
        var connection = connection
        switch connection.session {
        case .closing:
            return end(.closed)
        case .opening:
            return end(.silent(waitingFor: "answer to OpenSession", after: limit))
        case .none, .open:
            connection.unansweredCalls += 1
            guard connection.unansweredCalls < timeouts.unansweredCalls else {
                return end(gone(exchange, limit, connection, at: now))
            }
            connection.owedSign = exchange.transaction
            connection.callEnded()
            state = .connected(connection)
            return [.fail(.timedOut(exchange.call.operation, after: limit))]
        }
    }
}
