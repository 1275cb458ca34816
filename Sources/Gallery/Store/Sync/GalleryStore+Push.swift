import Basics
import Bridge
import Database

/// Why one change was not taken. The others are none the worse for it.
struct SyncRefusal: Error, Equatable, Sendable {
    enum Reason: Equatable, Sendable {
        /// Also for what is another account's.
        case notFound
        /// It makes no sense, alone or with what is there.
        case wrong
        /// Something else is in its way.
        case conflict
        case clockAhead
        /// It was deleted, and cannot return.
        case gone
    }

    let reason: Reason
    let message: String

    init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    static func notFound(_ what: String) -> SyncRefusal {
        SyncRefusal(.notFound, "there is no such \(what)")
    }
    static func wrong(_ message: String) -> SyncRefusal { SyncRefusal(.wrong, message) }
}

/// What came of one change.
enum SyncResult: Equatable, Sendable {
    case taken
    /// What the server has is as new, or newer, and is told.
    case lost
    case refused(SyncRefusal)
}

/// Changes that clients bring.
extension GalleryStore {
    /// All changes of a call, in one transaction: those that can be taken are, each with a stamp of its own.
    func push(_ changes: [SyncChange], of owner: String) throws -> [SyncResult] {
        let now = wall.wallNow
        return try write {
            try lock(account: owner)
            return try changes.map { change in
                do {
                    return try apply(change, owner, now)
                } catch let refusal as SyncRefusal {
                    return .refused(refusal)
                }
            }
        }
    }

    private struct Known {
        let owner: String
        let event: String
        let version: RecordVersion
    }

    private func known(_ kind: SyncKind, _ id: String) throws -> Known? {
        let event = kind == .event ? "id" : "event_id"
        return try database.first(
            "SELECT owner_id, \(event) AS event_id, updated_at, deleted_at FROM \(kind.table) WHERE id = ?",
            id
        ) { row in
            Known(
                owner: try row["owner_id"], event: try row["event_id"], version: try RecordVersion(row))
        }
    }

    /// Throws a refusal before anything of the change is written.
    private func apply(_ change: SyncChange, _ owner: String, _ now: Timestamp) throws -> SyncResult {
        let known = try known(change.kind, change.id)
        if let known, known.owner != owner { throw SyncRefusal.notFound(change.kind.rawValue) }
        let verdict = MergeRule.verdict(
            on: change.change, over: known?.version, at: now, mayReturn: change.kind.mayReturn)
        switch verdict {
        case .older, .tie: return .lost
        case .ahead:
            throw SyncRefusal(
                .clockAhead, "this change is dated more than five minutes ahead; set the clock right")
        case .gone: throw SyncRefusal(.gone, "this \(change.kind.rawValue) was deleted, with its files")
        case .accepted: break
        }
        if change.change.action == .delete {
            guard let known else { throw SyncRefusal.notFound(change.kind.rawValue) }
            try delete(change, of: owner, in: known.event)
        } else {
            try upsert(change, owner, known, now)
        }
        return .taken
    }

    private func delete(_ change: SyncChange, of owner: String, in event: String) throws {
        let updatedAt = change.change.updatedAt
        let deletedAt = change.change.deletedAt ?? updatedAt
        switch change.kind {
        case .event:
            try removeEvent(change.id, of: owner, deletedAt: deletedAt, updatedAt: updatedAt)
        case .album:
            try markDeleted(.album, change.id, of: owner, deletedAt: deletedAt, updatedAt: updatedAt)
            try noteAlbums(of: event)
        case .photo:
            guard let photo = try database.photo(change.id) else {
                // It is deleted already, and by an older change.
                return try markDeleted(
                    .photo, change.id, of: owner, deletedAt: deletedAt, updatedAt: updatedAt)
            }
            try removePhoto(photo, deletedAt: deletedAt, updatedAt: updatedAt)
        }
    }

    private func upsert(
        _ change: SyncChange, _ owner: String, _ known: Known?, _ now: Timestamp
    ) throws {
        switch change.fields {
        case .event(let fields):
            try upsertEvent(change, fields, owner, isNew: known == nil, now)
            // What of it is another is not said; a guest who may still look is back in two seconds.
            note(.accessChanged(to: change.id))
        case .album(let fields): try upsertAlbum(change, fields, owner, in: known?.event)
        case .photo(let fields):
            // A photo comes by its upload, and in no other way.
            guard let known else { throw SyncRefusal.notFound("photo") }
            try update(
                photo: change.id, fields, of: owner, in: known.event, at: change.change.updatedAt)
            if let photo = try database.photo(change.id), let event = try event(known.event) {
                note(.photoChanged(photo, in: event))
            }
        }
    }

    // MARK: Events

