import Bridge
import Database

/// What an owner says about his photos.
extension GalleryStore {
    /// PATCH /photos/{id}: the event that it is in; nothing when this owner has no such photo. Throws a `SyncRefusal` for
    /// an album that is not in that event.
    func changePhoto(_ id: String, _ fields: PhotoFields, of owner: String) throws -> String? {
        let now = wall.wallNow
        return try database.transaction {
            let known = try database.first(
                "SELECT event_id, updated_at FROM photos WHERE id = ? AND owner_id = ? AND deleted_at IS NULL",
                id, owner
            ) { row in (event: try row.get(0, as: String.self), updated: try row.get(1, as: Int64.self)) }
            guard let known else { return nil }
            // Newer than the last change, whatever clock that was made by.
            let moment = max(now, Timestamp(milliseconds: known.updated + 1))
            try update(photo: id, fields, of: owner, in: known.event, at: moment)
            return known.event
        }
    }

    /// Part of a transaction. Throws a refusal before anything is written.
    func update(
        photo id: String, _ fields: PhotoFields, of owner: String, in event: String, at moment: Timestamp
    ) throws {
        if case .value(let albums) = fields.albums {
            for album in albums {
                let isInside = try database.first(
                    "SELECT 1 FROM albums WHERE id = ? AND event_id = ? AND owner_id = ?", album, event, owner
                ) { _ in true }
                guard isInside == true else {
                    throw SyncRefusal.notFound("album in this photo's event: \(album)")
                }
            }
            try database.run("DELETE FROM photo_albums WHERE photo_id = ?", id)
            for album in Set(albums) { try database.run("INSERT INTO photo_albums VALUES (?, ?)", id, album) }
        }
        try set(.photo, id, "caption", fields.caption) { $0 }
        try set(.photo, id, "rating", fields.rating) { $0 }
        try set(.photo, id, "tags", fields.tags) { PhotoFields.json(tags: $0) }
        try set(.photo, id, "hidden", fields.isHidden) { $0 }
        try markChanged(.photo, id, at: moment)
    }
}
