extension Responder {
    mutating func accepted(_ link: LinkID, at now: Duration) -> [Action] {
        let standing = guests.count + (connection == nil ? 0 : 2)
        guard standing >= settings.maximumLinks else {
            guests[link] = .expectingInit(until: now + settings.handshakeLimit)
            return []
        }
        // The oldest silent link makes room, so that silent clients cannot shut the others out.
        guard let silent = guests.filter({ $0.value.hasSaidNothing }).keys.min() else {
            return [.closeLink(link, .misbehaved("too many connections"))]
        }
        guests[silent] = nil
        guests[link] = .expectingInit(until: now + settings.handshakeLimit)
        return [.closeLink(silent, .misbehaved("too many connections, and nothing said on this one"))]
    }

    /// The first packet of a link decides what it is.
    mutating func introduced(_ packet: Packet, _ link: LinkID, at now: Duration) -> [Action] {
        switch packet {
        case .initCommandRequest(let request):
            guard let connection else {
                guests[link] = .waitingForAdmission(request)
                return [.askForAdmission(request, link)]
            }
            return askHolder(connection, beforeAdmitting: request, link, at: now)
        case .initEventRequest(let number):
            return eventLinkIntroduced(number, link, at: now)
        default:
            return close(link, .misbehaved("a connection began with \(packet.type)"))
        }
    }

    /// "When a new connection attempt arrives while a session is active, probe the old client"
    /// (CIPA DC-X005 §2.4).
    private mutating func askHolder(
        _ holder: Connection, beforeAdmitting request: InitCommandRequest, _ link: LinkID, at now: Duration
    ) -> [Action] {
        guard let eventLink = holder.eventLink else { return refuse(link, .busy) }
        guests[link] = .waitingForSlot(request, until: now + settings.probeAnswerLimit)
        guard holder.probeAskedAt == nil else { return [] }
        connection?.probeAskedAt = now
        return [.send(.probeRequest, eventLink)]
    }

    private mutating func eventLinkIntroduced(
        _ number: UInt32, _ link: LinkID, at now: Duration
    ) -> [Action] {
        guard var connection, case .expected = connection.events,
            number == settings.identity.connectionNumber
        else { return refuse(link, .unspecified) }
        guests[link] = nil
        connection.events = .standing(link)
        connection.lastRequestAt = now
        connection.lastProbeAt = now
        self.connection = connection
        let connected: [Action] = settings.needsEventLink ? [.connected(connection.client)] : []
        return [.send(.initEventAck, link)] + connected
    }

    mutating func admit(_ link: LinkID, at now: Duration) -> [Action] {
        // The client may have given up while the body was deciding.
        guard case .waitingForAdmission(let request) = guests[link] else { return [] }
        guard connection == nil else { return refuse(link, .busy) }
        guests[link] = nil
        connection = Connection(
            client: request, commandLink: link,
            events: .expected(until: settings.needsEventLink ? now + settings.eventLinkLimit : nil),
            lastRequestAt: now, lastProbeAt: now)
        let connected: [Action] = settings.needsEventLink ? [] : [.connected(request)]
        return [.send(.initCommandAck(settings.identity), link)] + connected
    }

    mutating func refuse(_ link: LinkID, _ reason: InitFailReason) -> [Action] {
        guard guests.removeValue(forKey: link) != nil else { return [] }
        return [.send(.initFail(reason), link), .closeLink(link, .refused(reason))]
    }

    /// The client that holds the slot is still there: the one that waits for the slot is refused.
    mutating func holderAnswered() -> [Action] {
        connection?.probeAskedAt = nil
        return waitingForSlot.flatMap { refuse($0.link, .busy) }
    }

    var waitingForSlot: [(link: LinkID, request: InitCommandRequest)] {
        guests.compactMap { link, guest in
            guard case .waitingForSlot(let request, _) = guest else { return nil }
            return (link, request)
        }.sorted { $0.link < $1.link }
    }

    /// The camera is free: the first who waited may come in, the others have been too late.
    mutating func slotFreed() -> [Action] {
        guard let (first, request) = waitingForSlot.first else { return [] }
        guests[first] = .waitingForAdmission(request)
        return [.askForAdmission(request, first)] + waitingForSlot.flatMap { refuse($0.link, .busy) }
    }

    /// Closes a link of ours; if it was part of the connection, the connection is over.
    mutating func close(_ link: LinkID, _ parting: Parting) -> [Action] {
        [.closeLink(link, parting)] + linkGone(link, parting)
    }

    /// "Losing either TCP means the whole PTP/IP connection is gone" (CIPA DC-X005).
    mutating func linkGone(_ link: LinkID, _ parting: Parting) -> [Action] {
        guests[link] = nil
        guard let connection, link == connection.commandLink || link == connection.eventLink else {
            return []
        }
        self.connection = nil
        let other = link == connection.commandLink ? connection.eventLink : connection.commandLink
        var actions: [Action] = other.map { [.closeLink($0, parting)] } ?? []
        if case .sendingData = connection.exchange?.phase { actions.append(.stopData) }
        if connection.session != nil { actions.append(.sessionClosed) }
        actions.append(.disconnected(parting))
        return actions + slotFreed()
    }
}
