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
        of event: String?, state: JobState? = nil, group: JobGroup? = nil, destination: String? = nil,
        after: Int64 = 0, limit: Int? = nil, _ body: (JobEntry) throws -> Void
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
            WHERE (?1 IS NULL OR j.event_id = ?1) AND j.state IN (\(list)) AND j.id > ?2
                AND (?3 IS NULL OR d.url = ?3 OR d.id = ?4)
            ORDER BY j.id LIMIT ?5
            """, event, after, destination, destination.flatMap { Int64($0) }, limit ?? -1
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

    /// By its address or its number.
    package func hasDestination(_ text: String, of event: String?) throws -> Bool {
        try database.first(
            "SELECT 1 FROM destinations WHERE (url = ?1 OR id = ?2) AND (?3 IS NULL OR event_id = ?3)", text,
            Int64(text), event
        ) { _ in true } ?? false
    }

    package func recall(_ key: String) throws -> String? {
        try database.first("SELECT value FROM state WHERE key = ?", key) { row in try row.get(0) }
    }

    /// What the run that is alive, or was alive last, works for; of a home whose last run was an older version's, the event
    /// that is open.
    package func runningEvent() throws -> BridgeEvent? {
        if let noted = try recall(Ledger.runningKey) { return try event(noted) }
        return try openEvent()
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
    static let runningKey = "running.event"

    private static let runBegunKey = "running.since"

    /// Which event the bridge works for that runs here, for those who ask when it does not answer; and that a run has begun.
    /// One before it that did not end in order is told.
    package func noteRun(of event: BridgeEvent) throws {
        try database.transaction {
            if try recall(Self.runBegunKey) != nil {
                let alive =
                    try database.first("SELECT max(alive_at) FROM windows") { row in
                        try row.get(0, as: Timestamp?.self)
                    } ?? nil
                let moment = alive.map { " It was last seen alive at \(written($0))." } ?? ""
                try enter(
                    JournalEntry(
                        .error,
                        "the run before did not end in order: a crash, a power cut, or it was killed.\(moment)"
                    ))
            }
            try remember(Self.runningKey, event.id)
            try remember(Self.runBegunKey, "\(wall.wallNow.milliseconds)")
            try enter(JournalEntry(.info, "a run of '\(event.name)' began"))
        }
    }

    /// It ends in order.
    package func noteEnd(of event: BridgeEvent, _ outcome: String) throws {
        try database.transaction {
            try forget(Self.runBegunKey)
            try enter(JournalEntry(.info, "the run of '\(event.name)' ended: \(outcome)"))
        }
    }

    /// As the clock on the wall shows it here.
    private func written(_ moment: Timestamp) -> String {
        let local = moment + .seconds(wall.localOffset(at: moment))
        return "\(CivilTime.rfc3339(milliseconds: local.milliseconds).prefix(16))".replacing("T", with: " ")
    }

    /// There while the operator has paused everything.
    package static let pausedKey = "paused"

    package func pause(_ isPaused: Bool) throws {
        if isPaused { try remember(Self.pausedKey, "yes") } else { try forget(Self.pausedKey) }
    }

    package func isPaused() throws -> Bool { try recall(Self.pausedKey) != nil }
}
