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

/// Figures for people.
public enum Human {
    /// `999 B`, `4.1 MB`: powers of ten, three digits.
    public static func bytes(_ count: UInt64) -> String {
        guard count >= 1000 else { return "\(count) B" }
        var value = Double(count)
        for unit in ["kB", "MB", "GB", "TB"] {
            value /= 1000
            // 999.95 would be shown as 1000.0.
            if value < 999.5 || unit == "TB" { return "\(digits(value)) \(unit)" }
        }
        return "\(count) B"
    }

    private static func digits(_ value: Double) -> String {
        if value >= 99.95 { return String(Int(value.rounded())) }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// `0:07`, `12:30`, `1:02:03`.
    public static func clock(_ duration: Duration) -> String {
        let seconds = max(0, Int((duration / .seconds(1)).rounded()))
        func padded(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return hours > 0
            ? "\(hours):\(padded(minutes)):\(padded(seconds % 60))" : "\(minutes):\(padded(seconds % 60))"
    }

    /// Rows whose columns stand below each other.
    public static func table(_ rows: [[String]]) -> [String] {
        var lines: [String] = []
        table(rows, row: { $0 }, each: { lines.append($0) })
        return lines
    }

    /// The same without ever holding more than a row: each is made twice, once to be measured.
    public static func table<Rows: Collection>(
        _ rows: Rows, row: (Rows.Element) -> [String], each line: (String) -> Void
    ) {
        var widths: [Int] = []
        for element in rows {
            for (column, cell) in row(element).enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        for element in rows {
            let cells = row(element)
            let padded = cells.enumerated().map { column, cell in
                column == cells.count - 1
                    ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            line(padded.joined(separator: "  "))
        }
    }
}
