public import Basics

public typealias EditID = RowID<LocalEdit>

/// One edit that was made here, from when it is made until the gallery has it or has refused it.
public struct LocalEdit: Equatable, Sendable {
    public enum Standing: Equatable, Sendable {
        /// It is on its way, or waits for an uplink, for its photo's upload, or for the time that it is dated.
        case waiting
        /// The gallery's record shows it, or what was edited here after it.
        case settled
        /// It was not taken, and is kept until the operator has seen it.
        case conflict(Conflict)
    }

    /// Why an edit was not taken.
    public struct Conflict: Equatable, Sendable {
        public enum Cause: String, CaseIterable, Sendable {
            /// A newer change was made elsewhere.
            case newer
            /// The record was deleted, and does not come back.
            case deleted
            /// The gallery refuses it, and says why.
            case refused
        }

        public let cause: Cause
        /// The gallery's own words, where it said any.
        public let words: String

        public init(_ cause: Cause, _ words: String = "") {
            self.cause = cause
            self.words = words
        }
    }

    public let id: EditID
    public let kind: GalleryRecord.Kind
    /// The gallery's id; nothing for a photo that it has not confirmed yet.
    public var record: String?
    /// The photo here, where it came by this bridge.
    public let capture: CaptureID?
    public let edit: RecordEdit
    /// By our clock.
    public let madeAt: Timestamp
    /// One millisecond after the version that was seen when it was made: an edit is newer than what it edits, whatever the
    /// clocks say.
    public var floor: Timestamp?
    /// How it is dated for the gallery. Fixed before it is sent for the first time, so that to send it again is no second
    /// edit.
    public var stamp: Timestamp?
    /// The gallery has refused it for being dated ahead; it is taken later.
    public var isAhead = false
    public var standing = Standing.waiting

    public init(
        id: EditID, kind: GalleryRecord.Kind, record: String?, capture: CaptureID? = nil, edit: RecordEdit,
        madeAt: Timestamp, floor: Timestamp? = nil
    ) {
        self.id = id
        self.kind = kind
        self.record = record
        self.capture = capture
        self.edit = edit
        self.madeAt = madeAt
        self.floor = floor
    }
}

/// How far the gallery's clock is from ours, and what that means for how edits are dated.
public enum EditClock {
    /// The Date header knows no less than seconds, and an answer takes time: what is less than this is not corrected.
    public static let coarseness = Duration.seconds(5)

    /// An edit is dated by the clock of the gallery, as far as that is known. `ahead`: how far it is ahead of ours.
    public static func correction(_ ahead: Duration?) -> Duration {
        guard let ahead, ahead > coarseness || ahead < .zero - coarseness else { return .zero }
        return ahead
    }
}
