package import Bridge

/// What the ledger is to be told, in order: gathered for a moment, so that many share a commit. It decides what may begin
/// before something is written, what has to wait for that, and when it is written.
package struct PendingWrites {
    /// The operator sees a photo arrive that much later; a commit costs about a tenth of it.
    private static let gathering = Duration.milliseconds(5)
    /// With a row of photos behind it no operator waits for a single one. What is ready by then lasts longer.
    private static let gatheringInARow = UploadScheduler.ahead * 3 / 10

    private var changes: [JobChange] = []
    private var jobs: Set<JobID> = []
    /// When the oldest came.
    private var since: Duration?
    /// Those whose steps are being written while deliveries go on.
    private var written: Set<JobID> = []

    /// What a driver does with a list of actions, in this order.
    package struct Plan: Equatable {
        package enum Write: Equatable {
            /// At once, and nothing else before it is done.
            case first
            /// While deliveries go on.
            case meanwhile
            case later
        }

        /// The ledger knows of these already.
        package var begin: [Job] = []
        package var write = Write.later
        /// What relies on what is written, or does not go to the ledger at all.
        package var rest: [UploadScheduler.Action] = []
    }

    package init() {}

    /// `isIdle` when nothing is under way: then nothing comes that could share the commit. At the end everything is urgent.
    package mutating func plan(
        _ actions: [UploadScheduler.Action], isIdle: Bool, inARow: Bool, isEnding: Bool, at now: Duration
    ) -> Plan {
        var plan = Plan()
        var isUrgent = isEnding
        for action in actions {
            switch action {
            case .persist(let change):
                add(change, at: now)
                isUrgent = true
            case .note(let change): add(change, at: now)
            case .deliver(let job) where isSettled(job.id): plan.begin.append(job)
            case .deliver:
                isUrgent = true
                plan.rest.append(action)
            case .claim, .claimSent, .release, .presign, .stop, .giveUp, .ask, .report:
                plan.rest.append(action)
            }
        }
        if isUrgent {
            plan.write = .first
        } else if written.isEmpty, !changes.isEmpty, isIdle || due(inARow: inARow).map({ $0 <= now }) ?? false
        {
            plan.write = .meanwhile
        }
        return plan
    }

    private mutating func add(_ change: JobChange, at now: Duration) {
        changes.append(change)
        jobs.insert(change.job)
        if since == nil { since = now }
    }

    /// When what is gathered has waited long enough; nothing while something is being written, whose end is looked at.
    package func due(inARow: Bool) -> Duration? {
        guard written.isEmpty else { return nil }
        return since.map { $0 + (inARow ? Self.gatheringInARow : Self.gathering) }
    }

    /// Whether the ledger has been told everything of this job.
    package func isSettled(_ job: JobID) -> Bool { !jobs.contains(job) && !written.contains(job) }

    /// What is written now, before anything else is done.
    package mutating func takeAll() -> [JobChange] {
        defer {
            changes = []
            jobs = []
            since = nil
        }
        return changes
    }

    /// What is written while deliveries go on, until ``finished()``.
    package mutating func begin() -> [JobChange] {
        written = jobs
        return takeAll()
    }

    package mutating func finished() {
        written = []
    }
}
