public import Basics

/// How a bridge is, as one value: what every display shows is a rendering of it. Fields are added and never change
/// their meaning.
public struct BridgeStatus: Equatable, Sendable {
    public struct Event: Equatable, Sendable {
        public var id: String
        public var name: String

        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// What a camera's connection is doing, as one word.
    public enum CameraPhase: String, Equatable, Sendable, CaseIterable {
        case connecting
        case waitingForOK
        /// It shows a code that a person has to compare.
        case confirmingCode
        case listing
        case fetching
        case idle
        /// What is left to fetch has cost connections.
        case suspect
        case busy
        /// The disk takes nothing.
        case held
        case asleep
        case lost
        case ended
        /// It announces itself, and is not connected to until the operator adds it.
        case new
    }

    public struct Rate: Equatable, Sendable {
        public var photosPerMinute: Double
        public var bytesPerMinute: UInt64

        public init(photosPerMinute: Double, bytesPerMinute: UInt64) {
            self.photosPerMinute = photosPerMinute
            self.bytesPerMinute = bytesPerMinute
        }
    }

    /// The photo that waits longest, and since when it has been in the spool.
    public struct Waiting: Equatable, Sendable {
        public var capture: CaptureID
        public var name: String
        public var since: Timestamp

        public init(capture: CaptureID, name: String, since: Timestamp) {
            self.capture = capture
            self.name = name
            self.since = since
        }
    }

    /// From the shutter to the receipt, as ``ConfirmationTimes`` measures it.
    public struct Confirmation: Equatable, Sendable {
        /// So many were measured.
        public var photos: Int
        public var median: Duration
        public var p95: Duration
        /// Of these so many had been promised for a moment, and so many were there by then.
        public var promised: Int
        public var inTime: Int

        public init(photos: Int, median: Duration, p95: Duration, promised: Int = 0, inTime: Int = 0) {
            self.photos = photos
            self.median = median
            self.p95 = p95
            self.promised = promised
            self.inTime = inTime
        }
    }

    public struct Camera: Equatable, Sendable {
        public var address: String
        /// "Canon EOS R5 042", once it has been met.
        public var name: String?
        /// What its connection is doing; nothing when no bridge runs.
        public var state: String?
        public var phase: CameraPhase?
        /// Why there is no connection, as one word; nothing while there is one.
        public var loss: String?
        /// Photos of the event that it has shown and that are not here; what was given up for now is among them.
        public var toFetch = 0
        /// Deliveries of its photos, to all destinations.
        public var jobs: [JobGroup: Int] = [:]
        /// Since when it is in this phase; between two tries to connect and during them, since when it is away.
        public var since: Timestamp?
        /// When its latest photo was here; nothing before the first of a run.
        public var lastPhoto: Timestamp?
        /// By how much its clock was ahead of the one on the wall here when it was connected last; nothing where it does not
        /// tell its time.
        public var clockAhead: Duration?
        public var lastError: Trouble?

        public init(
            address: String, name: String? = nil, state: String? = nil, phase: CameraPhase? = nil
        ) {
            self.address = address
            self.name = name
            self.state = state
            self.phase = phase
        }
    }

    public struct Destination: Equatable, Sendable {
        /// Why nothing goes there.
        public struct Hold: Equatable, Sendable {
            /// What the operator has to do; nothing for what passes by itself.
            public var cause: HoldCause?
            public var reason: String
            /// Since when, whatever the reason was at first.
            public var since: Timestamp?

            public init(cause: HoldCause?, reason: String, since: Timestamp? = nil) {
                self.cause = cause
                self.reason = reason
                self.since = since
            }
        }

        public var url: String
        public var kind: DestinationKind
        public var jobs: [JobGroup: Int]
        public var hold: Hold?
        /// The way there, in a sentence: interface, kind, uploads at a time. Nothing when no bridge runs.
        public var way: String?
        public var slots: Int?
        /// What it has confirmed lately; nothing before the first photo of a run, and when no bridge runs.
        public var rate: Rate?
        /// At that rate, for what is open; nothing while nothing moves.
        public var untilDrained: Duration?
        public var oldest: Waiting?
        public var confirmation: Confirmation?
        /// Since the bridge began.
        public var confirmed: ConfirmedTotals?
        /// What was said of photos here and is to be said there; nothing where nothing can be, or where that is not known.
        public var edits: Edits?
        /// The network that leads there, as it was found last, where that was asked for.
        public var path: NetworkPath?
        public var lastError: Trouble?

        public init(
            url: String, kind: DestinationKind, jobs: [JobGroup: Int] = [:], hold: Hold? = nil,
            way: String? = nil, slots: Int? = nil
        ) {
            self.url = url
            self.kind = kind
            self.jobs = jobs
            self.hold = hold
            self.way = way
            self.slots = slots
        }
    }

