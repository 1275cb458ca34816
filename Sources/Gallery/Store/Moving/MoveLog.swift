import Basics
import Database

/// What the target of a move knows of it: which gallery is brought here, and which of its objects are here already.
struct MoveLog {
    let target: any SQLSession

    /// Where a gallery lay that is being moved to this database; nothing where none is on its way.
    static func unfinished(_ session: any SQLSession) throws -> String? {
        try session.first("SELECT place FROM moves WHERE finished_at IS NULL LIMIT 1") { try $0["place"] }
    }

    enum Beginning: Equatable, Sendable {
        case new
        /// A run before has begun it.
        case resumed
        case finished
    }

    func standing(of source: String) throws -> Beginning {
        let known = try target.all("SELECT source, place, finished_at FROM moves") {
            (
                source: try $0.get("source", as: String.self), place: try $0.get("place", as: String.self),
                end: try $0.get("finished_at", as: Int64?.self)
            )
        }
        if let other = known.first(where: { $0.source != source }) {
            throw MoveProblem(
                "the gallery of \(other.place) was moved to this database before; name another, which is empty"
            )
        }
        guard let mine = known.first else { return .new }
        return mine.end == nil ? .resumed : .finished
    }

    /// `source` says which gallery it is, wherever its folder lies; its keys sign here from now on.
    func begin(source: String, place: String, keys: [ServerSecret.Key], now: Timestamp) throws -> Beginning {
        try target.transaction {
            // One at a time, also where several begin at once.
            try target.run("LOCK TABLE moves IN SHARE ROW EXCLUSIVE MODE")
            let known = try standing(of: source)
            if known == .resumed { try take(keys) }
            guard known == .new else { return known }
            for table in MovedTable.all where try target.has("SELECT 1 FROM \(table.name) LIMIT 1") {
                throw MoveProblem(
                    "there is a gallery in this database already: its table \(table.name) is not empty; name another, "
                        + "which is empty")
            }
            try take(keys)
            try target.run(
                "INSERT INTO moves (source, place, begun_at) VALUES (?, ?, ?)", source, place,
                now.milliseconds)
            return .new
        }
    }

    /// So that users who are logged in at the source are so here. Between two runs there may be another.
    private func take(_ keys: [ServerSecret.Key]) throws {
        let known = try target.all("SELECT secret FROM signing_keys WHERE number > 0") {
            try $0.get("secret", as: [UInt8].self)
        }
        guard known.allSatisfy({ secret in keys.contains { $0.bytes == secret } }) else {
            throw MoveProblem(
                "a node has served this database before, and signs by another key: whoever is logged in would be so no more. "
                    + "Name a database that no node was started with")
        }
        try target.run("DELETE FROM signing_keys WHERE number > 0")
        for key in keys {
            try target.run(
                "INSERT INTO signing_keys (number, secret, created_at) VALUES (?, ?, ?)", key.number,
                key.bytes, key.createdAt?.milliseconds ?? 0)
        }
    }

    /// The source is about to be closed for that reason, and all that is in it is here.
    func intend(toClose reason: String) throws {
        try target.run("UPDATE moves SET closing = ? WHERE finished_at IS NULL", reason)
    }

    /// Why the source was about to be closed; nothing where it was not.
    func closing() throws -> String? {
        try target.first("SELECT closing FROM moves WHERE finished_at IS NULL") {
            try $0.get("closing", as: String?.self)
        } ?? nil
    }

    // MARK: Objects

    struct MovedObject: Equatable, Sendable {
        let key: String
        let size: UInt64
        let sha256: String
    }

    /// Those of these that are here, and were read back.
    func moved(of keys: [String]) throws -> Set<String> {
        guard !keys.isEmpty else { return [] }
        let marks = keys.map { _ in "?" }.joined(separator: ", ")
        var found: Set<String> = []
        try target.execute("SELECT object_key FROM moved_objects WHERE object_key IN (\(marks))", keys) {
            row in
            found.insert(try row["object_key"])
            return true
        }
        return found
    }

    func note(_ objects: [MovedObject]) throws {
        guard !objects.isEmpty else { return }
        let marks = objects.map { _ in "(?, ?, ?)" }.joined(separator: ", ")
        let values: [any Storable] = objects.flatMap { [$0.key, $0.size, $0.sha256] as [any Storable] }
        _ = try target.transaction {
            try target.execute(
                """
                INSERT INTO moved_objects (object_key, size, sha256) VALUES \(marks) ON CONFLICT (object_key)
                    DO UPDATE SET size = excluded.size, sha256 = excluded.sha256
                """, values
            ) { _ in true }
        }
    }

