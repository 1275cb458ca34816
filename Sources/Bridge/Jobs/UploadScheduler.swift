/// Decides which job is delivered when: a value without clock, socket, disk or chance of its own.
///
/// ## What it sees
/// A window of the waiting jobs, filled by claiming them from the ledger, never the whole table. Each
/// destination has its share of the window, so that one that takes nothing leaves room for the others. What
/// is claimed is in exactly one place: waiting in its destination's share, or under way.
///
/// ## What it promises
/// * Never more deliveries at once than a destination's path allows; never two for one job.
/// * A step is persisted before the action that relies on it: `persist` stands before `deliver` in the list.
/// * A failure of a destination holds the destination: its jobs wait together, one of them probes, each time
///   another one, and none of them has an attempt counted.
/// * A photo that meets such a failure again, although others have been delivered since, is taken to be its
///   cause: that is an attempt of its own, and the others go on.
/// * Every fourth free slot of a destination goes to the job that has been due longest, so that nothing
///   starves behind what is always more urgent.
public struct UploadScheduler: Equatable, Sendable {
    public struct Settings: Equatable, Sendable {
        /// Jobs known at a time, shared by all destinations.
        public var window = 1000
        /// Failures of one photo before it waits for the operator; 0 for never.
        public var attempts = 5
        public var backoff = Backoff(first: .seconds(1), longest: .seconds(300))
        public var newestFirst = false

        public init() {}
    }

    /// The longest pause that is kept because the other side asked for it.
    public static let longestAsked = Duration.seconds(3600)
    /// However many destinations share the window, each knows so many jobs if the window is that large at
    /// all.
    public static let smallestShare = 50

    public enum Happening: Equatable, Sendable {
        /// The ledger may hold jobs that are not in the window.
        case lookAgain
        /// The answer to `claim`.
        case claimed(DestinationID, [Job], asked: Int)
        /// How many deliveries at a time the way to a destination allows now; 0 while there is none.
        case slots(DestinationID, Int)
        case ended(JobID, DeliveryOutcome)
        case timePassed
        /// No more deliveries begin.
        case drain
    }

    public enum Action: Equatable, Sendable {
        /// Take so many waiting jobs for this destination from the ledger.
        case claim(DestinationID, Int)
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
        /// Claimed and waiting.
        var waiting: [JobID: Entry] = [:]
        var hold: Hold?
        /// Photos that arrived.
        var successes = 0
        /// Counts begun deliveries, probes aside: each fourth goes to the one due longest.
        var begun = 0
        /// A claim is on its way to the ledger.
        var isClaiming = false
        /// The ledger may hold more than the window.
        var mayHoldMore = true

        var known: Int { waiting.count + underWay }
        /// What its share of the window is for. Jobs that met a failure of the destination are extra: were
        /// there many bad photos, they would fill the share, and nothing could come that proves the
        /// destination good. They come at the pace of the probes, so there are never very many.
        var takesRoom: Int { underWay + waiting.values.count { $0.setbacks == 0 } }
    }

    /// A job in the window, and what is remembered of it only as long as it is there.
    struct Entry: Equatable, Sendable {
        /// As it waits, or as it waited before it was begun.
        var job: Job
        /// Failures of the destination that it has met.
        var setbacks = 0
        /// How many photos had arrived there when it met the last one.
        var successesBefore: Int?
    }

    /// A job that is being delivered.
    struct Delivery: Equatable, Sendable {
        var entry: Entry
        /// Begun while its destination was held, to see whether that is over.
        let isProbe: Bool
    }

    /// A destination that failed. Left when it answers about a photo.
    struct Hold: Equatable, Sendable {
        var reason: String
        /// The first one, and the probes that failed. What else fails was begun before, and met the same
        /// failure.
        var failures: Int
        /// The next probe begins then.
        var until: Timestamp
    }

    let settings: Settings
    /// Being delivered.
    var underWay: [JobID: Delivery] = [:]
    var lanes: [DestinationID: Lane] = [:]
    var isDraining = false

    public init(settings: Settings = Settings()) {
        self.settings = settings
    }

    public mutating func handle(
        _ happening: Happening, at now: Timestamp, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        var actions: [Action] = []
        switch happening {
        case .lookAgain: for destination in lanes.keys { lanes[destination]?.mayHoldMore = true }
        case .claimed(let destination, let jobs, let asked):
            claimed(destination, jobs, asked: asked, at: now)
        case .slots(let destination, let slots): lanes[destination, default: Lane()].slots = max(0, slots)
        case .ended(let job, let outcome): actions += ended(job, outcome, at: now, using: &random)
        case .timePassed: break
        case .drain: isDraining = true
        }
        guard !isDraining else { return actions }
        // In an order of their own: a seed is to repeat a whole run.
        for destination in lanes.keys.sorted(by: { $0.number < $1.number }) {
            actions += begin(destination, at: now)
            actions += refill(destination)
        }
        return actions
    }

    // MARK: What is known from outside

    /// Jobs this window holds, waiting and under way.
    public var known: Int { lanes.values.reduce(0) { $0 + $1.known } }
    public var deliveries: Int { underWay.count }
    public var isIdle: Bool { lanes.values.allSatisfy { $0.known == 0 && !$0.mayHoldMore && !$0.isClaiming } }
    /// Nothing is under way and nothing will begin.
    public var isDrained: Bool { isDraining && underWay.isEmpty }

    public func holdReason(of destination: DestinationID) -> String? { lanes[destination]?.hold?.reason }
    /// The destinations that wait, and why.
    public var heldReasons: [DestinationID: String] { lanes.compactMapValues { $0.hold?.reason } }

    /// When something can be done that cannot be done now; nothing while only happenings from outside can change that.
    public func nextMoment(after now: Timestamp) -> Timestamp? {
        guard !isDraining else { return nil }
        return lanes.values.compactMap { lane -> Timestamp? in
            guard lane.slots > lane.underWay else { return nil }
            let first = lane.waiting.values.map { due($0.job, at: now) }.min()
            guard let hold = lane.hold else { return first }
            return lane.underWay > 0 ? nil : first.map { max(believable(hold.until, at: now), $0) }
        }.min().map { max($0, now) }
    }

    // MARK: The window

    /// How many jobs one destination may know.
    private var share: Int {
        max(settings.window / max(1, lanes.count), min(settings.window, Self.smallestShare))
    }

    private mutating func claimed(
        _ destination: DestinationID, _ jobs: [Job], asked: Int, at now: Timestamp
    ) {
        var lane = lanes[destination] ?? Lane()
        lane.isClaiming = false
        // What was said since the claim went out holds, whatever its answer.
        lane.mayHoldMore = lane.mayHoldMore || jobs.count >= asked
        for var job in jobs where underWay[job.id] == nil && lane.waiting[job.id] == nil {
            precondition(job.destination == destination, "job \(job.id) was claimed for another destination")
            // From here on it grows older, also when the calendar was wrong when it was noted.
            job.due = believable(job.due, at: now)
            lane.waiting[job.id] = Entry(job: job)
        }
        lanes[destination] = lane
    }

    private mutating func refill(_ destination: DestinationID) -> [Action] {
        // Half empty is soon enough, and a claim is a transaction.
        guard let lane = lanes[destination], lane.mayHoldMore, !lane.isClaiming else { return [] }
        let taken = lane.takesRoom
        guard taken <= share / 2 else { return [] }
        lanes[destination]?.isClaiming = true
        lanes[destination]?.mayHoldMore = false
        return [.claim(destination, share - taken)]
    }
}
