import Basics
import Database

extension EventLook {
    /// Among the columns of `events`. A cover that guests do not see at this moment is none: so it is gone with its photo,
    /// whatever hid or deleted that, and is the cover again when the photo is shown again.
    ///
    /// By the photo's own index alone (`LIMIT`): a database without statistics would as soon look through the event's photos.
    static let columns = """
        (SELECT cover.id FROM
            (SELECT id, event_id, deleted_at, hidden FROM photos WHERE id = events.cover_photo LIMIT 1) AS cover
            WHERE cover.event_id = events.id AND cover.deleted_at IS NULL AND cover.hidden = 0) AS cover,
        accent, theme, typeface, logo_key, logo_size, logo_width, logo_height
        """

    init(_ row: any SQLRow) throws {
        self.init()
        cover = try row["cover"]
        accent = try row.get("accent", as: String?.self).flatMap(RGBColour.init)
        // A name that a later version has given is none here.
        theme = Theme(rawValue: try row["theme"]) ?? theme
        typeface = Typeface(rawValue: try row["typeface"]) ?? typeface
        if let key = try row.get("logo_key", as: String?.self) {
            logo = EventLogo(
                key: key, size: try row["logo_size"], width: try row["logo_width"],
                height: try row["logo_height"])
        }
    }
}

/// What a host gives an event to look like.
extension GalleryStore {
    /// Part of a transaction that changes the event and gives it a stamp.
    func setLook(_ wish: LookWish, of event: String) throws {
        guard !wish.isEmpty else { return }
        if case .some(.some(let cover)) = wish.cover {
            let isSeen = try database.has(
                "SELECT 1 FROM photos WHERE id = ? AND event_id = ? AND deleted_at IS NULL AND hidden = 0",
                cover,
                event)
            guard isSeen else { throw GalleryRefusal.coverNotSeen }
        }
        if let cover = wish.cover {
            try database.run("UPDATE events SET cover_photo = ? WHERE id = ?", cover, event)
        }
        if let accent = wish.accent {
            try database.run("UPDATE events SET accent = ? WHERE id = ?", accent?.text, event)
        }
        if let theme = wish.theme {
            try database.run("UPDATE events SET theme = ? WHERE id = ?", theme.rawValue, event)
        }
        if let typeface = wish.typeface {
            try database.run("UPDATE events SET typeface = ? WHERE id = ?", typeface.rawValue, event)
        }
    }

    /// A key for a logo that is about to be kept. Should nothing become of it, it is swept.
    package func logoKey() throws -> String {
        try write { try passingKey() }
    }

    /// The event with this logo, or without any. The object of the one before is due for removal in the same transaction.
    package func setLogo(_ logo: EventLogo?, of id: String, by account: String) throws -> Event {
        try write {
            try lock(account: account)
            let old = try liveEvent(id, of: account)
            if let old = old.look.logo { try removeSoon([old.key]) }
            try database.run(
                """
                UPDATE events SET logo_key = ?, logo_size = ?, logo_width = ?, logo_height = ?,
                    updated_at = \(database.dialect.greater("updated_at + 1", "?")), stamp = ? WHERE id = ?
                """, logo?.key, logo?.size, logo?.width, logo?.height, wall.wallNow.milliseconds,
                try nextStamp(of: account), id)
            if let logo { try database.run("DELETE FROM removals WHERE object_key = ?", logo.key) }
            return try liveEvent(id, of: account)
        }
    }

    /// The objects of logos, selected by an id in the second place.
    static func keysOfLogos(_ condition: String) -> String {
        "SELECT logo_key FROM events WHERE \(condition) AND logo_key IS NOT NULL"
    }
}
