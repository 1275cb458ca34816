import Basics
import Bridge
import TestSupport

/// A ledger, three destinations and a calendar around a scheduler, where everything happens that may happen,
/// in an order that follows from a seed. What goes against a rule is noted. The last destination is a gallery; the
/// first two may share their way.
struct UploadStorm {
    static let longest = Duration.seconds(300)
    /// However long it was told to wait.
    static let longestWait = max(longest, UploadScheduler.longestAsked)
    static let destinations = [DestinationID(1), DestinationID(2), DestinationID(3)]
    static let gallery = DestinationID(3)

    let settings: UploadScheduler.Settings
    var random: Seeded
    var scheduler: UploadScheduler
    var now = SchedulerBench.start
    var isDraining = false
    var failures: [String] = []

    // What the ledger holds.
    var rows: [JobID: Job] = [:]
    /// In the window of the scheduler that runs now, or on the way there.
    var claimed: Set<JobID> = []
    var completions: [JobID: Int] = [:]
    /// How rows were before what was only noted of them, the latest last: a crash takes that back.
    var unwritten: [Job] = []
    /// Deliveries that had been noted before their turn.
    var ahead = 0
    /// Photos with which their destination fails, whenever they are tried.
    var bad: Set<JobID> = []
    /// Photos with which a delivery takes very long.
    var slow: Set<JobID> = []
    /// How each row was before it was begun, and how many had arrived there when it met a failing
    /// destination.
    var before: [JobID: Job] = [:]
    var arrivedBefore: [JobID: Int] = [:]
    var arrived: [DestinationID: Int] = [:]

    // What is on its way.
    var answers: [(to: DestinationID, jobs: [Job], asked: Int)] = []
    var underWay: [JobID: DestinationID] = [:]
    /// Of those, the ones for which a place is being asked.
    var presigning: Set<JobID> = []
    var sentAnswers: [(jobs: [Job], asked: Int)] = []
    /// The question that is on its way.
    var question: [JobID]?
    /// Sent, and no answer came to the bytes.
    var uncertain: Set<JobID> = []
    var stopped: Set<JobID> = []
    var isPaused = false
    let sharesPath: Bool
    var slots: [DestinationID: Int] = [:]
    var held: Set<DestinationID> = []
    /// How each delivery that is just being reported ended.
    var ending: DeliveryOutcome?

    init(seed: UInt64) {
        random = Seeded(seed)
        var settings = UploadScheduler.Settings()
        settings.backoff = Backoff(first: .seconds(1), longest: Self.longest)
        settings.window = Int.random(in: 1...20, using: &random) * (random.chance(20) ? 10 : 1)
        settings.attempts = [0, 2, 5][Int.random(in: 0..<3, using: &random)]
        settings.newestFirst = random.chance(50)
        sharesPath = random.chance(30)
        self.settings = settings
        scheduler = UploadScheduler(settings: settings)
    }

    // MARK: What happens

    mutating func tell(_ happening: Happening) {
        ending = if case .ended(_, let outcome) = happening { outcome } else { nil }
        if case .drain = happening { isDraining = true }
        let actions = scheduler.handle(happening, at: now, using: &random)
        var noted: Set<JobID> = []
        for action in actions {
            switch action {
            case .claim(let destination, let count): claim(count, to: destination)
            case .claimSent(let destination, let count): claimSent(count, to: destination)
            case .release(let jobs): release(jobs)
            case .persist(let change):
                save(change)
                unwritten = []
                noted.insert(change.job)
            case .note(let change):
                if let row = rows[change.job] { unwritten.append(row) }
                save(change)
            case .presign(let job): presign(job)
            case .stop(let job):
                expect(underWay[job] != nil, "job \(job) is stopped and is not under way")
                stopped.insert(job)
            case .giveUp(let job):
                expect(rows[job.id]?.state == .failedPermanent, "job \(job.id) is given up and goes on")
            case .ask(let destination, let jobs): ask(destination, jobs)
            case .deliver(let job):
                if unwritten.contains(where: { $0.id == job.id }) { unwritten = [] }
                if !noted.contains(job.id) { ahead += 1 }
                deliver(job)
            case .report(let destination, let reason):
                if reason == nil { held.remove(destination) } else { held.insert(destination) }
            }
        }
        if random.chance(50) { unwritten = [] }
        check()
        if !failures.isEmpty, failures.count < 3 { failures.append("after \(happening)") }
    }

    mutating func stagePhoto() {
        let number = Int64(rows.count + 1)
        let destination = Self.destinations[Int.random(in: 0..<3, using: &random)]
        let isGallery = destination == Self.gallery
        var job = Job.some(
            number, to: destination, isGallery && random.chance(10) ? .presigned : .staged,
            random.chance(40) ? .later : .first, kind: isGallery ? .gallery : .direct)
        job.due = now
        if random.chance(10) { job.deadline = now + .seconds(Int64.random(in: 0...600, using: &random)) }
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
        let wasPresigning = presigning.remove(job) != nil
        let isWanted = !stopped.contains(job)
        let outcome = bad.contains(job) && outcome != .cancelled ? .destinationFailed("it again") : outcome
        let before = rows[job]
        let arrivedThen = arrivedBefore[job]
        if case .destinationFailed = outcome { arrivedBefore[job] = arrived[destination] ?? 0 }
        tell(.ended(job, outcome))
        if wasPresigning, case .presigned = outcome, isWanted, !isDraining, !isPaused {
            expect(underWay[job] != nil, "a place was given and the bytes do not go")
        }
        stopped.remove(job)
        if outcome == .good || isWanted && (outcome == .sent(isCertain: true) || outcome == .goesOn) {
            arrived[destination, default: 0] += 1
        }
        guard isWanted, case .destinationFailed = outcome else { return }
        let isItsOwn = arrivedThen.map { $0 < arrived[destination] ?? 0 } ?? false
        expect(
            (rows[job]?.attempts != before?.attempts) == isItsOwn, "the failure is held against the wrong one"
        )
        expect(isItsOwn || scheduler.heldReasons[destination] != nil, "a destination that failed is not held")
    }

