/// Decides which job is delivered when: a value without clock, socket, disk or chance of its own.
///
/// ## What it sees
/// A window of the waiting jobs, filled by claiming them from the ledger, never the whole table. Each
/// destination has its share of the window, so that one that takes nothing leaves room for the others. What
/// is claimed is in exactly one place: waiting in its destination's share, ready, under way, or sent and asked about.
///
/// ## What it promises
/// * Never more deliveries at once than a destination's path allows, whatever else uses that path; never two
///   for one job.
/// * A step is written before the action that relies on it: `persist` or `note` of a job stands before its `deliver`,
///   in the same list or in an earlier one.
/// * A failure of a destination holds the destination: its jobs wait together, one of them probes, each time
///   another one, and none of them has an attempt counted.
/// * A photo that meets such a failure again, although others have been delivered since, is taken to be its
///   cause: that is an attempt of its own, and the others go on.
/// * What somebody has to mend (log in, give consent, buy credits) holds the destination too; one job a minute
///   asks whether that has been done, and nothing is ever counted for it.
/// * Every fourth free slot of a destination goes to the job that has been due longest, so that nothing
///   starves behind what is always more urgent.
/// * What a gallery works on is asked about in batches, at a pace of its own, and takes no slot.
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
    /// How often it is asked whether somebody has done what a destination waits for.
    public static let heldPause = Duration.seconds(60)
    /// Photos asked about in one question.
    public static let mostAsked = 50
    /// Photos of one destination that are asked about in turn; the others wait in the ledger.
    public static let mostAwaited = 1000

    public enum Happening: Equatable, Sendable {
        /// The ledger may hold jobs that are not in the window.
        case lookAgain
        /// The answer to `claim`.
        case claimed(DestinationID, [Job], asked: Int)
        /// The answer to `claimSent`.
        case claimedSent(DestinationID, [Job], asked: Int)
        /// How many deliveries at a time the way to a destination allows now. All that share a path share its slots.
        /// While it is not up, nobody is asked anything either.
        case slots(
            DestinationID, Int, path: String? = nil, isUp: Bool = true, kind: DestinationKind = .direct)
        case ended(JobID, DeliveryOutcome)
        /// The answer to `ask`.
        case answered(DestinationID, [JobID], ProcessingAnswer)
        /// What held it may be over: somebody logged in, or the network has changed.
        case tryAgain(DestinationID)
        /// The operator's: nothing begins until it goes on. What runs may finish.
        case pause(Bool)
        /// The operator's: these are not wanted there any more.
        case cancel([JobID])
        /// The files of these are being mended: what runs is stopped, and they stay out of the window until the ledger is told
        /// that they may be claimed again.
        case putAside([JobID])
        case timePassed
        /// No more deliveries begin.
        case drain
    }

    public enum Action: Equatable, Sendable {
        /// Take so many waiting jobs for this destination from the ledger.
        case claim(DestinationID, Int)
        /// Take so many of those that a gallery works on.
        case claimSent(DestinationID, Int)
        /// Give these back to the ledger: there are more urgent ones.
        case release([JobID])
        /// Write this, and all that was noted before, before whatever comes after it in the list.
        case persist(JobChange)
        /// Write this soon, with others: nothing but a delivery of the same job relies on it.
        case note(JobChange)
        /// Ask a gallery for a place.
        case presign(Job)
        case deliver(Job)
        /// Take back what is under way.
        case stop(JobID)
        /// It will not be delivered: what was begun of it there may go.
        case giveUp(Job)
        /// Ask a gallery what has become of these.
        case ask(DestinationID, [Job])
        /// For whoever shows it: this destination waits, and why; nothing when it goes on.
        case report(DestinationID, held: String?)
    }

    let settings: Settings
    /// Being delivered.
    var underWay: [JobID: Delivery] = [:]
    var lanes: [DestinationID: Lane] = [:]
    var isDraining = false
    var isPaused = false
    /// Counts what was begun, so that destinations on one path take turns.
    var begun: UInt64 = 0

    public init(settings: Settings = Settings()) {
        self.settings = settings
    }

    public mutating func handle(
        _ happening: Happening, at now: Timestamp, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        var actions: [Action] = []
        switch happening {
        case .lookAgain: lookAgain()
        case .claimed(let destination, let jobs, let asked):
            actions += claimed(destination, jobs, asked: asked, at: now)
        case .claimedSent(let destination, let jobs, let asked):
            claimedSent(destination, jobs, asked: asked, at: now)
        case .slots(let destination, let slots, let path, let isUp, let kind):
            way(destination, slots: slots, path: path, isUp: isUp, kind: kind, at: now)
        case .ended(let job, let outcome): actions += ended(job, outcome, at: now, using: &random)
        case .answered(let destination, let asked, let answer):
            actions += answered(destination, asked, answer, at: now, using: &random)
        case .tryAgain(let destination): tryAgain(destination, at: now)
        case .pause(let isPaused): self.isPaused = isPaused
        case .cancel(let jobs): actions += cancel(jobs, at: now)
        case .putAside(let jobs): actions += putAside(jobs)
        case .timePassed: break
        case .drain: isDraining = true
        }
        if !isDraining { actions += begin(at: now) }
        // In an order of their own: a seed is to repeat a whole run.
        for destination in lanes.keys.sorted(by: { $0.number < $1.number }) {
            actions += noteAhead(destination, at: now)
            guard !isDraining else { continue }
            actions += ask(destination, at: now)
            actions += refill(destination)
        }
        return actions
    }

    // MARK: What is known from outside

    /// Jobs this window holds: waiting, under way, and asked about.
    public var known: Int { lanes.values.reduce(0) { $0 + $1.known } }
    public var deliveries: Int { underWay.count }
    public func deliveries(to destination: DestinationID) -> Int { lanes[destination]?.underWay ?? 0 }
    public var isIdle: Bool { lanes.values.allSatisfy(\.isIdle) }
    /// Nothing is under way and nothing will begin.
    public var isDrained: Bool {
        isDraining && underWay.isEmpty && lanes.values.allSatisfy { !$0.isAsking }
    }

    public func holdReason(of destination: DestinationID) -> String? { lanes[destination]?.hold?.reason }
    /// The destinations that wait, and why.
    public var heldReasons: [DestinationID: String] { lanes.compactMapValues { $0.hold?.reason } }
    public func holdCause(of destination: DestinationID) -> HoldCause? { lanes[destination]?.hold?.cause }

    /// When something can be done that cannot be done now; nothing while only happenings from outside can change that.
    public func nextMoment(after now: Timestamp) -> Timestamp? {
        guard !isDraining else { return nil }
        return lanes.values.compactMap { lane -> Timestamp? in
            [nextBegin(in: lane, at: now), nextQuestion(in: lane, at: now)].compactMap { $0 }.min()
        }.min().map { max($0, now) }
    }
}
