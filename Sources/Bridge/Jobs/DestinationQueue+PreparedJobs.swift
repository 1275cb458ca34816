import Basics

/// What is written down ahead of its turn.
///
/// Where a photo takes a few milliseconds, waiting for the ledger before each one would take as long again, and a commit
/// for each would cost a tenth of all there is to do. There the next few are noted as `uploading` while others are still
/// on their way, many in one commit, and each goes as soon as a slot is free. Order and slots are what they would be
/// otherwise: a more urgent one still goes first. A crash finds a few more photos that were perhaps begun, which is
/// what it finds anyway.
extension DestinationQueue {
    /// A destination that takes longer for a photo gains nothing by it.
    static let quick = Duration.milliseconds(250)
    /// What is ready lasts about so long, and the next are noted when half of it is gone.
    static let ahead = UploadScheduler.ahead
    private static let mostForEachSlot = 32
    private static let mostReady = 128

    /// How long that took, where it was so short that the ledger counts.
    static func quickPace(_ delivery: Delivery, at now: Timestamp) -> Duration? {
        guard let begunAt = delivery.begunAt else { return nil }
        let span = now - begunAt
        // Less than nothing: the calendar was set back meanwhile.
        return (.zero..<quick).contains(span) ? span : nil
    }

    private func mostReady(_ pace: Duration) -> Int {
        let forEachSlot =
            pace > Self.ahead / Self.mostForEachSlot
            ? max(1, Int(Self.ahead / pace)) : Self.mostForEachSlot
        return min(min(slots, Self.mostReady) * forEachSlot, Self.mostReady)
    }

    /// Notes those that go next, once there are so few that it is worth a commit.
    mutating func noteAhead(mayBegin: Bool) -> [Action] {
        guard mayBegin, isUp, slots > 0, hold == nil, kind == .direct else { return giveBack() }
        guard let pace, waiting.count > 0 else { return [] }
        let most = mostReady(pace)
        guard ready.count <= most / 2 else { return [] }
        return firstOf(waiting.ranks, most - ready.count).compactMap { rank in
            guard let entry = waiting.remove(rank.id) else { return nil }
            ready[rank.id] = entry
            return .note(uploading(entry.job, from: entry.job.state))
        }
    }

    /// The most urgent of those that never failed. Sorting all of them would be looking at each a dozen times.
    private func firstOf(_ ranks: [WaitingJobs.Rank], _ count: Int) -> [WaitingJobs.Rank] {
        var first: [WaitingJobs.Rank] = []
        for rank in ranks where !rank.hasToWait && rank.setbacks == 0 {
            if first.count == count {
                guard let last = first.last, isBefore(rank, last) else { continue }
                first.removeLast()
            }
            first.insert(rank, at: first.firstIndex { isBefore(rank, $0) } ?? first.endIndex)
        }
        return first
    }

    /// They wait again, and the ledger says so.
    private mutating func giveBack() -> [Action] {
        ready.ranks.map(\.id).sorted().flatMap { id -> [Action] in
            guard let entry = ready.remove(id) else { return [] }
            return backAgain(Delivery(entry: entry, step: .sending, isProbe: false))
        }
    }
}
