import Basics
import Bridge
import TestSupport

/// What the ledger holds, and what it may be told.
extension UploadStorm {
    static let waitingStates: Set<JobState> = [.staged, .presigned, .failedRetryable]

    var unclaimed: [Job] {
        rows.values.filter { Self.waitingStates.contains($0.state) && !claimed.contains($0.id) }
    }

    mutating func claim(_ count: Int, to destination: DestinationID) {
        expect(!answers.contains { $0.to == destination }, "two claims at once")
        let known = known(destination)
        // News may go over it: what is oldest goes back then.
        let room = settings.newestFirst ? max(share, known) + max(1, share / 4) : share
        expect(count > 0 && count + known <= room, "\(count) are claimed where \(known) of \(room) are known")
        expect(!isDraining, "a claim after drain")
        let jobs = unclaimed.filter { $0.destination == destination }
            .sorted { settings.newestFirst ? $0.id > $1.id : $0.id < $1.id }.prefix(count)
        claimed.formUnion(jobs.map(\.id))
        answers.append((destination, Array(jobs), count))
    }

    mutating func claimSent(_ count: Int, to destination: DestinationID) {
        expect(destination == Self.gallery && sentAnswers.isEmpty && !isDraining, "a claim of nothing")
        let jobs = rows.values.filter { $0.state == .uploadedAwaitingProcessing && !claimed.contains($0.id) }
            .sorted { $0.id < $1.id }.prefix(count)
        claimed.formUnion(jobs.map(\.id))
        sentAnswers.append((Array(jobs), count))
    }

    mutating func release(_ jobs: [JobID]) {
        for job in jobs {
            expect(claimed.contains(job) && underWay[job] == nil, "job \(job) is given back and is not here")
            claimed.remove(job)
        }
    }

    mutating func presign(_ job: Job) {
        expect(job.kind == .gallery && rows[job.id]?.state == job.state, "a place for the wrong job")
        expect(Self.waitingStates.contains(job.state), "a place for a job that is \(job.state)")
        begin(job)
        presigning.insert(job.id)
    }

    mutating func ask(_ destination: DestinationID, _ jobs: [Job]) {
        expect(destination == Self.gallery && question == nil && !isDraining, "a question too many")
        expect((1...UploadScheduler.mostAsked).contains(jobs.count), "\(jobs.count) are asked about")
        expect(Set(jobs.map(\.id)).count == jobs.count, "one is asked about twice")
        for job in jobs {
            expect(rows[job.id]?.state == .uploadedAwaitingProcessing, "job \(job.id) is asked about in vain")
        }
        question = jobs.map(\.id)
    }

    var share: Int { max(settings.window / slots.count, min(settings.window, 50)) }

    /// What the ledger handed out and the scheduler has got, and is not settled.
    var window: [Job] {
        let onTheWay = Set(answers.flatMap { $0.jobs.map(\.id) })
        return claimed.subtracting(onTheWay).compactMap { rows[$0] }.filter {
            $0.state == .uploading || Self.waitingStates.contains($0.state)
        }
    }

    /// What the scheduler asks a gallery about.
    var asked: Set<JobID> {
        let onTheWay = Set(sentAnswers.flatMap { $0.jobs.map(\.id) })
        return claimed.subtracting(onTheWay).filter { rows[$0]?.state == .uploadedAwaitingProcessing }
    }

    /// Without those that met a failing destination: they need not leave room.
    func known(_ destination: DestinationID) -> Int {
        window.count {
            $0.destination == destination && (underWay[$0.id] != nil || arrivedBefore[$0.id] == nil)
        }
    }

    mutating func save(_ change: JobChange) {
        guard var row = rows[change.job], row.state == change.from else {
            failures.append("\(change) does not fit \(String(describing: rows[change.job]?.state))")
            return
        }
        let isFailure = change.to == .failedRetryable || change.to == .failedPermanent
        let needsPlace = [.presigned, .uploading, .uploadedAwaitingProcessing].contains(change.to)
        expect(!needsPlace || row.kind == .direct || change.intent != nil, "\(change) has lost its place")
        expect(isFailure == (change.problem != nil), "\(change) has the wrong problem")
        expect(change.isCancelled || isLegal(change, of: row), "\(change) is no step of \(row.kind)")
        if row.kind == .direct, !change.isCancelled { checkDirect(change, row) }
        if change.to == .completed { completions[change.job, default: 0] += 1 }
        if change.to == .uploading {
            before[change.job] = row
            before[change.job]?.due = change.due
        }
        // A job that was sent starts afresh, once that is certain.
        if change.to == .uploadedAwaitingProcessing {
            if ending == .sent(isCertain: false) {
                uncertain.insert(change.job)
            } else {
                uncertain.remove(change.job)
                arrivedBefore[change.job] = nil
            }
        }
        (row.state, row.attempts, row.due) = (change.to, change.attempts, change.due)
        row.problem = change.problem
        row.intent = change.intent
        rows[change.job] = row
    }

    func isLegal(_ change: JobChange, of row: Job) -> Bool {
        let isWaiting = Self.waitingStates.contains(change.from)
        switch change.to {
        case .staged, .presigned:
            return change.attempts == row.attempts && (row.kind == .gallery || change.from == .uploading)
        case .uploading: return isWaiting && change.attempts == row.attempts
        case .uploadedAwaitingProcessing:
            return row.kind == .gallery && (isWaiting || change.from == .uploading)
        case .completed: return change.from == .uploading || change.from == .uploadedAwaitingProcessing
        case .failedRetryable, .failedPermanent:
            return change.attempts - row.attempts <= 1 && change.attempts >= row.attempts
        }
    }

    mutating func checkDirect(_ change: JobChange, _ row: Job) {
        let before = before[change.job]
        let isFailure = change.to == .failedRetryable || change.to == .failedPermanent
        let isBack = change.to == before?.state && change.attempts == row.attempts
        expect(isBack || change.attempts == row.attempts + (isFailure ? 1 : 0), "miscounted: \(change)")
        switch change.to {
        case .uploading, .completed: break
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
    }

    mutating func deliver(_ job: Job) {
        expect(rows[job.id]?.state == .uploading, "job \(job.id) goes and is not noted")
        expect(job.kind == .direct || job.intent?.url.isEmpty == false, "job \(job.id) has no place to go to")
        let isNext = job.kind == .gallery && underWay[job.id] == nil && before[job.id]?.state == .presigned
        begin(job, mayBeAbove: isNext)
    }

    /// A step of a job begins. One that got its place may go on although the slots have shrunk meanwhile.
    mutating func begin(_ job: Job, mayBeAbove: Bool = false) {
        expect(!isDraining && !isPaused, "job \(job.id) begins after the end")
        expect(underWay[job.id] == nil, "job \(job.id) is delivered twice at once")
        expect(completions[job.id] == nil, "job \(job.id) is delivered again")
        let others = taken(job.destination)
        expect(mayBeAbove || others < slots[job.destination] ?? 0, "more under way than there are slots")
        expect(mayBeAbove || busy(job.destination) == 0 || !held.contains(job.destination), "a second probe")
        underWay[job.id] = job.destination
    }

    /// Slots of its way that are taken.
    func taken(_ destination: DestinationID) -> Int {
        guard sharesPath, destination != Self.gallery else { return busy(destination) }
        return Self.destinations.dropLast().reduce(0) { $0 + busy($1) }
    }

    func busy(_ destination: DestinationID) -> Int {
        underWay.values.count { $0 == destination }
    }
}