    /// In the order of their keys, from behind that one on.
    func noted(after: String?, limit: Int) throws -> [ListedObject] {
        try target.all(
            "SELECT object_key, size FROM moved_objects WHERE object_key > ? ORDER BY object_key LIMIT ?",
            after ?? "", limit
        ) { ListedObject(key: try $0["object_key"], size: try $0["size"]) }
    }

    /// They are not here after all, and are to be taken over again.
    func forget(_ keys: [String]) throws {
        guard !keys.isEmpty else { return }
        _ = try target.transaction {
            try target.run(
                "DELETE FROM moved_objects WHERE object_key \(target.dialect.isAmongTexts("?"))",
                keys.joined(separator: ","))
        }
    }

    private static let mostTold = 100

    /// Photos and logos whose objects are not here, or not as the rows say, a sentence each.
    func missing() throws -> [String] { try missingOfPhotos() + missingLogos() }

    private func missingLogos() throws -> [String] {
        try target.all(
            """
            SELECT e.id, e.logo_key AS key FROM events AS e LEFT JOIN moved_objects AS m ON m.object_key = e.logo_key
            WHERE e.logo_key IS NOT NULL AND (m.object_key IS NULL OR m.size <> e.logo_size) ORDER BY e.id LIMIT ?
            """, Self.mostTold
        ) { row in
            let (event, key): (String, String) = (try row["id"], try row["key"])
            return "event \(event): its logo \(key) is missing, or is not what its row says; "
                + "put it back from a backup, or take the logo away"
        }
    }

    private func missingOfPhotos() throws -> [String] {
        try target.all(
            """
            SELECT p.id, o.key, m.object_key IS NULL AS missing FROM photos AS p
            CROSS JOIN LATERAL (VALUES (p.original_key, p.size, p.sha256), (p.thumb_key, p.thumb_size, NULL),
                (p.tile_key, p.tile_size, NULL), (p.screen_key, p.screen_size, NULL),
                (p.stream_key, p.stream_size, NULL)) AS o (key, size, sha256)
            LEFT JOIN moved_objects AS m ON m.object_key = o.key
            WHERE p.deleted_at IS NULL AND o.key IS NOT NULL
                AND (m.object_key IS NULL OR m.size <> o.size OR m.sha256 <> o.sha256)
            ORDER BY p.id LIMIT ?
            """, Self.mostTold
        ) { row in
            let (photo, key): (String, String) = (try row["id"], try row["key"])
            return try row.get("missing", as: Bool.self)
                ? "photo \(photo): its object \(key) is missing; put it back from a backup, or delete the photo"
                : "photo \(photo): its object \(key) is not what its row says; put it back from a backup, or delete the photo"
        }
    }

    /// Nodes may serve it from now on. What was deleted after it was brought here is left to the sweeper.
    func finish(now: Timestamp) throws {
        try target.transaction {
            try target.run(
                """
                INSERT INTO removals (object_key, due_at)
                SELECT m.object_key, ? FROM moved_objects AS m
                WHERE NOT EXISTS (SELECT 1 FROM places AS p WHERE p.object_key = m.object_key)
                    AND NOT EXISTS (SELECT 1 FROM events AS e WHERE e.logo_key = m.object_key)
                    AND NOT EXISTS (SELECT 1 FROM tus_pieces AS t WHERE t.object_key = m.object_key)
                    AND NOT EXISTS (SELECT 1 FROM uploads AS u
                        WHERE u.object_key = m.object_key AND u.status = 'processing')
                    AND NOT EXISTS (SELECT 1 FROM photos AS p WHERE p.deleted_at IS NULL AND p.original_key = m.object_key)
                    AND NOT EXISTS (SELECT 1 FROM photos AS p WHERE p.deleted_at IS NULL AND p.thumb_key = m.object_key)
                    AND NOT EXISTS (SELECT 1 FROM photos AS p WHERE p.deleted_at IS NULL AND p.tile_key = m.object_key)
                    AND NOT EXISTS (SELECT 1 FROM photos AS p WHERE p.deleted_at IS NULL AND p.screen_key = m.object_key)
                    AND NOT EXISTS (SELECT 1 FROM photos AS p WHERE p.deleted_at IS NULL AND p.stream_key = m.object_key)
                ON CONFLICT (object_key) DO NOTHING
                """, now.milliseconds)
            try target.run("TRUNCATE moved_objects")
            try target.run(
                "UPDATE moves SET finished_at = ? WHERE finished_at IS NULL", now.milliseconds)
        }
    }
}
