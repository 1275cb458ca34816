/// A moment by the calendar, in milliseconds since 1970. Clocks are set, so it is for records and for what must
/// outlive the process, never for measuring.
public struct Timestamp: Hashable, Comparable, Sendable {
    public let milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Milliseconds that RFC 3339 can write: years of four digits.
    public static var writable: ClosedRange<Int64> { -62_135_596_800_000...253_402_300_799_999 }

    public var seconds: Int64 { milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000 }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    public static func + (moment: Timestamp, span: Duration) -> Timestamp {
        Timestamp(milliseconds: moment.milliseconds + span.wholeMilliseconds)
    }

    public static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        .milliseconds(later.milliseconds - earlier.milliseconds)
    }
}

extension Duration {
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}

/// The calendar, handed in as an argument: the machine's own in the programs, a test's in the tests.
public protocol WallTime: Sendable {
    var wallNow: Timestamp { get }
    /// By how many seconds local time was ahead of UTC then.
    func localOffset(at moment: Timestamp) -> Int64
}

/// SystemRandomSource, handed in as an argument, so that a seed repeats a whole run.
public protocol RandomSource: Sendable {
    func next() -> UInt64
}

/// For the standard library, which wants a generator.
public struct Randomness: RandomNumberGenerator, Sendable {
    private let source: any RandomSource

    public init(_ source: any RandomSource) {
        self.source = source
    }

    public mutating func next() -> UInt64 { source.next() }

    /// "A UUID of version 4: 122 random bits" (RFC 9562 §5.4), in lower case.
    public static func uuid(from source: any RandomSource) -> String {
        let high = source.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = source.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        func digits(_ value: UInt64, _ count: Int) -> String {
            let text = String(value, radix: 16)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return [
            digits(high >> 32, 8), digits(high >> 16 & 0xFFFF, 4), digits(high & 0xFFFF, 4),
            digits(low >> 48, 4), digits(low & 0xFFFF_FFFF_FFFF, 12),
        ].joined(separator: "-")
    }
}
