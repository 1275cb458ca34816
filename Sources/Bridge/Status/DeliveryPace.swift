public import Basics

/// How fast a destination takes photos, from what it has confirmed lately. A value: every moment is an argument.
public struct DeliveryPace: Equatable, Sendable {
    /// So far back: long enough for photos that take half a minute each, short enough to show a change.
    public static let window = Duration.seconds(120)
    /// What happened in so long is kept as one count, so that memory and time are the same at any pace.
    static let slice = Duration.seconds(10)

    private struct Slice: Equatable, Sendable {
        var number: Int64
        var photos: Int
        var bytes: UInt64
    }

    private var slices: [Slice] = []
    private var first: Timestamp?

    public init() {}

    public mutating func confirmed(bytes: UInt64, at now: Timestamp) {
        // A calendar that was set back: what was counted lies ahead of it, and says nothing any more.
        if let newest = slices.last, newest.number > Self.number(now) { (slices, first) = ([], nil) }
        if first == nil { first = now }
        forget(before: now)
        let number = Self.number(now)
        if slices.last?.number == number {
            slices[slices.count - 1].photos += 1
            slices[slices.count - 1].bytes += bytes
        } else {
            slices.append(Slice(number: number, photos: 1, bytes: bytes))
        }
    }

    /// Nothing before the first photo: a pace of nothing would be read as a fault.
    public func rate(at now: Timestamp) -> BridgeStatus.Rate? {
        guard let first, now >= first else { return nil }
        let oldest = Self.number(now) - Self.kept
        let counted = slices.filter { $0.number > oldest }
        // The slice that is under way counts with what has passed of it.
        let span = min(now - first, Self.window - Self.slice + (now - Self.begin(of: Self.number(now))))
        let minutes = max(span, Self.slice) / .seconds(60)
        let photos = counted.reduce(0) { $0 + $1.photos }
        let bytes = counted.reduce(UInt64(0)) { $0 + $1.bytes }
        return BridgeStatus.Rate(
            photosPerMinute: (Double(photos) / minutes * 10).rounded() / 10,
            bytesPerMinute: UInt64((Double(bytes) / minutes).rounded()))
    }

    private static var kept: Int64 { Int64(window / slice) }
    private static func number(_ moment: Timestamp) -> Int64 { moment.seconds / Int64(slice / .seconds(1)) }
    private static func begin(of number: Int64) -> Timestamp {
        Timestamp(milliseconds: number * slice.wholeMilliseconds)
    }

    private mutating func forget(before now: Timestamp) {
        let oldest = Self.number(now) - Self.kept
        if let first = slices.first, first.number <= oldest { slices.removeAll { $0.number <= oldest } }
    }
}
