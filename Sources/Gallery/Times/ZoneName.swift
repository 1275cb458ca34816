import Basics
import Imaging

/// What a host calls a time zone: a place of the IANA's database, or a fixed difference such as "+05:30".
package struct ZoneName: Equatable, Sendable {
    package let text: String

    /// Nothing for what can be neither, wherever it is looked up.
    package init?(_ text: String) {
        guard text.utf8.count <= 64, Self.minutes(text) != nil || text.wholeMatch(of: Self.place) != nil
        else {
            return nil
        }
        self.text = text
    }

    package init(minutes: Int) {
        let (hours, rest) = abs(minutes).quotientAndRemainder(dividingBy: 60)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        text = "\(minutes < 0 ? "-" : "+")\(two(hours)):\(two(rest))"
    }

    /// Where it is a fixed difference.
    package var minutes: Int? { text == "UTC" ? 0 : Self.minutes(text) }

    /// "Europe/Vienna", "America/Argentina/Ushuaia", "Japan": letters first, so that it leads out of no folder.
    private static var place: Regex<(Substring, Substring?)> {
        /[A-Za-z][A-Za-z0-9_+\-]{0,20}(\/[A-Za-z0-9_+\-]{1,20}){0,2}/
    }

    private static func minutes(_ text: String) -> Int? {
        guard let match = text.wholeMatch(of: /([+\-])([0-9]{2}):([0-5][0-9])/), let hours = Int(match.2),
            let rest = Int(match.3)
        else { return nil }
        let minutes = (hours * 60 + rest) * (match.1 == "-" ? -1 : 1)
        return ExifTime.zones.contains(minutes) ? minutes : nil
    }
}

extension FieldRule where Value == ZoneName {
    package static var timeZone: FieldRule {
        FieldRule(ZoneName(minutes: 0)) { (json) throws(Breach) in
            guard let name = json.string.flatMap(ZoneName.init) else {
                throw Breach("must be a time zone such as Europe/Vienna, or a difference such as +01:00")
            }
            return name
        }
    }
}
