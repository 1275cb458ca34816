extension UploadScheduler {
    /// Fills every free slot of a destination with the best job for it.
    mutating func begin(_ destination: DestinationID, at now: Timestamp) -> [Action] {
        guard var lane = lanes[destination] else { return [] }
        var actions: [Action] = []
        while let entry = next(in: lane, at: now) {
            var job = entry.job
            let change = JobChange(
                job.id, from: job.state, to: .uploading, attempts: job.attempts, due: job.due)
            job.state = .uploading
            underWay[job.id] = Delivery(entry: entry, isProbe: lane.hold != nil)
            lane.waiting[job.id] = nil
            lane.underWay += 1
            if lane.hold == nil { lane.begun += 1 }
            actions += [.persist(change), .deliver(job)]
        }
        lanes[destination] = lane
        return actions
    }

    private func next(in lane: Lane, at now: Timestamp) -> Entry? {
        guard lane.underWay < lane.slots else { return nil }
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

    /// A time further ahead than any pause was written before the clock was set back: it is now.
    func believable(_ time: Timestamp, at now: Timestamp) -> Timestamp {
        time - now > max(settings.backoff.longest, Self.longestAsked) ? now : time
    }
}