    private func upsertEvent(
        _ change: SyncChange, _ fields: EventFields, _ owner: String, isNew: Bool, _ now: Timestamp
    ) throws {
        if case .value(let slug) = fields.slug {
            let isTaken = try database.has(
                "SELECT 1 FROM events WHERE slug = ? AND id <> ?", slug, change.id)
            if isTaken {
                throw SyncRefusal(.conflict, "the slug \(slug) belongs to another event; choose another")
            }
        }
        let moments = try moments(of: change.id, fields)
        if isNew {
            guard case .value(let name) = fields.name else {
                throw SyncRefusal.wrong("a new event needs a name")
            }
            guard try database.count("FROM events WHERE owner_id = ?", owner) < Self.mostEvents else {
                throw SyncRefusal(.conflict, "an account has at most \(Self.mostEvents) events")
            }
            try database.run(
                """
                INSERT INTO events (id, owner_id, name, slug, starts_at, expires_at, guest_key, created_at, updated_at,
                    stamp, allows_hearts, allows_comments) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 1)
                """, change.id, owner, name,
                fields.slug.applied(to: nil) ?? EventSlug.made(from: name, random: random),
                moments.begin?.milliseconds,
                moments.end?.milliseconds, GuestLinkKey(random: random).bytes,
                now.milliseconds,
                change.change.updatedAt.milliseconds, try nextStamp(of: owner))
            return
        }
        try set(.event, change.id, "name", fields.name) { $0 }
        // An event always has an address: clearing it leaves it.
        try set(.event, change.id, "slug", fields.slug, mayClear: false) { $0 }
        if let end = moments.end, try event(change.id)?.expiresAt != end {
            try purgeSoon(.ofEvent(change.id))
        }
        // Both at once: between one and the other it may end before it begins.
        try database.run(
            "UPDATE events SET starts_at = ?, expires_at = ? WHERE id = ?", moments.begin?.milliseconds,
            moments.end?.milliseconds, change.id)
        try markChanged(.event, change.id, of: owner, at: change.change.updatedAt)
    }

    /// When it begins and ends once the change is taken.
    private func moments(
        of event: String, _ fields: EventFields
    ) throws -> (begin: Timestamp?, end: Timestamp?) {
        let old = try database.first("SELECT starts_at, expires_at FROM events WHERE id = ?", event) { row in
            (begin: try row.optionalMoment("starts_at"), end: try row.optionalMoment("expires_at"))
        }
        let (begin, end) = (
            fields.startsAt.applied(to: old?.begin), fields.expiresAt.applied(to: old?.end)
        )
        do throws(GalleryRefusal) {
            try Self.checkOrder(begin, end)
        } catch {
            throw SyncRefusal.wrong("\(error)")
        }
        return (begin, end)
    }

    // MARK: Albums

    private func upsertAlbum(
        _ change: SyncChange, _ fields: AlbumFields, _ owner: String, in known: String?
    ) throws {
        if let known, case .value(let event) = fields.event, event != known {
            throw SyncRefusal.wrong("an album stays in its event")
        }
        guard let event = known ?? fields.event.applied(to: nil) else {
            throw SyncRefusal.wrong("a new album needs an eventId")
        }
        let isThere = try database.has(
            "SELECT 1 FROM events WHERE id = ? AND owner_id = ? AND deleted_at IS NULL", event, owner)
        guard isThere else { throw SyncRefusal.notFound("event") }
        if known == nil {
            guard case .value(let name) = fields.name else {
                throw SyncRefusal.wrong("a new album needs a name")
            }
            try database.run(
                """
                INSERT INTO albums (id, event_id, owner_id, name, position, updated_at, stamp)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                """, change.id, event, owner, name, fields.order.applied(to: 0),
                change.change.updatedAt.milliseconds, try nextStamp(of: owner))
            return
        }
        try set(.album, change.id, "name", fields.name) { $0 }
        try set(.album, change.id, "position", fields.order) { $0 }
        try markChanged(.album, change.id, of: owner, at: change.change.updatedAt)
        try noteAlbums(of: event)
    }

    // MARK: Columns

    func set<Value, Kept: Storable>(
        _ kind: SyncKind, _ id: String, _ column: String, _ change: FieldChange<Value>, mayClear: Bool = true,
        _ kept: (Value) -> Kept
    ) throws {
        switch change {
        case .absent: return
        case .cleared:
            if mayClear { try database.run("UPDATE \(kind.table) SET \(column) = NULL WHERE id = ?", id) }
        case .value(let value):
            try database.run("UPDATE \(kind.table) SET \(column) = ? WHERE id = ?", kept(value), id)
        }
    }

    /// What was deleted is back.
    func markChanged(_ kind: SyncKind, _ id: String, of owner: String, at updatedAt: Timestamp) throws {
        try database.run(
            "UPDATE \(kind.table) SET updated_at = ?, deleted_at = NULL, stamp = ? WHERE id = ?",
            updatedAt.milliseconds, try nextStamp(of: owner), id)
    }
}
