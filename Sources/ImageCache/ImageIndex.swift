import Basics
import Database
import Digest

/// What is on the disk, in a database of its own. It can be had again by fetching, so it is not synced; and what is
/// damaged in it is not mended.
final class ImageIndex {
    struct Use {
        let number: Int64
        let at: Timestamp
    }

    let database: Connection
    private(set) var count: Int
    private(set) var bytes: UInt64
    private var lastUse: Int64
    /// Uses that are not written yet: one row is looked at many times.
    private(set) var pending: [String: Use] = [:]

    /// Throws where the file is no index, is damaged, or cannot be written.
    init(path: String) throws {
        let database = try Connection.open(path: path, Self.migrations, quickCheckUpTo: 0)
        // Writing the log into the file costs little unsynced, and a log of megabytes would count on a small disk.
        try database.script("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 200")
        if let problem = try database.problems(limit: 1).first {
            throw DatabaseError(.corrupt, problem, path: path)
        }
        self.database = database
        let sizes: [UInt64] = try database.all("SELECT size FROM images WHERE deleted_at IS NULL") {
            try $0["size"]
        }
        (count, bytes) = (sizes.count, sizes.reduce(0) { $0.addingReportingOverflow($1).partialValue })
        lastUse = try database.first("SELECT coalesce(max(last_use), 0) FROM images") { try $0.get(0) } ?? 0
        // A number that no count of uses reaches was not written by this program; adding to it would end it.
        guard (0..<Int64.max / 2).contains(lastUse) else {
            throw DatabaseError(.corrupt, "a count of uses is \(lastUse)", path: path)
        }
    }

    // MARK: Looking

    /// Nothing where there is none. A row whose seal is broken is damage.
    func row(_ cacheKey: String) throws -> ImageRow? {
        try database.first(
            "SELECT \(Self.columns) FROM images WHERE cache_key = ? AND deleted_at IS NULL", cacheKey
        ) { try self.row($0) }
    }

    /// An object has one image of each kind.
    func row(of object: ImageObject, _ kind: String) throws -> ImageRow? {
        try database.first(
            """
            SELECT \(Self.columns) FROM images
            WHERE object_type = ? AND object_id = ? AND kind = ? AND deleted_at IS NULL
            """, object.type, object.id, kind
        ) { try self.row($0) }
    }

    func objects(of owner: ImageOwner, after last: ImageObject?, limit: Int) throws -> [ImageObject] {
        try database.all(
            """
            SELECT DISTINCT object_type, object_id FROM images
            WHERE (object_type, object_id) > (?, ?) AND account = ? AND event = ? AND deleted_at IS NULL
            ORDER BY object_type, object_id LIMIT ?
            """, last?.type ?? "", last?.id ?? "", owner.account, owner.event, limit
        ) { row in ImageObject(type: try row["object_type"], id: try row["object_id"]) }
    }

    /// Every row of a file, in no order.
    func each(_ body: (ImageRow) throws -> Void) throws {
        try database.each("SELECT \(Self.columns) FROM images WHERE deleted_at IS NULL") { row in
            try body(try self.row(row))
        }
    }

    func isDeleted(_ object: ImageObject) throws -> Bool {
        try database.has(
            "SELECT 1 FROM images WHERE object_type = ? AND object_id = ? AND deleted_at IS NOT NULL",
            object.type,
            object.id)
    }

    /// Those not asked for the longest time, as far as it is written.
    func leastRecentlyUsed(_ limit: Int) throws -> [String] {
        try keys("SELECT cache_key FROM images WHERE deleted_at IS NULL ORDER BY last_use LIMIT ?", limit)
    }

    func keys(meantBy selection: ImageSelection) throws -> [String] {
        let start = "SELECT cache_key FROM images WHERE deleted_at IS NULL"
        return switch selection {
        case .image(let key): try keys("\(start) AND image_id = ?", key)
        case .object(let object):
            try keys("\(start) AND object_type = ? AND object_id = ?", object.type, object.id)
        case .event(let event): try keys("\(start) AND event = ?", event)
        case .all: try keys(start)
        }
    }

    /// What has to go before that is put: the same key, and what its object has had of that kind.
    func keys(replacedBy row: ImageRow) throws -> [String] {
        try keys(
            "SELECT cache_key FROM images WHERE cache_key = ? OR object_type = ? AND object_id = ? AND kind = ?",
            row.cacheKey, row.object.type, row.object.id, row.kind)
    }

    func owners() throws -> [ImageOwner] {
        try database.all("SELECT DISTINCT account, event FROM images") { row in
            ImageOwner(account: try row["account"], event: try row["event"])
        }
    }

    func keys(of owner: ImageOwner) throws -> [String] {
        try keys("SELECT cache_key FROM images WHERE account = ? AND event = ?", owner.account, owner.event)
    }

    func keys(expiredAt now: Timestamp) throws -> [String] {
        try keys("SELECT cache_key FROM images WHERE expires_at <= ?", now.milliseconds)
    }

    private func keys(_ sql: String, _ values: any Storable...) throws -> [String] {
        var keys: [String] = []
        try database.execute(sql, values) { row in
            keys.append(try row["cache_key"])
            return true
        }
        return keys
    }

