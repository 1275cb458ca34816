import Database

/// What of the storage the tables refer to.
struct GalleryObjects {
    private let database: any SQLSession

    init(_ gallery: GalleryDatabase) throws {
        switch gallery.place {
        case .file(let path): database = try SQLiteGallery.openForReading(path)
        case .server(let server, _, _): database = server.session()
        }
    }

    struct Wanted {
        let photo: String
        let size: UInt64
        var isTile = false
    }

    /// What photos lie at: an original and two renditions each, of most a third, and of videos the copy for guests.
    func wanted() throws -> [String: Wanted] {
        var wanted: [String: Wanted] = [:]
        try database.each(
            """
            SELECT id, original_key, size, thumb_key, thumb_size, screen_key, screen_size, stream_key, stream_size,
                tile_key, tile_size
            FROM photos WHERE deleted_at IS NULL
            """
        ) { row in
            let id: String = try row["id"]
            for (key, size) in [
                ("original_key", "size"), ("thumb_key", "thumb_size"), ("screen_key", "screen_size"),
            ] { wanted[try row[key]] = Wanted(photo: id, size: try row[size]) }
            for (key, size) in [("stream_key", "stream_size"), ("tile_key", "tile_size")] {
                guard let found: String = try row[key] else { continue }
                wanted[found] = Wanted(photo: id, size: try row[size], isTile: key == "tile_key")
            }
        }
        return wanted
    }

    /// What events have for a logo, and by which event.
    func logos() throws -> [String: (event: String, size: UInt64)] {
        let logos = try database.all("SELECT id, logo_key, logo_size FROM events WHERE logo_key IS NOT NULL")
        { row in
            (
                try row.get("logo_key", as: String.self),
                (
                    event: try row.get("id", as: String.self),
                    size: try row.get("logo_size", as: UInt64.self)
                )
            )
        }
        return Dictionary(uniqueKeysWithValues: logos)
    }

    func has(logo key: String) throws -> Bool {
        try database.has("SELECT 1 FROM events WHERE logo_key = ?", key)
    }

    /// What may lie there for a while: uploads under way, and what is to be removed.
    func passing() throws -> Set<String> {
        try Set(
            database.all(
                """
                SELECT object_key FROM places UNION SELECT object_key FROM removals
                UNION SELECT object_key FROM tus_pieces
                """
            ) { try $0.get("object_key", as: String.self) })
    }

    func refers(to key: String) throws -> Bool {
        try database.has(
            """
            SELECT 1 WHERE EXISTS (SELECT 1 FROM places WHERE object_key = ?1)
                OR EXISTS (SELECT 1 FROM removals WHERE object_key = ?1)
                OR EXISTS (SELECT 1 FROM tus_pieces WHERE object_key = ?1)
                OR EXISTS (SELECT 1 FROM events WHERE logo_key = ?1)
                OR EXISTS (SELECT 1 FROM photos
                    WHERE (original_key = ?1 OR thumb_key = ?1 OR tile_key = ?1 OR screen_key = ?1 OR stream_key = ?1)
                        AND deleted_at IS NULL)
            """, key)
    }

    func has(photo id: String) throws -> Bool {
        try database.has("SELECT 1 FROM photos WHERE id = ? AND deleted_at IS NULL", id)
    }
}
