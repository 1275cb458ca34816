/// How far something is, and how fast: a value that is told and a line that is shown.
public struct Progress: Equatable, Sendable {
    public var total: UInt64?
    public private(set) var done: UInt64 = 0
    private var rate: Double?
    private var lastAt: Duration
    private var lastDone: UInt64 = 0

    /// Rates are averaged over about so long, so that the figure can be read.
    private static let smoothing = 2.0

    public init(total: UInt64?, at now: Duration) {
        self.total = total
        lastAt = now
    }

    public mutating func moved(_ count: UInt64, at now: Duration) {
        done += count
        let elapsed = (now - lastAt) / .seconds(1)
        // Two moves in the same instant say nothing about speed.
        guard elapsed > 0.05 else { return }
        let latest = Double(done - lastDone) / elapsed
        let weight = min(1, elapsed / Self.smoothing)
        rate = rate.map { $0 + (latest - $0) * weight } ?? latest
        lastAt = now
        lastDone = done
    }

    public var bytesPerSecond: Double? { rate }

    /// Nothing while the speed or the total is not known.
    public var remaining: Duration? {
        guard let total, let rate, rate > 1, total >= done else { return nil }
        return .seconds(Double(total - done) / rate)
    }

    /// `DSC_0001.JPG  [#####.....]  52 %  4.1 of 8.4 MB  12 MB/s  0:01`, cut to the width.
    public func line(_ name: String, width: Int) -> String {
        var parts = [name]
        if let total, total > 0 {
            let share = min(1, Double(done) / Double(total))
            let filled = Int(share * 20)
            parts.append(
                "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: 20 - filled) + "]"
            )
            parts.append("\(Int(share * 100)) %")
            parts.append("\(Human.bytes(done)) of \(Human.bytes(total))")
        } else {
            parts.append(Human.bytes(done))
        }
        if let rate { parts.append("\(Human.bytes(UInt64(max(0, rate))))/s") }
        if let remaining { parts.append(Human.clock(remaining)) }
        return String(parts.joined(separator: "  ").prefix(max(0, width)))
    }
}
