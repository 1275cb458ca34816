/// A date and a time of day as a calendar and a clock on a wall show them, in no zone.
///
/// A camera's clock says what its owner set. Folders are named after that, not after what it would be
/// elsewhere.
public struct CivilTime: Equatable, Sendable {
    public let year: Int
    public let month: Int
    public let day: Int
    public let hour: Int
    public let minute: Int
    public let second: Int

    private static let secondsInDay: Int64 = 86_400
    /// The calendar repeats itself after 400 years.
    private static let daysInEra = 146_097
    /// From 1 March of the year 0, where an era begins, to 1 January 1970.
    private static let daysTo1970 = 719_468

    /// The Gregorian calendar, also for the time before there was one.
    public init(secondsSince1970 seconds: Int64) {
        let (days, secondOfDay) = Self.floored(seconds, by: Self.secondsInDay)
        let (era, dayOfEra) = Self.floored(days + Int64(Self.daysTo1970), by: Int64(Self.daysInEra))
        let inEra = Int(dayOfEra)
        // Years begin in March here, so that the day that leap years add is the last of its year.
        let yearOfEra = (inEra - inEra / 1460 + inEra / 36_524 - inEra / 146_096) / 365
        let dayOfYear = inEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + Int(era) * 400 + (month <= 2 ? 1 : 0)
        hour = Int(secondOfDay) / 3600
        minute = Int(secondOfDay) / 60 % 60
        second = Int(secondOfDay) % 60
    }

    /// What PTP calls a DateTime: `20261121T185903`, perhaps with `.1`, perhaps with `Z` or `+0100`.
    ///
    /// Nil for what no calendar has: a camera whose clock was never set may write month 0. A zone is not
    /// applied, and a leap second is the one before it.
    public init?(ptp text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 15, bytes[8] == UInt8(ascii: "T"), Self.isEnd(bytes[15...]),
            let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[4..<6]),
            let day = Self.number(bytes[6..<8]), let hour = Self.number(bytes[9..<11]),
            let minute = Self.number(bytes[11..<13]), let second = Self.number(bytes[13..<15])
        else { return nil }
        self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    /// Nil for what no calendar or clock has; a leap second is the one before it.
    public init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard (0...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.days(in: month, of: year), (0..<24).contains(hour), (0..<60).contains(minute),
            (0...60).contains(second)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = min(second, 59)
    }

    public var secondsSince1970: Int64 {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = Self.floored(Int64(yearFromMarch), by: 400)
        let monthFromMarch = Int64(month > 2 ? month - 3 : month + 9)
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * Int64(Self.daysInEra) + dayOfEra - Int64(Self.daysTo1970)
        // Midnight of the first day there is lies before the first second there is; the sum does not.
        return days &* Self.secondsInDay &+ Int64(hour * 3600 + minute * 60 + second)
    }

    /// 2026-11-21
    public var date: String {
        let sign = year < 0 ? "-" : ""
        return sign + Self.padded(year.magnitude, 4) + "-" + Self.padded(month.magnitude, 2) + "-"
            + Self.padded(day.magnitude, 2)
    }

    /// 185903, without colons, which a file name cannot have everywhere.
    public var time: String { clock(separator: "") }

    func clock(separator: String) -> String {
        [hour, minute, second].map { Self.padded($0.magnitude, 2) }.joined(separator: separator)
    }

    /// 2026-11-21T18:59:03.123Z
    public static func rfc3339(milliseconds: Int64) -> String {
        let (seconds, rest) = floored(milliseconds, by: 1000)
        let civil = CivilTime(secondsSince1970: seconds)
        guard (0...9999).contains(civil.year) else {
            return "\(civil.date)T\(civil.clock(separator: ":")).\(padded(rest.magnitude, 3))Z"
        }
        // Digit by digit: a page has hundreds of them.
        var text = [UInt8](repeating: 0, count: 24)
        var place = 0
        func add(_ value: Int, _ width: Int, then mark: Unicode.Scalar) {
            var value = value
            for digit in (place..<place + width).reversed() {
                text[digit] = UInt8(ascii: "0") + UInt8(value % 10)
                value /= 10
            }
            text[place + width] = UInt8(ascii: mark)
            place += width + 1
        }
        add(civil.year, 4, then: "-")
        add(civil.month, 2, then: "-")
        add(civil.day, 2, then: "T")
        add(civil.hour, 2, then: ":")
        add(civil.minute, 2, then: ":")
        add(civil.second, 2, then: ".")
        add(Int(rest), 3, then: "Z")
        return String(decoding: text, as: UTF8.self)
    }

    /// Rounded down, so that what is left is never negative before 1970 either.
    private static func floored(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    static func padded(_ value: some UnsignedInteger, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Digits only: `Int` would take a sign too.
    static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy(isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Nothing, a fraction, a zone, or both.
    private static func isEnd(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix(while: isDigit)
            guard !fraction.isEmpty else { return false }
            rest = rest[fraction.endIndex...]
        }
        switch rest.first {
        case nil: return true
        case UInt8(ascii: "Z"): return rest.count == 1
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            return rest.count == 5 && rest.dropFirst().allSatisfy(isDigit)
        default: return false
        }
    }
}

extension Timestamp {
    /// The moment that PTP's DateTime means, where a zone stands at its end: `20261121T185903Z`, `20261121T185903+0100`.
    /// Nil where none does: then it says what a clock on a wall showed, and not when.
    public init?(ptp text: String) {
        // Most cameras say no zone, and this is asked of every photo.
        guard text.utf8.count > 15, let civil = CivilTime(ptp: text),
            // Years of four digits wherever it is read, for that is all that can be written of it (RFC 3339 §1).
            (2...9998).contains(civil.year), let ahead = Self.secondsAheadOfUTC(at: Array(text.utf8))
        else { return nil }
        self.init(milliseconds: (civil.secondsSince1970 - ahead) * 1000)
    }

    /// Of a text that ends as a DateTime does.
    private static func secondsAheadOfUTC(at text: [UInt8]) -> Int64? {
        if text.last == UInt8(ascii: "Z") { return 0 }
        let zone = text.suffix(5)
        guard let sign = zone.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            let hours = CivilTime.number(zone.dropFirst().prefix(2)),
            let minutes = CivilTime.number(zone.suffix(2)),
            // No zone is further away.
            hours <= 14, minutes < 60
        else { return nil }
        return Int64(hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "+") ? 1 : -1)
    }
}
