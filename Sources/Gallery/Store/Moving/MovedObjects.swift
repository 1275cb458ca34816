import Database

/// What of a storage the rows of a gallery refer to, by its keys.
struct WantedObject: Equatable, Sendable {
    let key: String
    let contentType: String
    /// What the rows say of its bytes, where they say it.
    let size: UInt64?
    let sha256: String?
    /// For messages.
    let owner: String
}

extension SQLSession {
    /// Those of these that something refers to. What only waits to be removed is none of them.
    func wanted(of keys: [String]) throws -> [WantedObject] {
        // Few, and their places may have been swept.
        let working = try all(
            "SELECT id, object_key, content_type FROM uploads WHERE status = 'processing' AND object_key IS NOT NULL"
        ) { row in
            WantedObject(
                key: try row["object_key"], contentType: try row["content_type"], size: nil, sha256: nil,
                owner: "upload \(try row.get("id", as: String.self))")
        }
        let byKey = Dictionary(working.map { ($0.key, $0) }) { first, _ in first }
        return try keys.compactMap { key in try wanted(key) ?? byKey[key] }
    }

    private func wanted(_ key: String) throws -> WantedObject? {
        try first(
            """
            SELECT id, content_type AS type, size, sha256 FROM photos WHERE original_key = ?1 AND deleted_at IS NULL
            UNION ALL SELECT id, 'image/jpeg', thumb_size, NULL FROM photos WHERE thumb_key = ?1 AND deleted_at IS NULL
            UNION ALL SELECT id, 'image/jpeg', tile_size, NULL FROM photos WHERE tile_key = ?1 AND deleted_at IS NULL
            UNION ALL SELECT id, 'image/jpeg', screen_size, NULL FROM photos WHERE screen_key = ?1 AND deleted_at IS NULL
            UNION ALL SELECT id, content_type, stream_size, NULL FROM photos WHERE stream_key = ?1 AND deleted_at IS NULL
            """, key
        ) { row in
            WantedObject(
                key: key, contentType: try row["type"], size: try row["size"], sha256: try row["sha256"],
                owner: "photo \(try row.get("id", as: String.self))")
        }
            ?? first("SELECT id, logo_size FROM events WHERE logo_key = ?", key) { row in
                WantedObject(
                    key: key, contentType: EventLogo.type, size: try row["logo_size"], sha256: nil,
                    owner: "the logo of event \(try row.get("id", as: String.self))")
            }
            ?? first(
                "SELECT id, content_type FROM uploads WHERE id = (SELECT upload_id FROM places WHERE object_key = ?)",
                key
            ) { row in
                WantedObject(
                    key: key, contentType: try row["content_type"], size: nil, sha256: nil,
                    owner: "upload \(try row.get("id", as: String.self))")
            } ?? wantedPiece(key)
    }

    /// What has come of an upload in pieces, with which its client goes on at the new place.
    private func wantedPiece(_ key: String) throws -> WantedObject? {
        try first("SELECT upload_id, size FROM tus_pieces WHERE object_key = ?", key) { row in
            WantedObject(
                key: key, contentType: TusUpload.contentType, size: try row["size"], sha256: nil,
                owner: "upload \(try row.get("upload_id", as: String.self))")
        }
    }

    /// How many objects photos have, for saying how far a move is. Uploads under way have a few more.
    func countOfObjects() throws -> Int {
        let more = try ["stream_key", "tile_key"].map {
            try count("FROM photos WHERE \($0) IS NOT NULL AND deleted_at IS NULL")
        }
        return try first("SELECT 3 * coalesce(sum(photos), 0) AS count FROM event_counts") {
            try $0.get("count", as: Int.self) + more.reduce(0, +)
        } ?? 0
    }
}
