import Basics

/// Which job goes next.
extension DestinationQueue {
    /// Who has fewer under way, and then who has waited longer for a turn.
    func isBefore(_ other: DestinationQueue) -> Bool {
        (underWay.count, lastBegun, id) < (other.underWay.count, other.lastBegun, other.id)
    }

    mutating func begin(_ id: JobID, turn: UInt64, at now: Timestamp) -> [Action] {
        let noted = ready.remove(id)
        guard let entry = noted ?? waiting.remove(id) else { return [] }
        var job = entry.job
        let isProbe = hold != nil
        lastBegun = turn
        if !isProbe { begun += 1 }
        let step: Delivery.Step = needsPlace(job, at: now) ? .presigning : .sending
        underWay[job.id] = Delivery(entry: entry, step: step, isProbe: isProbe, begunAt: now)
        if noted != nil {
            job.state = .uploading
            return [.deliver(job)]
        }
        switch step {
        case .presigning: return [.presign(job)]
        case .sending, .asking: return send(job, from: job.state)
        }
    }

    /// The bytes go, once the ledger knows.
    func send(_ job: Job, from state: JobState) -> [Action] {
        let change = uploading(job, from: state)
        var job = job
        job.state = .uploading
        return [.persist(change), .deliver(job)]
    }

    func uploading(_ job: Job, from state: JobState) -> JobChange {
        JobChange(
            job.id, from: state, to: .uploading, attempts: job.attempts, due: job.due, intent: job.intent)
    }

    /// How much of a place's time has to be left for it to be used: a transfer begins within that.
    static let shortestPlace = Duration.seconds(15)

    private func needsPlace(_ job: Job, at now: Timestamp) -> Bool {
        guard job.kind == .gallery else { return false }
        guard let intent = job.intent, !intent.url.isEmpty else { return true }
        let left = intent.expiresAt - now
        // Further ahead than any place lasts was noted before the clock was set back.
        return left < Self.shortestPlace || left > UploadScheduler.longestAsked
    }

    /// `taken` are the slots of its path that are in use, by whichever destination.
    func next(taken: Int, at now: Timestamp) -> JobID? {
        guard waiting.count + ready.count > 0, taken < slots else { return nil }
        let ranks = [self.ready.ranks, waiting.ranks].lazy.joined()
        let ready = ranks.filter { due($0, at: now) <= now }
        if let hold {
            // One probe at a time.
            guard underWay.isEmpty, believable(hold.until, at: now) <= now else { return nil }
            // Another one each time: what fails may be the photo and not the destination.
            return ready.min {
                $0.setbacks != $1.setbacks ? $0.setbacks < $1.setbacks : isBefore($0, $1)
            }?.id
        }
        // The fourth, the eighth…: the job that has been due longest, whatever else there is.
        if begun % 4 == 3 {
            return ready.min {
                (believable($0.due, at: now), $0.id) < (believable($1.due, at: now), $1.id)
            }?.id
        }
        return ready.min { isBefore($0, $1) }?.id
    }

    /// What is further on its way goes first; then what has to be there sooner; then pictures before RAW; then by age.
    func isBefore(_ left: WaitingJobs.Rank, _ right: WaitingJobs.Rank) -> Bool {
        if left.stage != right.stage { return left.stage < right.stage }
        if left.deadline != right.deadline {
            guard let one = left.deadline else { return false }
            guard let other = right.deadline else { return true }
            return one < other
        }
        if left.lane != right.lane { return left.lane < right.lane }
        return settings.newestFirst ? left.id > right.id : left.id < right.id
    }

    /// When the next job of this destination may begin, if nothing else happens.
    func nextBegin(taken: Int, at now: Timestamp) -> Timestamp? {
        guard taken < slots else { return nil }
        let first = waiting.ranks.lazy.map { due($0, at: now) }.min()
        guard let hold else { return first }
        return underWay.isEmpty ? first.map { max(believable(hold.until, at: now), $0) } : nil
    }

    /// When the job may begin. Only what failed has to wait for its time.
    private func due(_ rank: WaitingJobs.Rank, at now: Timestamp) -> Timestamp {
        rank.hasToWait ? believable(rank.due, at: now) : now
    }

    /// A time further ahead than any pause was written before the clock was set back: it is now.
    func believable(_ time: Timestamp, at now: Timestamp) -> Timestamp {
        time - now > max(settings.backoff.longest, UploadScheduler.longestAsked) ? now : time
    }
}
