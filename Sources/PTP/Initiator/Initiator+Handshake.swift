extension Initiator {
    mutating func started() -> [Action] {
        guard case .idle = state else { preconditionFailure("a connection is started once") }
        state = .openingCommandLink
        return [.openLink(.command)]
    }

    mutating func linkOpened(_ channel: Channel, at now: Duration) -> [Action] {
        switch state {
        case .openingCommandLink:
            precondition(channel == .command, "the command link is opened first")
            state = .expectingInitCommandAck(
                ExpectingAck(
                    until: now + timeouts.person,
                    askPersonAt: timeouts.beforeAskingForPerson < timeouts.person
                        ? now + timeouts.beforeAskingForPerson : nil))
            return [.send(.initCommandRequest(identity), .command)]
        case .openingEventLink(let opening):
            precondition(channel == .event, "the command link stands already")
            state = .expectingInitEventAck(opening, until: now + timeouts.eventAck)
            return [.send(.initEventRequest(connectionNumber: opening.peer.connectionNumber), .event)]
        case .closed:
            return []
        case .idle, .expectingInitCommandAck, .expectingInitEventAck, .connected:
            preconditionFailure("a \(channel) link opened that was not asked for")
        }
    }

    mutating func linkRefused(
        _ channel: Channel, _ port: UInt16, reason: String, at now: Duration
    ) -> [Action] {
        guard case .openingCommandLink = state else { return linkLost(channel, reason: reason, [], at: now) }
        return end(.nothingListens(port: port))
    }

    /// Trying again in a moment does not help as it does with a camera that is not ready yet.
    mutating func linkImpossible(_ ending: Ending) -> [Action] {
        switch state {
        case .idle, .closed: []
        case .openingCommandLink, .expectingInitCommandAck, .openingEventLink, .expectingInitEventAck,
            .connected:
            end(ending)
        }
    }

    mutating func linkLost(
        _ channel: Channel, reason: String, _ unread: [UInt8], at now: Duration
    ) -> [Action] {
        switch state {
        case .idle, .closed:
            return []
        case .openingCommandLink:
            return end(.unreachable(.command, reason: reason))
        case .openingEventLink(let opening), .expectingInitEventAck(let opening, _):
            guard channel == .event else { return end(.linkLost(channel, reason: reason)) }
            return eventLinkFailed(opening, reason: reason, at: now)
        case .expectingInitCommandAck:
            return end(
                ForeignPeer(firstBytes: unread).map { .foreign($0) } ?? .linkLost(channel, reason: reason))
        case .connected(var connection):
            lostPerhapsOverProbe(connection, at: now)
            guard channel == .event, connection.awaitsAnswer else {
                return end(.linkLost(channel, reason: reason))
            }
            // A camera that goes closes both, and what lies before the end of the command link is still an answer's.
            connection.eventLinkGone = Connection.LostLink(
                reason: reason, until: now + timeouts.afterEventLink)
            state = .connected(connection)
            return []
        }
    }

    private mutating func eventLinkFailed(
        _ opening: OpeningEventLink, reason: String, at now: Duration
    ) -> [Action] {
        guard opening.failures < timeouts.eventLinkRetries.count else {
            return end(.unreachable(.event, reason: reason))
        }
        var opening = opening
        opening.retryAt = now + timeouts.eventLinkRetries[opening.failures]
        opening.failures += 1
        state = .openingEventLink(opening)
        return []
    }

    /// The answer to our Init Command Request.
    mutating func initAnswer(_ packet: Packet, at now: Duration) -> [Action] {
        switch packet {
        case .initCommandAck(let ack):
            state = .openingEventLink(OpeningEventLink(peer: Peer(ack)))
            return [.openLink(.event)]
        case .initFail(let reason):
            return end(ForeignPeer(refusal: reason).map { .foreign($0) } ?? .refused(reason, .command))
        default:
            return unexpected(packet, .command, during: "the init of the command connection")
        }
    }

    /// The answer to our Init Event Request.
    mutating func eventInitAnswer(_ packet: Packet, _ peer: Peer, at now: Duration) -> [Action] {
        switch packet {
        case .initEventAck:
            return connected(peer, at: now)
        case .initFail(let reason):
            return end(.refused(reason, .event))
        default:
            return unexpected(packet, .event, during: "the init of the event connection")
        }
    }

    private mutating func connected(_ peer: Peer, at now: Duration) -> [Action] {
        var connection = Connection(peer: peer, peculiarities: peculiarities, at: now)
        var actions: [Action] = [.connected(peer)]
        if peculiarities.probesAfterHandshake {
            connection.probe.asked(at: now, expectsAnswer: expectsAnswerToProbe)
            actions.append(.send(.probeRequest, .event))
        }
        if peculiarities.opensSession {
            actions += openSession(attempt: 1, &connection, at: now)
        }
        state = .connected(connection)
        return actions
    }

    /// No caller waits for this call: its response goes to ``sessionAnswered(_:_:at:)``.
    func openSession(attempt: Int, _ connection: inout Connection, at now: Duration) -> [Action] {
        let number = sessionNumber(of: connection.peer, attempt: attempt)
        connection.session = .opening(number: number, attempts: attempt)
        let opening = peculiarities.sessionOpening
        return send(
            Call(opening.operation, [number] + opening.further, timeout: timeouts.openSession),
            in: &connection, at: now)
    }

    /// By a caller that had to know the camera first.
    mutating func openSession(at now: Duration) -> [Action] {
        guard case .connected(var connection) = state, case .none = connection.session,
            connection.exchange == nil
        else { return [] }
        let actions = openSession(attempt: 1, &connection, at: now)
        state = .connected(connection)
        return actions
    }

    /// First the number that the peculiarities name, then 1, 2, 3 and so on without it. Never 0: "SessionID shall be
    /// non-zero" (PIMA 15740 §10.4.2).
    private func sessionNumber(of peer: Peer, attempt: Int) -> UInt32 {
        let first =
            switch peculiarities.sessionNumber {
            case .fixed(let number): max(1, number)
            case .connectionNumberOrOne: max(1, peer.connectionNumber)
            }
        guard attempt > 1 else { return first }
        let next = UInt32(attempt - 1)
        return next < first ? next : next + 1
    }

    /// libgphoto2 tries as many numbers when a camera says Invalid_TransactionID to OpenSession.
    static let sessionAttempts = 10

    mutating func sessionAnswered(
        _ response: OperationResponse, _ connection: Connection, at now: Duration
    ) -> [Action] {
        guard case .opening(let number, let attempts) = connection.session else {
            preconditionFailure("no session is being opened")
        }
        var connection = connection
        switch response.code {
        case .ok:
            // The response's parameters say nothing here: bodies that always send five fill them with zeros.
            connection.session = .open(number: number)
        case .sessionAlreadyOpen:
            // "Treat as success": the number in the response is the one that counts.
            let existing = response.parameters.first ?? 0
            connection.session = .open(number: existing == 0 ? number : existing)
        case .invalidTransactionID where attempts < Initiator.sessionAttempts,
            .invalidParameter where attempts < Initiator.sessionAttempts:
            // Both are said of a session's number that a body does not like.
            let actions = openSession(attempt: attempts + 1, &connection, at: now)
            state = .connected(connection)
            return actions
        default:
            return end(.sessionRefused(response.code))
        }
        state = .connected(connection)
        return [.sessionOpened]
    }
}
