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

    /// Everything that photos lie at between two keys.
    struct Range {
        var wanted: [String: Wanted] = [:]
        /// Counted by their originals.
        var photos = 0
        /// Its last key; nothing where there are no more behind it.
        var end: String?
    }

    /// An original and two renditions each, of most a third, and of videos the copy for guests.
    private static let original = "original_key"
    private static let tile = "tile_key"
    private static let columns = [
        (original, "size"), ("thumb_key", "thumb_size"), ("screen_key", "screen_size"),
        ("stream_key", "stream_size"), (tile, "tile_size"),
    ]

    /// What photos lie at behind that key: so many keys of each kind at the most, by the index of that kind, and no further
    /// than all of them reach.
    func wanted(after start: String, limit: Int) throws -> Range {
        var range = Range()
        var found: [(key: String, column: String, wanted: Wanted)] = []
        for (column, size) in Self.columns {
            let rows = try database.all(
                """
                SELECT id, \(column) AS object_key, \(size) AS object_size FROM photos
                WHERE \(column) > ? AND deleted_at IS NULL ORDER BY \(column) LIMIT ?
                """, start, limit
            ) { row in
                (
                    key: try row.get("object_key", as: String.self), column: column,
                    wanted: Wanted(
                        photo: try row["id"], size: try row["object_size"], isTile: column == Self.tile)
                )
            }
            found += rows
            if rows.count == limit, let last = rows.last?.key {
                range.end = range.end.map { last.isUp(to: $0) ? last : $0 } ?? last
            }
        }
        for row in found where range.end.map({ row.key.isUp(to: $0) }) ?? true {
            range.wanted[row.key] = row.wanted
            if row.column == Self.original { range.photos += 1 }
        }
        return range
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

    /// Those of these keys that something refers to, also what lies there for a while only: uploads under way, and what is to be
    /// removed.
    func referred(among keys: [String]) throws -> Set<String> {
        guard !keys.isEmpty else { return [] }
        let among = database.dialect.isAmongTexts("?1")
        let passing = ["places", "removals", "tus_pieces"].map {
            "SELECT object_key FROM \($0) WHERE object_key \(among)"
        }
        // The place of an upload that has waited long to be worked on may have been swept.
        let waiting = "SELECT object_key FROM uploads WHERE status = 'processing' AND object_key \(among)"
        let photos = Self.columns.map {
            "SELECT \($0.0) AS object_key FROM photos WHERE \($0.0) \(among) AND deleted_at IS NULL"
        }
        let logos = "SELECT logo_key AS object_key FROM events WHERE logo_key \(among)"
        let sql = (passing + [waiting] + photos + [logos]).joined(separator: " UNION ALL ")
        return try values(of: "object_key", sql, keys[...])
    }

    /// Those of these photos that are not deleted.
    func living(among photos: Set<String>, atOnce limit: Int) throws -> Set<String> {
        var living: Set<String> = []
        var rest = photos.sorted()[...]
        while !rest.isEmpty {
            let some = rest.prefix(limit)
            rest = rest.dropFirst(limit)
            living.formUnion(
                try values(
                    of: "id",
                    "SELECT id FROM photos WHERE id \(database.dialect.isAmongTexts("?1")) AND deleted_at IS NULL",
                    some))
        }
        return living
    }

    /// Neither keys nor ids hold a comma.
    private func values(of column: String, _ sql: String, _ keys: ArraySlice<String>) throws -> Set<String> {
        Set(
            try database.all(sql, keys.joined(separator: ",")) { row in
                try row.get(column, as: String.self)
            })
    }
}

extension String {
    /// In the order of stores and indexes: byte by byte.
    func isUp(to end: String) -> Bool { !end.utf8.lexicographicallyPrecedes(utf8) }
}
