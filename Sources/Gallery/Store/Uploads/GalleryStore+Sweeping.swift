import Basics
import Database

/// What is over and may be put away.
extension GalleryStore {
    func overdue(limit: Int) throws -> [String] {
        try database.all(
            "SELECT id FROM uploads WHERE status = 'pending' AND expires_at <= ? ORDER BY expires_at LIMIT ?",
            wall.wallNow.milliseconds, limit
        ) { try $0["id"] }
    }

    func endedPlaces(limit: Int) throws -> [EndedPlace] {
        let now = wall.wallNow.milliseconds
        let curable = UploadStateMachine.Code.curable.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return try database.all(
            """
            SELECT places.object_key, status FROM places
            JOIN uploads ON uploads.id = upload_id
            WHERE places.expires_at < ? AND NOT (places.expires_at >= ? AND status = 'failed'
                AND error_code IN (\(curable)))
            ORDER BY places.expires_at LIMIT ?
            """, now - Sweeper.grace.wholeMilliseconds, now - Sweeper.curable.wholeMilliseconds, limit
        ) { row in
            let status: String = try row["status"]
            return EndedPlace(
                key: try row["object_key"], isWanted: ["pending", "expired"].contains(status))
        }
    }

    /// Places whose bytes have become a photo: an upload that is completed stays so, so nothing has to be looked for. Returns
    /// how many there were.
    func forgetUsedPlaces(limit: Int) throws -> Int {
        try write {
            try database.run(
                """
                DELETE FROM places WHERE object_key IN (SELECT places.object_key FROM places
                    JOIN uploads ON uploads.id = upload_id AND uploads.object_key = places.object_key
                    WHERE places.expires_at < ? AND status = 'completed' ORDER BY places.expires_at LIMIT ?)
                """, wall.wallNow.milliseconds - Sweeper.grace.wholeMilliseconds, limit)
        }
    }

    /// What lies there goes too, unless it is a photo or is becoming one, as the upload says now: since the place was listed
    /// its bytes may have been found.
    func forget(_ place: EndedPlace) throws {
        try write {
            let row = try upload(at: place.key).flatMap { try uploadToChange($0.id) }
            let isKept =
                switch row?.intent.state {
                case .processing(let key), .completed(_, let key): key == place.key
                case .pending, .expired, .failed, nil: false
                }
            if !isKept {
                try removeSoon([place.key])
                try database.run("UPDATE uploads SET object_key = NULL WHERE object_key = ?", place.key)
            }
            try database.run("DELETE FROM places WHERE object_key = ?", place.key)
        }
    }

    /// Never what a photo is made of, a piece of an upload, or an event's logo, however it came to be listed.
    func dueRemovals(limit: Int) throws -> [String] {
        let isOfNone =
            ["original_key", "screen_key", "tile_key", "thumb_key", "stream_key"].map {
                "NOT EXISTS (SELECT 1 FROM photos WHERE \($0) = removals.object_key AND deleted_at IS NULL)"
            }.joined(separator: " AND ")
            + " AND NOT EXISTS (SELECT 1 FROM events WHERE logo_key = removals.object_key)"
            + " AND NOT EXISTS (SELECT 1 FROM tus_pieces AS t WHERE t.object_key = removals.object_key)"
        return try database.all(
            "SELECT object_key FROM removals WHERE due_at <= ? AND \(isOfNone) ORDER BY due_at LIMIT ?",
            wall.wallNow.milliseconds,
            limit
        ) { try $0["object_key"] }
    }

    func removed(_ key: String) throws {
        try database.run("DELETE FROM removals WHERE object_key = ?", key)
    }

    /// A minute, then two, then four, to an hour.
    func postponeRemoval(_ key: String) throws {
        let tries = try database.first("SELECT tries FROM removals WHERE object_key = ?", key) { row in
            try row.get("tries", as: Int64.self)
        }
        guard let tries else { return }
        let pause = min(Int64(3_600_000), 60_000 << min(tries, 6))
        try database.run(
            "UPDATE removals SET tries = ?, due_at = ? WHERE object_key = ?", tries + 1,
            wall.wallNow.milliseconds + pause, key)
    }
}
