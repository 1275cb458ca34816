import Bridge
import TestSupport

/// A ledger, three destinations and a calendar around a scheduler, where everything happens that may happen,
/// in an order that follows from a seed. What goes against a rule is noted.
struct UploadStorm {
    static let longest = Duration.seconds(300)
    /// However long it was told to wait.
    static let longestWait = max(longest, UploadScheduler.longestAsked)
    static let destinations = [DestinationID(1), DestinationID(2), DestinationID(3)]

    private let settings: UploadScheduler.Settings
    var random: Seeded
    var scheduler: UploadScheduler
    var now = SchedulerBench.start
    var isDraining = false
    private(set) var failures: [String] = []

    // What the ledger holds.
    private(set) var rows: [JobID: Job] = [:]
    /// In the window of the scheduler that runs now, or on the way there.
    private var claimed: Set<JobID> = []
    private(set) var completions: [JobID: Int] = [:]
    /// Photos with which their destination fails, whenever they are tried.
    private(set) var bad: Set<JobID> = []
    /// Photos with which a delivery takes very long.
    private(set) var slow: Set<JobID> = []
    /// How each row was before it was begun, and how many had arrived there when it met a failing
    /// destination.
    private var before: [JobID: Job] = [:]
    private var arrivedBefore: [JobID: Int] = [:]
    private var arrived: [DestinationID: Int] = [:]

    // What is on its way.
    private(set) var answers: [(to: DestinationID, jobs: [Job], asked: Int)] = []
    private(set) var underWay: [JobID: DestinationID] = [:]
    private(set) var slots: [DestinationID: Int] = [:]
    private var held: Set<DestinationID> = []
    /// How each delivery that is just being reported ended.
    private var ending: DeliveryOutcome?

    init(seed: UInt64) {
        random = Seeded(seed)
        var settings = UploadScheduler.Settings()
        settings.backoff = Backoff(first: .seconds(1), longest: Self.longest)
        settings.window = Int.random(in: 1...20, using: &random) * (random.chance(20) ? 10 : 1)
        settings.attempts = [0, 2, 5][Int.random(in: 0..<3, using: &random)]
        settings.newestFirst = random.chance(50)
        self.settings = settings
        scheduler = UploadScheduler(settings: settings)
    }

    // MARK: What happens

    mutating func tell(_ happening: Happening) {
        ending = if case .ended(_, let outcome) = happening { outcome } else { nil }
        if case .drain = happening { isDraining = true }
        let actions = scheduler.handle(happening, at: now, using: &random)
        var persisted: Set<JobID> = []
        for action in actions {
            switch action {
            case .claim(let destination, let count): claim(count, to: destination)
            case .persist(let change):
                save(change)
                if change.to == .uploading { persisted.insert(change.job) }
            case .deliver(let job):
                expect(persisted.contains(job.id), "job \(job.id) goes before it is noted")
                deliver(job)
            case .report(let destination, let reason):
                if reason == nil { held.remove(destination) } else { held.insert(destination) }
            }
        }
        check()
    }

    mutating func stagePhoto() {
        let number = Int64(rows.count + 1)
        let destination = Self.destinations[Int.random(in: 0..<3, using: &random)]
        var job = Job.some(
            number, to: destination, random.chance(10) ? .presigned : .staged,
            random.chance(40) ? .later : .first)
        job.due = now
        rows[job.id] = job
        if random.chance(5) { bad.insert(job.id) }
        if random.chance(5) { slow.insert(job.id) }
        tell(.lookAgain)
    }

    mutating func answerClaim() {
        guard !answers.isEmpty else { return }
        let answer = answers.removeFirst()
        tell(.claimed(answer.to, answer.jobs, asked: answer.asked))
    }

    mutating func end(_ job: JobID, _ outcome: DeliveryOutcome) {
        guard let destination = underWay.removeValue(forKey: job) else { return }
        let outcome = bad.contains(job) && outcome != .cancelled ? .destinationFailed("it again") : outcome
        let attempts = rows[job]?.attempts
        let arrivedThen = arrivedBefore[job]
        if case .destinationFailed = outcome { arrivedBefore[job] = arrived[destination] ?? 0 }
        tell(.ended(job, outcome))
        if outcome == .good { arrived[destination, default: 0] += 1 }
        guard case .destinationFailed = outcome else { return }
        let isItsOwn = arrivedThen.map { $0 < arrived[destination] ?? 0 } ?? false
        expect((rows[job]?.attempts != attempts) == isItsOwn, "the failure is held against the wrong one")
        expect(isItsOwn || scheduler.heldReasons[destination] != nil, "a destination that failed is not held")
    }

    mutating func set(_ destination: DestinationID, slots count: Int) {
        slots[destination] = count
        tell(.slots(destination, count))
    }

    mutating func passTime(_ span: Duration) {
        now = now + span
        tell(.timePassed)
    }

