import Basics
import Database

/// What a host makes, changes and gives away of events.
extension GalleryStore {
    /// Throws `notFound` for another account's event, too.
    func liveEvent(_ id: String, of account: String) throws -> Event {
        guard let event = try event(id), event.owner == account else { throw GalleryRefusal.notFound(.event) }
        return event
    }

    package func event(_ id: String) throws -> Event? { try database.event(id) }

    /// For operators, who know an event by its name.
    package func events(named name: String) throws -> [Event] { try database.events(named: name) }

    /// An account has at most this many.
    package static let mostEvents = 10_000

    /// The old one opens nothing any more. By its owner, or by the operator where no account is named; nothing where that
    /// account has no such event.
    package func renewKey(of id: String, by account: String? = nil) throws -> Event? {
        try write {
            try lockOwner(ofEvent: id)
            guard let event = try event(id), account == nil || event.owner == account else { return nil }
            try database.run(
                "UPDATE events SET guest_key = ? WHERE id = ?", GuestLinkKey(random: random).bytes, id)
            note(.accessChanged(to: id))
            return try self.event(id)
        }
    }

    package func makeEvent(_ wish: EventWish, for account: String) throws -> Event {
        try write {
            try lock(account: account)
            guard try database.count("FROM events WHERE owner_id = ?", account) < Self.mostEvents else {
                throw GalleryRefusal.tooManyEvents(Self.mostEvents)
            }
            try Self.checkOrder(wish.startsAt ?? nil, wish.expiresAt ?? nil)
            let name = wish.name ?? "Event"
            let slug = try freeSlug(wish.slug, for: name)
            let id = newID()
            let now = wall.wallNow.milliseconds
            try database.run(
                """
                INSERT INTO events (id, owner_id, name, slug, starts_at, expires_at, pin_hash, guest_key,
                    allows_originals, allows_hearts, allows_comments, time_zone, created_at, updated_at, stamp)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, id, account, name, slug, (wish.startsAt ?? nil)?.milliseconds,
                (wish.expiresAt ?? nil)?.milliseconds,
                wish.pinHash ?? nil, GuestLinkKey(random: random).bytes, wish.allowsOriginals ?? false,
                wish.allowsHearts ?? true, wish.allowsComments ?? true,
                (wish.timeZone ?? nil)?.text, now, now,
                try nextStamp(of: account))
            try setLook(wish.look, of: id)
            try setGuestUploads(wish.guestUploads, of: id)
            return try liveEvent(id, of: account)
        }
    }

    package func changeEvent(_ id: String, of account: String, _ wish: EventWish) throws -> Event {
        try write {
            try lock(account: account)
            let old = try liveEvent(id, of: account)
            try Self.checkOrder(wish.startsAt ?? old.startsAt, wish.expiresAt ?? old.expiresAt)
            try purgeSoon(old, wish)
            let slug = try wish.slug == nil || wish.slug == old.slug ? old.slug : freeSlug(wish.slug, for: "")
            try database.run(
                """
                UPDATE events SET name = ?, slug = ?, starts_at = ?, expires_at = ?, pin_hash = ?, allows_originals = ?,
                    allows_hearts = ?, allows_comments = ?, time_zone = ?, updated_at = \(database.dialect.greater("updated_at + 1", "?")),
                    stamp = ? WHERE id = ?
                """, wish.name ?? old.name, slug, (wish.startsAt ?? old.startsAt)?.milliseconds,
                (wish.expiresAt ?? old.expiresAt)?.milliseconds, wish.pinHash ?? old.pinHash,
                wish.allowsOriginals ?? old.allowsOriginals, wish.allowsHearts ?? old.allowsHearts,
                wish.allowsComments ?? old.allowsComments, (wish.timeZone ?? old.timeZone)?.text,
                wall.wallNow.milliseconds, try nextStamp(of: account), id)
            try setLook(wish.look, of: id)
            try setGuestUploads(wish.guestUploads, of: id)
            let event = try liveEvent(id, of: account)
            if event.shownZone != old.shownZone {
                try retime(id)
                try noteMoved(id)
            }
            if event.pinHash != old.pinHash || event.expiresAt != old.expiresAt {
                note(.accessChanged(to: id))
            }
            if old.allowsOriginals && !event.allowsOriginals { note(.originalsWithdrawn(in: id)) }
            if !old.allowsOriginals && event.allowsOriginals { note(.originalsGiven(in: id)) }
            if old.allowsHearts != event.allowsHearts || old.allowsComments != event.allowsComments {
                try noteReactions(of: id, after: try lastStamp(ofEvent: id))
            }
            return event
        }
    }

    /// Before an event is changed so that its guests see less, or for less long: caches may have what they were given for good.
    private func purgeSoon(_ old: Event, _ wish: EventWish) throws {
        guard old.isOpen else { return }
        let (pin, end) = (wish.pinHash ?? old.pinHash, wish.expiresAt ?? old.expiresAt)
        if pin != nil || end != nil && end != old.expiresAt {
            try purgeSoon(.ofEvent(old.id))
        } else if wish.allowsOriginals == false {
            try purgeSoon(.originalsOfEvent(old.id))
        }
    }

    /// Guests who may look until before it begins could never look. The schema says the same.
    static func checkOrder(_ begin: Timestamp?, _ end: Timestamp?) throws(GalleryRefusal) {
        if let begin, let end, end <= begin { throw .endsBeforeItBegins }
    }

    /// One that was wished for is taken or refused; one that is made here has a part that cannot be guessed.
    private func freeSlug(_ wanted: String?, for name: String) throws -> String {
        if let wanted {
            if try database.has("SELECT 1 FROM events WHERE slug = ?", wanted) {
                throw GalleryRefusal.slugTaken(wanted)
            }
            return wanted
        }
        return EventSlug.made(from: name, random: random)
    }
}
