/// Whether a photo still comes fast enough: time out on the absence of progress, not on duration.
struct StallDetector: Equatable, Sendable {
    private var lastByte: Duration
    private var windowStart: Duration
    private var bytesInWindow: UInt64 = 0

    init(at now: Duration) {
        lastByte = now
        windowStart = now
    }

    mutating func moved(_ count: Int, at now: Duration, _ timeouts: Timeouts) {
        guard count > 0 else { return }
        lastByte = now
        // A window that was good enough is over; what follows has to be good enough by itself.
        if now - windowStart >= timeouts.rateWindow, rate(at: now) >= timeouts.leastBytesPerSecond {
            windowStart = now
            bytesInWindow = 0
        }
        bytesInWindow += UInt64(count)
    }

    /// When to look again if nothing moves meanwhile.
    func deadline(_ timeouts: Timeouts) -> Duration {
        min(lastByte + timeouts.noProgress, windowStart + timeouts.rateWindow)
    }

    /// What is wrong at `now`, or nothing; starts a new window when the last one was good.
    mutating func verdict(at now: Duration, _ timeouts: Timeouts) -> Ending? {
        if now - lastByte >= timeouts.noProgress { return .stalled(after: timeouts.noProgress) }
        guard now - windowStart >= timeouts.rateWindow else { return nil }
        let rate = rate(at: now)
        if rate < timeouts.leastBytesPerSecond {
            return .tooSlow(bytesPerSecond: rate, least: timeouts.leastBytesPerSecond)
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
