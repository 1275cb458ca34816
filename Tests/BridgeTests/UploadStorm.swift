import Bridge
import TestSupport

/// A ledger, three destinations and a calendar around a scheduler, where everything happens that may happen,
/// in an order that follows from a seed. What goes against a rule is noted.
struct UploadStorm {
    static let longest = Duration.seconds(300)
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

    // What is on its way.
    private(set) var answers: [(jobs: [Job], asked: Int)] = []
    private(set) var underWay: [JobID: DestinationID] = [:]
    private(set) var slots: [DestinationID: Int] = [:]
    private var held: Set<DestinationID> = []
    /// How each delivery that is just being reported ended.
    private var ending: DeliveryOutcome?

    init(seed: UInt64) {
        random = Seeded(seed)
        var settings = UploadScheduler.Settings()
        settings.backoff = Backoff(first: .seconds(1), longest: Self.longest)
        settings.window = Int.random(in: 1...20, using: &random)
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
            case .claim(let count): claim(count)
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
        tell(.lookAgain)
    }

    mutating func answerClaim() {
        guard !answers.isEmpty else { return }
        let answer = answers.removeFirst()
        tell(.claimed(answer.jobs, asked: answer.asked))
    }

    mutating func end(_ job: JobID, _ outcome: DeliveryOutcome) {
        guard let destination = underWay.removeValue(forKey: job) else { return }
        tell(.ended(job, outcome))
        guard case .destinationFailed = outcome else { return }
        expect(scheduler.holdReason(of: destination) != nil, "a destination that failed is not held")
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
        isDraining = false
        scheduler = UploadScheduler(settings: settings)
        for destination in Self.destinations { set(destination, slots: slots[destination] ?? 0) }
    }

    // MARK: The ledger

    private static let waitingStates: Set<JobState> = [.staged, .presigned, .failedRetryable]

    var unclaimed: [Job] {
        rows.values.filter { Self.waitingStates.contains($0.state) && !claimed.contains($0.id) }
    }

    private mutating func claim(_ count: Int) {
        expect(answers.isEmpty, "two claims at once")
        expect(
            count > 0 && count + scheduler.known <= settings.window, "more is claimed than the window holds")
        expect(!isDraining, "a claim after drain")
        let jobs = unclaimed.sorted { $0.id < $1.id }.prefix(count)
        claimed.formUnion(jobs.map(\.id))
        answers.append((Array(jobs), count))
    }

    private mutating func save(_ change: JobChange) {
        guard var row = rows[change.job], row.state == change.from else {
            failures.append("\(change) does not fit \(String(describing: rows[change.job]?.state))")
            return
        }
        let counts = change.to == .failedRetryable || change.to == .failedPermanent
        expect(change.attempts == row.attempts + (counts ? 1 : 0), "attempts are miscounted: \(change)")
        switch change.to {
        case .uploading: expect(row.state != .uploading, "begun twice")
        case .completed: completions[change.job, default: 0] += 1
        case .failedRetryable:
            expect(change.due >= now && change.due - now <= Self.longest, "due too far ahead")
        case .failedPermanent:
            let isTheirWord = if case .permanent = ending { true } else { false }
            expect(
                isTheirWord || settings.attempts > 0 && change.attempts >= settings.attempts, "given up early"
            )
        case .staged, .presigned, .uploadedAwaitingProcessing: break
        }
        (row.state, row.attempts, row.due) = (change.to, change.attempts, change.due)
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
        let window = claimed.subtracting(answers.flatMap { $0.jobs.map(\.id) })
        let couldGo = window.compactMap { rows[$0] }.contains { job in
            let taken = busy(job.destination)
            return Self.waitingStates.contains(job.state) && taken < slots[job.destination] ?? 0
                && (taken == 0 || !held.contains(job.destination))
        }
        let moment = scheduler.nextMoment(after: now)
        expect((moment != nil) == couldGo, "next moment \(String(describing: moment)), could go: \(couldGo)")
        if let moment {
            expect(moment > now && moment - now <= Self.longest, "\(moment) is no moment to wait for")
        }
        let isHungry = scheduler.known <= settings.window / 2
        expect(!isHungry || unclaimed.isEmpty || !answers.isEmpty, "jobs wait outside and nobody asks")
    }

    mutating func expect(_ isRight: Bool, _ complaint: @autoclosure () -> String) {
        if !isRight { failures.append(complaint()) }
    }
}
