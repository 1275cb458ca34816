import Basics

/// What of the ledger is known here.
extension DestinationQueue {
    mutating func lookAgain() {
        mayHoldMore = true
        hasNews = true
        maySentHoldMore = true
    }

    /// `share` is how many jobs it may know.
    mutating func claimed(_ jobs: [Job], asked: Int, share: Int, at now: Timestamp) -> [Action] {
        isClaiming = false
        // What was said since the claim went out holds, whatever its answer.
        mayHoldMore = mayHoldMore || jobs.count >= asked
        for var job in jobs where underWay[job.id] == nil && waiting[job.id] == nil && ready[job.id] == nil {
            precondition(job.destination == id, "job \(job.id) was claimed for another destination")
            // From here on it grows older, also when the calendar was wrong when it was noted.
            job.due = believable(job.due, at: now)
            waiting[job.id] = Entry(job: job)
        }
        return releaseOldest(share: share)
    }

    /// When the newest go first, those that came first go back, and come again when their time has come.
    private mutating func releaseOldest(share: Int) -> [Action] {
        guard settings.newestFirst else { return [] }
        let excess = takesRoom - share
        guard excess > 0 else { return [] }
        let released = waiting.ranks.filter { $0.setbacks == 0 }.map(\.id).sorted().prefix(excess)
        for id in released { waiting[id] = nil }
        mayHoldMore = true
        return [.release(Array(released))]
    }

    mutating func claimedSent(_ jobs: [Job], asked: Int, at now: Timestamp) {
        isClaimingSent = false
        maySentHoldMore = maySentHoldMore || jobs.count >= asked
        for job in jobs where awaited[job.id] == nil && underWay[job.id] == nil {
            awaited[job.id] = Sent(entry: Entry(job: job), isCertain: true, askAt: now)
        }
    }

    mutating func refill(share: Int) -> [Action] {
        refillWaiting(share: share) + refillAwaited()
    }

    private mutating func refillWaiting(share: Int) -> [Action] {
        guard mayHoldMore, !isClaiming else { return [] }
        let taken = takesRoom
        // Half empty is soon enough, and a claim is a transaction. What is newest may not wait for that when the
        // newest go first.
        let wantsNews = settings.newestFirst && hasNews
        guard taken <= share / 2 || wantsNews else { return [] }
        isClaiming = true
        mayHoldMore = false
        hasNews = false
        return [.claim(id, max(share - taken, wantsNews ? max(1, share / 4) : 0))]
    }

    private mutating func refillAwaited() -> [Action] {
        guard maySentHoldMore, !isClaimingSent, awaited.count <= UploadScheduler.mostAwaited / 2,
            kind == .gallery
        else { return [] }
        isClaimingSent = true
        maySentHoldMore = false
        return [.claimSent(id, UploadScheduler.mostAwaited - awaited.count)]
    }

    /// The operator does not want it there. What runs is stopped; what the ledger alone knows is not here.
    mutating func cancel(_ id: JobID, at now: Timestamp) -> [Action] {
        if underWay[id] != nil {
            underWay[id]?.isCancelled = true
            return [.stop(id)]
        }
        let waiting = waiting.remove(id)?.job
        let ready = ready.remove(id)?.job
        let sent = awaited.removeValue(forKey: id)?.job
        guard let job = waiting ?? ready ?? sent else { return [] }
        let stored = ready == nil ? job.state : .uploading
        return [.persist(cancelled(job, from: stored, at: now)), .giveUp(job)]
    }

    func cancelled(_ job: Job, from state: JobState, at now: Timestamp) -> JobChange {
        var change = JobChange(
            job.id, from: state, to: .failedPermanent, attempts: job.attempts, due: now,
            problem: JobChange.cancelledByOperator, intent: job.intent)
        change.isCancelled = true
        return change
    }

    /// It leaves the window as it is. One that a gallery works on needs no file any more and stays.
    mutating func putAside(_ id: JobID) -> [Action] {
        if underWay[id] != nil {
            underWay[id]?.isPutAside = true
            return [.stop(id)]
        }
        waiting.remove(id)
        guard let entry = ready.remove(id) else { return [] }
        return asBefore(Delivery(entry: entry, step: .sending, isProbe: false))
    }

    /// Waiting here, under way, or perhaps among those that are just being claimed.
    func mayHave(_ job: JobID) -> Bool {
        isClaiming || underWay[job] != nil || waiting[job] != nil || ready[job] != nil
    }
}
