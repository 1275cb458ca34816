/// Why a connection is over. Each case says whose doing it was.
public enum Ending: Error, Equatable, Sendable {
    // Ours.
    /// We closed it, in order or because we were told to.
    case closed
    /// We took a call back and dropping both links was the only way.
    case cancelled

    // The world's.
    /// A link could not be opened.
    case unreachable(Channel, reason: String)
    /// The host is there and nothing listens on the port.
    case nothingListens(port: UInt16)
    /// What stands before the camera does not let us through, and only a person can say otherwise: a password or a key.
    case notAdmitted(reason: String)
    /// A link ended or broke. Losing either one ends the connection.
    case linkLost(Channel, reason: String)

    // The camera's choice.
    case refused(InitFailReason, Channel)
    /// The connection was not confirmed on the camera within the limit.
    case notConfirmed(after: Duration)
    case sessionRefused(ResponseCode)

    // The camera's slowness.
    case silent(waitingFor: String, after: Duration)
    /// It holds the connection, and was silent on both links for so long, over more than one call, or over a long one in
    /// which it did not answer probes either. The operation is what it was asked last.
    case hung(silentFor: Duration, over: OperationCode)
    /// Not a byte of the photo for so long.
    case stalled(after: Duration)
    /// Bytes come, but fewer than the least that we accept.
    case tooSlow(bytesPerSecond: Int, least: Int)

    // Not a camera's, or not one that speaks PTP/IP just now.
    case foreign(ForeignPeer)

    // Bytes or conduct that no camera should show.
    case malformed(Malformed, Channel)
    case misbehaved(Misconduct, Channel)
}

/// Well-formed packets that make no sense where they stand.
public enum Misconduct: Equatable, Sendable {
    /// A packet that this side never gets, or not now.
    case unexpectedPacket(PacketType, during: String)
    /// A transaction id from the future: the two sides count differently.
    case outOfStep(expected: TransactionID, got: TransactionID)
    /// So much more data than was asked for, or than such a dataset can have, that its end was not waited for.
    case tooMuchData(OperationCode, limit: UInt64)
    /// Answers to old questions without end.
    case staleWithoutEnd(packets: Int)
    /// Packets that bring nothing, faster than they are of use.
    case flood(packets: Int, within: Duration)
}

extension Ending {
    /// The camera sends more than it is worth listening to: connecting again at once would bring the same.
    public var isFlood: Bool {
        if case .misbehaved(.flood, _) = self { true } else { false }
    }
}

extension Ending: CustomStringConvertible {
    public var description: String {
        switch self {
        case .closed: "the connection was closed"
        case .cancelled: "the connection was dropped to stop a transfer"
        case .nothingListens(let port): "nothing listens on port \(port) there (Connection refused)"
        case .notAdmitted(let reason): reason
        case .foreign(let peer): "\(peer)"
        case .unreachable(let channel, let reason): "the \(channel.rawValue) connection failed: \(reason)"
        case .linkLost(let channel, let reason): "the \(channel.rawValue) connection was lost: \(reason)"
        case .refused(let reason, let channel):
            "the camera refused the \(channel.rawValue) connection (\(reason))"
        case .notConfirmed(let limit): "the connection was not confirmed on the camera within \(limit)"
        case .sessionRefused(let code): "the camera refused to open a session (\(code))"
        case .silent(let step, let limit): "no \(step) from the camera within \(limit)"
        case .hung(let silence, let operation):
            "the camera holds the connection and has said nothing for \(silence.inMilliseconds / 1000) s, the last time not to \(operation)"
        case .stalled(let limit): "not a byte of the photo came for \(limit)"
        case .tooSlow(let rate, let least): "\(rate) bytes/s came, less than the \(least) bytes/s accepted"
        case .malformed(let bytes, let channel): "on the \(channel.rawValue) connection: \(bytes)"
        case .misbehaved(let conduct, let channel): "on the \(channel.rawValue) connection: \(conduct)"
        }
    }
}

extension Misconduct: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unexpectedPacket(let type, let step): "a packet \(type) came during \(step)"
        case .outOfStep(let expected, let got):
            "transaction \(got) was answered while \(expected) was asked"
        case .tooMuchData(let operation, let limit):
            "\(operation) brought more than \(limit) bytes and did not end"
        case .staleWithoutEnd(let packets): "\(packets) packets in a row belonged to earlier transactions"
        case .flood(let packets, let span):
            "the camera sends \(packets * 1000 / max(1, Int(span.inMilliseconds))) packets a second and nothing of use"
        }
    }
}
