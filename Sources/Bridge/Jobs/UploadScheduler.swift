/// Decides which job is delivered when: a value without clock, socket, disk or chance of its own.
///
/// ## What it sees
/// A window of the waiting jobs, filled by claiming them from the ledger, never the whole table. What is claimed is
/// in exactly one place: waiting in the window, under way, or on hold with its destination.
///
/// ## What it promises
/// * Never more deliveries at once than a destination's path allows; never two for one job.
/// * A step is persisted before the action that relies on it: `persist` stands before `deliver` in the list.
/// * A failure of a destination holds the destination: its jobs wait together, one of them probes, and none of them
///   has an attempt counted.
/// * Every fourth free slot goes to the job that has been due longest, so that nothing starves behind what is
///   always more urgent.
public struct UploadScheduler: Equatable, Sendable {
    public struct Settings: Equatable, Sendable {
        /// Jobs known at a time.
        public var window = 1000
        /// Failures of one photo before it waits for the operator; 0 for never.
        public var attempts = 5
        public var backoff = Backoff(first: .seconds(1), longest: .seconds(300))
        public var newestFirst = false

        public init() {}
    }

    public enum Happening: Equatable, Sendable {
        /// The ledger may hold jobs that are not in the window.
        case lookAgain
        /// The answer to `claim`.
        case claimed([Job], asked: Int)
        /// How many deliveries at a time the way to a destination allows now; 0 while there is none.
        case slots(DestinationID, Int)
        case ended(JobID, DeliveryOutcome)
        case timePassed
        /// No more deliveries begin.
        case drain
    }

    public enum Action: Equatable, Sendable {
        /// Take so many waiting jobs from the ledger.
        case claim(Int)
        case persist(JobChange)
        case deliver(Job)
        /// For whoever shows it: this destination waits, and why; nothing when it goes on.
        case report(DestinationID, held: String?)
    }

    /// What is known of one destination.
    struct Lane: Equatable, Sendable {
        /// Deliveries at a time.
        var slots = 0
        var underWay = 0
        var hold: Hold?
    }

    /// A destination that failed. Left when the probing job succeeds.
    struct Hold: Equatable, Sendable {
        var reason: String
        var failures: Int
        /// The next probe begins then.
        var until: Timestamp
    }

    let settings: Settings
    /// Claimed and waiting.
    var waiting: [JobID: Job] = [:]
    /// Being delivered.
    var underWay: [JobID: Job] = [:]
    var lanes: [DestinationID: Lane] = [:]
    /// Counts begun deliveries: each fourth goes to the one due longest.
    var begun = 0
    /// A claim is on its way to the ledger.
    var isClaiming = false
    /// The ledger may hold more than the window.
    var mayHoldMore = true
    var isDraining = false

    public init(settings: Settings = Settings()) {
        self.settings = settings
    }

    public mutating func handle(
        _ happening: Happening, at now: Timestamp, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        var actions: [Action] = []
        switch happening {
        case .lookAgain: mayHoldMore = true
        case .claimed(let jobs, let asked): claimed(jobs, asked: asked)
        case .slots(let destination, let slots): lanes[destination, default: Lane()].slots = max(0, slots)
        case .ended(let job, let outcome): actions += ended(job, outcome, at: now, using: &random)
        case .timePassed: break
        case .drain: isDraining = true
        }
        actions += begin(at: now)
        actions += refill()
        return actions
    }

    // MARK: What is known from outside

    /// Jobs this window holds, waiting and under way.
    public var known: Int { waiting.count + underWay.count }
    public var deliveries: Int { underWay.count }
    public var isIdle: Bool { known == 0 && !mayHoldMore && !isClaiming }
    /// Nothing is under way and nothing will begin.
    public var isDrained: Bool { isDraining && underWay.isEmpty }

    public func holdReason(of destination: DestinationID) -> String? { lanes[destination]?.hold?.reason }

    /// When something can be done that cannot be done now; nothing while only happenings from outside can change that.
    public func nextMoment(after now: Timestamp) -> Timestamp? {
        guard !isDraining else { return nil }
        return waiting.values.compactMap { job -> Timestamp? in
            guard let lane = lanes[job.destination], lane.slots > lane.underWay else { return nil }
            if let hold = lane.hold {
                return lane.underWay > 0 ? nil : max(believable(hold.until, at: now), due(job, at: now))
            }
            return due(job, at: now)
        }.min().map { max($0, now) }
    }

    // MARK: The window

    private mutating func claimed(_ jobs: [Job], asked: Int) {
        isClaiming = false
        // What was said since the claim went out holds, whatever its answer.
        mayHoldMore = mayHoldMore || jobs.count >= asked
        for job in jobs where underWay[job.id] == nil { waiting[job.id] = job }
    }

    private mutating func refill() -> [Action] {
        // Half empty is soon enough, and a claim is a transaction.
        guard mayHoldMore, !isClaiming, !isDraining, known <= settings.window / 2 else { return [] }
        isClaiming = true
        mayHoldMore = false
        return [.claim(settings.window - known)]
    }
}
