/// Why bytes could not be moved. The world's doing, not the peer's conduct.
public enum LinkError: Error, Equatable, Sendable {
    /// The host is there, and nothing listens on that port of it.
    case refused(peer: String, port: UInt16)
    /// No host answered: no route, unknown name. `reason` is the system's own sentence.
    case unreachable(peer: String, reason: String)
    /// What stands before the peer does not let us through: a password or a key that only a person can set right.
    case denied(peer: String, reason: String)
    /// The connection was not made within the limit.
    case connectTimedOut(peer: String, after: Duration)
    /// The peer broke the connection off.
    case reset(peer: String)
    /// No byte moved for as long as the limit allows.
    case stalled(peer: String, after: Duration)
    /// This end closed the link while a caller was waiting on it.
    case closedHere
    /// The waiting task was cancelled.
    case cancelled
    /// Anything else the system said.
    case system(call: String, peer: String, reason: String)
}

extension LinkError {
    /// Whether a listener that failed so can be asked again.
    package var isAboutOneLink: Bool {
        switch self {
        case .refused, .unreachable, .denied, .connectTimedOut, .reset, .stalled, .system: true
        case .closedHere, .cancelled: false
        }
    }
}

extension LinkError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .refused(let peer, let port): "\(peer) is there and nothing listens on its port \(port)"
        case .unreachable(let peer, let reason): "\(peer) cannot be reached: \(reason)"
        case .denied(_, let reason): reason
        case .connectTimedOut(let peer, let limit): "\(peer) did not answer within \(limit)"
        case .reset(let peer): "\(peer) broke the connection off"
        case .stalled(let peer, let limit): "nothing could be exchanged with \(peer) for \(limit)"
        case .closedHere: "the link was closed"
        case .cancelled: "stopped"
        case .system(let call, let peer, let reason): "\(peer): \(call) failed: \(reason)"
        }
    }
}
