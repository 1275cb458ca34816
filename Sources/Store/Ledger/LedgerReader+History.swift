import Basics
package import Bridge
import Database

extension LedgerReader {
    /// Photos that one word may mean, told at once.
    package static let mostMatches = 100

    /// Photos that an operator may mean: a number here; a name or a path as on the card, in any case, with or without its
    /// ending; the name of its file in the spool; a SHA-256 or its beginning; what a destination calls it. The first kind that
    /// any photo fits is meant.
    package func photos(meant text: String, in event: String?) throws -> [CaptureID] {
        let hash = Self.isHash(text) ? text.lowercased() : nil
        let searches: [(sql: String, value: (any Storable & Sendable)?)] = [
            // 0001 is the end of a name.
            ("c.id = ?2", Int64(text).flatMap { "\($0)" == text ? $0 : nil }),
            ("c.name = ?2 COLLATE NOCASE OR c.folder || '/' || c.name = ?2 COLLATE NOCASE", text),
            ("c.file = ?2 OR substr(c.file, -length(?2) - 1) = '/' || ?2", text),
            ("c.sha256 >= ?2 AND c.sha256 < ?2 || 'g'", hash),
            ("c.stem = ?2 COLLATE NOCASE", text),
            (Self.isCalled("upload_jobs"), text), (Self.isCalled("earlier_deliveries"), text),
        ]
        for (sql, value) in searches {
            guard let value else { continue }
            let found = try database.all(
                """
                SELECT c.id FROM captures c WHERE (?1 IS NULL OR c.event_id = ?1) AND (\(sql))
                ORDER BY c.id LIMIT \(Self.mostMatches)
                """, event, value
            ) { try $0.get(0, as: CaptureID.self) }
            if !found.isEmpty { return found }
        }
        return []
    }

    /// A gallery's id of the photo, or the name that it has elsewhere, without its folders too.
    private static func isCalled(_ table: String) -> String {
        """
        c.id IN (SELECT capture_id FROM \(table) WHERE receipt IS NOT NULL
            AND (json_extract(receipt, '$.photoId') = ?2 OR json_extract(receipt, '$.key') = ?2
                OR substr(json_extract(receipt, '$.key'), -length(?2) - 1) = '/' || ?2))
        """
    }

