import Basics
import Database

/// What a host sees of photos, and changes.
extension GalleryStore {
    package func photo(_ id: String, of account: String) throws -> Photo {
        guard let photo = try database.photo(id), photo.owner == account else {
            throw GalleryRefusal.notFound(.photo)
        }
        return photo
    }

    package func changePhoto(_ id: String, of account: String, _ wish: PhotoWish) throws -> Photo {
        try write {
            try lock(account: account)
            return try change(try photo(id, of: account), wish)
        }
    }

    /// The same for those of these photos that are this account's, in one transaction: all of them or none.
    func changePhotos(_ ids: [String], of account: String, _ wish: ManyPhotosWish) throws -> [Photo] {
        try write {
            try lock(account: account)
            return try ids.compactMap { id in
                guard let old = try database.photo(id), old.owner == account else { return nil }
                try put(old, into: wish.addedAlbums, outOf: wish.removedAlbums)
                return try change(old, wish.wish(for: old))
            }
        }
    }

    /// Says which were there.
    func deletePhotos(_ ids: [String], of account: String) throws -> [String] {
        let now = wall.wallNow
        return try write {
            try lock(account: account)
            return try ids.filter { id in
                guard let photo = try database.photo(id), photo.owner == account else { return false }
                try removePhoto(photo, deletedAt: now, updatedAt: nil)
                return true
            }
        }
    }

    /// Part of a transaction that has locked its owner.
    private func change(_ old: Photo, _ wish: PhotoWish) throws -> Photo {
        if wish.isHidden == true { try purgeSoon(.ofPhoto(old.id)) }
        if wish.isHidden == false { try approve(old.id) }
        try database.run(
            """
            UPDATE photos SET caption = ?, rating = ?, tags = ?, hidden = ?,
                updated_at = \(database.dialect.greater("updated_at + 1", "?")), stamp = ? WHERE id = ?
            """, wish.caption ?? old.caption, wish.rating ?? old.rating,
            StoredTexts.text(wish.tags ?? old.tags), wish.isHidden ?? old.isHidden,
            wall.wallNow.milliseconds,
            try nextStamp(of: old.owner), old.id)
        let photo = try photo(old.id, of: old.owner)
        if let event = try event(photo.event) { note(.photoChanged(photo, in: event)) }
        return photo
    }

    /// Those of these photos that are this account's, in the order they were asked for.
    func fates(of photos: [String], of account: String) throws -> [PhotoFate] {
        try photos.compactMap { id in
            try database.first(
                """
                SELECT id, event_id, size, sha256, original_key, hidden, deleted_at FROM photos
                WHERE id = ? AND owner_id = ?
                """, id, account
            ) { row in
                let isDeleted = try row.get("deleted_at", as: Int64?.self) != nil
                return PhotoFate(
                    id: try row["id"], event: try row["event_id"],
                    state: isDeleted ? .deleted : try row["hidden"] ? .hidden : .shown,
                    size: try row["size"], sha256: try row["sha256"], originalKey: try row["original_key"])
            }
        }
    }
}
