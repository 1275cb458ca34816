/// How long to wait before the next try: full jitter, so that many who failed together do not come back together.
///
/// With a first pause of 1 s and a longest of 5 min the ceilings are 1, 2, 4, 8 … 256, 300, 300 s; the wait is drawn
/// from zero to the ceiling.
public struct Backoff: Equatable, Sendable {
    public var first: Duration
    public var longest: Duration

    public init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    public func ceiling(afterFailures failures: Int) -> Duration {
        let doublings = min(max(0, failures - 1), 30)
        return min(longest, first * (1 << doublings))
    }

    public func pause(afterFailures failures: Int, using random: inout some RandomNumberGenerator) -> Duration
    {
        let ceiling = ceiling(afterFailures: failures).wholeMilliseconds
        return .milliseconds(Int64.random(in: 0...max(0, ceiling), using: &random))
    }
}
