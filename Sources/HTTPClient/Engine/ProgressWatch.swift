/// Whether a transfer still gets somewhere: something moves, and over a minute enough of it.
///
/// libcurl's own watch looks at an average and notices a dead peer seconds late; this one looks at what has moved.
package struct ProgressWatch: Equatable {
    package enum Verdict: Equatable {
        case stalled(Duration)
        /// Bytes a second, over the last minute.
        case tooSlow(UInt64)
    }

    /// What can be seen of a transfer at one moment.
    package struct Sight: Equatable {
        /// Bytes in both directions, as far as the other side has acknowledged them.
        package var moved: UInt64
        /// Whether a body is on its way, in either direction. An answer that is waited for has no rate.
        package var isMoving: Bool
        /// Whether we held it back ourselves since the last look.
        package var isHeld: Bool

        package init(moved: UInt64, isMoving: Bool, isHeld: Bool) {
            self.moved = moved
            self.isMoving = isMoving
            self.isHeld = isHeld
        }
    }

    private static let slotLength = Duration.seconds(5)
    private static let slotsInMinute = 12

    package let noProgress: Duration
    package let minimumRate: UInt64
    private var moved: UInt64 = 0
    private var movedAt: Duration
    private var lookedAt: Duration
    /// Bytes of the whole slots before the current one; time in which we held it back is in none.
    private var slots: [UInt64] = []
    private var slotBytes: UInt64 = 0
    private var slotTime = Duration.zero

    package init(noProgress: Duration, minimumRate: UInt64, at now: Duration) {
        self.noProgress = noProgress
        self.minimumRate = minimumRate
        movedAt = now
        lookedAt = now
    }

    package mutating func look(_ sight: Sight, at now: Duration) -> Verdict? {
        defer { (moved, lookedAt) = (sight.moved, now) }
        let hasMoved = sight.moved != moved
        if hasMoved || sight.isHeld { movedAt = now }
        if now - movedAt >= noProgress { return .stalled(now - movedAt) }
        guard minimumRate > 0 else { return nil }
        guard sight.isMoving else {
            (slots, slotBytes, slotTime) = ([], 0, .zero)
            return nil
        }
        if sight.isHeld { return nil }
        slotBytes += sight.moved > moved ? sight.moved - moved : 0
        slotTime += now - lookedAt
        return slotTime >= Self.slotLength ? closeSlot() : nil
    }

    private mutating func closeSlot() -> Verdict? {
        slots.append(slotBytes)
        (slotBytes, slotTime) = (0, .zero)
        guard slots.count >= Self.slotsInMinute else { return nil }
        let rate = slots.reduce(0, +) / 60
        slots.removeFirst()
        return rate < minimumRate ? .tooSlow(rate) : nil
    }
}
