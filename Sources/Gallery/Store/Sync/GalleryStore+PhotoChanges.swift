import Basics
import Database

/// What an owner says about his photos, while he is offline.
extension GalleryStore {
    /// Part of a transaction. Throws a refusal before anything is written.
    func update(
        photo id: String, _ fields: PhotoFields, of owner: String, in event: String, at moment: Timestamp
    ) throws {
        if case .value(let albums) = fields.albums {
            for album in albums {
                let isInside = try database.has(
                    "SELECT 1 FROM albums WHERE id = ? AND event_id = ? AND owner_id = ?", album, event, owner
                )
                guard isInside else {
                    throw SyncRefusal.notFound("album in this photo's event: \(album)")
                }
            }
            try database.run("DELETE FROM photo_albums WHERE photo_id = ?", id)
            for album in Set(albums) {
                try database.run("INSERT INTO photo_albums (photo_id, album_id) VALUES (?, ?)", id, album)
            }
        }
        try set(.photo, id, "caption", fields.caption) { $0 }
        try set(.photo, id, "rating", fields.rating) { $0 }
        try set(.photo, id, "tags", fields.tags) { StoredTexts.text($0) }
        if case .value(true) = fields.isHidden { try purgeSoon(.ofPhoto(id)) }
        if case .value(false) = fields.isHidden { try approve(id) }
        try set(.photo, id, "hidden", fields.isHidden) { $0 }
        try markChanged(.photo, id, of: owner, at: moment)
    }
}
