import Basics

/// The rule by which clocks are set from some time on, as POSIX writes it in TZ: "CET-1CEST,M3.5.0,M10.5.0/3".
struct ZoneFooter: Equatable, Sendable {
    /// A day of the year, and a time of day that may be on another.
    private struct Change: Equatable {
        enum Day: Equatable {
            /// The first of a weekday in the month, the second, …, 5 for the last. Sunday is 0.
            case week(month: Int, week: Int, weekday: Int)
            /// From 1; 29 February is never counted.
            case julian(Int)
            /// From 0.
            case ordinal(Int)
        }

        let day: Day
        let seconds: Int64
    }

    private let standard: Int64
    private let summer: (offset: Int64, begins: Change, ends: Change)?

    static func == (left: ZoneFooter, right: ZoneFooter) -> Bool {
        left.standard == right.standard && left.summer?.offset == right.summer?.offset
            && left.summer?.begins == right.summer?.begins && left.summer?.ends == right.summer?.ends
    }

    init?(_ text: String) {
        var reader = Reader(rest: text[...])
        guard reader.skipName(), let standard = reader.time(mostHours: 24) else { return nil }
        // West is positive there.
        self.standard = -standard
        if reader.rest.isEmpty {
            summer = nil
            return
        }
        guard reader.skipName() else { return nil }
        var offset = self.standard + 3600
        if reader.rest.first != "," {
            guard let told = reader.time(mostHours: 24) else { return nil }
            offset = -told
        }
        guard let begins = reader.change(), let ends = reader.change(), reader.rest.isEmpty else {
            return nil
        }
        summer = (offset, begins, ends)
    }

    func offset(at seconds: Int64) -> Int64 {
        guard let summer else { return standard }
        let year = CivilTime(secondsSince1970: seconds + standard).year
        let begins = Self.seconds(of: summer.begins, in: year) - standard
        let ends = Self.seconds(of: summer.ends, in: year) - summer.offset
        let isSummer =
            begins < ends ? (begins..<ends).contains(seconds) : !(ends..<begins).contains(seconds)
        return isSummer ? summer.offset : standard
    }

    private static let day: Int64 = 86_400

    /// What a clock shows then, in seconds as if it were UTC.
    private static func seconds(of change: Change, in year: Int) -> Int64 {
        let newYear = midnight(year, 1)
        let isLeap = midnight(year + 1, 1) - newYear == 366 * day
        switch change.day {
        case .ordinal(let number): return newYear + Int64(number) * day + change.seconds
        case .julian(let number):
            let passed = number - 1 + (isLeap && number > 59 ? 1 : 0)
            return newYear + Int64(passed) * day + change.seconds
        case .week(let month, let week, let weekday):
            let first = midnight(year, month)
            let end = month == 12 ? midnight(year + 1, 1) : midnight(year, month + 1)
            // 1 January 1970 was a Thursday.
            let weekdayOfFirst = ((first / day + 4) % 7 + 7) % 7
            var place = first + ((Int64(weekday) - weekdayOfFirst + 7) % 7 + Int64(week - 1) * 7) * day
            while place >= end { place -= 7 * day }
            return place + change.seconds
        }
    }

    /// When a month begins. A calendar of four digits has no later year to look for.
    private static func midnight(_ year: Int, _ month: Int) -> Int64 {
        CivilTime(
            year: min(max(year, 0), 9999), month: month, day: 1, hour: 0, minute: 0, second: 0
        )?.secondsSince1970 ?? 0
    }

    private struct Reader {
        var rest: Substring

        /// Three letters or more, or anything between angle brackets.
        mutating func skipName() -> Bool {
            if rest.first == "<" {
                guard let end = rest.firstIndex(of: ">") else { return false }
                rest = rest[rest.index(after: end)...]
                return true
            }
            let name = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(name.count)
            return name.count >= 3
        }

        mutating func take(_ sign: Character) -> Bool {
            guard rest.first == sign else { return false }
            rest = rest.dropFirst()
            return true
        }

        mutating func number(_ range: ClosedRange<Int>) -> Int? {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard (1...3).contains(digits.count), let number = Int(digits), range.contains(number) else {
                return nil
            }
            rest = rest.dropFirst(digits.count)
            return number
        }

        /// "[+|-]hh[:mm[:ss]]"
        mutating func time(mostHours: Int) -> Int64? {
            let isNegative = take("-")
            if !isNegative { _ = take("+") }
            guard let hours = number(0...mostHours) else { return nil }
            var seconds = Int64(hours) * 3600
            for unit: Int64 in [60, 1] where take(":") {
                guard let part = number(0...59) else { return nil }
                seconds += Int64(part) * unit
            }
            return isNegative ? -seconds : seconds
        }

        mutating func change() -> Change? {
            guard take(","), let day = day() else { return nil }
            guard take("/") else { return Change(day: day, seconds: 2 * 3600) }
            // "The time … can be from -167 through 167."
            return time(mostHours: 167).map { Change(day: day, seconds: $0) }
        }

        private mutating func day() -> Change.Day? {
            if take("M") {
                guard let month = number(1...12), take("."), let week = number(1...5), take("."),
                    let weekday = number(0...6)
                else { return nil }
                return .week(month: month, week: week, weekday: weekday)
            }
            if take("J") { return number(1...365).map { .julian($0) } }
            return number(0...365).map { .ordinal($0) }
        }
    }
}
