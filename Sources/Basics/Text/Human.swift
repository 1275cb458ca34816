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

    /// `40 ms`, `2.1 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`.
    public static func span(_ duration: Duration) -> String {
        let milliseconds = duration.wholeMilliseconds
        if milliseconds < 0 { return "-\(span(.zero - duration))" }
        if milliseconds < 1000 { return "\(milliseconds) ms" }
        // 59.95 would be shown as 60.0.
        if milliseconds < 59_950 { return "\(digits(Double(milliseconds) / 1000)) s" }
        let seconds = (milliseconds + 500) / 1000
        if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
        let minutes = (seconds + 30) / 60
        if minutes < 24 * 60 { return "\(minutes / 60) h \(minutes % 60) min" }
        let hours = (minutes + 30) / 60
        return "\(hours / 24) d \(hours % 24) h"
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
                widths[column] = max(widths[column], DisplayWidth.ofScalars(cell))
            }
        }
        for element in rows {
            let cells = row(element)
            let padded = cells.enumerated().map { column, cell in
                column == cells.count - 1
                    ? cell
                    : cell + String(repeating: " ", count: widths[column] - DisplayWidth.ofScalars(cell))
            }
            line(padded.joined(separator: "  "))
        }
    }
}
