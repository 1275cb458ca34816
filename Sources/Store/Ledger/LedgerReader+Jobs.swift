package import Basics
package import Bridge
import Database

extension LedgerReader {
    /// A job as an operator reads it.
    package struct JobEntry: Equatable, Sendable {
        package let id: JobID
        package let capture: CaptureID
        package let name: String
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
            SELECT j.id, j.capture_id, c.name, d.url, j.state, j.cancelled, j.attempts, j.due_at, j.size, j.problem,
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
                    url: try row["url"], state: try row.word("state"), isCancelled: try row["cancelled"],
                    attempts: try row["attempts"], due: try row["due_at"], size: try row["size"],
                    problem: try row["problem"], receipt: try row["receipt"],
                    createdAt: try row["created_at"], completedAt: try row["completed_at"],
                    deadline: try row["deadline_at"], earlier: try row["earlier"]))
        }
    }

    /// What is open at each destination. What is completed there is not counted: that would mean reading all of it.
    package func open(at destination: DestinationID) throws -> [JobGroup: Int] {
        func count(_ sql: String) throws -> Int {
            try database.first(sql, destination) { try $0.get(0, as: Int.self) } ?? 0
        }
        var groups: [JobGroup: Int] = [:]
        groups[.queued] = try count(
            "SELECT count(*) FROM upload_jobs WHERE destination_id = ? AND \(Schema.waits)")
        groups[.awaiting] = try count(
            """
            SELECT count(*) FROM upload_jobs WHERE destination_id = ? AND claimed = 0
                AND state = 'uploadedAwaitingProcessing'
            """)
        try database.each(
            "SELECT state, count(*) FROM upload_jobs WHERE claimed = 1 AND destination_id = ? GROUP BY state",
            destination
        ) { row in
            groups[JobGroup(try row.word(0)), default: 0] += try row.get(1, as: Int.self)
        }
        groups[.failed] = try count(
            """
            SELECT count(*) FROM upload_jobs WHERE event_id = (SELECT event_id FROM destinations WHERE id = ?1)
                AND state = 'failedPermanent' AND destination_id = ?1 AND cancelled = 0
            """)
        return groups
    }

    /// All that the ledger knows of how a bridge is.
    package func status(of event: BridgeEvent) throws -> BridgeStatus {
        var status = BridgeStatus()
        status.event = BridgeStatus.Event(id: event.id, name: event.name)
        status.window = try windows(of: event.id).last
        if try hasUndecidedAbsence(in: event.id) {
            status.unattended = try passedOver(in: event.id)[.unattended, default: 0]
        }
        let counts = try counts(of: event.id)
        status.photos = counts.captures
        status.jobs = JobGroup.counts(counts.jobs)
        status.bytes = counts.bytes.reduce(into: [:]) { $0[JobGroup($1.key), default: 0] += $1.value }
        status.cancelled = counts.cancelled
        status.cameras = try cameras(of: event.id).map {
            BridgeStatus.Camera(address: $0.address, name: "\($0.camera)")
        }
        status.destinations = try database.all(
            "SELECT id, url, kind FROM destinations WHERE event_id = ? AND removed_at IS NULL ORDER BY id",
            event.id
        ) { row in
            BridgeStatus.Destination(
                url: try row.get(1), kind: try row.word(2), jobs: try open(at: row.get(0)))
        }
        status.isPaused = try recall(Ledger.pausedKey) != nil
        return status
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
