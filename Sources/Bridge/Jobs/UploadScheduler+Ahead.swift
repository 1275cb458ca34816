/// What is written down ahead of its turn.
///
/// Where a photo takes a few milliseconds, waiting for the ledger before each one would take as long again, and a commit
/// for each would cost a tenth of all there is to do. There the next few are noted as `uploading` while others are still
/// on their way, many in one commit, and each goes as soon as a slot is free. Order and slots are what they would be
/// otherwise: whoever is more urgent still goes first. A crash finds a few more photos that were perhaps begun, which is
/// what it finds anyway.
extension UploadScheduler {
    /// A destination that takes longer for a photo gains nothing by it.
    static let quick = Duration.milliseconds(250)
    /// What is ready lasts about so long, and the next are noted when half of it is gone.
    public static let ahead = Duration.milliseconds(200)
    private static let mostForEachSlot = 32
    private static let mostReady = 128

    /// How long that took, where it was so short that the ledger counts.
    static func quickPace(_ delivery: Delivery, at now: Timestamp) -> Duration? {
        guard let begunAt = delivery.begunAt else { return nil }
        let span = now - begunAt
        // Less than nothing: the calendar was set back meanwhile.
        return (.zero..<quick).contains(span) ? span : nil
    }

    private static func mostReady(_ lane: Lane, _ pace: Duration) -> Int {
        let forEachSlot = pace > ahead / mostForEachSlot ? max(1, Int(ahead / pace)) : mostForEachSlot
        return min(min(lane.slots, mostReady) * forEachSlot, mostReady)
    }

    /// More wait behind those that are on their way, and the ledger knows the next of them.
    public var isInARow: Bool { lanes.values.contains { $0.ready.count > 0 } }

    private func mayNoteAhead(_ lane: Lane) -> Bool {
        !isPaused && !isDraining && lane.isUp && lane.slots > 0 && lane.hold == nil && lane.kind == .direct
    }

    /// Notes those that go next, once there are so few that it is worth a commit.
    mutating func noteAhead(_ destination: DestinationID, at now: Timestamp) -> [Action] {
        guard var lane = lanes[destination] else { return [] }
        guard mayNoteAhead(lane) else { return giveBack(destination) }
        guard let pace = lane.pace, lane.waiting.count > 0 else { return [] }
        let most = Self.mostReady(lane, pace)
        guard lane.ready.count <= most / 2 else { return [] }
        // Taken out while it is changed: two holders would be two copies of all that waits.
        lanes[destination] = nil
        defer { lanes[destination] = lane }
        return firstOf(lane.waiting.ranks, most - lane.ready.count).compactMap { rank in
            guard let entry = lane.waiting.remove(rank.id) else { return nil }
            lane.ready[rank.id] = entry
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
    private mutating func giveBack(_ destination: DestinationID) -> [Action] {
        guard let ready = lanes[destination]?.ready.ranks, !ready.isEmpty else { return [] }
        return ready.map(\.id).sorted().flatMap { id -> [Action] in
            guard let entry = lanes[destination]?.ready.remove(id) else { return [] }
            return backAgain(Delivery(entry: entry, step: .sending, isProbe: false))
        }
    }
}
