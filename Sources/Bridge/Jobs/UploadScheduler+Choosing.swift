/// Which job goes next.
extension UploadScheduler {
    /// Fills every free slot with the best job for it. Destinations that share a path take turns.
    mutating func begin(at now: Timestamp) -> [Action] {
        guard !isPaused else { return [] }
        var actions: [Action] = []
        // Those that have had their say, so that a turn ends.
        var open = lanes.keys.sorted { $0.number < $1.number }
        while let destination = open.min(by: isFirst) {
            guard let lane = lanes[destination], let entry = next(in: lane, at: now) else {
                open.removeAll { $0 == destination }
                continue
            }
            actions += begin(entry, at: now)
        }
        return actions
    }

    /// Who has fewer under way, and then who has waited longer for a turn.
    private func isFirst(_ left: DestinationID, _ right: DestinationID) -> Bool {
        guard let first = lanes[left], let second = lanes[right] else { return false }
        return (first.underWay, first.lastBegun, left.number) < (
            second.underWay, second.lastBegun, right.number
        )
    }

    private mutating func begin(_ entry: Entry, at now: Timestamp) -> [Action] {
        let job = entry.job
        guard var lane = lanes[job.destination] else { return [] }
        begun += 1
        lane.lastBegun = begun
        let isProbe = lane.hold != nil
        if !isProbe { lane.begun += 1 }
        lane.waiting[job.id] = nil
        lane.underWay += 1
        lanes[job.destination] = lane
        let step: Delivery.Step = needsPlace(job, at: now) ? .presigning : .sending
        underWay[job.id] = Delivery(entry: entry, step: step, isProbe: isProbe)
        switch step {
        case .presigning: return [.presign(job)]
        case .sending, .asking: return send(job, from: job.state)
        }
    }

    /// The bytes go, once the ledger knows.
    func send(_ job: Job, from state: JobState) -> [Action] {
        var job = job
        let change = JobChange(
            job.id, from: state, to: .uploading, attempts: job.attempts, due: job.due, intent: job.intent)
        job.state = .uploading
        return [.persist(change), .deliver(job)]
    }

    /// How much of a place's time has to be left for it to be used: a transfer begins within that.
    static let shortestPlace = Duration.seconds(15)

    private func needsPlace(_ job: Job, at now: Timestamp) -> Bool {
        guard job.kind == .gallery else { return false }
        guard let intent = job.intent, !intent.url.isEmpty else { return true }
        let left = intent.expiresAt - now
        // Further ahead than any place lasts was noted before the clock was set back.
        return left < Self.shortestPlace || left > Self.longestAsked
    }

    private func next(in lane: Lane, at now: Timestamp) -> Entry? {
        guard lane.waiting.count > 0, taken(from: lane) < lane.slots else { return nil }
        let ready = lane.waiting.values.lazy.filter { due($0.job, at: now) <= now }
        if let hold = lane.hold {
            // One probe at a time.
            guard lane.underWay == 0, believable(hold.until, at: now) <= now else { return nil }
            // Another one each time: what fails may be the photo and not the destination.
            return ready.min {
                $0.setbacks != $1.setbacks ? $0.setbacks < $1.setbacks : isBefore($0.job, $1.job)
            }
        }
        // The fourth, the eighth…: whoever has been due longest, whatever else there is.
        if lane.begun % 4 == 3 {
            return ready.min {
                (believable($0.job.due, at: now), $0.job.id) < (believable($1.job.due, at: now), $1.job.id)
            }
        }
        return ready.min { isBefore($0.job, $1.job) }
    }

    /// What is further on its way goes first; then what has to be there sooner; then pictures before RAW; then by age.
    private func isBefore(_ left: Job, _ right: Job) -> Bool {
        let (first, second) = (rank(left.state), rank(right.state))
        if first != second { return first < second }
        if left.deadline != right.deadline {
            guard let one = left.deadline else { return false }
            guard let other = right.deadline else { return true }
            return one < other
        }
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

    /// When the next job of this destination may begin, if nothing else happens.
    func nextBegin(in lane: Lane, at now: Timestamp) -> Timestamp? {
        guard !isPaused, taken(from: lane) < lane.slots else { return nil }
        let first = lane.waiting.values.map { due($0.job, at: now) }.min()
        guard let hold = lane.hold else { return first }
        return lane.underWay > 0 ? nil : first.map { max(believable(hold.until, at: now), $0) }
    }

    /// When the job may begin. Only what failed has to wait for its time.
    func due(_ job: Job, at now: Timestamp) -> Timestamp {
        job.state == .failedRetryable ? believable(job.due, at: now) : now
    }

    /// A time further ahead than any pause was written before the clock was set back: it is now.
    func believable(_ time: Timestamp, at now: Timestamp) -> Timestamp {
        time - now > max(settings.backoff.longest, Self.longestAsked) ? now : time
    }
}
