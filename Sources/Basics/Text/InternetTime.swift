/// Moments as the protocols of the Internet write them.
extension Timestamp {
    /// `2026-11-21T18:59:03.123Z` (RFC 3339 §5.6). Another zone than UTC is applied; what is finer than a millisecond
    /// is left out. Nil for anything else.
    public init?(rfc3339 text: String) {
        var reader = TimeReader(text)
        guard let year = reader.number(digits: 4), reader.take("-"), let month = reader.number(digits: 2),
            reader.take("-"), let day = reader.number(digits: 2), reader.take("T") || reader.take("t"),
            let clock = reader.clock(),
            let civil = CivilTime(
                year: year, month: month, day: day, hour: clock.hour, minute: clock.minute,
                second: clock.second),
            let thousandths = reader.fraction(), let offset = reader.zone(), reader.isAtEnd
        else { return nil }
        self.init(milliseconds: (civil.secondsSince1970 - offset) * 1000 + thousandths)
    }

    /// `Sat, 21 Nov 2026 18:59:03 GMT`. "Recipients of a timestamp value MUST accept all three HTTP-date formats"
    /// (RFC 9110 §5.6.7); the weekday is not held against the date. Nil for anything else.
    public init?(httpDate text: String) {
        guard text.utf8.count <= 64 else { return nil }
        for form in [Self.fixed, Self.obsolete, Self.asctime] {
            var reader = TimeReader(text)
            if let civil = form(&reader), reader.isAtEnd {
                self.init(milliseconds: civil.secondsSince1970 * 1000)
                return
            }
        }
        return nil
    }

    /// The preferred of the three: `Sat, 21 Nov 2026 18:59:03 GMT`.
    public var httpDate: String {
        let civil = CivilTime(secondsSince1970: seconds)
        let days = (seconds - Int64(civil.hour * 3600 + civil.minute * 60 + civil.second)) / 86_400
        // The first day of 1970 was a Thursday.
        let weekday = TimeReader.weekdays[Int(((days + 4) % 7 + 7) % 7)]
        let day = CivilTime.padded(civil.day.magnitude, 2)
        let year = CivilTime.padded(civil.year.magnitude, 4)
        return
            "\(weekday), \(day) \(TimeReader.months[civil.month - 1]) \(year) \(civil.clock(separator: ":")) GMT"
    }

    private static func fixed(_ reader: inout TimeReader) -> CivilTime? {
        guard reader.takeWord(of: TimeReader.weekdays), reader.take(","), reader.take(" "),
            let day = reader.number(digits: 2), reader.take(" "), let month = reader.month(),
            reader.take(" "), let year = reader.number(digits: 4), reader.take(" "),
            let clock = reader.clock(), reader.take(" "), reader.takeWord(of: ["GMT"])
        else { return nil }
        return CivilTime(
            year: year, month: month, day: day, hour: clock.hour, minute: clock.minute, second: clock.second)
    }

    /// `Saturday, 21-Nov-26 18:59:03 GMT`, which does not say the century: the years from 1970 on.
    private static func obsolete(_ reader: inout TimeReader) -> CivilTime? {
        guard reader.takeWord(of: TimeReader.longWeekdays), reader.take(","), reader.take(" "),
            let day = reader.number(digits: 2), reader.take("-"), let month = reader.month(),
            reader.take("-"), let year = reader.number(digits: 2), reader.take(" "),
            let clock = reader.clock(), reader.take(" "), reader.takeWord(of: ["GMT"])
        else { return nil }
        return CivilTime(
            year: year < 70 ? 2000 + year : 1900 + year, month: month, day: day, hour: clock.hour,
            minute: clock.minute, second: clock.second)
    }

    /// `Sat Nov 21 18:59:03 2026`, with a blank before a day of one digit.
    private static func asctime(_ reader: inout TimeReader) -> CivilTime? {
        guard reader.takeWord(of: TimeReader.weekdays), reader.take(" "), let month = reader.month(),
            reader.take(" ")
        else { return nil }
        let isShort = reader.take(" ")
        guard let day = reader.number(digits: isShort ? 1 : 2), reader.take(" "), let clock = reader.clock(),
            reader.take(" "), let year = reader.number(digits: 4)
        else { return nil }
        return CivilTime(
            year: year, month: month, day: day, hour: clock.hour, minute: clock.minute, second: clock.second)
    }
}

/// Takes a written time apart from its beginning.
private struct TimeReader {
    static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let longWeekdays = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]

    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Array(text.utf8)[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func takeWord(of words: [String]) -> Bool {
        guard let word = words.first(where: { rest.starts(with: $0.utf8) }) else { return false }
        rest.removeFirst(word.utf8.count)
        return true
    }

    mutating func month() -> Int? {
        guard let index = Self.months.firstIndex(where: { rest.starts(with: $0.utf8) }) else { return nil }
        rest.removeFirst(3)
        return index + 1
    }

    mutating func number(digits: Int) -> Int? {
        guard rest.count >= digits, let value = CivilTime.number(rest.prefix(digits)) else { return nil }
        rest.removeFirst(digits)
        return value
    }

    mutating func clock() -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = number(digits: 2), take(":"), let minute = number(digits: 2), take(":"),
            let second = number(digits: 2)
        else { return nil }
        return (hour, minute, second)
    }

    /// Thousandths of a second; zero where nothing is said.
    mutating func fraction() -> Int64? {
        guard take(".") else { return 0 }
        let digits = rest.prefix(while: CivilTime.isDigit)
        guard !digits.isEmpty, digits.count <= 18 else { return nil }
        rest.removeFirst(digits.count)
        return (0..<3).reduce(0) { value, place in
            let digit = place < digits.count ? digits[digits.startIndex + place] - UInt8(ascii: "0") : 0
            return value * 10 + Int64(digit)
        }
    }

    /// Seconds ahead of UTC.
    mutating func zone() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let sign: Int64 = take("+") ? 1 : -1
        guard sign > 0 || take("-"), let hours = number(digits: 2), take(":"),
            let minutes = number(digits: 2), hours < 24, minutes < 60
        else { return nil }
        return sign * Int64(hours * 3600 + minutes * 60)
    }
}

extension HTTPResponse {
    /// The other side's clock when it answered, where it says so.
    public var date: Timestamp? { self["Date"].flatMap { Timestamp(httpDate: $0) } }

    /// Longer than any caller waits, in seconds.
    private static var longestWait: Int64 { 24 * 3600 }

    /// How long the other side asks to be left alone, a day at most: "either a non-negative number of seconds or an HTTP-date"
    /// (RFC 9110 §10.2.3). A date is measured on its own clock where that is known.
    public func retryAfter(at now: Timestamp) -> Duration? {
        guard let text = self["Retry-After"] else { return nil }
        if !text.isEmpty, text.utf8.count <= 9, text.utf8.allSatisfy(CivilTime.isDigit) {
            return Int64(text).map { .seconds(min($0, Self.longestWait)) }
        }
        guard let moment = Timestamp(httpDate: text) else { return nil }
        return min(max(.zero, moment - (date ?? now)), .seconds(Self.longestWait))
    }
}
