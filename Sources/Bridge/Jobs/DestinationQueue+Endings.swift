import Basics

/// How steps of deliveries end.
extension DestinationQueue {
    mutating func ended(
        _ id: JobID, _ outcome: DeliveryOutcome, mayGoOn: Bool, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        guard let delivery = underWay.removeValue(forKey: id) else {
            preconditionFailure("job \(id) ended and was not under way")
        }
        // It has not arrived, or not all the way, and the operator does not want it any more.
        if delivery.isCancelled, !outcome.isDelivered {
            let job = delivery.entry.job
            return [.persist(cancelled(job, from: delivery.stored, at: now)), .giveUp(job)]
        }
        if delivery.isPutAside, !outcome.isDelivered, !outcome.isSent { return asBefore(delivery) }
        switch outcome {
        case .delivered(let receipt): return delivered(delivery, receipt, at: now)
        case .sent(let isCertain): return sent(delivery, isCertain: isCertain, at: now)
        case .goesOn: return sent(delivery, isCertain: true, at: now)
        case .presigned(let intent): return presigned(delivery, intent, mayGoOn: mayGoOn)
        case .placeRefused(let problem):
            return placeRefused(delivery, problem, at: now, using: &random)
        case .intentForgotten: return intentForgotten(delivery, at: now, using: &random)
        case .permanent(let problem): return permanent(delivery, problem, at: now)
        case .eventExpired(let problem): return eventExpired(delivery, problem, at: now)
        case .retryable(let problem, let after):
            let change = counted(delivery, problem, after, at: now, using: &random)
            return [.persist(change)] + release()
        case .destinationFailed(let problem, let after):
            return destinationFailed(delivery, problem, after, at: now, using: &random)
        case .notThere(let problem):
            lostLately.insert(id)
            return together(delivery, problem, nil, at: now, using: &random)
        case .cut(let problem): return cut(delivery, problem, at: now, using: &random)
        case .held(let cause, let problem):
            return backAgain(delivery) + holdBack(cause, problem, at: now)
        case .cancelled: return backAgain(delivery)
        }
    }

    private mutating func delivered(_ delivery: Delivery, _ receipt: Receipt, at now: Timestamp) -> [Action] {
        let job = delivery.entry.job
        succeeded()
        pace = Self.quickPace(delivery, at: now)
        let change = JobChange(
            job.id, from: delivery.stored, to: .completed, attempts: job.attempts, due: now, receipt: receipt,
            intent: job.intent)
        return [.note(change)] + release()
    }

    private mutating func permanent(_ delivery: Delivery, _ problem: String, at now: Timestamp) -> [Action] {
        let job = delivery.entry.job
        let change = JobChange(
            job.id, from: delivery.stored, to: .failedPermanent, attempts: job.attempts + 1, due: now,
            problem: problem, intent: job.intent)
        // The destination answered; it is there.
        return [.persist(change)] + release()
    }

    /// The first photo that hears of it waits for the operator; the others wait with the destination.
    private mutating func eventExpired(_ delivery: Delivery, _ problem: String, at now: Timestamp) -> [Action]
    {
        let isKnown = hold?.cause == .eventExpired
        let first = isKnown ? backAgain(delivery) : permanent(delivery, problem, at: now)
        return first + holdBack(.eventExpired, problem, at: now)
    }

    /// The job is what it was before it was begun, and the ledger is told if it knows otherwise.
    mutating func backAgain(_ delivery: Delivery) -> [Action] {
        waiting[delivery.entry.job.id] = delivery.entry
        return asBefore(delivery)
    }

    func asBefore(_ delivery: Delivery) -> [Action] {
        let job = delivery.entry.job
        guard delivery.stored != job.state else { return [] }
        return [
            .persist(
                JobChange(
                    job.id, from: delivery.stored, to: job.state, attempts: job.attempts, due: job.due,
                    problem: job.state == .failedRetryable ? job.problem : nil, intent: job.intent))
        ]
    }

    /// An attempt of the job failed. It waits, or it was the last one.
    mutating func counted(
        _ delivery: Delivery, _ problem: String, _ after: Duration?, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) -> JobChange {
        var entry = delivery.entry
        entry.job.attempts += 1
        let attempts = entry.job.attempts
        if settings.attempts > 0 && attempts >= settings.attempts {
            return JobChange(
                entry.job.id, from: delivery.stored, to: .failedPermanent, attempts: attempts, due: now,
                problem: problem, intent: entry.job.intent)
        }
        entry.job.state = .failedRetryable
        entry.job.due = now + pause(after, afterFailures: attempts, using: &random)
        entry.job.problem = problem
        waiting[entry.job.id] = entry
        return JobChange(
            entry.job.id, from: delivery.stored, to: .failedRetryable, attempts: attempts, due: entry.job.due,
            problem: problem, intent: entry.job.intent)
    }

