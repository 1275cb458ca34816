public import Basics

/// What a destination has confirmed since the bridge began: sums that only grow, so that a program which asks now and then
/// finds out for itself how much it was in between.
public struct ConfirmedTotals: Equatable, Sendable {
    /// From the shutter to the receipt takes this long or less. Photos that go at once, photos behind a burst, and those
    /// that wait for a network.
    public static let bounds: [Duration] = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600].map {
        .seconds($0)
    }

    public private(set) var photos = 0
    public private(set) var bytes: UInt64 = 0
    /// Of those whose shutter is known: how many took as long as a bound and no longer, bound by bound; beyond the last in
    /// the end.
    public private(set) var spans = [Int](repeating: 0, count: Self.bounds.count + 1)
    public private(set) var sum = Duration.zero
    /// So many had been promised for a moment, and so many were there by then.
    public private(set) var promised = 0
    public private(set) var inTime = 0

    public init() {}

    /// How many of them have been measured.
    public var measured: Int { spans.reduce(0, +) }

    public mutating func confirmed(
        bytes size: UInt64, shot: Timestamp?, deadline: Timestamp?, at now: Timestamp
    ) {
        photos += 1
        bytes = bytes.addingReportingOverflow(size).partialValue
        guard let shot else { return }
        // A clock that was set between the two would make it less than nothing.
        let span = max(.zero, now - shot)
        spans[Self.bounds.firstIndex { span <= $0 } ?? Self.bounds.count] += 1
        sum += span
        guard let deadline else { return }
        promised += 1
        if now <= deadline { inTime += 1 }
    }
}
