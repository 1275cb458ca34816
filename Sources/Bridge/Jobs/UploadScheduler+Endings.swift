/// How deliveries end.
extension UploadScheduler {
    mutating func ended(
        _ id: JobID, _ outcome: DeliveryOutcome, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        guard let delivery = underWay.removeValue(forKey: id) else {
            preconditionFailure("job \(id) ended and was not under way")
        }
        let job = delivery.entry.job
        lanes[job.destination]?.underWay -= 1
        switch outcome {
        case .delivered(let receipt):
            lanes[job.destination]?.successes += 1
            let change = JobChange(
                id, from: .uploading, to: .completed, attempts: job.attempts, due: now, receipt: receipt)
            return [.persist(change)] + release(job.destination)
        case .permanent(let problem):
            let change = JobChange(
                id, from: .uploading, to: .failedPermanent, attempts: job.attempts + 1, due: now,
                problem: problem)
            // The destination answered; it is there.
            return [.persist(change)] + release(job.destination)
        case .retryable(let problem, let after):
            let change = counted(delivery.entry, problem, after, at: now, using: &random)
            return [.persist(change)] + release(job.destination)
        case .destinationFailed(let problem, let after):
            return destinationFailed(delivery, problem, after, at: now, using: &random)
        case .cancelled:
            return [.persist(backAgain(delivery.entry))]
        case .held, .presigned, .sent, .placeRefused, .intentForgotten, .goesOn, .eventExpired:
            preconditionFailure("a destination that takes photos in one step said \(outcome)")
        }
    }

    /// The job is what it was before it was begun.
    private mutating func backAgain(_ entry: Entry) -> JobChange {
        let job = entry.job
        lanes[job.destination]?.waiting[job.id] = entry
        return JobChange(
            job.id, from: .uploading, to: job.state, attempts: job.attempts, due: job.due,
            problem: job.state == .failedRetryable ? job.problem : nil)
    }

    /// An attempt of the job failed. It waits, or it was the last one.
    private mutating func counted(
        _ entry: Entry, _ problem: String, _ after: Duration?, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) -> JobChange {
        var entry = entry
        entry.job.attempts += 1
        let attempts = entry.job.attempts
        if settings.attempts > 0 && attempts >= settings.attempts {
            return JobChange(
                entry.job.id, from: .uploading, to: .failedPermanent, attempts: attempts, due: now,
                problem: problem)
        }
        entry.job.state = .failedRetryable
        entry.job.due = now + pause(after, afterFailures: attempts, using: &random)
        entry.job.problem = problem
        return backAgain(entry)
    }

    private mutating func destinationFailed(
        _ delivery: Delivery, _ problem: String, _ after: Duration?, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        var entry = delivery.entry
        let destination = entry.job.destination
        guard let lane = lanes[destination] else { return [] }
        let isItsOwn = entry.successesBefore.map { lane.successes > $0 } ?? false
        entry.setbacks += 1
        entry.successesBefore = lane.successes
        if isItsOwn {
            let change = counted(entry, problem, after, at: now, using: &random)
            // This says nothing of the destination: if it goes on it goes on, and if it is held it is not
            // back.
            postpone(destination, after, at: now, using: &random)
            return [.persist(change)]
        }
        let change = backAgain(entry)
        var hold = lane.hold ?? Hold(reason: problem, failures: 0, until: now)
        hold.reason = problem
        if delivery.isProbe || lane.hold == nil { hold.failures += 1 }
        lanes[destination]?.hold = hold
        postpone(destination, after, at: now, using: &random)
        return [.persist(change), .report(destination, held: problem)]
    }

    /// Moves the next probe of a held destination away, never nearer: what was promised before is kept.
    private mutating func postpone(
        _ destination: DestinationID, _ after: Duration?, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) {
        guard let hold = lanes[destination]?.hold else { return }
        let pause = pause(after, afterFailures: hold.failures, using: &random)
        let promised = believable(hold.until, at: now)
        lanes[destination]?.hold?.until = max(promised, now + pause)
    }

    /// As long as the other side asks for, within reason, or by our own measure when it does not say.
    private func pause(
        _ asked: Duration?, afterFailures failures: Int, using random: inout some RandomNumberGenerator
    ) -> Duration {
        if let asked, asked > .zero { return min(asked, Self.longestAsked) }
        return settings.backoff.pause(afterFailures: failures, using: &random)
    }

    private mutating func release(_ destination: DestinationID) -> [Action] {
        guard lanes[destination]?.hold != nil else { return [] }
        lanes[destination]?.hold = nil
        return [.report(destination, held: nil)]
    }
}