    public struct Disk: Equatable, Sendable {
        public var free: UInt64
        public var total: UInt64
        /// What stays free; nothing where it is not known.
        public var reserve: UInt64?
        /// So many more photos of the event's mean size; nothing before its first.
        public var photosLeft: UInt64?
        /// Why it takes no photos, as the first camera that waits for it says.
        public var hold: String?
        /// What helps then.
        public var advice: String?

        public init(free: UInt64, total: UInt64, reserve: UInt64? = nil) {
            self.free = free
            self.total = total
            self.reserve = reserve
        }
    }

    /// A photo that a camera has shown and that is not here, and why.
    public struct Missing: Equatable, Sendable {
        public var camera: String
        /// Nothing for what could not be described.
        public var capture: CaptureID?
        public var path: String
        public var reason: String

        public init(camera: String, capture: CaptureID?, path: String, reason: String) {
            self.camera = camera
            self.capture = capture
            self.path = path
            self.reason = reason
        }
    }

    /// The ledger has all of them.
    public static let mostMissing = 100

    /// When this was so.
    public var at: Timestamp?
    public var isRunning = false
    /// A bridge runs and has said this itself. Otherwise it is what the ledger knows.
    public var isLive = false
    /// The operator's pause.
    public var isPaused = false
    public var event: Event?
    /// The event's latest window; nothing before its first run.
    public var window: EventWindow?
    /// Photos that were shot while no bridge ran for long, and of which the operator has said nothing yet.
    public var unattended = 0
    public var photos: [CaptureState: Int] = [:]
    /// Nothing counts as uploading but what a bridge that answers is sending.
    public var jobs: [JobGroup: Int] = [:]
    public var bytes: [JobGroup: UInt64] = [:]
    public var cancelled = 0
    /// Of all destinations.
    public var oldest: Waiting?
    /// The oldest job that waits, where it is known.
    public var oldestJob: JobID?
    /// Bytes of what is staged here, for the mean size of a photo.
    public var stagedBytes: UInt64 = 0
    public var cameras: [Camera] = []
    public var destinations: [Destination] = []
    public var spool: Disk?
    /// What this run has given up or lost, the first ``mostMissing``; nothing when no bridge runs.
    public var missing: [Missing] = []
    /// Photos whose bytes move at this moment, and what has left; nothing when no bridge runs.
    public var underWay = UnderWay()
    /// What failed lately, the newest first, at most ``mostFailures``; nothing when no bridge runs.
    public var failures: [Failure] = []
    /// What was assumed because it could not be asked.
    public var notes: [String] = []
    /// What the operator has been called for and is not over; nothing when no bridge runs.
    public var alerts: [Alert] = []

    public init() {}
}

extension BridgeStatus {
    /// What is noted as uploading and is not being sent waits: it was noted ahead of its turn, or a bridge ended over it.
    /// `sending` says of each destination how many are being sent.
    public mutating func count(sending: [String: Int]) {
        var excess = 0
        for index in destinations.indices {
            let noted = destinations[index].jobs[.uploading, default: 0]
            let waiting = noted - min(noted, sending[destinations[index].url, default: 0])
            guard waiting > 0 else { continue }
            destinations[index].jobs[.uploading] = noted - waiting
            destinations[index].jobs[.queued, default: 0] += waiting
            excess += waiting
        }
        let noted = jobs[.uploading, default: 0]
        excess = min(excess, noted)
        guard excess > 0 else { return }
        // Of how many bytes these are is known on the average only.
        let bytes = UInt64(Double(self.bytes[.uploading, default: 0]) * Double(excess) / Double(noted))
        jobs[.uploading] = noted - excess
        jobs[.queued, default: 0] += excess
        self.bytes[.uploading, default: 0] -= bytes
        self.bytes[.queued, default: 0] += bytes
        countCameras(atMost: noted - excess)
    }

    /// Whose photos are being sent is not known, but how many: what is too much is taken off where most are noted.
    private mutating func countCameras(atMost sending: Int) {
        var excess = cameras.reduce(0) { $0 + $1.jobs[.uploading, default: 0] } - sending
        while excess > 0,
            let index = cameras.indices.max(by: {
                cameras[$0].jobs[.uploading, default: 0] < cameras[$1].jobs[.uploading, default: 0]
            })
        {
            cameras[index].jobs[.uploading, default: 0] -= 1
            cameras[index].jobs[.queued, default: 0] += 1
            excess -= 1
        }
    }

    /// The disk as it was found, with what of this event it would still take.
    public mutating func note(_ disk: Disk?) {
        spool = disk
        let staged = photos[.staged, default: 0]
        if let disk, staged > 0, stagedBytes > 0 {
            let usable = disk.free - min(disk.free, disk.reserve ?? 0)
            spool?.photosLeft = usable / max(1, stagedBytes / UInt64(staged))
        }
    }
}
