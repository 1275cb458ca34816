import Basics
import Database

/// Images that are to be gone from caches outside.
enum WithdrawnImages: Equatable, Sendable {
    case ofPhoto(String)
    case ofEvent(String)
    /// Of all photos of an event the originals only.
    case originalsOfEvent(String)
    case ofAccount(String)

    fileprivate var id: String {
        switch self {
        case .ofPhoto(let id), .ofEvent(let id), .originalsOfEvent(let id), .ofAccount(let id): id
        }
    }

    fileprivate var condition: String {
        switch self {
        case .ofPhoto: "p.id = ?2"
        case .ofEvent, .originalsOfEvent: "p.event_id = ?2"
        case .ofAccount: "p.owner_id = ?2"
        }
    }

    fileprivate var columns: [String] {
        if case .originalsOfEvent = self {
            ["original_key"]
        } else {
            ["thumb_key", "tile_key", "screen_key", "original_key", "stream_key"]
        }
    }
}

/// A key that caches are to be told of.
struct DuePurge: Equatable, Sendable {
    let key: String
    /// Of another time when it was taken back once more since.
    let noted: Int64
}

/// What caches outside are told to forget. It is written down in the transaction that takes images back, so that a crash
/// forgets none; where no node tells caches, nothing is written down.
extension GalleryStore {
    /// How long a try may take before another node tells instead. A program of the operator's is ended long before.
    static let purgeLease = Duration.seconds(120)
    /// How long after the first time it is told once more: longer than a node goes by what it remembers, or an answer that was
    /// under way takes to reach a cache.
    static let purgeAgain = Duration.seconds(60)
    /// How long what is taken back is written down after the last node that tells caches was seen.
    static let purgeMemory = Duration.seconds(24 * 3600)

    /// Part of a transaction, before it takes images back: those of them that every client can see until then.
    func purgeSoon(_ images: WithdrawnImages) throws {
        let now = wall.wallNow.milliseconds
        guard try database.has("SELECT 1 FROM purging WHERE wanted_until > ?", now) else { return }
        let keys = images.columns.map { column in
            """
            SELECT p.\(column) FROM photos AS p JOIN events AS e ON e.id = p.event_id WHERE \(images.condition)
                AND p.deleted_at IS NULL AND p.hidden = 0 AND e.deleted_at IS NULL AND e.pin_hash IS NULL
                \(column == "original_key" ? "AND e.allows_originals = 1" : "")
                \(["stream_key", "tile_key"].contains(column) ? "AND p.\(column) IS NOT NULL" : "")
            """
        }
        let later = database.dialect.greater("excluded.noted_at", "purges.noted_at + 1")
        try database.run(
            """
            WITH keys (object_key) AS (\(keys.joined(separator: " UNION ALL ")))
            INSERT INTO purges (object_key, noted_at, due_at)
                SELECT object_key, CAST(?1 AS BIGINT), CAST(?1 AS BIGINT) FROM keys WHERE true
                ON CONFLICT (object_key) DO UPDATE SET noted_at = \(later), due_at = excluded.due_at, told = 0
            """, now, images.id)
    }

    /// A node is there that tells caches. Written down twice a day.
    func wantPurges() throws {
        let now = wall.wallNow
        try database.run(
            "UPDATE purging SET wanted_until = ?1 WHERE wanted_until < ?2",
            (now + Self.purgeMemory).milliseconds, (now + Self.purgeMemory / 2).milliseconds)
    }

    /// No node has been there for long.
    func dropUnwantedPurges() throws {
        try database.run(
            "DELETE FROM purges WHERE (SELECT wanted_until FROM purging) <= ?", wall.wallNow.milliseconds)
    }

    /// What is due and no other node tells, for as long as a try may last.
    func takePurges(limit: Int) throws -> [DuePurge] {
        let now = wall.wallNow
        let locking = database.dialect == .postgres ? "FOR UPDATE SKIP LOCKED" : ""
        return try database.all(
            """
            UPDATE purges SET due_at = ?2 WHERE object_key IN
                (SELECT object_key FROM purges WHERE due_at <= ?1 ORDER BY due_at LIMIT ?3 \(locking))
            RETURNING object_key, noted_at
            """, now.milliseconds, (now + Self.purgeLease).milliseconds, limit
        ) { DuePurge(key: try $0["object_key"], noted: try $0["noted_at"]) }
    }

    /// Caches have heard of these: they are told once more, or it was that.
    func told(_ purges: [DuePurge]) throws {
        let again = wall.wallNow + Self.purgeAgain
        try write {
            for purge in purges {
                try database.run(
                    "DELETE FROM purges WHERE object_key = ? AND noted_at = ? AND told = 1", purge.key,
                    purge.noted)
                try database.run(
                    "UPDATE purges SET told = 1, due_at = ?1 WHERE object_key = ?2 AND noted_at = ?3",
                    again.milliseconds, purge.key, purge.noted)
            }
        }
    }

    /// They have not: these are due again, behind what has waited longer.
    func giveBack(_ purges: [DuePurge]) throws {
        let now = wall.wallNow.milliseconds
        try write {
            for purge in purges {
                try database.run(
                    "UPDATE purges SET tries = tries + 1, due_at = ?1 WHERE object_key = ?2 AND noted_at = ?3",
                    now, purge.key, purge.noted)
            }
        }
    }
}

extension SQLSession {
    /// How many images wait for caches to be told of them for the first time, and since when the oldest does.
    func waitingPurges() throws -> (count: Int, since: Timestamp?) {
        try first("SELECT count(*) AS count, min(noted_at) AS since FROM purges WHERE told = 0") { row in
            (try row["count"], try row.optionalMoment("since"))
        } ?? (0, nil)
    }
}
