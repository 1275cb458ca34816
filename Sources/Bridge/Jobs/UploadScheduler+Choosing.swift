extension UploadScheduler {
    /// Fills every free slot with the best job for it.
    mutating func begin(at now: Timestamp) -> [Action] {
        guard !isDraining else { return [] }
        var actions: [Action] = []
        while var job = next(at: now) {
            waiting[job.id] = nil
            let change = JobChange(
                job.id, from: job.state, to: .uploading, attempts: job.attempts, due: job.due)
            job.state = .uploading
            underWay[job.id] = job
            lanes[job.destination]?.underWay += 1
            begun += 1
            actions += [.persist(change), .deliver(job)]
        }
        return actions
    }

    private func next(at now: Timestamp) -> Job? {
        let ready = waiting.values.filter { canBegin($0, at: now) }
        // The fourth, the eighth…: whoever has been due longest, whatever else there is.
        if begun % 4 == 3 { return ready.min { ($0.due, $0.id) < ($1.due, $1.id) } }
        return ready.min { isBefore($0, $1) }
    }

    private func canBegin(_ job: Job, at now: Timestamp) -> Bool {
        guard let lane = lanes[job.destination], lane.underWay < lane.slots, due(job, at: now) <= now else {
            return false
        }
        guard let hold = lane.hold else { return true }
        // One probe at a time.
        return lane.underWay == 0 && believable(hold.until, at: now) <= now
    }

    /// What is further on its way goes first; then pictures before RAW; then by age.
    private func isBefore(_ left: Job, _ right: Job) -> Bool {
        let (first, second) = (rank(left.state), rank(right.state))
        if first != second { return first < second }
        if left.lane != right.lane { return left.lane < right.lane }
        return settings.newestFirst ? left.id > right.id : left.id < right.id
    }

    private func rank(_ state: JobState) -> Int {
        switch state {
        case .presigned: 0
        case .staged: 1
        case .failedRetryable: 2
        case .uploading, .uploadedAwaitingProcessing, .completed, .failedPermanent:
            preconditionFailure("a job that is \(state.rawValue) does not wait in the window")
        }
    }

    /// When the job may begin. Only what failed has to wait for its time.
    func due(_ job: Job, at now: Timestamp) -> Timestamp {
        job.state == .failedRetryable ? believable(job.due, at: now) : now
    }

    /// A time further ahead than the longest pause was written before the clock was set back: it is now.
    func believable(_ time: Timestamp, at now: Timestamp) -> Timestamp {
        time - now > settings.backoff.longest ? now : time
    }

    // MARK: How deliveries end

    mutating func ended(
        _ id: JobID, _ outcome: DeliveryOutcome, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        guard var job = underWay.removeValue(forKey: id) else {
            preconditionFailure("job \(id) ended and was not under way")
        }
        lanes[job.destination]?.underWay -= 1
        var change = JobChange(id, from: .uploading, to: .staged, attempts: job.attempts, due: job.due)
        var actions: [Action] = []
        switch outcome {
        case .delivered(let receipt):
            change = JobChange(
                id, from: .uploading, to: .completed, attempts: job.attempts, due: now, receipt: receipt)
            actions += release(job.destination)
        case .permanent(let problem):
            change = JobChange(
                id, from: .uploading, to: .failedPermanent, attempts: job.attempts + 1, due: now,
                problem: problem)
            // The destination answered; it is there.
            actions += release(job.destination)
        case .retryable(let problem, let after):
            job.attempts += 1
            let isLast = settings.attempts > 0 && job.attempts >= settings.attempts
            let pause = after ?? settings.backoff.pause(afterFailures: job.attempts, using: &random)
            job.state = .failedRetryable
            job.due = now + min(pause, settings.backoff.longest)
            change = JobChange(
                id, from: .uploading, to: isLast ? .failedPermanent : .failedRetryable,
                attempts: job.attempts, due: isLast ? now : job.due, problem: problem)
            if !isLast { waiting[id] = job }
            actions += release(job.destination)
        case .destinationFailed(let problem, let after):
            change.problem = problem
            job.state = .staged
            waiting[id] = job
            actions += hold(job.destination, problem, after, at: now, using: &random)
        case .cancelled:
            job.state = .staged
            waiting[id] = job
        }
        return [.persist(change)] + actions
    }

    private mutating func hold(
        _ destination: DestinationID, _ reason: String, _ after: Duration?, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        var lane = lanes[destination] ?? Lane()
        let failures = (lane.hold?.failures ?? 0) + 1
        let pause = after ?? settings.backoff.pause(afterFailures: failures, using: &random)
        lane.hold = Hold(
            reason: reason, failures: failures, until: now + min(pause, settings.backoff.longest))
        lanes[destination] = lane
        return [.report(destination, held: reason)]
    }

    private mutating func release(_ destination: DestinationID) -> [Action] {
        guard lanes[destination]?.hold != nil else { return [] }
        lanes[destination]?.hold = nil
        return [.report(destination, held: nil)]
    }
}
