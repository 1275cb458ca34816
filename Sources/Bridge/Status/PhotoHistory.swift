public import Basics

/// All that the ledger has of one photo, as rows have it: what ``PhotoStory`` tells is told of this.
public struct PhotoHistory: Equatable, Sendable {
    /// Its way to one destination.
    public struct Delivery: Equatable, Sendable {
        public var job: JobID
        public var url: String
        public var kind: DestinationKind
        public var state: JobState
        public var isCancelled = false
        /// Tries that count against the photo.
        public var attempts = 0
        public var createdAt: Timestamp
        /// Since when the event knows the destination, where that is later than the photo.
        public var wantedSince: Timestamp?
        /// When it is tried again, while it is one that failed.
        public var due: Timestamp
        public var deadline: Timestamp?
        public var completedAt: Timestamp?
        public var problem: String?
        /// As JSON.
        public var receipt: String?
        public var earlier: [Earlier] = []
        /// The destination is none of the event's any more since then, and another may have taken its place.
        public var removedAt: Timestamp?
        public var replacedBy: String?
        /// Whether it says anything of what the event's destinations have.
        public var isWanted = true
        /// Why the destination takes nothing, as the bridge that ran last has noted it.
        public var hold: String?

        public init(
            job: JobID, url: String, kind: DestinationKind = .direct, state: JobState, createdAt: Timestamp,
            due: Timestamp
        ) {
            self.job = job
            self.url = url
            self.kind = kind
            self.state = state
            self.createdAt = createdAt
            self.due = due
        }
    }

    /// What a destination had acknowledged before the photo was sent there once more.
    public struct Earlier: Equatable, Sendable {
        /// As JSON.
        public var receipt: String
        public var completedAt: Timestamp
        public var reason: String
        public var repeatedAt: Timestamp

        public init(receipt: String, completedAt: Timestamp, reason: String, repeatedAt: Timestamp) {
            self.receipt = receipt
            self.completedAt = completedAt
            self.reason = reason
            self.repeatedAt = repeatedAt
        }

        /// What the journal says of it.
        public static func line(_ reason: String) -> String { "sent again: \(reason)" }

        /// The journal has room for longer reasons.
        func isSaid(by line: Line) -> Bool { line.text.hasPrefix(Self.line(reason)) }
    }

    /// Another row that has to do with it.
    public struct Relative: Equatable, Sendable {
        public enum Relation: String, Sendable {
            /// The RAW of a JPEG, and the other way round.
            case pair
            /// A voice memo or a sidecar of this photo.
            case companion
            /// The photo that this one is a voice memo or a sidecar of.
            case companionOf
            /// The photo that has the same bytes and was here first.
            case original
            /// A photo with the same bytes that came later.
            case copy
        }

        public var relation: Relation
        public var id: CaptureID
        public var path: String
        public var state: CaptureState

        public init(_ relation: Relation, _ id: CaptureID, path: String, state: CaptureState) {
            self.relation = relation
            self.id = id
            self.path = path
            self.state = state
        }
    }

    /// A line of the journal that names the photo, or one of its deliveries.
    public struct Line: Equatable, Sendable {
        public var at: Timestamp
        public var level: JournalEntry.Level
        public var job: JobID?
        public var text: String

        public init(at: Timestamp, _ level: JournalEntry.Level, job: JobID? = nil, _ text: String) {
            self.at = at
            self.level = level
            self.job = job
            self.text = text
        }
    }

    public var id: CaptureID
    public var event: BridgeEvent
    /// None for a file that was found in the spool without a row.
    public var camera: CameraIdentity?
    /// Where that body was last.
    public var address: String?
    public var path: String
    public var size: UInt64 = 0
    public var captureDate = ""
    /// By the camera's clock, in seconds without a zone.
    public var takenAt: Int64?
    public var clockAhead: Int64?
    public var isInMemory = false
    public var state: CaptureState
    public var reason: String?
    public var doubts: Set<PhotoDoubt> = []
    /// Of a photo that is not whole yet: how much of it is known to be on the disk.
    public var verified: UInt64 = 0
    public var cost = FailedFetchCost.none
    public var file: String?
    public var stagedSize: UInt64?
    public var sha256: String?
    public var announcedAt: Timestamp
    public var stagedAt: Timestamp?
    /// Since when nothing of it is open.
    public var settledAt: Timestamp?
    /// When its file was let go of, because it had been delivered.
    public var removedAt: Timestamp?
    /// When it was deleted from the card.
    public var deletedAt: Timestamp?
    public var relatives: [Relative] = []
    public var deliveries: [Delivery] = []
    public var journal: [Line] = []

    public init(
        id: CaptureID, event: BridgeEvent, path: String, state: CaptureState, announcedAt: Timestamp
    ) {
        self.id = id
        self.event = event
        self.path = path
        self.state = state
        self.announcedAt = announcedAt
    }
}
