import Basics

/// What guests of one event have taken home since it was last written down: counts, and nothing of any single download.
struct DownloadTally: Equatable, Sendable {
    /// As what a photo was taken. The names stand in rows.
    enum Kind: String, Sendable {
        case photoScreen = "photo-screen"
        case photoOriginal = "photo-original"
        case zipScreen = "zip-screen"
        case zipOriginal = "zip-original"

        init(_ size: ArchiveWish.Size, isArchive: Bool) {
            switch (size, isArchive) {
            case (.screen, false): self = .photoScreen
            case (.original, false): self = .photoOriginal
            case (.screen, true): self = .zipScreen
            case (.original, true): self = .zipOriginal
            }
        }
    }

    struct Count: Equatable, Sendable {
        var times: Int64 = 0
        var photos: Int64 = 0
        var bytes: Int64 = 0

        static func += (left: inout Count, right: Count) {
            left.times += right.times
            left.photos += right.photos
            left.bytes += right.bytes
        }
    }

    struct Day: Hashable, Comparable, Sendable {
        /// Since 1970, in UTC.
        let number: Int64
        let kind: Kind

        static func < (left: Day, right: Day) -> Bool {
            (left.number, left.kind.rawValue) < (right.number, right.kind.rawValue)
        }
    }

    struct Guest: Equatable, Sendable {
        var count = Count()
        var lastDay: Int64
        /// The device as which it gives hearts and writes comments, where it does.
        var author: String?
    }

    /// One download, or a part of one.
    struct Entry: Equatable, Sendable {
        let kind: Kind
        let count: Count
        /// Those that were chosen one by one, by their sequences.
        let photos: [Int64]
        /// Empty where it is not known.
        let device: String
        let author: String?
        let day: Int64
    }

    private(set) var days: [Day: Count] = [:]
    /// How often each was taken, by its sequence.
    private(set) var photos: [Int64: Int64] = [:]
    private(set) var guests: [String: Guest] = [:]

    /// An event has so many guests that are told apart; what others take is counted together.
    static let mostGuests = 1000
    /// Of so many photos of an event it is counted how often each was taken.
    static let mostPhotos = 20_000
    /// What is older is one sum.
    static let mostDays: Int64 = 400

    mutating func add(_ entry: Entry) {
        days[Day(number: entry.day, kind: entry.kind), default: Count()] += entry.count
        for photo in entry.photos { photos[photo, default: 0] += 1 }
        add(Guest(count: entry.count, lastDay: entry.day, author: entry.author), as: entry.device)
    }

    /// What could not be written is written with what comes after it.
    mutating func add(_ other: DownloadTally) {
        for (day, count) in other.days { days[day, default: Count()] += count }
        for (photo, times) in other.photos { photos[photo, default: 0] += times }
        for (device, theirs) in other.guests { add(theirs, as: device) }
    }

    private mutating func add(_ taken: Guest, as device: String) {
        let isKnown = guests[device] != nil || guests.count < Self.mostGuests
        let device = isKnown ? device : ""
        var guest = guests[device] ?? Guest(lastDay: taken.lastDay)
        guest.count += taken.count
        guest.lastDay = max(guest.lastDay, taken.lastDay)
        if !device.isEmpty { guest.author = taken.author ?? guest.author }
        guests[device] = guest
    }
}

extension Timestamp {
    /// Since 1970, in UTC.
    var day: Int64 { max(0, hours / 24) }
}
