import Basics
import Database
import Postgres

/// Uploads in pieces: begun, how far they have come, and ended. Each is an ordinary upload from its beginning.
extension GalleryStore {
    package func beginTus(
        _ wish: UploadWish, metadata: String, for account: String, consent: Int
    ) throws -> TusUpload {
        try write {
            let place = try intend(wish, for: account, consent: consent, life: TusUpload.life)
            // The same question again, whose answer was lost.
            if let known = try tus(place.upload.id) { return known }
            guard try openTus(of: account) < TusUpload.mostOpen else { throw TusRefusal.tooManyOpen }
            return try insertTus(place.upload.id, metadata: metadata)
        }
    }

    /// Part of a transaction that has made the upload.
    func insertTus(_ id: String, metadata: String) throws -> TusUpload {
        try database.run(
            "INSERT INTO tus_uploads (upload_id, metadata, expires_at) VALUES (?, ?, ?)", id, metadata,
            (wall.wallNow + TusUpload.life).milliseconds)
        guard let made = try tus(id) else { preconditionFailure("a row that was just written is there") }
        return made
    }

    private func openTus(of account: String) throws -> Int {
        try database.count(
            """
            FROM tus_uploads AS t JOIN uploads AS u ON u.id = t.upload_id
            WHERE u.account_id = ? AND u.status IN ('pending', 'expired')
                AND NOT EXISTS (SELECT 1 FROM guest_uploads AS g WHERE g.upload_id = u.id)
            """, account)
    }

    /// Nothing for what is another's, or was never begun so.
    package func tusUpload(_ id: String, of uploader: Uploader) throws -> TusUpload? {
        guard let found = try tus(id), try isBrought(found.row, by: uploader) else { return nil }
        return found
    }

    /// Whether its bytes were those of a photo that was there before.
    package func isThereAlready(_ upload: UploadRow) throws -> Bool {
        guard case .completed(let photo, let key) = upload.intent.state else { return false }
        return try database.has("SELECT 1 FROM photos WHERE id = ? AND original_key <> ?", photo, key)
    }

    /// What is not a photo yet will be none: nothing of it stays.
    package func endTus(_ id: String, of uploader: Uploader) throws {
        try write {
            guard let row = try uploadToChange(id), try isBrought(row, by: uploader), try tus(id) != nil
            else {
                throw GalleryRefusal.notFound(.upload)
            }
            switch row.intent.state {
            case .processing, .completed: throw TusRefusal.finished
            case .pending, .expired, .failed: break
            }
            try discard(Self.keysOfUploads("id"), of: id)
            try database.run("DELETE FROM uploads WHERE id = ?", id)
            try noteCounts(of: row.event)
        }
    }

    // MARK: What is left

    /// Uploads whose time has ended, and what is known of those that are photos. Returns how many there were.
    package func forgetEndedTus(limit: Int) throws -> Int {
        let ended = try database.all(
            "SELECT upload_id FROM tus_uploads WHERE expires_at <= ? AND is_waiting = 0 ORDER BY expires_at LIMIT ?",
            wall.wallNow.milliseconds, limit
        ) { try $0.get("upload_id", as: String.self) }
        for id in ended { try write { try forgetTus(id) } }
        return ended.count
    }

    private func forgetTus(_ id: String) throws {
        guard try uploadToChange(id) != nil, let upload = try tus(id) else { return }
        // All of it is here, and it is put together as soon as the storage answers.
        let isWaiting = try database.has(
            "SELECT 1 FROM tus_uploads WHERE upload_id = ? AND is_waiting = 1", id)
        guard !isWaiting, upload.expiresAt <= wall.wallNow else { return }
        try dropPieces(of: id)
        try database.run("DELETE FROM tus_uploads WHERE upload_id = ?", id)
    }

    /// The storage has lost a piece of it: its client learns that no byte is here, and sends them again.
    package func restartTus(_ id: String, holder: String) throws {
        try write {
            guard try uploadToChange(id) != nil,
                try database.has(
                    "SELECT 1 FROM tus_uploads WHERE upload_id = ? AND is_waiting = 1 AND holder = ?", id,
                    holder)
            else { return }
            try dropPieces(of: id)
            try database.run("UPDATE tus_uploads SET received = 0, is_waiting = 0 WHERE upload_id = ?", id)
        }
    }

    func dropPieces(of id: String) throws {
        try removeSoon(
            try database.all("SELECT object_key FROM tus_pieces WHERE upload_id = ?", id) {
                try $0.get("object_key", as: String.self)
            })
        try database.run("DELETE FROM tus_pieces WHERE upload_id = ?", id)
    }

    /// Uploads of which all bytes are here that are not one object yet, from behind that one on.
    package func waitingTus(after last: String, limit: Int) throws -> [String] {
        try database.all(
            """
            SELECT upload_id FROM tus_uploads WHERE is_waiting = 1 AND upload_id > ? ORDER BY upload_id LIMIT ?
            """, last, limit
        ) { try $0["upload_id"] }
    }

    // MARK: Rows

    func tus(_ id: String) throws -> TusUpload? {
        guard let row = try upload(id) else { return nil }
        return try database.first(
            """
            SELECT received, metadata, expires_at, CASE WHEN leased_until > \(leaseClock) THEN holder END AS holding
            FROM tus_uploads WHERE upload_id = ?
            """, id
        ) {
            TusUpload(
                row: row, received: try $0["received"], metadata: try $0["metadata"],
                expiresAt: try $0.moment("expires_at"), holder: try $0["holding"])
        }
    }

    /// Of nodes that share a database it is the database's.
    var leaseClock: String {
        database.dialect == .postgres ? ServerClock.now : "\(wall.wallNow.milliseconds)"
    }
}
