package import Basics

/// An event as the database has it.
package struct Event: Equatable, Sendable {
    package let id: String
    package let owner: String
    package let name: String
    package let slug: String
    package let startsAt: Timestamp?
    package let expiresAt: Timestamp?
    package let pinHash: String?
    package let allowsOriginals: Bool
    package let allowsHearts: Bool
    package let allowsComments: Bool
    package let createdAt: Timestamp
    package let updatedAt: Timestamp
    package let counts: Counts
    package let key: GuestLinkKey
    /// As its host said.
    package let timeZone: ZoneName?
    /// By how many minutes clocks there are ahead of UTC, as its first photos tell.
    package let guessedOffset: Int?
    package let look: EventLook
    package var guestUploads = GuestUploadTerms()

    package struct Counts: Equatable, Sendable {
        package let photos: Int
        package let bytes: UInt64
        package let pending: Int
        package let failed: Int
        /// What guests count: without those that are hidden.
        package let visible: Int
    }

    /// Guests may look until its hosts' moment has come.
    func isOver(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }

    /// A moment of the last day on which guests can look, where that is soon: an end at midnight is the day before.
    func lastDay(at now: Timestamp) -> Timestamp? {
        guard let expiresAt, expiresAt - now <= Reminder.Stage.twoWeeks.ahead else { return nil }
        return Timestamp(milliseconds: expiresAt.milliseconds - 1)
    }

    /// The zone that its times are shown in; nothing while it is unknown.
    package var shownZone: ZoneName? { Self.shownZone(timeZone, guessed: guessedOffset) }

    static func shownZone(_ told: ZoneName?, guessed minutes: Int?) -> ZoneName? {
        told ?? minutes.map(ZoneName.init(minutes:))
    }

    /// What clocks showed then where the event is, as far as that place is known, read as if it were UTC.
    func clock(at moment: Timestamp, _ zones: TimeZones) -> Timestamp {
        (shownZone.flatMap(zones.known) ?? .utc).clock(at: moment)
    }

    /// All who have its address may look.
    package var isOpen: Bool { pinHash == nil }
}

/// What may be said of an event; nothing where nothing is said, `.some(nil)` where it is taken away.
package struct EventWish: Equatable, Sendable {
    package var name: String?
    package var slug: String?
    package var startsAt: Timestamp??
    package var expiresAt: Timestamp??
    package var pinHash: String??
    package var allowsOriginals: Bool?
    package var allowsHearts: Bool?
    package var allowsComments: Bool?
    package var timeZone: ZoneName??
    package var look = LookWish()
    package var guestUploads = GuestUploadWish()

    package init() {}
}