    private static let columns = """
        cache_key, image_id, url, object_type, object_id, kind, account, event, size, sha256, content_type, etag,
        last_modified, fresh_until, may_be_stale, expires_at, created_at, seal
        """

    private func row(_ row: Row) throws -> ImageRow {
        let hash: [UInt8] = try row["sha256"]
        guard let sha256 = SHA256Digest(hex: Hexadecimal.text(hash)) else { throw damage("a hash is none") }
        let expiresAt: Int64? = try row["expires_at"]
        let found = ImageRow(
            cacheKey: try row["cache_key"], key: try row["image_id"], url: try row["url"],
            object: ImageObject(type: try row["object_type"], id: try row["object_id"]),
            kind: try row["kind"],
            owner: ImageOwner(account: try row["account"], event: try row["event"]), size: try row["size"],
            sha256: sha256, contentType: try row["content_type"], etag: try row["etag"],
            lastModified: try row["last_modified"],
            freshUntil: Timestamp(milliseconds: try row["fresh_until"]), mayBeStale: try row["may_be_stale"],
            expiresAt: expiresAt.map { Timestamp(milliseconds: $0) },
            createdAt: Timestamp(milliseconds: try row["created_at"]))
        guard try found.seal == row["seal"] else { throw damage("a row is not as it was written") }
        return found
    }

    private func damage(_ words: String) -> DatabaseError {
        DatabaseError(.corrupt, words, path: database.path)
    }

    // MARK: Changing

    /// One that is new here.
    func put(_ row: ImageRow, at now: Timestamp) throws {
        lastUse += 1
        try database.run(
            """
            INSERT INTO images (\(Self.columns), accessed_at, last_use)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, row.cacheKey, row.key, row.url, row.object.type, row.object.id, row.kind, row.owner.account,
            row.owner.event, row.size, row.sha256.bytes, row.contentType, row.etag, row.lastModified,
            row.freshUntil.milliseconds, row.mayBeStale, row.expiresAt?.milliseconds,
            row.createdAt.milliseconds, row.seal, now.milliseconds, lastUse)
        // Of the time when only memory had it.
        pending[row.cacheKey] = nil
        count += 1
        bytes += UInt64(row.size)
    }

    /// The gallery has said that it is still the same, or that it ends at another time.
    func renew(_ row: ImageRow) throws {
        try database.run(
            "UPDATE images SET fresh_until = ?, may_be_stale = ?, expires_at = ?, seal = ? WHERE cache_key = ?",
            row.freshUntil.milliseconds, row.mayBeStale, row.expiresAt?.milliseconds, row.seal, row.cacheKey)
    }

    func remove(_ keys: [String]) throws {
        guard !keys.isEmpty else { return }
        var sizes: [UInt64] = []
        try database.transaction { () in
            // Adding up the whole table instead would read all of it each time. RETURNING would do it at once, but
            // SQLite 3.40 takes "deleted_at IS NULL" for false there, whatever the column holds.
            for key in keys {
                sizes += try database.all(
                    "SELECT size FROM images WHERE cache_key = ? AND deleted_at IS NULL", key
                ) { row in try row.get(0, as: UInt64.self) }
                try database.run("DELETE FROM images WHERE cache_key = ?", key)
            }
        }
        for key in keys { pending[key] = nil }
        subtract(sizes)
    }

    private func subtract(_ sizes: [UInt64]) {
        count -= sizes.count
        bytes -= min(bytes, sizes.reduce(0, +))
    }

    /// Its files are gone already.
    func markDeleted(_ object: ImageObject, at now: Timestamp) throws {
        let sizes: [UInt64] = try database.all(
            "SELECT size FROM images WHERE object_type = ? AND object_id = ? AND deleted_at IS NULL",
            object.type,
            object.id
        ) { try $0["size"] }
        try database.run(
            "UPDATE images SET deleted_at = ?, size = 0 WHERE object_type = ? AND object_id = ?",
            now.milliseconds,
            object.type, object.id)
        subtract(sizes)
    }

    func forgetDeletion(of object: ImageObject) throws {
        try database.run(
            "DELETE FROM images WHERE object_type = ? AND object_id = ? AND deleted_at IS NOT NULL",
            object.type,
            object.id)
    }

    func forgetDeletions(before moment: Timestamp) throws {
        try database.run("DELETE FROM images WHERE deleted_at < ?", moment.milliseconds)
    }

    // MARK: Uses

    func use(_ cacheKey: String, at now: Timestamp) {
        lastUse += 1
        pending[cacheKey] = Use(number: lastUse, at: now)
    }

    func writeUses() throws {
        guard !pending.isEmpty else { return }
        try database.transaction { () in
            for (key, use) in pending {
                try database.run(
                    "UPDATE images SET last_use = ?, accessed_at = ? WHERE cache_key = ?", use.number,
                    use.at.milliseconds, key)
            }
        }
        pending = [:]
    }

    func forgetUses() {
        pending = [:]
    }

    /// What stays to be done at an end in order.
    func end() throws {
        try writeUses()
        try database.script("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
