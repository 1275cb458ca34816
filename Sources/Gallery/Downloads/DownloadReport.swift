import Basics

/// What hosts learn of what guests took home.
struct DownloadReport: Sendable {
    struct Line: Equatable, Sendable {
        /// Since 1970, in UTC; 0 for what is too old to be kept by days.
        let day: Int64
        /// As it stands in the row: a later version may have written another.
        let kind: String
        let count: DownloadTally.Count
    }

    struct Guest: Equatable, Sendable {
        /// 0 for all that are not told apart.
        let number: Int64
        /// As the same browser called itself in its last comment.
        let name: String?
        let count: DownloadTally.Count
        let lastDay: Int64
    }

    /// The latest day first.
    let lines: [Line]
    /// Those that were taken most often first.
    let photos: [(photo: Photo, times: Int64)]
    /// Those that took most first.
    let guests: [Guest]
    /// How many guests there are that are told apart.
    let countOfGuests: Int

    static let mostPhotos = 50
    static let mostGuests = 200
}

extension DownloadReport {
    var json: JSONValue {
        let kinds = Dictionary(grouping: lines, by: \.kind).sorted { $0.key < $1.key }
        let days = Dictionary(grouping: lines, by: \.day).sorted { $0.key > $1.key }
        return [
            "total": Self.json(lines, []),
            "kinds": .array(kinds.map { Self.json($0.value, [("kind", .string($0.key))]) }),
            "days": .array(days.map { Self.json($0.value, [("day", Self.date($0.key))]) }),
            "photos": .array(photos.map { ["photo": $0.photo.json, "times": .integer($0.times)] }),
            "guests": .array(guests.map(\.json)), "guestCount": .integer(Int64(countOfGuests)),
        ]
    }

    private static func json(_ lines: [Line], _ first: [(key: String, value: JSONValue)]) -> JSONValue {
        var sum = DownloadTally.Count()
        for line in lines { sum += line.count }
        return .object(first + sum.members)
    }

    /// "2026-11-21"; nothing for what is older than days are kept.
    static func date(_ day: Int64) -> JSONValue {
        day == 0 ? .null : .string("\(CivilTime(secondsSince1970: day * 86_400).date)")
    }
}

extension DownloadReport.Guest {
    fileprivate var json: JSONValue {
        .object(
            [
                ("guest", number == 0 ? .null : .integer(number)), ("name", name.json),
                ("lastDay", DownloadReport.date(lastDay)), ("times", .integer(count.times)),
                ("bytes", .integer(count.bytes)),
            ])
    }
}

extension DownloadTally.Count {
    fileprivate var members: [(key: String, value: JSONValue)] {
        [("times", .integer(times)), ("photos", .integer(photos)), ("bytes", .integer(bytes))]
    }
}
