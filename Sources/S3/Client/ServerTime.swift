package import Basics

/// What servers say of time.
package enum ServerTime {
    /// "Sun, 06 Nov 1994 08:49:37 GMT": the format that a sender has to use (RFC 9110 §5.6.7).
    package static func moment(_ text: String) -> Timestamp? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = number(parts[1]),
            let month = months.firstIndex(of: String(parts[2])), let year = number(parts[3])
        else { return nil }
        let clock = parts[4].split(separator: ":").map(number)
        guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2] else {
            return nil
        }
        // The calendar's rules are known there.
        let ptp = padded(year, 4) + padded(month + 1, 2) + padded(day, 2) + "T" + padded(hour, 2)
        let civil = CivilTime(ptp: ptp + padded(minute, 2) + padded(second, 2))
        return civil.map { Timestamp(milliseconds: $0.secondsSince1970 * 1000) }
    }

    /// Longer than any caller waits.
    private static let longestWait = 24 * 3600

    /// How long a server asks to be left alone: seconds, or a date (RFC 9110 §10.2.3).
    package static func retryAfter(_ response: HTTPResponse, now: Timestamp) -> Duration? {
        guard let text = response["retry-after"] else { return nil }
        if let seconds = number(text[...]) { return .seconds(min(seconds, longestWait)) }
        guard let moment = moment(text) else { return nil }
        // By its own clock, which need not be ours.
        let now = response["date"].flatMap(self.moment) ?? now
        return min(max(.zero, moment - now), .seconds(longestWait))
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ digits: Substring) -> Int? {
        guard !digits.isEmpty, digits.utf8.count < 10, digits.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return Int(digits)
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
