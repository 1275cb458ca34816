/// How many packets have come lately that brought nothing: they fill a vessel with a leak.
///
/// A burst may be as large as the vessel, and what goes on for ever may be as much as leaks out. So a camera that tells
/// of thousands of properties at once, or of ten thousand photos, is heard to the end, and one that does nothing else
/// is not.
struct FloodGauge: Equatable, Sendable {
    private var level = 0
    /// What has come since it was empty, and since when that is.
    private var packets = 0
    private var began = Duration.zero
    private var leakedUntil = Duration.zero

    /// The leak is looked at no more often than this: most packets cost an addition.
    private static let step = Duration.milliseconds(50)

    /// One more packet. Says what to call it when that was too much.
    mutating func rise(at now: Duration, _ timeouts: Timeouts) -> Misconduct? {
        if now - leakedUntil >= Self.step { leak(until: now, timeouts) }
        level += 1
        packets += 1
        guard level > timeouts.uselessPackets else { return nil }
        return .flood(packets: packets, within: now - began)
    }

    private mutating func leak(until now: Duration, _ timeouts: Timeouts) {
        let leaked = (now - leakedUntil).inMilliseconds * Int64(timeouts.uselessPacketsPerSecond) / 1000
        leakedUntil = now
        level -= Int(min(leaked, Int64(level)))
        guard level == 0 else { return }
        packets = 0
        began = now
    }
}

extension Initiator {
    /// Counts a packet that brings nothing. Notices and probes are told and answered all the same: it is their number that
    /// is wrong, not they.
    mutating func flooded(by packet: Packet, _ channel: Channel, at now: Duration) -> Ending? {
        guard bringsNothing(packet) else { return nil }
        return floodGauge.rise(at: now, timeouts).map { .misbehaved($0, channel) }
    }

    /// What a call of ours brings once is our doing. Data comes as often as the camera likes, and is worth the effort from
    /// a sector of a card on: no body reads less.
    private func bringsNothing(_ packet: Packet) -> Bool {
        switch packet {
        case .data(let header): header.length < 512
        case .startData(let start): !isAskedFor(start.transaction)
        case .endData(let header): !isAskedFor(header.transaction)
        case .operationResponse(let response): !isAskedFor(response.transaction)
        case .event, .cancel, .probeRequest, .probeResponse: true
        // Each of these is an answer that is due, or ends the connection.
        case .initCommandRequest, .initCommandAck, .initEventRequest, .initEventAck, .initFail,
            .operationRequest:
            false
        }
    }

    private func isAskedFor(_ transaction: TransactionID) -> Bool {
        guard case .connected(let connection) = state, let exchange = connection.exchange else {
            return false
        }
        return transaction == exchange.transaction
    }
}

extension Duration {
    var inMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
