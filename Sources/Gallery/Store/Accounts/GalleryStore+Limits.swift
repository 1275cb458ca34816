import Basics
import Database

/// How often something was tried, counted for all nodes.
extension GalleryStore {
    /// The decisions of one moment. Rows are made and locked in one order by every node, so that no two wait for each other.
    func decide(
        about keys: [LimitKey], _ decisions: @Sendable (inout LimitRows, Duration) -> Void
    ) throws {
        let now = wall.wallNow
        let changedAt = now.milliseconds / Self.limitStep * Self.limitStep
        try write {
            var rows = LimitRows(try lock(limits: keys, changedAt: changedAt))
            decisions(&rows, .milliseconds(now.milliseconds))
            let changed = rows.changed.sorted()
            guard !changed.isEmpty else { return }
            try database.run(
                """
                INSERT INTO limits (kind, key, state, changed_at)
                    SELECT kind, key, state, ?4::bigint
                    FROM \(Self.rows("?1", "?2", "?3")) AS k (kind, key, state)
                    ON CONFLICT (kind, key) DO UPDATE SET state = excluded.state, changed_at = excluded.changed_at
                """, StoredTexts.text(changed.map(\.kind.rawValue)), StoredTexts.text(changed.map(\.key)),
                StoredTexts.text(changed.map { rows[$0] ?? "" }), changedAt)
        }
    }

    /// What is known of each; no other transaction changes it before the transaction ends.
    private func lock(limits keys: [LimitKey], changedAt: Int64) throws -> [LimitKey: String] {
        let (kinds, names) = (StoredTexts.text(keys.map(\.kind.rawValue)), StoredTexts.text(keys.map(\.key)))
        try database.run(
            """
            INSERT INTO limits (kind, key, state, changed_at)
                SELECT kind, key, '', ?3::bigint FROM \(Self.rows("?1", "?2")) AS k (kind, key)
                ORDER BY kind, key COLLATE "C"
                ON CONFLICT (kind, key) DO NOTHING
            """, kinds, names, changedAt)
        let known = Dictionary(uniqueKeysWithValues: keys.map { ("\($0.kind.rawValue) \($0.key)", $0) })
        var states: [LimitKey: String] = [:]
        try database.each(
            """
            SELECT l.kind, l.key, l.state FROM \(Self.rows("?1", "?2")) AS k (kind, key)
                JOIN limits AS l ON l.kind = k.kind AND l.key = k.key COLLATE "C"
                ORDER BY l.kind, l.key FOR UPDATE OF l
            """, kinds, names
        ) { row in
            let name = "\(try row.get("kind", as: String.self)) \(try row.get("key", as: String.self))"
            if let key = known[name] { states[key] = try row["state"] }
        }
        return states
    }

    /// Lists beside each other, each in JSON.
    private static func rows(_ lists: String...) -> String {
        "ROWS FROM (\(lists.map { "jsonb_array_elements_text(\($0)::jsonb)" }.joined(separator: ", ")))"
    }

    /// Written down by no finer steps, so that most changes touch no index.
    private static let limitStep: Int64 = 600_000
    /// Longer than any limit looks back, by more than such a step.
    private static let limitLife = Duration.seconds(26 * 3600)
    /// Where more are tried by, those go that have been quiet for longest.
    static let mostLimits = 1_000_000

    /// Forgets what no limit asks for any more.
    func sweepLimits(most: Int = GalleryStore.mostLimits) throws {
        try database.run(
            "DELETE FROM limits WHERE changed_at < ?",
            (wall.wallNow + (.zero - Self.limitLife)).milliseconds)
        try database.run(
            """
            DELETE FROM limits WHERE changed_at <
                (SELECT changed_at FROM limits ORDER BY changed_at DESC LIMIT 1 OFFSET ?)
            """, most)
    }
}
