public import Basics

/// What a greeted camera is to the transfer: whose photos these are, which are taken, and how this connection is called
/// in the ledger.
public struct ConnectedCamera: Equatable, Sendable {
    public var camera: CameraID
    public var connection: String
    public var filter: CaptureFilter
    public var canDelete: Bool
    public var keepAliveEvery: Duration?
    /// By how many seconds its clock is ahead of UTC; nothing where it does not tell its time.
    public var clockDifference: Int64?
    /// Its photos come one after the other: what is not wanted has to be released, too, or none comes after it.
    public var handsOver: Bool

    public init(
        camera: CameraID, connection: String, filter: CaptureFilter = CaptureFilter(),
        canDelete: Bool = false,
        keepAliveEvery: Duration? = nil, clockDifference: Int64? = nil, handsOver: Bool = false
    ) {
        self.camera = camera
        self.connection = connection
        self.filter = filter
        self.canDelete = canDelete
        self.keepAliveEvery = keepAliveEvery
        self.clockDifference = clockDifference
        self.handsOver = handsOver
    }
}

/// Bring this photo's bytes into its partial file.
public struct FetchOrder: Equatable, Sendable {
    public var capture: Capture
    public var offer: Offer
    /// How long not a byte of it may come, where the usual timeout is too much.
    public var timeout: Duration?
    /// Nothing that is kept from before is used.
    public var startsOver = false
    /// What came ended too early for its own structure: the camera gives what there is, whatever size it names.
    public var doubtsSize = false
    /// So many bytes are all of it, although the camera names another size: as many came the time before.
    public var believes: UInt64?
    /// How far it has come before: what comes again is no progress.
    public var furthest: UInt64 = 0

    public init(capture: Capture, offer: Offer) {
        self.capture = capture
        self.offer = offer
    }
}

/// What a fetch came to.
public enum FetchEnd: Equatable, Sendable {
    /// Every byte is in the partial file. The offer is what the camera says of the photo by now.
    case whole(Fetched)
    /// The camera gave so many bytes, said OK, and still names another size.
    case sizeDiffers(received: UInt64, claimed: UInt64)
    /// OK, and not a byte; nor does the camera name a size.
    case empty
    /// What the camera gives now does not fit what it gave before. Nothing is kept.
    case seamDiffers(String)
    case failed(FailureImpact, String)
    case disk(DiskError.Meaning, String)
    /// The ledger could not be written.
    case ledger(String)
    /// Its bytes are coming over another connection, which may end before they are all here.
    case inOtherHands
    /// It has come to its end another way, and is not to be fetched.
    case settledElsewhere(String)
}

/// What a fetch took, whatever it came to.
public struct FetchEffort: Equatable, Sendable {
    public var bytes: UInt64
    public var time: Duration
    /// How far into the photo it got, with what was kept from before.
    public var reached: UInt64

    public init(bytes: UInt64 = 0, time: Duration = .zero, reached: UInt64 = 0) {
        self.bytes = bytes
        self.time = time
        self.reached = reached
    }
}

/// A photo all of whose bytes are here.
public struct Fetched: Equatable, Sendable {
    public var offer: Offer
    public var size: UInt64
    /// Asked for piece by piece, as far as the camera's own size reaches: a body that is wrong about pieces, or names too
    /// small a size, would not have been noticed.
    public var cameInParts = false
    /// The camera names another size.
    public var isDisputed = false

    public init(offer: Offer, size: UInt64) {
        self.offer = offer
        self.size = size
    }
}

/// Make a fetched photo durable, give it its name, and commit it.
public struct FinishOrder: Equatable, Sendable {
    public var capture: CaptureID
    public var offer: Offer
    public var size: UInt64
    /// The file's own structure has to account for its length.
    public var checksStructure = false
    /// What speaks against it is known and does not keep it from being kept.
    public var accepts: Set<PhotoDoubt> = []

    public init(capture: CaptureID, offer: Offer, size: UInt64) {
        self.capture = capture
        self.offer = offer
        self.size = size
    }
}

/// What a finish came to.
public enum FinishEnd: Equatable, Sendable {
    case staged(StagedPhoto)
    case duplicate(of: CaptureID)
    /// It does not begin like a file of its kind: "begins like a PNG, not like a JPEG". Nothing is kept.
    case foreignBeginning(String)
    /// Its own structure says that bytes are missing. Nothing is kept.
    case cutShort(String)
    /// The file does not hold as many bytes as came. Nothing is kept.
    case wrongLength(found: UInt64)
    case disk(DiskError.Meaning, String)
    /// The row had come to its end another way, or everything is ending: the next start looks at the file.
    case unwritten(String)
}