    /// The process ends without a word, and begins anew from what the ledger holds.
    mutating func crash() {
        for (id, row) in rows where row.state == .uploading { rows[id]?.state = .staged }
        claimed = []
        answers = []
        underWay = [:]
        held = []
        arrivedBefore = [:]
        isDraining = false
        scheduler = UploadScheduler(settings: settings)
        let known = slots
        slots = [:]
        for destination in Self.destinations { set(destination, slots: known[destination] ?? 0) }
    }

    // MARK: The ledger

    private static let waitingStates: Set<JobState> = [.staged, .presigned, .failedRetryable]

    var unclaimed: [Job] {
        rows.values.filter { Self.waitingStates.contains($0.state) && !claimed.contains($0.id) }
    }

    private mutating func claim(_ count: Int, to destination: DestinationID) {
        expect(!answers.contains { $0.to == destination }, "two claims at once")
        expect(count > 0 && count + known(destination) <= share, "more is claimed than there is room for")
        expect(!isDraining, "a claim after drain")
        let jobs = unclaimed.filter { $0.destination == destination }.sorted { $0.id < $1.id }.prefix(count)
        claimed.formUnion(jobs.map(\.id))
        answers.append((destination, Array(jobs), count))
    }

    private var share: Int { max(settings.window / slots.count, min(settings.window, 50)) }

    /// What the ledger handed out and the scheduler has got, and is not settled.
    private var window: [Job] {
        let onTheWay = Set(answers.flatMap { $0.jobs.map(\.id) })
        return claimed.subtracting(onTheWay).compactMap { rows[$0] }.filter {
            $0.state == .uploading || Self.waitingStates.contains($0.state)
        }
    }

    /// Without those that met a failing destination: they need not leave room.
    private func known(_ destination: DestinationID) -> Int {
        window.count {
            $0.destination == destination && ($0.state == .uploading || arrivedBefore[$0.id] == nil)
        }
    }

    private mutating func save(_ change: JobChange) {
        guard var row = rows[change.job], row.state == change.from else {
            failures.append("\(change) does not fit \(String(describing: rows[change.job]?.state))")
            return
        }
        let before = before[change.job]
        let isFailure = change.to == .failedRetryable || change.to == .failedPermanent
        expect(isFailure == (change.problem != nil), "\(change) has the wrong problem")
        let isBack = change.to == before?.state && change.attempts == row.attempts
        expect(isBack || change.attempts == row.attempts + (isFailure ? 1 : 0), "miscounted: \(change)")
        switch change.to {
        case .uploading:
            expect(row.state != .uploading, "begun twice")
            self.before[change.job] = row
            self.before[change.job]?.due = change.due
        case .completed: completions[change.job, default: 0] += 1
        case .failedRetryable where !isBack:
            expect(change.due >= now && change.due - now <= Self.longestWait, "due too far ahead")
        case .failedPermanent:
            let isTheirWord = if case .permanent = ending { true } else { false }
            expect(
                isTheirWord || settings.attempts > 0 && change.attempts >= settings.attempts, "given up early"
            )
        case .staged, .presigned, .failedRetryable, .uploadedAwaitingProcessing:
            expect(isBack && change.due == before?.due, "\(change) is not what it was")
            expect(change.problem == before?.problem, "\(change) has forgotten what it was")
        }
        (row.state, row.attempts, row.due) = (change.to, change.attempts, change.due)
        row.problem = change.problem
        rows[change.job] = row
    }

    private mutating func deliver(_ job: Job) {
        expect(!isDraining, "job \(job.id) begins after drain")
        expect(rows[job.id]?.state == .uploading, "job \(job.id) goes and is not noted")
        expect(underWay[job.id] == nil, "job \(job.id) is delivered twice at once")
        expect(completions[job.id] == nil, "job \(job.id) is delivered again")
        let others = busy(job.destination)
        expect(others < slots[job.destination] ?? 0, "more under way than there are slots")
        expect(others == 0 || !held.contains(job.destination), "a second probe")
        underWay[job.id] = job.destination
    }

    private func busy(_ destination: DestinationID) -> Int {
        underWay.values.count { $0 == destination }
    }

    // MARK: What holds after every step

    private mutating func check() {
        expect(scheduler.deliveries == underWay.count, "deliveries are miscounted")
        guard !isDraining else { return }
        // Whoever waits in the window and has a free slot has a moment at which it goes.
        let couldGo = window.contains { job in
            let taken = busy(job.destination)
            return Self.waitingStates.contains(job.state) && taken < slots[job.destination] ?? 0
                && (taken == 0 || !held.contains(job.destination))
        }
        let moment = scheduler.nextMoment(after: now)
        expect((moment != nil) == couldGo, "next moment \(String(describing: moment)), could go: \(couldGo)")
        if let moment {
            expect(moment > now && moment - now <= Self.longestWait, "\(moment) is no moment to wait for")
        }
        for destination in slots.keys where known(destination) <= share / 2 {
            let isAsked = answers.contains { $0.to == destination }
            let waits = unclaimed.contains { $0.destination == destination }
            expect(!waits || isAsked, "jobs wait outside and nobody asks")
        }
    }

    mutating func expect(_ isRight: Bool, _ complaint: @autoclosure () -> String) {
        if !isRight { failures.append(complaint()) }
    }
}
