public import Basics

/// Decides which job is delivered when: a value without clock, socket, disk or chance of its own.
///
/// ## What it sees
/// A window of the waiting jobs, filled by claiming them from the ledger, never the whole table. Each
/// destination has its share of the window, so that one that takes nothing leaves room for the others. What
/// is claimed is in exactly one ``DestinationQueue``, which decides everything that concerns one destination only.
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
/// * What the operator has to do (log in, give consent, buy credits) holds the destination too; one job a minute
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
    /// How often it is asked whether the operator has done what a destination waits for.
    public static let heldPause = Duration.seconds(60)
    /// Photos asked about in one question.
    public static let mostAsked = 50
    /// Photos of one destination that are asked about in turn; the others wait in the ledger.
    public static let mostAwaited = 1000
    /// What is noted ahead of its turn lasts about so long, and the next are noted when half of it is gone.
    public static let ahead = Duration.milliseconds(200)

    public enum Happening: Equatable, Sendable {
        /// The ledger may hold jobs that are not in the window.
        case lookAgain
        /// The answer to `claim`.
        case claimed(DestinationID, [Job], asked: Int)
        /// The answer to `claimSent`.
        case claimedSent(DestinationID, [Job], asked: Int)
        /// How many deliveries at a time the way to a destination allows now. All that share a path share its slots.
        /// While it is not up, no gallery is asked anything either.
        case slots(
            DestinationID, Int, path: String? = nil, isUp: Bool = true, kind: DestinationKind = .direct)
        case ended(JobID, DeliveryOutcome)
        /// The answer to `ask`.
        case answered(DestinationID, [JobID], ProcessingAnswer)
        /// What held it may be over: the operator logged in, or the network has changed.
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
        /// To be shown: this destination waits, and why; nothing when it goes on.
        case report(DestinationID, held: String?)
    }

    let settings: Settings
    /// One for each destination, in the order of their ids: a seed is to repeat a whole run.
    private var queues: [DestinationQueue] = []
    private var isDraining = false
    private var isPaused = false
    /// Counts what was begun, so that destinations on one path take turns.
    private var begun: UInt64 = 0

    public init(settings: Settings = Settings()) {
        self.settings = settings
    }

    public mutating func handle(
        _ happening: Happening, at now: Timestamp, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        var actions = take(happening, at: now, using: &random)
        if !isDraining { actions += begin(at: now) }
        let share = share
        for index in queues.indices {
            actions += queues[index].noteAhead(mayBegin: mayBegin)
            guard !isDraining else { continue }
            actions += queues[index].ask(at: now)
            actions += queues[index].refill(share: share)
        }
        return actions
    }

    private mutating func take(
        _ happening: Happening, at now: Timestamp, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        switch happening {
        case .lookAgain:
            for index in queues.indices { queues[index].lookAgain() }
        case .claimed(let destination, let jobs, let asked):
            let index = place(for: destination)
            return queues[index].claimed(jobs, asked: asked, share: share, at: now)
        case .claimedSent(let destination, let jobs, let asked):
            queues[place(for: destination)].claimedSent(jobs, asked: asked, at: now)
        case .slots(let destination, let slots, let path, let isUp, let kind):
            queues[place(for: destination)].way(slots: slots, path: path, isUp: isUp, kind: kind, at: now)
        case .ended(let job, let outcome):
            guard let index = queues.firstIndex(where: { $0.underWay[job] != nil }) else {
                preconditionFailure("job \(job) ended and was not under way")
            }
            return queues[index].ended(job, outcome, mayGoOn: mayBegin, at: now, using: &random)
        case .answered(let destination, let asked, let answer):
            guard let index = index(of: destination) else { return [] }
            return queues[index].answered(asked, answer, at: now, using: &random)
        case .tryAgain(let destination):
            if let index = index(of: destination) { queues[index].tryAgain(at: now) }
        case .pause(let isPaused): self.isPaused = isPaused
        case .cancel(let jobs): return each(jobs) { $0.cancel($1, at: now) }
        case .putAside(let jobs): return each(jobs) { $0.putAside($1) }
        case .timePassed: break
        case .drain: isDraining = true
        }
        return []
    }

    private var mayBegin: Bool { !isPaused && !isDraining }

    private func index(of destination: DestinationID) -> Int? { queues.firstIndex { $0.id == destination } }

    /// Where its queue is; it is made for a destination that is new.
    private mutating func place(for destination: DestinationID) -> Int {
        if let index = index(of: destination) { return index }
        let index = queues.firstIndex { $0.id > destination } ?? queues.endIndex
        queues.insert(DestinationQueue(destination, settings: settings), at: index)
        return index
    }

    /// Nothing of a job that no queue has.
    private mutating func each(
        _ jobs: [JobID], _ body: (inout DestinationQueue, JobID) -> [Action]
    ) -> [Action] {
        jobs.flatMap { job in queues.indices.flatMap { body(&queues[$0], job) } }
    }

    // MARK: What destinations share

    /// How many jobs one destination may know.
    private var share: Int {
        max(settings.window / max(1, queues.count), min(settings.window, Self.smallestShare))
    }

    /// Deliveries under way that take a slot of this destination's path.
    private func taken(from queue: DestinationQueue) -> Int {
        guard let path = queue.path else { return queue.underWay.count }
        return queues.reduce(0) { $0 + ($1.path == path ? $1.underWay.count : 0) }
    }

    /// Fills every free slot with the best job for it. Destinations that share a path take turns.
    private mutating func begin(at now: Timestamp) -> [Action] {
        guard !isPaused else { return [] }
        var actions: [Action] = []
        // Those that have had their say, so that a turn ends.
        var open = Array(queues.indices)
        while let index = open.min(by: { queues[$0].isBefore(queues[$1]) }) {
            guard let id = queues[index].next(taken: taken(from: queues[index]), at: now) else {
                open.removeAll { $0 == index }
                continue
            }
            begun += 1
            actions += queues[index].begin(id, turn: begun, at: now)
        }
        return actions
    }

    // MARK: What is known from outside

    /// Jobs this window holds: waiting, under way, and asked about.
    public var known: Int { queues.reduce(0) { $0 + $1.known } }
    public var deliveries: Int { queues.reduce(0) { $0 + $1.underWay.count } }
    public func deliveries(to destination: DestinationID) -> Int {
        index(of: destination).map { queues[$0].underWay.count } ?? 0
    }
    /// Whose bytes are on their way: what only asks for a place, or is noted ahead of its turn, is not among them.
    public var sending: [DestinationID: Int] {
        queues.reduce(into: [:]) { sending, queue in
            sending[queue.id] = queue.underWay.values.count { $0.step == .sending }
        }
    }
    public var isIdle: Bool { queues.allSatisfy(\.isIdle) }
    /// Nothing is under way and nothing will begin.
    public var isDrained: Bool { isDraining && queues.allSatisfy { $0.underWay.isEmpty && !$0.isAsking } }
    /// More wait behind those that are on their way, and the ledger knows the next of them.
    public var isInARow: Bool { queues.contains { $0.ready.count > 0 } }

    public func holdReason(of destination: DestinationID) -> String? { hold(of: destination)?.reason }
    public func holdCause(of destination: DestinationID) -> HoldCause? { hold(of: destination)?.cause }
    private func hold(of destination: DestinationID) -> DestinationQueue.Hold? {
        index(of: destination).flatMap { queues[$0].hold }
    }
    /// The destinations that wait, and why.
    public var heldReasons: [DestinationID: String] {
        queues.reduce(into: [:]) { reasons, queue in reasons[queue.id] = queue.hold?.reason }
    }

    /// Waiting here, under way, or perhaps among those that are just being claimed.
    public func mayHave(_ job: JobID) -> Bool { queues.contains { $0.mayHave(job) } }

    /// When something can be done that cannot be done now; nothing while only happenings from outside can change that.
    public func nextMoment(after now: Timestamp) -> Timestamp? {
        guard !isDraining else { return nil }
        return queues.flatMap { queue in
            let begin = isPaused ? nil : queue.nextBegin(taken: taken(from: queue), at: now)
            return [begin, queue.questionDue(at: now)].compactMap { $0 }
        }.min().map { max($0, now) }
    }
}
