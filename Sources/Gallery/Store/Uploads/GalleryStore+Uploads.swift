import Basics
import Database
import Digest

/// Places for uploads, and what comes of them. Each step is one transaction around the pure ``UploadStateMachine``.
extension GalleryStore {
    /// "Presigned URLs live 5 minutes".
    package static let placeLife = Duration.seconds(300)

    /// A place for a new upload, or for the one that was asked for with the same key.
    package func presign(
        _ wish: UploadWish, for account: String, consent: Int
    ) throws -> UploadPlace {
        try write { try intend(wish, for: account, consent: consent, life: Self.placeLife) }
    }

    /// The same as part of a transaction, with a place that is good for so long.
    func intend(
        _ wish: UploadWish, for account: String, consent: Int, life: Duration
    ) throws -> UploadPlace {
        let account = try uploader(account, consent: consent)
        let event = try liveEvent(wish.event, of: account.id)
        let hash = Array(SHA256.of(Array(wish.canonical.utf8)).bytes)
        if let known = try upload(withKey: wish.idempotencyKey, of: account.id) {
            guard known.hash == hash else {
                throw GalleryRefusal.keyUsedBefore
            }
            // As it is now: another node may have found its bytes meanwhile.
            guard let row = try uploadToChange(known.row.id) else {
                throw GalleryRefusal.notFound(.upload)
            }
            return try placeAgain(row)
        }
        if let expiry = event.expiresAt, expiry <= wall.wallNow {
            throw GalleryRefusal.eventOver(name: event.name)
        }
        guard account.credits != 0 else { throw GalleryRefusal.noCredits }
        return try insert(wish, hash, for: account.id, life: life)
    }

    /// As the account is now; part of the transaction that relies on it.
    private func uploader(_ id: String, consent: Int) throws -> Account {
        guard let account = try account(id), account.consentVersion == consent else {
            throw GalleryRefusal.consentMissing(version: consent)
        }
        return account
    }

    private func insert(
        _ wish: UploadWish, _ hash: [UInt8], for account: String, life: Duration
    ) throws -> UploadPlace {
        let id = newID()
        let now = wall.wallNow
        let expiry = now + life
        try database.run(
            """
            INSERT INTO uploads (id, account_id, event_id, idempotency_key, request_hash, content_type,
                content_length, sha256, filename, captured_at, source, clock_ahead, status, expires_at, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?)
            """, id, account, wish.event, wish.idempotencyKey, hash, wish.contentType, wish.contentLength,
            wish.sha256, wish.filename, wish.capturedAt?.milliseconds, wish.source, wish.clockAhead,
            expiry.milliseconds, now.milliseconds)
        let key = try addPlace(to: id, until: expiry)
        return UploadPlace(upload: try existing(id), key: key, expiresAt: expiry, isNew: true)
    }

    func addPlace(to upload: String, until expiry: Timestamp) throws -> String {
        let key = newKey()
        try database.run(
            """
            INSERT INTO places (object_key, upload_id, expires_at, number)
                VALUES (?1, ?2, ?3, (SELECT coalesce(max(number), 0) + 1 FROM places WHERE upload_id = ?2))
            """, key, upload, expiry.milliseconds)
        return key
    }

    /// The same place once more, or a fresh one when that has ended and bytes are still wanted.
    private func placeAgain(_ row: UploadRow) throws -> UploadPlace {
        let last = try database.first(
            "SELECT object_key, expires_at FROM places WHERE upload_id = ? ORDER BY expires_at DESC, number DESC LIMIT 1",
            row.id
        ) { (key: try $0.get("object_key", as: String.self), end: try $0.moment("expires_at") as Timestamp) }
        switch row.intent.state {
        case .pending, .expired:
            guard let last, last.end > wall.wallNow else { return try freshPlace(row, isNew: false) }
            return UploadPlace(upload: row, key: last.key, expiresAt: last.end, isNew: false)
        case .processing(let key), .completed(_, let key):
            return UploadPlace(upload: row, key: key, expiresAt: row.expiresAt, isNew: false)
        case .failed(let failure, _) where failure.code == .dismissed:
            throw GalleryRefusal.uploadConflict(failure.message)
        case .failed:
            guard let last else { return try freshPlace(row, isNew: false) }
            return UploadPlace(upload: row, key: last.key, expiresAt: last.end, isNew: false)
        }
    }

    private func freshPlace(_ row: UploadRow, isNew: Bool) throws -> UploadPlace {
        let expiry = wall.wallNow + Self.placeLife
        var row = row
        guard case .moved = row.intent.handle(.placeWanted) else {
            preconditionFailure("who calls has seen that a place may be given")
        }
        try database.run(
            "UPDATE uploads SET expires_at = ?, starts = 0, leased_until = 0, worker = NULL WHERE id = ?",
            expiry.milliseconds, row.id)
        try write(row)
        let key = try addPlace(to: row.id, until: expiry)
        return UploadPlace(upload: try existing(row.id), key: key, expiresAt: expiry, isNew: isNew)
    }

    /// A fresh place for the same upload.
    package func presignAgain(_ id: String, for account: String, consent: Int) throws -> UploadPlace {
        try write {
            _ = try uploader(account, consent: consent)
            guard let row = try uploadToChange(id), try isBrought(row, by: .account(account)) else {
                throw GalleryRefusal.notFound(.upload)
            }
            var tried = row.intent
            if case .conflict(let reason) = tried.handle(.placeWanted) {
                throw GalleryRefusal.uploadConflict(reason)
            }
            return try freshPlace(row, isNew: true)
        }
    }

    // MARK: Rows

    func upload(_ id: String) throws -> UploadRow? {
        try database.first("SELECT \(UploadRow.columns) FROM uploads WHERE id = ?", id, as: UploadRow.init)
    }

    /// The same for a transaction that is about to change it: no other does until that ends. Its account comes first, as
    /// everywhere, so that no two wait for each other.
    func uploadToChange(_ id: String) throws -> UploadRow? {
        guard database.dialect == .postgres else { return try upload(id) }
        guard let seen = try upload(id) else { return nil }
        try lock(account: seen.account)
        return try database.first(
            "SELECT \(UploadRow.columns) FROM uploads WHERE id = ?\(database.dialect.locking)", id,
            as: UploadRow.init)
    }

    func existing(_ id: String) throws -> UploadRow {
        guard let row = try upload(id) else { preconditionFailure("a row that was just written is there") }
        return row
    }

    func upload(withKey key: String?, of account: String) throws -> (row: UploadRow, hash: [UInt8])? {
        guard let key else { return nil }
        return try database.first(
            "SELECT \(UploadRow.columns), request_hash FROM uploads WHERE account_id = ? AND idempotency_key = ?",
            account, key
        ) { (try UploadRow($0), try $0["request_hash"]) }
    }

    /// The intent's state, and nothing else of the row.
    func write(_ row: UploadRow) throws {
        let key: String? =
            switch row.intent.state {
            case .processing(let key), .completed(_, let key): key
            case .failed(_, let key): key
            case .pending, .expired: nil
            }
        try database.run(
            """
            UPDATE uploads SET status = ?, object_key = ?, error_code = ?, error_message = ?, photo_id = ?,
                completed_at = CASE WHEN ? = 'completed' THEN coalesce(completed_at, ?) END WHERE id = ?
            """, row.status, key, row.failure?.code.rawValue, row.failure?.message, row.photo, row.status,
            wall.wallNow.milliseconds, row.id)
    }
}
