extension Invocation {
    /// A whole number within limits.
    public func integer(_ option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = value(option) else { return nil }
        guard let number = Int(text.filter { $0 != "_" }), range.contains(number) else {
            throw UsageError(
                "--\(option) is a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'.")
        }
        return number
    }

    /// A number of bytes: `500`, `1_000_000`, `500k`, `8MiB`.
    public func size(_ option: String, in range: ClosedRange<UInt64>) throws(UsageError) -> UInt64? {
        guard let text = value(option) else { return nil }
        guard let size = Values.size(text) else {
            throw UsageError(
                "--\(option) is a number of bytes such as 500000, 500k (thousands) or 8MiB (powers of two), not '\(text)'."
            )
        }
        guard range.contains(size) else {
            throw UsageError(
                "--\(option) is from \(range.lowerBound) to \(range.upperBound) bytes, not '\(text)'.")
        }
        return size
    }

    /// A span of time: `250ms`, `3s`, `2min`, `1h`.
    public func duration(_ option: String, in range: ClosedRange<Duration>) throws(UsageError) -> Duration? {
        guard let text = value(option) else { return nil }
        guard let duration = Values.duration(text), range.contains(duration) else {
            throw UsageError(
                "--\(option) is a time from \(range.lowerBound) to \(range.upperBound), such as 250ms, 3s or 2min, not '\(text)'."
            )
        }
        return duration
    }

    public func choice(_ option: String, of choices: [String]) throws(UsageError) -> String? {
        guard let text = value(option) else { return nil }
        try ValueKind.oneOf(choices).check(text, of: "--\(option)")
        return text
    }
}

/// Numbers with units.
public enum Values {
    private static let sizes: [(suffix: String, factor: UInt64)] = [
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
        ("kB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
        ("k", 1000), ("M", 1_000_000), ("G", 1_000_000_000), ("B", 1), ("", 1),
    ]

    public static func size(_ text: String) -> UInt64? {
        measured(text, sizes)
    }

    /// As ``size(_:)`` reads it: in powers of two where nothing is lost by that.
    public static func text(ofSize size: UInt64) -> String {
        let unit = sizes.filter { $0.suffix.hasSuffix("iB") && size >= $0.factor && size % $0.factor == 0 }
            .last
        return unit.map { "\(size / $0.factor)\($0.suffix)" } ?? String(size)
    }

    private static let spans: [(suffix: String, factor: UInt64)] = [
        ("ms", 1), ("min", 60_000), ("s", 1000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    public static func duration(_ text: String) -> Duration? {
        guard let milliseconds = measured(text, spans), let value = Int64(exactly: milliseconds) else {
            return nil
        }
        return .milliseconds(value)
    }

    /// As ``duration(_:)`` reads it, in the largest unit that says it whole; what is less than a millisecond is left out.
    public static func text(of duration: Duration) -> String {
        let milliseconds = UInt64(max(0, duration / .milliseconds(1)))
        let unit = spans.filter { milliseconds >= $0.factor && milliseconds % $0.factor == 0 }
            .max { $0.factor < $1.factor }
        return unit.map { "\(milliseconds / $0.factor)\($0.suffix)" } ?? "\(milliseconds)ms"
    }

    /// Digits, then one of the suffixes, nothing else; overflow is no number.
    private static func measured(_ text: String, _ units: [(suffix: String, factor: UInt64)]) -> UInt64? {
        let digits = text.prefix { $0.isASCII && ($0.isWholeNumber || $0 == "_") }
        guard let number = UInt64(digits.filter { $0 != "_" }) else { return nil }
        let suffix = text.dropFirst(digits.count)
        guard let factor = units.first(where: { $0.suffix == suffix })?.factor else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }
}
