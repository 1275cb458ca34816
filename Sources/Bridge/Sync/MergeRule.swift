public import Basics

/// What both sides know of a record's age: enough to tell which of two versions of it stays.
public struct RecordVersion: Equatable, Sendable {
    /// By the clock of the client that changed it.
    public let updatedAt: Timestamp
    /// Nothing while it is there.
    public let deletedAt: Timestamp?

    public init(updatedAt: Timestamp, deletedAt: Timestamp? = nil) {
        self.updatedAt = updatedAt
        self.deletedAt = deletedAt
    }
}

/// A change that a client made, perhaps long ago and without a network.
public struct RecordChange: Equatable, Sendable {
    public enum Action: String, CaseIterable, Sendable {
        case upsert
        case delete
    }

    public let action: Action
    public let updatedAt: Timestamp
    /// For a delete. What is not said is that it was when the record was last changed.
    public let deletedAt: Timestamp?

    public init(_ action: Action, updatedAt: Timestamp, deletedAt: Timestamp? = nil) {
        self.action = action
        self.updatedAt = updatedAt
        self.deletedAt = action == .delete ? deletedAt ?? updatedAt : nil
    }

    /// The record as it is once the change is taken.
    public var version: RecordVersion { RecordVersion(updatedAt: updatedAt, deletedAt: deletedAt) }
}

/// Which version of a record stays: the newer one, for all of the record. Server and clients resolve by the same rule.
///
/// A delete is a change like any other: an upsert that is newer brings the record back, an older one does not. A photo
/// cannot come back, because its files went with it; that is told apart, so that the client lets it go too.
public enum MergeRule {
    public enum Verdict: Equatable, Sendable {
        /// The change is taken.
        case accepted
        /// What is there is newer, and stays.
        case older
        /// Made in the same millisecond. What the server has stays, so that all who ask it see the same.
        case tie
        /// Dated so far ahead that its clock is wrong. Taken, it would win against every client's next change.
        case ahead
        /// The record is deleted and does not come back.
        case gone
    }

    /// How far a clock may be ahead of the server's. It is refused beyond that, not clamped: a clamped time would be
    /// newer than what others did meanwhile.
    public static let mostAhead = Duration.seconds(300)

    /// `current` is what the server has, if it has the record. `now` is the server's clock; a client, which does not know
    /// it, leaves it out. `mayReturn` is false for what a delete destroys.
    public static func verdict(
        on change: RecordChange, over current: RecordVersion?, at now: Timestamp?, mayReturn: Bool = true
    ) -> Verdict {
        if let now, max(change.updatedAt, change.deletedAt ?? change.updatedAt) > now + mostAhead {
            return .ahead
        }
        guard let current else { return .accepted }
        if current.deletedAt != nil, !mayReturn, change.action == .upsert { return .gone }
        if change.updatedAt == current.updatedAt { return .tie }
        return change.updatedAt > current.updatedAt ? .accepted : .older
    }
}
