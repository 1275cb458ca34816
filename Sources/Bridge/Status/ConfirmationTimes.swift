public import Basics

/// How long photos take from the shutter to the destination's receipt: the latest of them, at a fixed cost.
///
/// The end is when the ledger writes the receipt down. The beginning is when the photo was taken, by the camera's own
/// date less what its clock was ahead of UTC when it was last asked. Where the body does not tell its time, or its date
/// lies behind the moment at which we first saw the photo, that moment counts: then the time is what we know of it, and
/// the photo may have been taken a little earlier. A camera's date has whole seconds, so no time is more exact than that.
public struct ConfirmationTimes: Equatable, Sendable {
    /// Photos that are remembered.
    public static let most = 1000

    public struct Sample: Equatable, Sendable {
        public var shot: Timestamp
        public var confirmed: Timestamp
        /// When it had been promised to be there, where it had.
        public var deadline: Timestamp?

        public init(shot: Timestamp, confirmed: Timestamp, deadline: Timestamp? = nil) {
            self.shot = shot
            self.confirmed = confirmed
            self.deadline = deadline
        }
    }

    private var samples: [Sample] = []
    /// Where the next one goes, once there are as many as are remembered.
    private var next = 0

    public init() {}

    public mutating func add(_ sample: Sample) {
        if samples.count < Self.most {
            samples.append(sample)
        } else {
            samples[next] = sample
            next = (next + 1) % Self.most
        }
    }

    /// Nothing where nothing has been confirmed.
    public var summary: BridgeStatus.Confirmation? {
        guard !samples.isEmpty else { return nil }
        // A clock that was set between the two would make it less than nothing.
        let spans = samples.map { max(.zero, $0.confirmed - $0.shot) }.sorted()
        let promised = samples.compactMap { sample in sample.deadline.map { sample.confirmed <= $0 } }
        return BridgeStatus.Confirmation(
            photos: spans.count, median: Self.rank(50, of: spans), p95: Self.rank(95, of: spans),
            promised: promised.count, inTime: promised.count { $0 })
    }

    /// The nearest rank: the smallest value that so many in a hundred do not exceed.
    private static func rank(_ percent: Int, of sorted: [Duration]) -> Duration {
        sorted[max(0, (sorted.count * percent + 99) / 100 - 1)]
    }

    /// When a photo was taken, as far as it can be known: when its camera says it was, or when we first saw it.
    public static func shot(
        date: Timestamp?, cameraSeconds: Int64?, clockAhead: Int64?, seen: Timestamp
    ) -> Timestamp {
        told(date: date, cameraSeconds: cameraSeconds, clockAhead: clockAhead, seen: seen) ?? seen
    }

    /// When its camera says that it was taken, and never after we saw it: `date` as the camera gave it, where it names a
    /// zone; or its seconds by the camera's clock and by how many that was ahead of UTC. Nothing where it does not say it.
    public static func told(
        date: Timestamp?, cameraSeconds: Int64?, clockAhead: Int64?, seen: Timestamp
    ) -> Timestamp? {
        if let date { return min(date, seen) }
        guard let cameraSeconds, let clockAhead else { return nil }
        let (seconds, isBeyond) = cameraSeconds.subtractingReportingOverflow(clockAhead)
        let writable = Timestamp.writable.lowerBound / 1000...Timestamp.writable.upperBound / 1000
        guard !isBeyond, writable.contains(seconds) else { return nil }
        return min(Timestamp(milliseconds: seconds * 1000), seen)
    }
}
