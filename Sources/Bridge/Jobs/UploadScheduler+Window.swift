/// What of the ledger is known here.
extension UploadScheduler {
    /// How many jobs one destination may know.
    private var share: Int {
        max(settings.window / max(1, lanes.count), min(settings.window, Self.smallestShare))
    }

    mutating func lookAgain() {
        for destination in lanes.keys {
            lanes[destination]?.mayHoldMore = true
            lanes[destination]?.hasNews = true
            lanes[destination]?.maySentHoldMore = true
        }
    }

    mutating func claimed(
        _ destination: DestinationID, _ jobs: [Job], asked: Int, at now: Timestamp
    ) -> [Action] {
        // Taken out while it is changed: two holders would be two copies of all that waits.
        var lane = lanes.removeValue(forKey: destination) ?? Lane()
        lane.isClaiming = false
        // What was said since the claim went out holds, whatever its answer.
        lane.mayHoldMore = lane.mayHoldMore || jobs.count >= asked
        for var job in jobs
        where underWay[job.id] == nil && lane.waiting[job.id] == nil && lane.ready[job.id] == nil {
            precondition(job.destination == destination, "job \(job.id) was claimed for another destination")
            // From here on it grows older, also when the calendar was wrong when it was noted.
            job.due = believable(job.due, at: now)
            lane.waiting[job.id] = Entry(job: job)
        }
        lanes[destination] = lane
        return releaseOldest(destination)
    }

    /// When the newest go first, those that came first go back, and come again when their time has come.
    private mutating func releaseOldest(_ destination: DestinationID) -> [Action] {
        guard settings.newestFirst, var lane = lanes[destination] else { return [] }
        let excess = lane.takesRoom - share
        guard excess > 0 else { return [] }
        let released = lane.waiting.ranks.filter { $0.setbacks == 0 }.map(\.id).sorted().prefix(excess)
        for id in released { lane.waiting[id] = nil }
        lane.mayHoldMore = true
        lanes[destination] = lane
        return [.release(Array(released))]
    }

    mutating func claimedSent(
        _ destination: DestinationID, _ jobs: [Job], asked: Int, at now: Timestamp
    ) {
        var lane = lanes[destination] ?? Lane()
        lane.isClaimingSent = false
        lane.maySentHoldMore = lane.maySentHoldMore || jobs.count >= asked
        for job in jobs where lane.sent[job.id] == nil && underWay[job.id] == nil {
            lane.sent[job.id] = Sent(entry: Entry(job: job), isCertain: true, askAt: now)
        }
        lanes[destination] = lane
    }

    mutating func refill(_ destination: DestinationID) -> [Action] {
        refillWaiting(destination) + refillSent(destination)
    }

    private mutating func refillWaiting(_ destination: DestinationID) -> [Action] {
        guard let lane = lanes[destination], lane.mayHoldMore, !lane.isClaiming else { return [] }
        let taken = lane.takesRoom
        // Half empty is soon enough, and a claim is a transaction. What is newest may not wait for that when the
        // newest go first.
        let wantsNews = settings.newestFirst && lane.hasNews
        guard taken <= share / 2 || wantsNews else { return [] }
        lanes[destination]?.isClaiming = true
        lanes[destination]?.mayHoldMore = false
        lanes[destination]?.hasNews = false
        return [.claim(destination, max(share - taken, wantsNews ? max(1, share / 4) : 0))]
    }

    private mutating func refillSent(_ destination: DestinationID) -> [Action] {
        guard let lane = lanes[destination], lane.maySentHoldMore, !lane.isClaimingSent,
            lane.sent.count <= Self.mostAwaited / 2, lane.kind == .gallery
        else { return [] }
        lanes[destination]?.isClaimingSent = true
        lanes[destination]?.maySentHoldMore = false
        return [.claimSent(destination, Self.mostAwaited - lane.sent.count)]
    }

    /// The operator does not want them there. What runs is stopped; what the ledger alone knows is not here.
    mutating func cancel(_ jobs: [JobID], at now: Timestamp) -> [Action] {
        var actions: [Action] = []
        for id in jobs {
            if underWay[id] != nil {
                underWay[id]?.isCancelled = true
                actions.append(.stop(id))
                continue
            }
            for destination in lanes.keys.sorted(by: { $0.number < $1.number }) {
                let waiting = lanes[destination]?.waiting.remove(id)?.job
                let ready = lanes[destination]?.ready.remove(id)?.job
                let sent = lanes[destination]?.sent.removeValue(forKey: id)?.job
                if let job = waiting ?? ready ?? sent {
                    let stored = ready == nil ? job.state : .uploading
                    actions += [.persist(cancelled(job, from: stored, at: now)), .giveUp(job)]
                }
            }
        }
        return actions
    }

    func cancelled(_ job: Job, from state: JobState, at now: Timestamp) -> JobChange {
        var change = JobChange(
            job.id, from: state, to: .failedPermanent, attempts: job.attempts, due: now,
            problem: JobChange.cancelledByOperator, intent: job.intent)
        change.isCancelled = true
        return change
    }

    /// They leave the window as they are. Those that a gallery works on need no file any more and stay.
    mutating func putAside(_ jobs: [JobID]) -> [Action] {
        var actions: [Action] = []
        for id in jobs {
            if underWay[id] != nil {
                underWay[id]?.isPutAside = true
                actions.append(.stop(id))
                continue
            }
            for destination in lanes.keys.sorted(by: { $0.number < $1.number }) {
                _ = lanes[destination]?.waiting.remove(id)
                guard let entry = lanes[destination]?.ready.remove(id) else { continue }
                actions += asBefore(Delivery(entry: entry, step: .sending, isProbe: false))
            }
        }
        return actions
    }

    /// Waiting here, under way, or perhaps among those that are just being claimed.
    public func mayHave(_ job: JobID) -> Bool {
        underWay[job] != nil
            || lanes.values.contains { $0.isClaiming || $0.waiting[job] != nil || $0.ready[job] != nil }
    }
}
