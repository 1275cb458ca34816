package import Bridge
import Database

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
    package let createdAt: Timestamp
    package let updatedAt: Timestamp
    package let counts: Counts
    package let key: GuestKey
    /// As its host said.
    package let timeZone: ZoneName?
    /// By how many minutes clocks there are ahead of UTC, as its first photos tell.
    package let guessedOffset: Int?

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

    static let columns = """
        events.id, owner_id, name, slug, starts_at, expires_at, pin_hash, allows_originals, created_at, updated_at,
        photos, bytes, pending, failed, visible, guest_key, time_zone, guessed_offset
        FROM events JOIN event_counts ON event_id = events.id
        """

    init(_ row: Row) throws {
        id = try row.get(0)
        owner = try row.get(1)
        name = try row.get(2)
        slug = try row.get(3)
        startsAt = try row.moment(4)
        expiresAt = try row.moment(5)
        pinHash = try row.get(6)
        allowsOriginals = try row.get(7)
        createdAt = Timestamp(milliseconds: try row.get(8))
        updatedAt = Timestamp(milliseconds: try row.get(9))
        counts = Counts(
            photos: try row.get(10), bytes: try row.get(11), pending: try row.get(12),
            failed: try row.get(13),
            visible: try row.get(14))
        key = try GuestKey(row.get(15))
        timeZone = try row.get(16, as: String?.self).flatMap(ZoneName.init)
        guessedOffset = try row.get(17)
    }

    /// The zone that its times are shown in; nothing while nobody knows.
    package var shownZone: ZoneName? { timeZone ?? guessedOffset.map(ZoneName.init(minutes:)) }

    /// What clocks showed then where the event is, as far as anybody knows where that is, read as if it were UTC.
    func clock(at moment: Timestamp, _ zones: TimeZones) -> Timestamp {
        (shownZone.flatMap(zones.known) ?? .utc).clock(at: moment)
    }

    /// Whoever has its address may look.
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
    package var timeZone: ZoneName??

    package init() {}
}

extension GalleryStore {
    /// Also to be said of an event that is somebody else's.
    func liveEvent(_ id: String, of account: String) throws -> Event {
        guard let event = try event(id), event.owner == account else { throw APIError.notFound("event") }
        return event
    }

    package func event(_ id: String) throws -> Event? { try database.event(id) }

    /// Also where somebody only knows its name, as operators do.
    package func events(named name: String) throws -> [Event] { try database.events(named: name) }

    /// An account has at most this many.
    package static let mostEvents = 10_000

    /// The old one opens nothing any more.
    package func renewKey(of event: String) throws -> Event? {
        try database.run(
            "UPDATE events SET guest_key = ? WHERE id = ? AND deleted_at IS NULL",
            GuestKey(random: random).bytes,
            event)
        return try self.event(event)
    }

    package func makeEvent(_ wish: EventWish, for account: String) throws -> Event {
        try database.transaction {
            let count = try database.first("SELECT count(*) FROM events WHERE owner_id = ?", account) {
                try $0.get(0, as: Int.self)
            }
            guard count ?? 0 < Self.mostEvents else {
                throw APIError(.conflict, "an account has at most \(Self.mostEvents) events; delete some")
            }
            let name = wish.name ?? "Event"
            let slug = try freeSlug(wish.slug, for: name)
            let id = newID()
            let now = wall.wallNow.milliseconds
            try database.run(
                """
                INSERT INTO events (id, owner_id, name, slug, starts_at, expires_at, pin_hash, guest_key,
                    allows_originals, time_zone, created_at, updated_at, stamp)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, id, account, name, slug, (wish.startsAt ?? nil)?.milliseconds,
                (wish.expiresAt ?? nil)?.milliseconds,
                wish.pinHash ?? nil, GuestKey(random: random).bytes, wish.allowsOriginals ?? false,
                (wish.timeZone ?? nil)?.text, now, now,
                try next(.stamp))
            return try liveEvent(id, of: account)
        }
    }

    package func changeEvent(_ id: String, of account: String, _ wish: EventWish) throws -> Event {
        try database.transaction {
            let old = try liveEvent(id, of: account)
            let slug = try wish.slug == nil || wish.slug == old.slug ? old.slug : freeSlug(wish.slug, for: "")
            try database.run(
                """
                UPDATE events SET name = ?, slug = ?, starts_at = ?, expires_at = ?, pin_hash = ?, allows_originals = ?,
                    time_zone = ?, updated_at = max(updated_at + 1, ?), stamp = ? WHERE id = ?
                """, wish.name ?? old.name, slug, (wish.startsAt ?? old.startsAt)?.milliseconds,
                (wish.expiresAt ?? old.expiresAt)?.milliseconds, wish.pinHash ?? old.pinHash,
                wish.allowsOriginals ?? old.allowsOriginals, (wish.timeZone ?? old.timeZone)?.text,
                wall.wallNow.milliseconds, try next(.stamp), id)
            let event = try liveEvent(id, of: account)
            if event.shownZone != old.shownZone { try retime(id) }
            return event
        }
    }

    /// One that was wished for is taken or refused; one that is made here has something that nobody guesses.
    private func freeSlug(_ wanted: String?, for name: String) throws -> String {
        if let wanted {
            let isTaken = try database.first("SELECT 1 FROM events WHERE slug = ?", wanted) { _ in true }
            if isTaken != nil {
                throw APIError(.conflict, "the address '\(wanted)' is taken; choose another")
            }
            return wanted
        }
        return EventSlug.made(from: name, random: random)
    }
}

extension Connection {
    func event(_ id: String) throws -> Event? {
        try first("SELECT \(Event.columns) WHERE events.id = ? AND deleted_at IS NULL", id, as: Event.init)
    }

    func event(slug: String) throws -> Event? {
        try first("SELECT \(Event.columns) WHERE slug = ? AND deleted_at IS NULL", slug, as: Event.init)
    }

    func events(named name: String) throws -> [Event] {
        try all(
            "SELECT \(Event.columns) WHERE deleted_at IS NULL AND (name = ? OR events.id = ? OR slug = ?) LIMIT 3",
            name, name, name, as: Event.init)
    }

    func events(of account: String) throws -> [Event] {
        try all(
            """
            SELECT \(Event.columns) WHERE owner_id = ? AND deleted_at IS NULL
            ORDER BY created_at DESC, events.id LIMIT ?
            """, account, GalleryStore.mostEvents, as: Event.init)
    }
}
