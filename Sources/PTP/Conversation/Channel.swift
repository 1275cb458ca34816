/// The two connections of one PTP/IP conversation.
public enum Channel: String, CaseIterable, Sendable {
    /// Requests, data and responses.
    case command
    /// Notices, probes, and a copy of every Cancel.
    case event
}