    mutating func answerQuestion(_ answer: (JobID, inout Seeded) -> ProcessingState?) {
        guard let asked = question else { return }
        question = nil
        var states: [JobID: ProcessingState] = [:]
        for id in asked { states[id] = answer(id, &random) }
        var blamed: [(job: JobID, attempts: Int)] = []
        for id in asked where uncertain.contains(id) && rows[id]?.state == .uploadedAwaitingProcessing {
            let before = arrivedBefore[id]
            switch states[id] {
            case .pending:
                let isItsOwn = before.map { $0 < arrived[Self.gallery] ?? 0 } ?? false
                blamed.append((id, (rows[id]?.attempts ?? 0) + (isItsOwn ? 1 : 0)))
                arrivedBefore[id] = arrived[Self.gallery] ?? 0
            case .processing, .completed:
                arrived[Self.gallery, default: 0] += 1
                arrivedBefore[id] = nil
            default: continue
            }
            uncertain.remove(id)
        }
        tell(.answered(Self.gallery, asked, .states(states)))
        for (job, attempts) in blamed {
            expect(rows[job]?.attempts == attempts, "bytes that never came are held against the wrong one")
        }
    }

    mutating func failQuestion() {
        guard let asked = question else { return }
        question = nil
        tell(.answered(Self.gallery, asked, .destinationFailed("down")))
    }

    mutating func answerSentClaim() {
        guard !sentAnswers.isEmpty else { return }
        let answer = sentAnswers.removeFirst()
        tell(.claimedSent(Self.gallery, answer.jobs, asked: answer.asked))
    }

    /// As the operator does it: what no window holds is changed in the ledger, the rest is told.
    mutating func cancelAnyJob() {
        // What is being claimed just now is told when it has been.
        let onTheWay = Set((answers.flatMap(\.jobs) + sentAnswers.flatMap(\.jobs)).map(\.id))
        let open = rows.values.filter { $0.state != .completed && $0.state != .failedPermanent }.map(\.id)
            .filter { !onTheWay.contains($0) }
        guard let id = open.sorted().randomElement(using: &random) else { return }
        if claimed.contains(id) {
            tell(.cancel([id]))
        } else {
            rows[id]?.state = .failedPermanent
        }
    }

    mutating func pause(_ isPaused: Bool) {
        self.isPaused = isPaused
        tell(.pause(isPaused))
    }

    mutating func set(_ destination: DestinationID, slots count: Int) {
        let sharing = sharesPath && destination != Self.gallery ? Self.destinations.dropLast() : [destination]
        for other in sharing {
            slots[other] = count
            tell(
                .slots(
                    other, count, path: sharing.count > 1 ? "wlan0" : nil,
                    kind: other == Self.gallery ? .gallery : .direct))
        }
    }

    mutating func passTime(_ span: Duration) {
        now = now + span
        tell(.timePassed)
    }

    /// The process ends without a word, and begins anew from what the ledger holds.
    mutating func crash() {
        for row in unwritten.reversed() {
            if rows[row.id]?.state == .completed { completions[row.id] = nil }
            rows[row.id] = row
        }
        unwritten = []
        for (id, row) in rows where row.state == .uploading {
            rows[id]?.state = row.kind == .gallery ? .presigned : .staged
        }
        claimed = []
        presigning = []
        sentAnswers = []
        question = nil
        uncertain = []
        stopped = []
        isPaused = false
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

    // MARK: What holds after every step

    mutating func check() {
        expect(scheduler.deliveries == underWay.count, "deliveries are miscounted")
        guard !isDraining else { return }
        // A job that waits in the window and has a free slot has a moment at which it goes.
        let couldGo = window.contains { job in
            let isFree = taken(job.destination) < slots[job.destination] ?? 0
            return !isPaused && underWay[job.id] == nil && Self.waitingStates.contains(job.state) && isFree
                && (busy(job.destination) == 0 || !held.contains(job.destination))
        }
        let couldAsk = question == nil && !asked.isEmpty
        let moment = scheduler.nextMoment(after: now)
        expect(
            (moment != nil) == (couldGo || couldAsk),
            "next moment \(String(describing: moment)), could go: \(couldGo), could ask: \(couldAsk)")
        if let moment {
            expect(moment > now && moment - now <= Self.longestWait, "\(moment) is no moment to wait for")
        }
        for destination in slots.keys where known(destination) <= share / 2 {
            let isAsked = answers.contains { $0.to == destination }
            let waits = unclaimed.contains { $0.destination == destination }
            expect(!waits || isAsked, "jobs wait outside of \(destination) and are not claimed")
        }
    }

    mutating func expect(_ isRight: Bool, _ complaint: @autoclosure () -> String) {
        if !isRight { failures.append(complaint()) }
    }
}