    /// A beginning that is shorter is a number or a name.
    private static func isHash(_ text: String) -> Bool {
        (8...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                    UInt8(ascii: "A")...UInt8(ascii: "F"):
                    true
                default: false
                }
            }
    }

    /// Names that have the same part in them, for one that no photo has.
    package func names(like text: String, in event: String?, limit: Int) throws -> [String] {
        try database.all(
            """
            SELECT DISTINCT name FROM captures WHERE (?1 IS NULL OR event_id = ?1) AND instr(lower(name), lower(?2)) > 0
            ORDER BY id LIMIT ?3
            """, event, text, limit
        ) { try $0.get(0, as: String.self) }
    }

    /// How many photos the ledger knows, of one event or of all.
    package func photoCount(in event: String?) throws -> Int {
        try database.first(
            "SELECT coalesce(sum(number), 0) FROM counts WHERE subject = 'capture' AND (?1 IS NULL OR event_id = ?1)",
            event
        ) { try $0.get(0, as: Int.self) } ?? 0
    }

    // MARK: One photo

    /// All that is known of it; nothing where there is no such row.
    package func history(of id: CaptureID) throws -> PhotoHistory? {
        guard var history = try database.first(Self.historyRow, id, as: Self.history) else { return nil }
        history.relatives = try relatives(of: id)
        history.deliveries = try deliveries(of: id, holds(of: history.event.id))
        history.journal = try database.all(
            """
            SELECT at, level, job_id, text FROM journal WHERE capture_id = ?1
                OR job_id IN (SELECT id FROM upload_jobs WHERE capture_id = ?1) ORDER BY id DESC LIMIT \(Self.mostMatches)
            """, id
        ) { row in
            PhotoHistory.Line(
                at: try row.get(0), try row.word(1), job: try row.get(2, as: JobID?.self), try row.get(3))
        }.reversed()
        return history
    }

    private static let historyRow = """
        SELECT c.*, e.name AS event, m.manufacturer, m.model, m.body, m.address
        FROM captures c JOIN events e ON e.id = c.event_id LEFT JOIN cameras m ON m.id = c.camera_id WHERE c.id = ?
        """

    private static func history(_ row: Row) throws -> PhotoHistory {
        var history = PhotoHistory(
            id: try row["id"], event: BridgeEvent(id: try row["event_id"], name: try row["event"]),
            path: path(try row["folder"], try row["name"]), state: try row.word("state"),
            announcedAt: try row["announced_at"])
        history.camera = try row.get("manufacturer", as: String?.self).map {
            CameraIdentity(manufacturer: $0, model: try row["model"], body: try row["body"])
        }
        history.address = try row["address"]
        history.size = try row["size"]
        history.captureDate = try row["capture_date"]
        history.takenAt = try row["taken_at"]
        history.clockAhead = try row["clock_ahead"]
        history.isInMemory = try row["in_memory"]
        history.reason = try row["reason"]
        history.doubts = Set(noted: try row["doubts"])
        history.verified = try row["verified"]
        history.cost = FailedFetchCost(
            connections: try row["cost_connections"], bytes: try row["cost_bytes"],
            time: .milliseconds(try row.get("cost_ms", as: Int64.self)))
        history.file = try row["file"]
        history.stagedSize = try row["staged_size"]
        history.sha256 = try row["sha256"]
        history.stagedAt = try row["staged_at"]
        history.settledAt = try row["settled_at"]
        history.removedAt = try row["removed_at"]
        history.deletedAt = try row["deleted_at"]
        return history
    }

    private static func path(_ folder: String, _ name: String) -> String {
        folder.isEmpty ? name : "\(folder)/\(name)"
    }

    private func deliveries(
        of id: CaptureID, _ holds: [DestinationID: BridgeStatus.Destination.Hold]
    ) throws -> [PhotoHistory.Delivery] {
        try database.all(
            """
            SELECT j.id, d.url, d.kind, j.state, j.cancelled, j.attempts, j.created_at, j.due_at, j.deadline_at,
                j.completed_at, j.problem, j.receipt, j.destination_id, d.removed_at, n.url AS successor,
                CASE WHEN d.created_at > c.staged_at THEN d.created_at END AS wanted_since,
                \(Self.isWanted) AS is_wanted
            FROM upload_jobs j JOIN captures c ON c.id = j.capture_id JOIN destinations d ON d.id = j.destination_id
                LEFT JOIN destinations n ON n.id = d.replaced_by
            WHERE j.capture_id = ? ORDER BY j.id
            """, id
        ) { row in
            var delivery = PhotoHistory.Delivery(
                job: try row["id"], url: try row["url"], kind: try row.word("kind"),
                state: try row.word("state"),
                createdAt: try row["created_at"], due: try row["due_at"])
            delivery.wantedSince = try row["wanted_since"]
            delivery.isCancelled = try row["cancelled"]
            delivery.attempts = try row["attempts"]
            delivery.deadline = try row["deadline_at"]
            delivery.completedAt = try row["completed_at"]
            delivery.problem = try row["problem"]
            delivery.receipt = try row["receipt"]
            delivery.removedAt = try row["removed_at"]
            delivery.replacedBy = try row["successor"]
            delivery.isWanted = try row["is_wanted"]
            let destination: DestinationID = try row["destination_id"]
            delivery.hold = holds[destination]?.reason
            delivery.earlier = try earlier(id, destination)
            return delivery
        }
    }

    private func earlier(_ id: CaptureID, _ destination: DestinationID) throws -> [PhotoHistory.Earlier] {
        try database.all(
            """
            SELECT receipt, completed_at, reason, repeated_at FROM earlier_deliveries
            WHERE capture_id = ? AND destination_id = ? ORDER BY id
            """, id, destination
        ) { row in
            PhotoHistory.Earlier(
                receipt: try row.get(0), completedAt: try row.get(1), reason: try row.get(2),
                repeatedAt: try row.get(3))
        }
    }

    private static func isCompanion(_ row: String) -> String {
        let endings = PhotoIdentity.companions.sorted().map { "'.\($0)'" }.joined(separator: ", ")
        return "(upper(substr(\(row).name, length(\(row).stem) + 1)) IN (\(endings)))"
    }

    /// What has its bytes, and what was shot under its name.
    private func relatives(of id: CaptureID) throws -> [PhotoHistory.Relative] {
        try database.all(
            """
            SELECT CASE WHEN o.id = c.duplicate_of THEN 'original' WHEN o.duplicate_of = c.id THEN 'copy'
                    WHEN o.id = c.pair_id THEN 'pair'
                    WHEN \(Self.isCompanion("c")) THEN 'companionOf' ELSE 'companion' END,
                o.id, o.folder, o.name, o.state
            FROM captures c JOIN captures o ON o.id <> c.id AND (
                o.id = c.duplicate_of OR o.duplicate_of = c.id OR o.id = c.pair_id OR (
                    o.event_id = c.event_id AND o.camera_id = c.camera_id AND o.folder = c.folder AND o.stem = c.stem
                    AND o.slot = c.slot AND o.in_memory = 0 AND c.in_memory = 0
                    AND \(Self.isCompanion("o")) <> \(Self.isCompanion("c"))))
            WHERE c.id = ? ORDER BY o.id LIMIT \(Self.mostMatches)
            """, id
        ) { row in
            PhotoHistory.Relative(
                try row.word(0), try row.get(1), path: Self.path(try row.get(2), try row.get(3)),
                state: try row.word(4))
        }
    }
}
