/// How many bytes may move now, so that over time no more move than so many a second.
///
/// What was not used is kept for a tenth of a second: enough that a caller who looks rarely loses nothing, and too little
/// for a burst that others would feel.
public struct TokenBucket: Equatable, Sendable {
    /// More than any network here, so that nothing below can overflow.
    public static let fastest: UInt64 = 100_000_000_000
    /// Moving fewer bytes at a time costs more than it smooths.
    public static let smallestBurst: UInt64 = 16 << 10

    /// At least one.
    public private(set) var bytesPerSecond: UInt64
    /// In billionths of a byte: a rate times nanoseconds is whole.
    private var level: UInt64
    private var filledUntil: Duration

    private static let unit: UInt64 = 1_000_000_000

    /// Full at first: who starts has not used anything.
    public init(bytesPerSecond: UInt64, at now: Duration) {
        self.bytesPerSecond = Self.allowed(bytesPerSecond)
        level = 0
        filledUntil = now
        level = burst * Self.unit
    }

    /// The most that can be taken at once.
    public var burst: UInt64 { max(Self.smallestBurst, bytesPerSecond / 10) }

    /// What has been saved so far stays, as far as the new burst allows.
    public mutating func setRate(_ bytesPerSecond: UInt64, at now: Duration) {
        fill(until: now)
        self.bytesPerSecond = Self.allowed(bytesPerSecond)
        level = min(level, burst * Self.unit)
    }

    /// How many may move now.
    public mutating func available(at now: Duration) -> UInt64 {
        fill(until: now)
        return level / Self.unit
    }

    /// They move. Only what is available may be taken.
    public mutating func take(_ count: UInt64) {
        precondition(count <= level / Self.unit, "only what is available is taken")
        level -= count * Self.unit
    }

    /// When so many will be available, if no caller takes any before. More than a burst never are.
    public func moment(of count: UInt64) -> Duration {
        precondition(count <= burst, "a bucket never holds more than its burst")
        let wanted = count * Self.unit
        guard wanted > level else { return filledUntil }
        let (nanoseconds, rest) = (wanted - level).quotientAndRemainder(dividingBy: bytesPerSecond)
        return filledUntil + .nanoseconds(Int64(clamping: nanoseconds + (rest > 0 ? 1 : 0)))
    }

    private mutating func fill(until now: Duration) {
        let elapsed = now - filledUntil
        // Clocks that only go forward are asked by several; one may come late.
        guard elapsed > .zero else { return }
        filledUntil = now
        let (seconds, attoseconds) = elapsed.components
        let full = burst * Self.unit
        // A burst lasts a tenth of a second, or longer only because it is small.
        let (whole, isTooMuch) = UInt64(seconds).multipliedReportingOverflow(by: Self.unit)
        let nanoseconds = whole.addingReportingOverflow(UInt64(attoseconds) / Self.unit)
        let (more, isMore) = nanoseconds.partialValue.multipliedReportingOverflow(by: bytesPerSecond)
        let (sum, isFull) = level.addingReportingOverflow(more)
        level = isTooMuch || nanoseconds.overflow || isMore || isFull ? full : min(full, sum)
    }

    private static func allowed(_ rate: UInt64) -> UInt64 { min(max(1, rate), fastest) }
}
