extension Initiator {
    /// A packet that is whole and odd costs a line. What could be understood of it comes by itself.
    mutating func odd(_ packet: OddPacket, _ channel: Channel, at now: Duration) -> [Action] {
        if case .closed = state { return [] }
        if packet.isPassedOver, let conduct = floodGauge.rise(at: now, timeouts) {
            return end(.misbehaved(conduct, channel))
        }
        if case .connected(var connection) = state {
            if channel == .event { connection.probe.signOfLife(at: now) }
            connection.heard(at: now)
            state = .connected(connection)
        }
        if case .expectingInitCommandAck = state, packet.isPassedOver,
            let peer = ForeignPeer(firstBytes: packet.firstBytes)
        {
            return end(.foreign(peer))
        }
        return remark("on the \(channel.rawValue) connection: \(packet)")
    }

    /// What never was PTP/IP is called by its name.
    mutating func malformed(_ bytes: Malformed, _ channel: Channel) -> [Action] {
        if case .expectingInitCommandAck = state, let peer = ForeignPeer(firstBytes: bytes.firstBytes) {
            return end(.foreign(peer))
        }
        return end(.malformed(bytes, channel))
    }

    mutating func remark(_ sentence: String) -> [Action] {
        remarks.line(for: sentence).map { [.remark($0)] } ?? []
    }
}

/// How much has been said about a camera's oddities: one that is odd in every packet does not fill a log.
struct RemarkBook: Equatable, Sendable {
    static let limit = 20

    private var count = 0

    /// What to write for it; nothing when enough has been written.
    mutating func line(for sentence: String) -> String? {
        guard count <= RemarkBook.limit else { return nil }
        count += 1
        if count <= RemarkBook.limit { return sentence }
        return "more of this camera's packets are odd; on this connection they are not told of any more"
    }
}
