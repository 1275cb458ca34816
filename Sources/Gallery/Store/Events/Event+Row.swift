import Basics
import Database

extension Event {
    private static let columns = """
        events.id, owner_id, name, slug, starts_at, expires_at, pin_hash, allows_originals, created_at, updated_at,
        photos, bytes, pending, failed, visible, guest_key, time_zone, guessed_offset, allows_hearts, allows_comments,
        \(GuestUploadTerms.columns), \(EventLook.columns)
        FROM events JOIN event_counts ON event_id = events.id
        """

    /// All that is known of events that are not deleted; the condition follows.
    static func select(_ more: String = "", where condition: String) -> String {
        "SELECT \(more) \(columns) WHERE deleted_at IS NULL AND \(condition)"
    }

    init(_ row: any SQLRow) throws {
        id = try row["id"]
        owner = try row["owner_id"]
        name = try row["name"]
        slug = try row["slug"]
        startsAt = try row.moment("starts_at")
        expiresAt = try row.moment("expires_at")
        pinHash = try row["pin_hash"]
        allowsOriginals = try row["allows_originals"]
        allowsHearts = try row["allows_hearts"]
        allowsComments = try row["allows_comments"]
        createdAt = try row.moment("created_at")
        updatedAt = try row.moment("updated_at")
        counts = Counts(
            photos: try row["photos"], bytes: try row["bytes"], pending: try row["pending"],
            failed: try row["failed"], visible: try row["visible"])
        key = try GuestLinkKey(row["guest_key"])
        timeZone = try row.get("time_zone", as: String?.self).flatMap(ZoneName.init)
        guessedOffset = try row["guessed_offset"]
        look = try EventLook(row)
        guestUploads = try GuestUploadTerms(row)
    }

    /// The zone that its times are shown in, of a row with both columns.
    static func shownZone(_ row: any SQLRow) throws -> ZoneName? {
        shownZone(
            try row.get("time_zone", as: String?.self).flatMap(ZoneName.init),
            guessed: try row["guessed_offset"])
    }
}

extension SQLSession {
    func event(_ id: String) throws -> Event? {
        try first(Event.select(where: "events.id = ?"), id, as: Event.init)
    }

    func event(slug: String) throws -> Event? {
        try first(Event.select(where: "slug = ?"), slug, as: Event.init)
    }

    /// With the last change of anything of its owner's: one question instead of two, before a list is read.
    func eventAndStamp(slug: String) throws -> (event: Event, stamp: Int64)? {
        let stamp = "(SELECT stamp FROM accounts WHERE accounts.id = owner_id) AS last_stamp,"
        return try first(Event.select(stamp, where: "slug = ?"), slug) { row in
            (try Event(row), try row["last_stamp"])
        }
    }

    func events(named name: String) throws -> [Event] {
        try all(
            Event.select(where: "(name = ? OR events.id = ? OR slug = ?) LIMIT 3"), name, name, name,
            as: Event.init)
    }

    func events(of account: String) throws -> [Event] {
        try all(
            Event.select(where: "owner_id = ? ORDER BY created_at DESC, events.id LIMIT ?"), account,
            GalleryStore.mostEvents, as: Event.init)
    }

    /// Events of galleries that knew no keys have one from then on.
    func giveGuestKeys(_ random: any RandomSource) throws {
        let ids = try all("SELECT id FROM events WHERE guest_key IS NULL") {
            try $0.get("id", as: String.self)
        }
        guard !ids.isEmpty else { return }
        try transaction {
            for id in ids {
                try run(
                    "UPDATE events SET guest_key = ? WHERE id = ?", GuestLinkKey(random: random).bytes, id)
            }
        }
    }
}
