public import Link
public import PTP

/// Where a session's two links come from: TCP to a real camera, memory in a test, a recorder around either.
public protocol LinkOpening: Sendable {
    func open(_ channel: Channel) async throws(LinkError) -> any ByteLink

    /// Who is meant, for messages: `192.168.1.1:15740`.
    var target: String { get }

    /// The connection is over; what the links went through is not needed any more.
    func connectionEnded() async
}

extension LinkOpening {
    public func connectionEnded() async {}
}

/// What happens on the way to a usable camera, for a caller that shows it.
public enum ConnectionProgress: Equatable, Sendable {
    case connecting(String)
    /// The camera shows a question: a person has to press OK on the body before `until`.
    case waitingForPerson(until: Duration)
    case connected(Peer)
    case sessionOpened
}
