import Basics

/// The steps that only galleries take: a place, the bytes, and the question what has become of them.
extension DestinationQueue {
    /// Places refused one after the other before it is the destination that fails.
    static let mostRefusals = 3
    /// Questions in a row that may leave a photo out before it is sent again.
    static let mostUnknown = 3
    /// Times that a gallery may lose one photo before that counts as an attempt.
    static let mostLosses = 2
    static let questions = Backoff(first: .seconds(1), longest: .seconds(15))
    /// What is due so soon goes along with a question.
    static let questionSlack = Duration.milliseconds(250)

    /// The place is noted, and then that it is used: both before the first byte.
    mutating func presigned(_ delivery: Delivery, _ intent: PresignedUpload, mayGoOn: Bool) -> [Action] {
        var delivery = delivery
        let before = delivery.entry.job.state
        delivery.entry.job.intent = intent
        delivery.entry.job.state = .presigned
        let job = delivery.entry.job
        let noted = JobChange(
            job.id, from: before, to: .presigned, attempts: job.attempts, due: job.due, intent: intent)
        guard mayGoOn else {
            waiting[job.id] = delivery.entry
            return [.persist(noted)]
        }
        delivery.step = .sending
        underWay[job.id] = delivery
        return [.persist(noted)] + send(job, from: .presigned)
    }

    /// The gallery has the bytes, or may have them.
    mutating func sent(_ delivery: Delivery, isCertain: Bool, at now: Timestamp) -> [Action] {
        var entry = delivery.entry
        let job = entry.job
        if isCertain {
            refusals = 0
            succeeded()
            entry.setbacks = 0
            entry.successesBefore = nil
            entry.suspicions = 0
        }
        let change = JobChange(
            job.id, from: delivery.stored, to: .uploadedAwaitingProcessing, attempts: job.attempts, due: now,
            intent: job.intent)
        entry.job.state = .uploadedAwaitingProcessing
        awaited[job.id] = Sent(
            entry: entry, isProbe: delivery.isProbe, isCertain: isCertain,
            askAt: isCertain ? now + Self.questions.first : now)
        guard let hold else { return [.persist(change)] }
        // A gallery takes bytes without credits too, and no answer is none: what becomes of this photo tells.
        if isCertain, hold.cause != .credits { return [.persist(change)] + release() }
        if delivery.isProbe {
            let timeout = hold.cause == nil ? Self.questions.longest : UploadScheduler.heldPause
            self.hold?.until = now + timeout
        }
        return [.persist(change)]
    }

    /// A fresh place for the same upload; when that happens again and again it is not about photos.
    mutating func placeRefused(
        _ delivery: Delivery, _ problem: String, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        var delivery = delivery
        let stored = delivery.stored
        delivery.entry.job.intent?.url = ""
        delivery.entry.job.state = .presigned
        let job = delivery.entry.job
        let noted = Action.persist(
            JobChange(
                job.id, from: stored, to: .presigned, attempts: job.attempts, due: job.due, intent: job.intent
            ))
        waiting[job.id] = delivery.entry
        refusals += 1
        guard refusals >= Self.mostRefusals || delivery.isProbe else { return [noted] }
        refusals = 0
        return [noted] + holdAside(problem, at: now, using: &random)
    }

    /// Begun anew under the same key, which makes it the same upload for a gallery that remembers.
    mutating func intentForgotten(
        _ delivery: Delivery, at now: Timestamp, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        var delivery = delivery
        let stored = delivery.stored
        delivery.entry.job.intent = nil
        delivery.entry.job.state = .staged
        let job = delivery.entry.job
        let noted = Action.persist(
            JobChange(job.id, from: stored, to: .staged, attempts: job.attempts, due: job.due))
        waiting[job.id] = delivery.entry
        refusals += 1
        guard refusals >= Self.mostRefusals else { return [noted] }
        refusals = 0
        return [noted] + holdAside("\(GalleryFailure.forgetsUploads)", at: now, using: &random)
    }

    /// The destination waits, and no photo is blamed.
    private mutating func holdAside(
        _ problem: String, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        var hold = self.hold ?? Hold(reason: problem, failures: 0, until: now)
        hold.reason = problem
        hold.cause = nil
        hold.failures += 1
        hold.until = now + pause(nil, afterFailures: hold.failures + 2, using: &random)
        self.hold = hold
        return [.report(id, held: problem)]
    }

    // MARK: Questions

    /// When something may be asked.
    func questionDue(at now: Timestamp) -> Timestamp? {
        guard isUp, !isAsking, let first = awaited.values.map({ askAt($0, now) }).min() else { return nil }
        return max(first, nextQuestion.map { believable($0, at: now) } ?? first)
    }

    /// No question is further away than their longest pause, whatever the calendar says.
    private func askAt(_ sent: Sent, _ now: Timestamp) -> Timestamp {
        sent.askAt - now > Self.questions.longest ? now : sent.askAt
    }

