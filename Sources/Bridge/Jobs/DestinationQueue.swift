import Basics

/// What is decided about one destination: which of its jobs goes next, what the end of a delivery means to the photo and to
/// the destination, when it is asked what has become of photos, and what of the ledger is known.
///
/// What is claimed is in exactly one place: ``waiting``, ``ready``, ``underWay`` or ``awaited``. What several destinations
/// share (the slots of a path, the window, the operator's pause) is the ``UploadScheduler``'s, and comes in as an argument.
struct DestinationQueue: Equatable, Sendable {
    typealias Action = UploadScheduler.Action

    let id: DestinationID
    let settings: UploadScheduler.Settings
    /// Deliveries at a time, of all that share the path.
    var slots = 0
    /// The network's interface that leads there, or whatever else several share.
    var path: String?
    var isUp = true
    var kind = DestinationKind.direct
    /// Being delivered.
    var underWay: [JobID: Delivery] = [:]
    /// Claimed and waiting.
    var waiting = WaitingJobs()
    /// Waiting as well, and noted as `uploading` already. Empty while the destination is held or cannot be reached.
    var ready = WaitingJobs()
    /// How long the last photo took, where that was so little that the ledger counts.
    var pace: Duration?
    /// A gallery has their bytes.
    var awaited: [JobID: Sent] = [:]
    var hold: Hold?
    /// Photos that arrived.
    var successes = 0
    /// Photos that the destination failed since the last one arrived. What befalls several is no photo's fault.
    var lostLately: Set<JobID> = []
    /// Counts begun deliveries, probes aside: each fourth goes to the one due longest.
    var begun = 0
    /// When it last began one, in turns of all destinations.
    var lastBegun: UInt64 = 0
    /// Places that were refused one after the other.
    var refusals = 0
    /// A claim is on its way to the ledger.
    var isClaiming = false
    var isClaimingSent = false
    /// The ledger may hold more than the window.
    var mayHoldMore = true
    /// The ledger may hold newer ones than the window.
    var hasNews = false
    var maySentHoldMore = true
    /// A question is on its way, or the last one failed so often and the next is asked then.
    var isAsking = false
    var questionsFailed = 0
    var nextQuestion: Timestamp?

    var known: Int { waiting.count + ready.count + underWay.count + awaited.count }
    var isIdle: Bool { known == 0 && !mayHoldMore && !isClaiming && !isClaimingSent }
    /// What its share of the window is for. Jobs that met a failure of the destination are extra: were
    /// there many bad photos, they would fill the share, and nothing could come that proves the
    /// destination good. They come at the pace of the probes, so there are never very many.
    var takesRoom: Int { underWay.count + ready.count + waiting.withoutSetbacks }

    init(_ id: DestinationID, settings: UploadScheduler.Settings) {
        self.id = id
        self.settings = settings
    }
}

extension DestinationQueue {
    /// A job in the window, and what is remembered of it only as long as it is there.
    struct Entry: Equatable, Sendable {
        /// As it waits, or as it waited before it was begun.
        var job: Job
        /// Failures of the destination that it has met.
        var setbacks = 0
        /// How many photos had arrived there when it met the last one.
        var successesBefore: Int?
        /// Times a gallery lost what it had been sent.
        var losses = 0
        /// Times that it was the only one that was lost while others went through.
        var suspicions = 0
    }

    /// A job that is being delivered.
    struct Delivery: Equatable, Sendable {
        enum Step: Equatable, Sendable {
            /// A gallery is being asked for a place. The ledger has the job as it waited.
            case presigning
            /// Bytes are on their way. The ledger says `uploading`.
            case sending
            /// A gallery is being asked what has become of it. The ledger says `uploadedAwaitingProcessing`.
            case asking
        }

        var entry: Entry
        var step: Step
        /// Begun while its destination was held, to see whether that is over.
        let isProbe: Bool
        var begunAt: Timestamp?
        /// The operator does not want it any more: it ends with what comes of it.
        var isCancelled = false
        /// Its file is being mended: what comes of it but its arrival counts for nothing.
        var isPutAside = false

        /// What the ledger says of it.
        var stored: JobState {
            switch step {
            case .presigning: entry.job.state
            case .sending: .uploading
            case .asking: .uploadedAwaitingProcessing
            }
        }
    }

    /// A photo that a gallery works on.
    struct Sent: Equatable, Sendable {
        var entry: Entry
        /// It went while its destination was held, to see whether that is over.
        var isProbe = false
        /// False when no answer came to the bytes.
        var isCertain: Bool
        var askAt: Timestamp
        /// Times it was asked about.
        var questions = 0
        /// Times in a row that the gallery left it out of its answer.
        var unknown = 0

        var job: Job { entry.job }
    }

    /// A destination that failed, or that waits for the operator. Left when it answers about a photo.
    struct Hold: Equatable, Sendable {
        /// What the operator has to do; nothing for what passes by itself.
        var cause: HoldCause?
        var reason: String
        /// The first one, and the probes that failed. What else fails was begun before, and met the same
        /// failure.
        var failures: Int
        /// The next probe begins then.
        var until: Timestamp
    }
}

// MARK: The way there

extension DestinationQueue {
    mutating func way(slots: Int, path: String?, isUp: Bool, kind: DestinationKind, at now: Timestamp) {
        let isAnother = self.path != path || (!self.isUp && isUp)
        self.slots = max(0, slots)
        self.path = path
        self.isUp = isUp
        self.kind = kind
        // What failed on another way may well succeed on this one.
        guard isAnother else { return }
        if hold?.cause == nil {
            tryAgain(at: now)
        } else if questionsFailed > 0 {
            questionsFailed = 0
            nextQuestion = nil
        }
    }

    /// It is tried at once, whatever pause was meant.
    mutating func tryAgain(at now: Timestamp) {
        hold?.until = now
        hold?.failures = 0
        questionsFailed = 0
        nextQuestion = nil
    }
}
