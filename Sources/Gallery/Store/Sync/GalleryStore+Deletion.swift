import Basics
import Database

/// What is deleted stays as a row that says so, for clients that were away. Its files go: their keys are due for removal in
/// the same transaction, so that a crash forgets none.
extension GalleryStore {
    /// DELETE /photos/{id}: the event that it was in; nothing when this owner has no such photo.
    package func deletePhoto(_ id: String, of owner: String) throws -> String? {
        let now = wall.wallNow
        return try write {
            try lock(account: owner)
            guard let photo = try database.photo(id), photo.owner == owner else { return nil }
            try removePhoto(photo, deletedAt: now, updatedAt: nil)
            return photo.event
        }
    }

    /// DELETE /events/{id}: false when this owner has no such event.
    package func deleteEvent(_ id: String, of owner: String) throws -> Bool {
        let now = wall.wallNow
        return try write {
            try lock(account: owner)
            guard let event = try database.event(id), event.owner == owner else { return false }
            try removeEvent(id, of: owner, deletedAt: now, updatedAt: nil)
            return true
        }
    }

    // MARK: Parts of a transaction

    /// Without a time of its own the change is newer than the last, whatever clock that was made by.
    func removePhoto(_ photo: Photo, deletedAt: Timestamp, updatedAt: Timestamp?) throws {
        try purgeSoon(.ofPhoto(photo.id))
        try discard(Self.keysOfPhotos("id = ?2 AND deleted_at IS NULL"), of: photo.id)
        try database.run("DELETE FROM photo_albums WHERE photo_id = ?", photo.id)
        try markDeleted(
            .photo, photo.id, of: photo.owner, deletedAt: deletedAt, updatedAt: updatedAt)
        try removeReactions(ofPhoto: photo.id)
        try forgetGuest(ofPhoto: photo.id)
        try removeDownloads(ofPhoto: photo.id)
        if let event = try event(photo.event) {
            note(.photoDeleted(photo, in: event, stamp: try lastStamp(ofEvent: event.id)))
        }
    }

    /// With all that is in it. Uploads that were on their way have failed, and say why.
    func removeEvent(_ id: String, of owner: String, deletedAt: Timestamp, updatedAt: Timestamp?) throws {
        try purgeSoon(.ofEvent(id))
        try discard(Self.keysOfPhotos("event_id = ?2 AND deleted_at IS NULL"), of: id)
        try discard(Self.keysOfUploads("event_id"), of: id)
        try discard(Self.keysOfLogos("id = ?2"), of: id)
        try database.run("UPDATE events SET logo_key = NULL WHERE id = ?", id)
        try database.run(
            """
            UPDATE uploads SET status = 'failed', error_code = ?, error_message = 'its event has been deleted',
                object_key = NULL WHERE event_id = ? AND status <> 'completed'
            """, UploadStateMachine.Code.eventGone.rawValue, id)
        for table in ["places", "tus_uploads"] {
            try database.run(
                "DELETE FROM \(table) WHERE upload_id IN (SELECT id FROM uploads WHERE event_id = ?)", id)
        }
        try database.run(
            "DELETE FROM photo_albums WHERE photo_id IN (SELECT id FROM photos WHERE event_id = ?)", id)
        for kind in [SyncKind.photo, .album] {
            try markDeleted(all: kind, in: id, of: owner, deletedAt: deletedAt)
        }
        try removeReactions(ofEvent: id)
        try forgetGuests(ofEvent: id)
        try removeDownloads(ofEvent: id)
        try removeReminders(ofEvent: id)
        try markDeleted(.event, id, of: owner, deletedAt: deletedAt, updatedAt: updatedAt)
        note(.eventDeleted(id))
    }

    func markDeleted(
        _ kind: SyncKind, _ id: String, of owner: String, deletedAt: Timestamp, updatedAt: Timestamp?
    ) throws {
        let stamp = try nextStamp(of: owner)
        let later = database.dialect.greater("?1", "updated_at + 1")
        try database.run(
            """
            UPDATE \(kind.table) SET deleted_at = ?1, updated_at = coalesce(?2, \(later)), stamp = ?3\(Self.blank(kind))
                WHERE id = ?4
            """, deletedAt.milliseconds, updatedAt?.milliseconds, stamp, id)
    }

    /// Everything of a kind in an event at once, each with a stamp of its own: there may be fifty thousand photos, and
    /// all other writes wait meanwhile.
    private func markDeleted(
        all kind: SyncKind, in event: String, of owner: String, deletedAt: Timestamp
    ) throws {
        let count = try database.count("FROM \(kind.table) WHERE event_id = ? AND deleted_at IS NULL", event)
        guard count > 0 else { return }
        let first = try nextStamp(of: owner, count: count)
        let later = database.dialect.greater("?1", "updated_at + 1")
        try database.run(
            """
            UPDATE \(kind.table) SET deleted_at = ?1, updated_at = \(later), stamp = ?2 + numbered.place - 1\(Self.blank(kind))
                FROM (SELECT id, row_number() OVER (ORDER BY stamp) AS place FROM \(kind.table)
                    WHERE event_id = ?3 AND deleted_at IS NULL) AS numbered
                WHERE \(kind.table).id = numbered.id
            """, deletedAt.milliseconds, first, event)
    }

    /// Its colours are a part of the picture, and go with it.
    private static func blank(_ kind: SyncKind) -> String { kind == .photo ? ", placeholder = NULL" : "" }

    // MARK: Files

    static func keysOfPhotos(_ condition: String) -> String {
        ["thumb_key", "tile_key", "screen_key", "original_key", "stream_key"]
            .map { "SELECT \($0) FROM photos WHERE \(condition) AND \($0) IS NOT NULL" }
            .joined(separator: " UNION ALL ")
    }

    /// Where their bytes lie, every place that they were given, and what has come in pieces.
    static func keysOfUploads(_ column: String) -> String {
        """
        SELECT object_key FROM uploads WHERE \(column) = ?2 AND object_key IS NOT NULL
        UNION SELECT p.object_key FROM places AS p JOIN uploads AS u ON u.id = p.upload_id WHERE u.\(column) = ?2
        UNION SELECT t.object_key FROM tus_pieces AS t JOIN uploads AS u ON u.id = t.upload_id WHERE u.\(column) = ?2
        """
    }

    /// Puts keys, selected by an id in the second place, among the removals: due now, but a place may be filled as long as
    /// its address is good, so it is due when that has ended.
    func discard(_ keys: String, of id: String) throws {
        let due = database.dialect.greater("?1", "coalesce(p.expires_at, ?1)")
        let earlier = database.dialect.lesser("removals.due_at", "excluded.due_at")
        try database.run(
            """
            WITH keys (object_key) AS (\(keys))
            INSERT INTO removals (object_key, due_at)
                SELECT k.object_key, \(due)
                    FROM keys AS k LEFT JOIN places AS p ON p.object_key = k.object_key WHERE true
                ON CONFLICT (object_key) DO UPDATE SET due_at = \(earlier)
            """, wall.wallNow.milliseconds, id)
    }
}
