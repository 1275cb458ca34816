/// An event: what photos are filed under.
public struct BridgeEvent: Hashable, Sendable {
    /// A UUID in lower case.
    public let id: String
    public let name: String

    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}

/// What became of a photo that a camera offered. The row exists before the first byte of the file does.
public enum CaptureState: String, Equatable, Sendable, CaseIterable {
    /// Known and wanted; nothing of it is here. Left for `receiving`, `lost`, `abandoned`.
    case announced
    /// Not wanted, by a rule that the row names. Left for `announced` when the rules change.
    case filtered
    /// Some of it may be in its partial file. Left for `staged`, `duplicate`, `lost`, `abandoned`.
    case receiving
    /// Whole, synced, under its final name in the spool, and its jobs exist. Left for `announced` only when the file is
    /// found to be gone.
    case staged
    /// The same bytes are in this event already, under the capture that the row names.
    case duplicate
    /// The camera does not have it any more, and we do not have all of it.
    case lost
    /// Tried often enough for this connection; tried again at the next.
    case abandoned
}

/// A ledger row as the transfer of photos needs it.
public struct Capture: Equatable, Sendable {
    public var id: CaptureID
    public var state: CaptureState
    /// The final name in the spool, once there is one.
    public var file: String?
    /// How much of the partial file is known to be on the disk, and during which boot it was noted.
    public var verified: UInt64
    public var boot: String?
    public var isNew: Bool
    /// What it has cost in earlier runs.
    public var cost: FailedFetchCost

    public init(
        id: CaptureID, state: CaptureState, file: String? = nil, verified: UInt64 = 0, boot: String? = nil,
        isNew: Bool = false, cost: FailedFetchCost = .none
    ) {
        self.id = id
        self.state = state
        self.file = file
        self.verified = verified
        self.boot = boot
        self.isNew = isNew
        self.cost = cost
    }
}

/// A capture was not in the state that a step begins from: it has come to its end another way.
public struct CaptureMismatch: Error, Equatable, Sendable, CustomStringConvertible {
    public let capture: CaptureID

    public init(capture: CaptureID) {
        self.capture = capture
    }

    public var description: String {
        "capture \(capture) is not in the state it should be in; please report this with 'tetherline store export'."
    }
}

/// A photo as a camera shows it now, with what the rules say of it.
public struct Sighting: Equatable, Sendable {
    public var offer: Offer
    public var objection: FilterRule?
    /// Given up for now: its row stays as it is.
    public var isLeftAlone = false
    /// What the body that shows it calls itself on the wire.
    public var wireID: String?

    public init(offer: Offer, objection: FilterRule?) {
        self.offer = offer
        self.objection = objection
    }
}

/// A whole file in the spool.
public struct StagedPhoto: Equatable, Sendable {
    /// Where it lies, when that is not the event's folder in the spool: a copy that is delivered in its place.
    public var folder: String?
    public var file: String
    public var size: UInt64
    /// In lower-case hexadecimal.
    public var sha256: String
    /// Why a person should look at it.
    public var doubts: Set<PhotoDoubt>

    public init(
        file: String, size: UInt64, sha256: String, doubts: Set<PhotoDoubt> = [], folder: String? = nil
    ) {
        self.folder = folder
        self.file = file
        self.size = size
        self.sha256 = sha256
        self.doubts = doubts
    }
}

public enum Staging: Equatable, Sendable {
    case staged(jobs: Int)
    case duplicate(of: CaptureID)
}

/// A line for the operator's journal.
public struct JournalEntry: Equatable, Sendable {
    /// The worst comes last.
    public enum Level: String, Sendable, CaseIterable {
        case info
        case warning
        case error
    }

    public var level: Level
    public var camera: CameraID?
    public var capture: CaptureID?
    public var job: JobID?
    public var text: String

    public init(
        _ level: Level, camera: CameraID? = nil, capture: CaptureID? = nil, job: JobID? = nil, _ text: String
    ) {
        self.level = level
        self.camera = camera
        self.capture = capture
        self.job = job
        self.text = text
    }
}
