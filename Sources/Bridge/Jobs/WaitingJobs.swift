import Basics

/// Jobs of one destination that wait, and beside them what decides between them.
///
/// The choice looks at every one of them. A job is a dozen words and texts; its rank is a few numbers in a row,
/// so that looking at a thousand costs microseconds.
struct WaitingJobs: Equatable, Sendable {
    struct Rank: Sendable {
        let id: JobID
        /// Further on its way is less.
        let stage: Int
        let deadline: Timestamp?
        let lane: Lane
        let due: Timestamp
        /// Only what failed has to wait for its time.
        let hasToWait: Bool
        let setbacks: Int

        init(_ entry: DestinationQueue.Entry) {
            let job = entry.job
            id = job.id
            deadline = job.deadline
            lane = job.lane
            due = job.due
            hasToWait = job.state == .failedRetryable
            setbacks = entry.setbacks
            switch job.state {
            case .presigned: stage = 0
            case .staged: stage = 1
            case .failedRetryable: stage = 2
            case .uploading, .uploadedAwaitingProcessing, .completed, .failedPermanent:
                preconditionFailure("a job that is \(job.state.rawValue) does not wait in the window")
            }
        }
    }

    private var entries: [JobID: DestinationQueue.Entry] = [:]
    /// In no order.
    private(set) var ranks: [Rank] = []
    private var places: [JobID: Int] = [:]
    /// Those that no failure of the destination has met.
    private(set) var withoutSetbacks = 0

    var count: Int { ranks.count }

    static func == (left: WaitingJobs, right: WaitingJobs) -> Bool { left.entries == right.entries }

    subscript(id: JobID) -> DestinationQueue.Entry? {
        get { entries[id] }
        set {
            remove(id)
            guard let entry = newValue else { return }
            entries[id] = entry
            places[id] = ranks.count
            ranks.append(Rank(entry))
            if entry.setbacks == 0 { withoutSetbacks += 1 }
        }
    }

    @discardableResult
    mutating func remove(_ id: JobID) -> DestinationQueue.Entry? {
        guard let entry = entries.removeValue(forKey: id), let place = places.removeValue(forKey: id) else {
            return nil
        }
        // The last one takes its place.
        let last = ranks.removeLast()
        if last.id != id {
            ranks[place] = last
            places[last.id] = place
        }
        if entry.setbacks == 0 { withoutSetbacks -= 1 }
        return entry
    }
}
