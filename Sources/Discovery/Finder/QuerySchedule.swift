/// When is asked again.
package struct QuerySchedule {
    package private(set) var next: Duration
    private var interval = Duration.seconds(1)
    private let longest: Duration

    /// "the interval between the first two queries MUST be at least one second, the intervals between successive
    /// queries MUST increase by at least a factor of two", up to "60 minutes" (RFC 6762 §5.2).
    package static let longestOfMDNS = Duration.seconds(3600)
    /// A search is answered within a second and may be lost.
    package static let longestOfSSDP = Duration.seconds(60)
    /// "delayed … by a random amount of time in the range 20-120 ms"
    package static let firstDelay: ClosedRange<Int64> = 20...120

    package init(first: Duration, longest: Duration) {
        next = first
        self.longest = longest
    }

    /// Nothing could be sent: the interface has no address yet.
    package mutating func beginAgain(at now: Duration) {
        interval = .seconds(1)
        next = now + interval
    }

    /// Whether it is time to ask; then the next time is set.
    package mutating func isDue(at now: Duration) -> Bool {
        guard next <= now else { return false }
        next = now + interval
        interval = min(interval * 2, longest)
        return true
    }
}
