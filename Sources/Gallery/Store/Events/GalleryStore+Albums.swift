import Basics
import Database

extension SQLSession {
    /// In their order.
    func albums(of event: String) throws -> [Album] { try albums(of: event, "") }

    fileprivate func album(_ id: String, in event: Event) throws -> Album {
        guard let album = try albums(of: event.id, id).first else { throw GalleryRefusal.notFound(.album) }
        return album
    }

    /// Nothing where there is no such album.
    func name(ofAlbum id: String, in event: String) throws -> String? {
        try first("SELECT name FROM albums WHERE id = ? AND event_id = ? AND deleted_at IS NULL", id, event) {
            row in
            try row.get("name", as: String.self)
        }
    }

    fileprivate func requiredName(ofAlbum id: String, in event: String) throws -> String {
        guard let name = try name(ofAlbum: id, in: event) else { throw GalleryRefusal.notFound(.album) }
        return name
    }

    /// One of them, where its id is not empty. The photos of the event are gone through once for all albums.
    private func albums(of event: String, _ id: String) throws -> [Album] {
        try all(
            """
            SELECT id, event_id, name, position, coalesce(held.photos, 0) AS photos
            FROM albums LEFT JOIN (SELECT s.album_id, count(*) AS photos
                FROM photos AS p JOIN photo_albums AS s ON s.photo_id = p.id
                WHERE p.event_id = ?1 AND p.deleted_at IS NULL GROUP BY s.album_id) AS held ON held.album_id = id
            WHERE deleted_at IS NULL AND event_id = ?1 AND (?2 = '' OR id = ?2) ORDER BY position, id LIMIT ?3
            """, event, id, GalleryStore.mostAlbums
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

    func name(ofAlbum id: String, in event: String) throws -> String? {
        try database.name(ofAlbum: id, in: event)
    }

    /// Throws where there is no such album; its photos are not counted for that.
    func requireAlbum(_ id: String, in event: String, of account: String) throws {
        _ = try self.event(event, of: account)
        _ = try database.requiredName(ofAlbum: id, in: event)
    }
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

    func changeAlbum(
        _ id: String, in event: String, of account: String, _ wish: AlbumWish
    ) throws -> Album {
        try write {
            try lock(account: account)
            let event = try liveEvent(event, of: account)
            let old = try database.requiredName(ofAlbum: id, in: event.id)
            var isAnother = false
            if let name = wish.name, name != old {
                try set("name", of: id, to: name, in: event)
                isAnother = true
            }
            if let place = wish.place, try move(id, to: place, in: event) { isAnother = true }
            if isAnother { try noteAlbums(of: event.id) }
            return try database.album(id, in: event)
        }
    }

    /// Those that have others before them than they had say so to clients that sync, each with a stamp of its own. Says whether it
    /// is elsewhere now.
    private func move(_ album: String, to place: Int, in event: Event) throws -> Bool {
        var order = try database.all(
            "SELECT id, position FROM albums WHERE event_id = ? AND deleted_at IS NULL ORDER BY position, id",
            event.id
        ) { row in
            (id: try row.get("id", as: String.self), position: try row.get("position", as: Int64.self))
        }
        guard let before = order.firstIndex(where: { $0.id == album }) else { return false }
        let moved = order.remove(at: before)
        let after = min(place, order.count)
        guard after != before else { return false }
        order.insert(moved, at: after)
        for (number, (id, position)) in order.enumerated() where position != Int64(number) {
            try set("position", of: id, to: Int64(number), in: event)
        }
        return true
    }

    private func set(_ column: String, of album: String, to value: some Storable, in event: Event) throws {
        try database.run(
            """
            UPDATE albums SET \(column) = ?, updated_at = \(database.dialect.greater("updated_at + 1", "?")), stamp = ?
                WHERE id = ?
            """, value, wall.wallNow.milliseconds, try nextStamp(of: event.owner), album)
    }

    /// Its photos stay. In which albums they were stays, too: a client that was away may say that it is there after all.
    func deleteAlbum(_ id: String, in event: String, of account: String) throws {
        let now = wall.wallNow
        try write {
            try lock(account: account)
            let event = try liveEvent(event, of: account)
            _ = try database.requiredName(ofAlbum: id, in: event.id)
            try markDeleted(.album, id, of: account, deletedAt: now, updatedAt: nil)
            try noteAlbums(of: event.id)
        }
    }

    /// Part of a transaction that has stamped an album. Guests who look ask for their sections when they hear how many photos
    /// there are: that is said once, however many albums are others.
    func noteAlbums(of event: String) throws {
        changes.removeAll { change in
            if case .countsChanged(let known, _) = change { known.id == event } else { false }
        }
        try noteCounts(of: event)
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
