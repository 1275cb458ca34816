/// A date as cameras write it: `YYYYMMDDThhmmss`, perhaps with tenths, perhaps with a zone.
///
/// Read field by field, because cameras write dates that are none: a Nikon's DCIM folder has the month and
/// day 00. What is not known is nothing; a field that is out of its range makes the whole unreadable.
public struct DateTime: Hashable, Sendable {
    public enum Zone: Hashable, Sendable {
        /// The camera's own idea of local time.
        case unspecified
        case utc
        case offset(minutes: Int)
    }

    public var year: Int
    /// Nothing where the camera wrote 00.
    public var month: Int?
    public var day: Int?
    public var hour: Int
    public var minute: Int
    public var second: Int
    public var tenth: Int?
    public var zone: Zone

    public init(
        year: Int, month: Int?, day: Int?, hour: Int, minute: Int, second: Int, tenth: Int? = nil,
        zone: Zone = .unspecified
    ) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.tenth = tenth
        self.zone = zone
    }

    /// Nothing for the empty string (folders, objects in memory) and for what is no date.
    public init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        guard let year = Self.number(&rest, 4, 0...9999), let month = Self.number(&rest, 2, 0...12),
            let day = Self.number(&rest, 2, 0...31), Self.skip(&rest, "T"),
            let hour = Self.number(&rest, 2, 0...23), let minute = Self.number(&rest, 2, 0...59),
            // A leap second is a second.
            let second = Self.number(&rest, 2, 0...60)
        else { return nil }
        var tenth: Int?
        if Self.skip(&rest, ".") {
            tenth = Self.number(&rest, 1, 0...9)
            guard tenth != nil else { return nil }
            // "Only one digit is standard": what follows is finer than needed.
            while let byte = rest.first, Self.digits.contains(byte) { rest.removeFirst() }
        }
        guard let zone = Self.zone(&rest), rest.isEmpty else { return nil }
        self.init(
            year: year, month: month == 0 ? nil : month, day: day == 0 ? nil : day, hour: hour,
            minute: minute,
            second: second, tenth: tenth, zone: zone)
    }

    /// Whether every field is there.
    public var isComplete: Bool { month != nil && day != nil }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private static func number(_ rest: inout ArraySlice<UInt8>, _ count: Int, _ range: ClosedRange<Int>)
        -> Int?
    {
        guard rest.count >= count else { return nil }
        var value = 0
        for byte in rest.prefix(count) {
            guard digits.contains(byte) else { return nil }
            value = value * 10 + Int(byte - digits.lowerBound)
        }
        rest = rest.dropFirst(count)
        return range.contains(value) ? value : nil
    }

    private static func skip(_ rest: inout ArraySlice<UInt8>, _ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private static func zone(_ rest: inout ArraySlice<UInt8>) -> Zone? {
        if rest.isEmpty { return .unspecified }
        if skip(&rest, "Z") { return .utc }
        let isWest = skip(&rest, "-")
        guard isWest || skip(&rest, "+"), let hours = number(&rest, 2, 0...14),
            let minutes = number(&rest, 2, 0...59)
        else { return nil }
        return .offset(minutes: (isWest ? -1 : 1) * (60 * hours + minutes))
    }
}

extension DateTime: CustomStringConvertible {
    /// As it goes onto the wire.
    public var description: String {
        func padded(_ value: Int, _ width: Int = 2) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date = padded(year, 4) + padded(month ?? 0) + padded(day ?? 0)
        let time = padded(hour) + padded(minute) + padded(second)
        let fraction = tenth.map { ".\($0)" } ?? ""
        let suffix =
            switch zone {
            case .unspecified: ""
            case .utc: "Z"
            case .offset(let minutes):
                (minutes < 0 ? "-" : "+") + padded(abs(minutes) / 60) + padded(abs(minutes) % 60)
            }
        return "\(date)T\(time)\(fraction)\(suffix)"
    }
}
