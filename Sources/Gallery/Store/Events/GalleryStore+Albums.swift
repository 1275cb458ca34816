import Basics
import Database

extension SQLSession {
    /// In their order.
    func albums(of event: String) throws -> [Album] { try albums("event_id = ?", event) }

    fileprivate func albums(_ condition: String, _ value: String) throws -> [Album] {
        try all(
            """
            SELECT id, event_id, name, position, (SELECT count(*) FROM photo_albums JOIN photos ON photos.id = photo_id
                WHERE album_id = albums.id AND photos.deleted_at IS NULL) AS photos
            FROM albums WHERE deleted_at IS NULL AND \(condition) ORDER BY position, id LIMIT ?
            """, value, GalleryStore.mostAlbums
        ) { row in
            Album(
                id: try row["id"], event: try row["event_id"], name: try row["name"],
                order: try row["position"],
                photos: try row["photos"])
        }
    }
}

extension GalleryReader {
    func albums(of event: String) throws -> [Album] { try database.albums(of: event) }
}

/// Albums, as a host's page makes them and puts photos into them.
extension GalleryStore {
    /// Of an event, as far as they are made and listed here.
    static let mostAlbums = 500
    /// As clients that sync may say it.
    private static let highestOrder: Int64 = 1_000_000

    /// Behind all others.
    func makeAlbum(_ name: String, in event: String, of account: String) throws -> Album {
        try write {
            try lock(account: account)
            let event = try liveEvent(event, of: account)
            let there = try database.albums(of: event.id)
            guard there.count < Self.mostAlbums else { throw GalleryRefusal.tooManyAlbums(Self.mostAlbums) }
            let last: Int64 = there.last?.order ?? -1
            let order: Int64 = min(last + 1, Self.highestOrder)
            let album = Album(id: newID(), event: event.id, name: name, order: order, photos: 0)
            try database.run(
                """
                INSERT INTO albums (id, event_id, owner_id, name, position, updated_at, stamp)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                """, album.id, event.id, account, name, album.order, wall.wallNow.milliseconds,
                try nextStamp(of: account))
            return album
        }
    }

    /// Part of a transaction that gives the photo a stamp. Throws for an album that is not one of the photo's event.
    func put(_ photo: Photo, into albums: [String], outOf others: [String]) throws {
        let all = Set(albums + others)
        guard !all.isEmpty else { return }
        let (dialect, there) = (database.dialect, all.sorted().joined(separator: ","))
        let inside = try database.count(
            "FROM albums WHERE event_id = ? AND deleted_at IS NULL AND id \(dialect.isAmongTexts("?2"))",
            photo.event, there)
        guard inside == all.count else { throw GalleryRefusal.notFound(.album) }
        if !albums.isEmpty {
            try database.run(
                """
                INSERT INTO photo_albums (photo_id, album_id) SELECT ?1, id FROM albums
                WHERE id \(dialect.isAmongTexts("?2")) ON CONFLICT DO NOTHING
                """, photo.id, albums.joined(separator: ","))
        }
        if !others.isEmpty {
            try database.run(
                "DELETE FROM photo_albums WHERE photo_id = ?1 AND album_id \(dialect.isAmongTexts("?2"))",
                photo.id, others.joined(separator: ","))
        }
    }
}
