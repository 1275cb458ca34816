/// A refusal that means "not just now", and when the call is made again for it.
///
/// The rules of a body stand in ``Peculiarities/retries``, and a call may have its own in ``Call/retries``. The machine asks
/// them of every refusal; a driver only waits and makes the call again. What one vendor's bodies say when they are not
/// ready is one more rule there.
public struct RetryRule: Equatable, Sendable {
    public let code: ResponseCode
    /// Before the call is made again for the first time; twice as long each time after that.
    public let pause: Duration
    public let longestPause: Duration
    /// A call that began this long ago is not made again.
    public let limit: Duration

    /// `longestPause` is for pauses that grow.
    public init(_ code: ResponseCode, pause: Duration, longestPause: Duration? = nil, limit: Duration) {
        precondition(pause > .zero, "without a pause a call would be made again at once, and for ever")
        self.code = code
        self.pause = pause
        self.longestPause = longestPause ?? pause
        self.limit = limit
    }

    /// Cameras are busy for seconds while the photographer looks at pictures or the card catches up.
    public static let busy = RetryRule(
        .deviceBusy, pause: .milliseconds(100), longestPause: .seconds(1), limit: .seconds(10))
}

/// How often a call has been made already.
struct Attempts: Equatable, Sendable {
    /// When it was made for the first time.
    let since: Duration
    /// Before it was made last; nothing when that was the first time.
    var lastPause: Duration?
    /// With what it was refused last.
    var refusal: ResponseCode?

    /// When to make it again because of `rule`; nothing when that would be too late.
    mutating func next(_ rule: RetryRule, at now: Duration) -> Duration? {
        let pause = min(lastPause.map { $0 * 2 } ?? rule.pause, rule.longestPause)
        (lastPause, refusal) = (pause, rule.code)
        return now + pause < since + rule.limit ? now + pause : nil
    }
}
