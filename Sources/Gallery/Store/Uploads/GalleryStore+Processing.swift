import Basics
import Database

/// What has come, what is to be worked on, and what came of it.
extension GalleryStore {
    /// Bytes that were checked lie at this key. Says whether there is something to work on now.
    @discardableResult
    package func landed(_ key: String) throws -> Bool {
        try write {
            guard let seen = try upload(at: key), let row = try uploadToChange(seen.id) else {
                // Its event or its place has gone meanwhile.
                try removeSoon([key])
                return false
            }
            return try landed(key, row)
        }
    }

    /// Part of a transaction that has locked the upload.
    func landed(_ key: String, _ row: UploadRow) throws -> Bool {
        var row = row
        guard case .moved = row.intent.handle(.landed(key: key)) else { return false }
        try database.run(
            "UPDATE uploads SET arrival = ?, starts = 0, leased_until = 0, worker = NULL WHERE id = ?",
            try nextArrival(in: row.event), row.id)
        try write(row)
        return true
    }

    func upload(at key: String) throws -> UploadRow? {
        try database.first(
            "SELECT \(UploadRow.columns) FROM uploads WHERE id = (SELECT upload_id FROM places WHERE object_key = ?)",
            key, as: UploadRow.init)
    }

    /// Those of these uploads that are this account's, in the order they were asked for.
    package func uploads(_ ids: [String], of account: String) throws -> [UploadRow] {
        try ids.compactMap { id in
            guard let row = try upload(id), row.account == account else { return nil }
            return row
        }
    }

    /// Where bytes of an upload may lie that have not been found yet, the newest first.
    package func openPlaces(of upload: String) throws -> [String] {
        try database.all(
            "SELECT object_key FROM places WHERE upload_id = ? ORDER BY expires_at DESC, number DESC LIMIT 8",
            upload
        ) { try $0["object_key"] }
    }

    /// The caller has looked: nothing lies at any of its places.
    package func nothingCame(to upload: String) throws {
        try write {
            guard var row = try uploadToChange(upload), row.expiresAt <= wall.wallNow,
                case .moved = row.intent.handle(.nothingCame)
            else { return }
            try write(row)
            try noteCounts(of: row.event)
        }
    }

    /// An event's uploads, the newest first, without those that its host has dismissed.
    package func uploads(
        ofEvent event: String, of account: String, after cursor: (created: Int64, id: String)?, limit: Int
    ) throws -> [UploadRow] {
        _ = try liveEvent(event, of: account)
        return try database.all(
            """
            SELECT \(UploadRow.columns) FROM uploads WHERE event_id = ?1 AND (created_at, id) < (?2, ?3)
                AND coalesce(error_code, '') <> ?4
            ORDER BY created_at DESC, id DESC LIMIT ?5
            """, event, cursor?.created ?? Int64.max, cursor?.id ?? "",
            UploadStateMachine.Code.dismissed.rawValue, limit, as: UploadRow.init)
    }

    package func retry(_ upload: String, ofEvent event: String, of account: String) throws -> UploadRow {
        try write {
            _ = try liveEvent(event, of: account)
            guard var row = try uploadToChange(upload), row.account == account, row.event == event else {
                throw GalleryRefusal.notFound(.upload)
            }
            if case .conflict(let reason) = row.intent.handle(.retried) {
                throw GalleryRefusal.uploadConflict(reason)
            }
            try begin(again: row)
            return try existing(upload)
        }
    }

    /// All that time may have cured. Says how many.
    package func retryAll(ofEvent event: String, of account: String) throws -> Int {
        try write {
            try lock(account: account)
            _ = try liveEvent(event, of: account)
            let failed = try database.all(
                "SELECT \(UploadRow.columns) FROM uploads WHERE event_id = ? AND status = 'failed'", event,
                as: UploadRow.init)
            var count = 0
            for var row in failed {
                guard case .moved = row.intent.handle(.retried) else { continue }
                try begin(again: row)
                count += 1
            }
            return count
        }
    }

    private func begin(again row: UploadRow) throws {
        try database.run(
            "UPDATE uploads SET arrival = ?, starts = 0, leased_until = 0, worker = NULL WHERE id = ?",
            try nextArrival(in: row.event), row.id)
        try write(row)
    }

    // MARK: Work

    /// How often work on one upload may begin without coming to an end, before it is taken for the cause. A picture kills
    /// only the child that looks at it; that many ends of this program are not chance.
    static let mostStarts = 25

    /// The next to be worked on, in order of arrival, that is not being worked on yet. It is noted that work begins.
    package func nextToProcess(
        except busy: Set<String>, _ kinds: WorkKinds = WorkKinds()
    ) throws -> (row: UploadRow, key: String)? {
        guard worker == nil else { return try lease(kinds) }
        return try write {
            var found: (row: UploadRow, key: String)?
            try database.each(
                """
                SELECT \(UploadRow.columns) FROM uploads WHERE status = 'processing' AND \(kinds.condition)
                ORDER BY arrival, id LIMIT ?
                """, busy.count + 1
            ) { row in
                let row = try UploadRow(row)
                guard found == nil, !busy.contains(row.id), case .processing(let key) = row.intent.state
                else { return }
                found = (row, key)
            }
            guard let found else { return nil }
            try database.run("UPDATE uploads SET starts = starts + 1 WHERE id = ?", found.row.id)
            return found
        }
    }

    /// The bytes at that key will be no photo.
    package func refused(_ upload: String, key: String, _ failure: UploadStateMachine.Failure) throws {
        try write {
            guard var row = try uploadToChange(upload), try isOurs(upload),
                case .moved = row.intent.handle(.refused(key: key, failure))
            else { return }
            try write(row)
            try noteCounts(of: row.event)
        }
    }
}
