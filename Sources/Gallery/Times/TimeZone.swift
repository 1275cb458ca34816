package import Basics

/// How far clocks somewhere are ahead of UTC: always the same, or by the rules of a place.
package struct TimeZone: Equatable, Sendable {
    private enum Rules: Equatable, Sendable {
        /// By so many seconds.
        case fixed(Int64)
        case place(ZoneRules)
    }

    private let rules: Rules

    package static let utc = TimeZone(minutes: 0)

    package init(minutes: Int) {
        rules = .fixed(Int64(minutes) * 60)
    }

    package init(_ rules: ZoneRules) {
        self.rules = .place(rules)
    }

    /// By how many seconds its clocks are ahead of UTC then.
    package func offset(at moment: Timestamp) -> Int64 {
        switch rules {
        case .fixed(let offset): offset
        case .place(let rules): rules.offset(at: moment.seconds)
        }
    }

    /// What its clocks show then, read as if it were UTC.
    package func clock(at moment: Timestamp) -> Timestamp {
        Timestamp(milliseconds: moment.milliseconds + offset(at: moment) * 1000)
    }

    /// When its clocks show that.
    ///
    /// In the night when they are set back they show an hour twice: a photo that came in the second hour is from then, since
    /// photos come soon, and none before it was taken. In the night when they are set forward they pass over an hour: a clock
    /// that shows it has not been set yet.
    package func moment(ofClock clock: Timestamp, arrived: Timestamp) -> Timestamp {
        let before = offset(at: clock + .seconds(-Self.longestNight))
        let after = offset(at: clock + .seconds(Self.longestNight))
        func moment(_ offset: Int64) -> Timestamp { clock + .seconds(-offset) }
        let shown = [before, after].filter { offset(at: moment($0)) == $0 }.map(moment)
        guard let first = shown.min(), let last = shown.max() else { return moment(before) }
        return last <= arrived + Self.clocksApart ? last : first
    }

    /// From any clock's reading to beyond any change that it may belong to: more than any zone is away from UTC.
    private static let longestNight: Int64 = 86_400
    /// By which the camera's clock and ours may differ while both are called right.
    private static let clocksApart = Duration.seconds(300)
}