    mutating func ask(at now: Timestamp) -> [Action] {
        guard let next = questionDue(at: now), next <= now else { return [] }
        let due = awaited.values.filter { askAt($0, now) - now <= Self.questionSlack }
            .sorted { ($0.askAt, $0.job.id) < ($1.askAt, $1.job.id) }.prefix(UploadScheduler.mostAsked)
        isAsking = true
        return [.ask(id, due.map(\.job))]
    }

    mutating func answered(
        _ asked: [JobID], _ answer: ProcessingAnswer, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        isAsking = false
        switch answer {
        case .states(let states):
            questionsFailed = 0
            nextQuestion = nil
            var actions: [Action] = []
            for id in asked {
                guard let sent = awaited[id] else { continue }
                actions += told(sent, states[id] ?? .unknown, at: now, using: &random)
            }
            // It knows who we are again.
            let wasAboutUs = [.loggedOut, .certificate].contains(hold?.cause)
            return actions + (wasAboutUs ? release() : [])
        case .destinationFailed(_, let after):
            questionsFailed += 1
            nextQuestion = now + pause(after, afterFailures: questionsFailed, using: &random)
            return []
        case .held(let cause, let problem):
            questionsFailed = 0
            nextQuestion = now + UploadScheduler.heldPause
            return holdBack(cause, problem, at: now)
        case .cancelled: return []
        }
    }

    private mutating func told(
        _ sent: Sent, _ state: ProcessingState, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        var sent = sent
        let job = sent.job
        let isLeftOut = state == .unknown
        sent.unknown = isLeftOut ? sent.unknown + 1 : 0
        switch state {
        case .pending where !sent.isCertain: return neverCame(sent, at: now, using: &random)
        case .unknown where sent.unknown >= Self.mostUnknown:
            return lost(sent, .forgetsPhoto, at: now, using: &random)
        case .pending, .processing, .unknown:
            let isHere = state == .processing && !sent.isCertain
            sent.questions += 1
            if isHere {
                sent.isCertain = true
                sent.entry.setbacks = 0
                sent.entry.successesBefore = nil
            }
            sent.askAt = now + Self.questions.ceiling(afterFailures: sent.questions + 1)
            awaited[job.id] = sent
            return isHere ? cameAfterAll(sent) : []
        case .expired:
            return lost(sent, .letsPlaceExpire, at: now, using: &random)
        case .completed(let receipt):
            awaited[job.id] = nil
            let change = JobChange(
                job.id, from: .uploadedAwaitingProcessing, to: .completed, attempts: job.attempts, due: now,
                receipt: receipt, intent: job.intent)
            // It went while there were no credits, so there are some again.
            let isPaid = sent.isProbe && hold?.cause == .credits
            let others = sent.isCertain ? [] : cameAfterAll(sent)
            return [.persist(change)] + others + (isPaid ? release() : [])
        case .failedPermanent(let problem):
            awaited[job.id] = nil
            return [
                .persist(
                    JobChange(
                        job.id, from: .uploadedAwaitingProcessing, to: .failedPermanent,
                        attempts: job.attempts + 1, due: now, problem: problem, intent: job.intent))
            ]
        case .failedRetryable(let problem): return failedThere(sent, problem, at: now, using: &random)
        case .held(let cause, let problem):
            return sendAgain(sent) + holdBack(cause, problem, at: now)
        }
    }

    /// No answer came to the bytes, and they are there.
    private mutating func cameAfterAll(_ sent: Sent) -> [Action] {
        refusals = 0
        succeeded()
        let isOver = sent.isProbe && hold?.cause == nil
        return isOver ? release() : []
    }

    /// No answer came to the bytes, and they are not there: that is a destination that fails, as if the connection had
    /// been cut before the end. They go to the same place again.
    private mutating func neverCame(
        _ sent: Sent, at now: Timestamp, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        destinationFailed(
            backFrom(sent), "\(GalleryFailure.photosDoNotArrive)",
            nil, at: now, using: &random)
    }

    /// It goes again, to a fresh place. A gallery that loses one photo again and again does not get it for ever.
    private mutating func lost(
        _ sent: Sent, _ failure: GalleryFailure, at now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        var sent = sent
        sent.entry.losses += 1
        guard sent.entry.losses > Self.mostLosses else { return sendAgain(sent) }
        return failedThere(
            sent, "\(GalleryFailure.again(failure))", at: now, using: &random)
    }

    /// It waits again, for a fresh place.
    private mutating func sendAgain(_ sent: Sent) -> [Action] {
        var delivery = backFrom(sent)
        delivery.entry.job.intent?.url = ""
        return backAgain(delivery)
    }

    private mutating func failedThere(
        _ sent: Sent, _ problem: String, at now: Timestamp, using random: inout some RandomNumberGenerator
    ) -> [Action] {
        var delivery = backFrom(sent)
        delivery.entry.job.intent?.url = ""
        return [.persist(counted(delivery, problem, nil, at: now, using: &random))]
    }

    /// It is not asked about any more; it has a place, and its bytes are not there.
    private mutating func backFrom(_ sent: Sent) -> Delivery {
        awaited[sent.job.id] = nil
        var entry = sent.entry
        entry.job.state = .presigned
        return Delivery(entry: entry, step: .asking, isProbe: sent.isProbe)
    }
}
