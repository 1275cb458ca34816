package import Basics
package import Bridge
import Database

extension LedgerReader {
    /// A job as an operator reads it.
    package struct JobEntry: Equatable, Sendable {
        package let id: JobID
        package let capture: CaptureID
        package let name: String
        package let destination: DestinationID
        package let url: String
        package let state: JobState
        package let isCancelled: Bool
        package let attempts: Int
        package let due: Timestamp
        package let size: UInt64
        package let problem: String?
        package let receipt: String?
        package let createdAt: Timestamp
        package let completedAt: Timestamp?
        package let deadline: Timestamp?
        /// What was acknowledged before it was sent again, as JSON: a list.
        package let earlier: String
    }

    /// Row by row in order of their making, so that a million of them need no memory.
    package func jobs(
        of event: String?, state: JobState? = nil, group: JobGroup? = nil, _ body: (JobEntry) throws -> Void
    ) throws {
        let states = JobState.allCases.filter {
            (state == nil || $0 == state) && (group == nil || JobGroup($0) == group)
        }
        let list = states.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        try database.each(
            """
            SELECT j.id, j.capture_id, j.destination_id, c.name, d.url, j.state, j.cancelled, j.attempts, j.due_at, j.size, j.problem,
                j.receipt, j.created_at, j.completed_at, j.deadline_at,
                (SELECT json_group_array(json_object('key', key, 'receipt', json(receipt), 'completedAt', completed_at,
                        'reason', reason, 'repeatedAt', repeated_at))
                    FROM earlier_deliveries WHERE capture_id = j.capture_id AND destination_id = j.destination_id) AS earlier
            FROM upload_jobs j JOIN captures c ON c.id = j.capture_id JOIN destinations d ON d.id = j.destination_id
            WHERE (?1 IS NULL OR j.event_id = ?1) AND j.state IN (\(list)) ORDER BY j.id
            """, event
        ) { row in
            try body(
                JobEntry(
                    id: try row["id"], capture: try row["capture_id"], name: try row["name"],
                    destination: try row["destination_id"], url: try row["url"], state: try row.word("state"),
                    isCancelled: try row["cancelled"],
                    attempts: try row["attempts"], due: try row["due_at"], size: try row["size"],
                    problem: try row["problem"], receipt: try row["receipt"],
                    createdAt: try row["created_at"], completedAt: try row["completed_at"],
                    deadline: try row["deadline_at"], earlier: try row["earlier"]))
        }
    }

    package func recall(_ key: String) throws -> String? {
        try database.first("SELECT value FROM state WHERE key = ?", key) { row in try row.get(0) }
    }

    /// The event that something was taken into last.
    func latestEvent() throws -> BridgeEvent? {
        let latest = try database.first("SELECT event_id FROM captures ORDER BY id DESC LIMIT 1") {
            try $0.get(0, as: String.self)
        }
        return try latest.flatMap { try event($0) } ?? events().last
    }
}

extension Ledger {
    /// There while the operator has paused everything.
    package static let pausedKey = "paused"

    package func pause(_ isPaused: Bool) throws {
        if isPaused { try remember(Self.pausedKey, "yes") } else { try forget(Self.pausedKey) }
    }

    package func isPaused() throws -> Bool { try recall(Self.pausedKey) != nil }
}
