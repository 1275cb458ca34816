/// Whether a photo still comes fast enough: time out on the absence of progress, not on duration.
struct Pace: Equatable, Sendable {
    private var lastByte: Duration
    private var windowStart: Duration
    private var bytesInWindow: UInt64 = 0

    init(at now: Duration) {
        lastByte = now
        windowStart = now
    }

    mutating func moved(_ count: Int, at now: Duration, _ patience: Patience) {
        guard count > 0 else { return }
        lastByte = now
        // A window that was good enough is over; what follows has to be good enough by itself.
        if now - windowStart >= patience.rateWindow, rate(at: now) >= patience.leastBytesPerSecond {
            windowStart = now
            bytesInWindow = 0
        }
        bytesInWindow += UInt64(count)
    }

    /// When to look again if nothing moves meanwhile.
    func deadline(_ patience: Patience) -> Duration {
        min(lastByte + patience.noProgress, windowStart + patience.rateWindow)
    }

    /// What is wrong at `now`, or nothing; starts a new window when the last one was good.
    mutating func verdict(at now: Duration, _ patience: Patience) -> Ending? {
        if now - lastByte >= patience.noProgress { return .stalled(after: patience.noProgress) }
        guard now - windowStart >= patience.rateWindow else { return nil }
        let rate = rate(at: now)
        if rate < patience.leastBytesPerSecond {
            return .tooSlow(bytesPerSecond: rate, least: patience.leastBytesPerSecond)
        }
        windowStart = now
        bytesInWindow = 0
        return nil
    }

    private func rate(at now: Duration) -> Int {
        let milliseconds = (now - windowStart).inMilliseconds
        return milliseconds > 0 ? Int(bytesInWindow * 1000 / UInt64(milliseconds)) : .max
    }
}
