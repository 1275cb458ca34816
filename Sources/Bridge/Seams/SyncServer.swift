public import Basics

/// What keeping a copy asks of a gallery: one exchange of what changed here and there.
public protocol SyncServer: Sendable {
    /// Whose log-in it is, by the gallery's id of the account: another account sees other records.
    func account() async throws(SyncFailure) -> String

    /// Everything that changed after `stamp` (all of it where that is nothing), once these changes have been looked at.
    func exchange(
        since stamp: Timestamp?, _ changes: [OutgoingChange]
    ) async throws(SyncFailure) -> SyncAnswer
}

public struct SyncAnswer: Equatable, Sendable {
    /// What is asked for next time: everything up to it has been told.
    public let stamp: Timestamp
    public let records: [GalleryRecord]
    /// More has changed than one answer holds.
    public let isMore: Bool
    public let rejections: [SyncRejection]
    /// How far the gallery's clock is ahead of ours, where it says so.
    public let clockAhead: Duration?

    public init(
        stamp: Timestamp, records: [GalleryRecord], isMore: Bool, rejections: [SyncRejection],
        clockAhead: Duration?
    ) {
        self.stamp = stamp
        self.records = records
        self.isMore = isMore
        self.rejections = rejections
        self.clockAhead = clockAhead
    }
}

/// Why there was no exchange. Nothing of what waits is lost by it.
public enum SyncFailure: Error, Equatable, Sendable {
    /// It passes by itself: no uplink, a gallery that is busy or restarts. `after`: how long it asks to be left alone.
    case passing(String, after: Duration? = nil)
    /// It waits for the operator: a log-in that has ended, a certificate that is refused.
    case operatorNeeded(String)
    case cancelled

    public var sentence: String {
        switch self {
        case .passing(let text, _), .operatorNeeded(let text): text
        case .cancelled: "it was taken back"
        }
    }
}
