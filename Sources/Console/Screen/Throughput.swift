package import Basics

/// How fast photos have left lately, second by second.
package struct Throughput: Equatable, Sendable {
    /// Bytes a second, the latest last.
    package private(set) var rates: [Double] = []
    private var last: (sent: UInt64, at: Timestamp)?

    /// More than any screen is wide.
    private static let most = 1000
    private static let shortest = Duration.milliseconds(900)
    /// Of so many seconds the figure is the mean: one second alone could not be read.
    private static let meanOf = 5

    package init() {}

    package static func == (left: Throughput, right: Throughput) -> Bool {
        left.rates == right.rates && left.last?.sent == right.last?.sent && left.last?.at == right.last?.at
    }

    /// `sent` is what has left since the bridge began. A bridge that began anew counts from nothing, and a clock that was
    /// set is no pace.
    package mutating func note(sent: UInt64, at now: Timestamp) {
        guard let last, sent >= last.sent, now >= last.at, now - last.at < .seconds(60) else {
            last = (sent, now)
            return
        }
        let span = now - last.at
        guard span >= Self.shortest else { return }
        let rate = Double(sent - last.sent) / (span / .seconds(1))
        rates += Array(repeating: rate, count: max(1, Int((span / .seconds(1)).rounded())))
        rates.removeFirst(max(0, rates.count - Self.most))
        self.last = (sent, now)
    }

    /// Bytes a second now; nothing before anything was measured.
    package var now: Double? {
        let latest = rates.suffix(Self.meanOf)
        return latest.isEmpty ? nil : latest.reduce(0, +) / Double(latest.count)
    }
}