    mutating func destinationFailed(
        _ delivery: Delivery, _ problem: String, _ after: Duration?, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        var delivery = delivery
        lostLately.insert(delivery.entry.job.id)
        let isItsOwn = delivery.entry.successesBefore.map { successes > $0 } ?? false
        delivery.entry.successesBefore = successes
        return isItsOwn
            ? alone(delivery, problem, after, at: now, using: &random)
            : together(delivery, problem, after, at: now, using: &random)
    }

    /// A network that comes and goes may cut off the same photo alone so often, by chance. One that has failed by itself
    /// before is believed to do it again.
    static let mostCoincidences = 2

    /// A network that goes cuts off whatever is under way; who is cut off alone again and again is another matter.
    private mutating func cut(
        _ delivery: Delivery, _ problem: String, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        var delivery = delivery
        let coincidences = delivery.entry.job.attempts == 0 ? Self.mostCoincidences : 1
        let isItsOwn = delivery.entry.suspicions >= coincidences && lostLately.isEmpty
        lostLately.insert(delivery.entry.job.id)
        guard isItsOwn else { return together(delivery, problem, nil, at: now, using: &random) }
        delivery.entry.suspicions = 0
        return alone(delivery, problem, nil, at: now, using: &random)
    }

    /// One has arrived. If exactly one other was lost since the last that did, that may have been its own doing.
    mutating func succeeded() {
        successes += 1
        if lostLately.count == 1, let only = lostLately.first {
            waiting[only]?.suspicions += 1
            underWay[only]?.entry.suspicions += 1
        }
        lostLately = []
    }

    /// A failure of the destination that is this photo's own doing: an attempt of it.
    private mutating func alone(
        _ delivery: Delivery, _ problem: String, _ after: Duration?, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        var delivery = delivery
        delivery.entry.setbacks += 1
        let change = counted(delivery, problem, after, at: now, using: &random)
        // This says nothing of the destination: if it goes on it goes on, and if it is held it is not back.
        postpone(after, at: now, using: &random)
        return [.persist(change)]
    }

    /// The destination fails, whichever photo noticed it.
    private mutating func together(
        _ delivery: Delivery, _ problem: String, _ after: Duration?, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        var delivery = delivery
        delivery.entry.setbacks += 1
        let actions = backAgain(delivery)
        var hold = self.hold ?? Hold(reason: problem, failures: 0, until: now)
        // A probe that fails for another reason shows that what the operator had to do is done.
        if delivery.isProbe { hold.cause = nil }
        // What was begun before changes nothing about that.
        let isNews = hold.cause == nil
        if isNews { hold.reason = problem }
        if delivery.isProbe || self.hold == nil { hold.failures += 1 }
        self.hold = hold
        postpone(after, at: now, using: &random)
        return actions + (isNews ? [.report(id, held: problem)] : [])
    }

    // MARK: Holds

    /// Everything for this destination waits for the operator; one job asks again in a minute.
    mutating func holdBack(_ cause: HoldCause, _ problem: String, at now: Timestamp) -> [Action] {
        let isNews = hold?.reason != problem
        hold = Hold(
            cause: cause, reason: problem, failures: 0, until: now + UploadScheduler.heldPause)
        return isNews ? [.report(id, held: problem)] : []
    }

    /// Moves the next probe of a held destination away, never nearer: what was promised before is kept.
    private mutating func postpone(
        _ after: Duration?, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) {
        guard let hold else { return }
        let pause = pause(after, afterFailures: hold.failures, using: &random)
        let promised = believable(hold.until, at: now)
        self.hold?.until = max(promised, now + pause)
    }

    /// As long as the other side asks for, within reason, or by our own measure when it does not say.
    func pause(
        _ asked: Duration?, afterFailures failures: Int, using random: inout some RandomNumberGenerator
    ) -> Duration {
        if let asked, asked > .zero { return min(asked, UploadScheduler.longestAsked) }
        return settings.backoff.pause(afterFailures: failures, using: &random)
    }

    mutating func release() -> [Action] {
        guard hold != nil else { return [] }
        hold = nil
        return [.report(id, held: nil)]
    }
}
