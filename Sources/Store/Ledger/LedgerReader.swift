package import Basics
package import Bridge
package import Database

/// Looks at a ledger, beside the bridge that writes it or without one.
package final class LedgerReader {
    package let database: Connection
    /// Of the last look, so that the next counts what has come since.
    var jobTotals: JobTotals?

    package init(path: String) throws {
        database = try Connection.openForReading(path: path, Schema.migrations)
    }

    // MARK: Events

    static func event(_ idOrName: String, in database: Connection) throws -> BridgeEvent? {
        try database.first(
            """
            SELECT id, name FROM events WHERE id = ?1 OR name = ?1 ORDER BY id <> ?1, created_at DESC LIMIT 1
            """, idOrName
        ) { row in BridgeEvent(id: try row.get(0), name: try row.get(1)) }
    }

    package func event(_ idOrName: String) throws -> BridgeEvent? {
        try Self.event(idOrName, in: database)
    }

    /// The name of another event that has a photo of this identity.
    package func event(havingTaken key: String, besides event: String) throws -> String? {
        try database.first(
            """
            SELECT e.name FROM captures c JOIN events e ON e.id = c.event_id
            WHERE c.event_id IN (SELECT id FROM events) AND c.identity = ? AND c.event_id <> ?
                AND c.state NOT IN ('filtered', 'lost', 'abandoned')
            """, key, event
        ) { row in try row.get(0, as: String.self) }
    }

    package func events() throws -> [BridgeEvent] {
        try database.all("SELECT id, name FROM events ORDER BY created_at") { row in
            BridgeEvent(id: try row.get(0), name: try row.get(1))
        }
    }

    // MARK: Captures

    /// A ledger row as an operator reads it.
    package struct Entry: Equatable, Sendable {
        package let id: CaptureID
        package let event: String
        package let camera: CameraIdentity?
        package let path: String
        package let size: UInt64
        package let captureDate: String
        package let state: CaptureState
        package let reason: String?
        package let duplicateOf: CaptureID?
        package let pair: CaptureID?
        package let sequence: Int64?
        package let file: String?
        package let sha256: String?
        package let stagedSize: UInt64?
        package let isInMemory: Bool
        /// Its file was removed, because every destination has it.
        package var isRemoved = false
        /// Why a person should look at it.
        package var doubts: Set<PhotoDoubt> = []
        /// What the same photo has in common with itself.
        package let key: String?
        /// State by state, how many of its jobs.
        package var jobs: [JobState: Int]
        /// Where it has arrived: destination and receipt.
        package var receipts: [(url: String, receipt: String)]
        /// Why a job waits for the operator.
        package var problems: [String] = []

        package static func == (left: Entry, right: Entry) -> Bool {
            left.id == right.id && left.state == right.state && left.jobs == right.jobs
        }
    }

    /// Whether a delivery `j` to a destination `d` says anything of what the event's destinations have: what went to one that
    /// was removed does not, but for what counts for the one in its place.
    static let isWanted = """
        (d.removed_at IS NULL OR j.state = 'completed'
            AND EXISTS (SELECT 1 FROM destinations n WHERE n.id = d.replaced_by AND n.removed_at IS NULL))
        """
    static let wantedJobs = "upload_jobs j JOIN destinations d ON d.id = j.destination_id WHERE \(isWanted)"

    static let entryColumns = """
        c.id, c.event_id, m.manufacturer, m.model, m.body, c.folder, c.name, c.size, c.capture_date, c.state,
        c.reason, c.duplicate_of, c.pair_id, c.seq, c.file, c.sha256, c.in_memory, c.identity, c.staged_size,
        c.removed_at IS NOT NULL AS removed, c.doubts
        """

    /// Row by row in order of arrival, so that a million of them need no memory.
    package func captures(
        of event: String?, state: CaptureState? = nil, camera: CameraIdentity? = nil, after: Int64 = 0,
        limit: Int? = nil, _ body: (Entry) throws -> Void
    ) throws {
        try database.each(
            """
            SELECT \(Self.entryColumns) FROM captures c LEFT JOIN cameras m ON m.id = c.camera_id
            WHERE (?1 IS NULL OR c.event_id = ?1) AND (?2 IS NULL OR c.state = ?2) AND (?3 IS NULL OR m.key = ?3)
                AND c.id > ?4
            ORDER BY c.id LIMIT ?5
            """, event, state?.rawValue, camera?.key, after, limit ?? -1
        ) { row in
            try body(try entry(row))
        }
    }

    func entry(_ row: Row) throws -> Entry {
        let id: CaptureID = try row["id"]
        let event: String = try row["event_id"]
        let camera = try row.get("manufacturer", as: String?.self).map { manufacturer in
            CameraIdentity(
                manufacturer: manufacturer, model: try row["model"], body: try row["body"])
        }
        let folder: String = try row["folder"]
        let name: String = try row["name"]
        var entry = Entry(
            id: id, event: event, camera: camera, path: folder.isEmpty ? name : "\(folder)/\(name)",
            size: try row["size"], captureDate: try row["capture_date"], state: try row.word("state"),
            reason: try row["reason"], duplicateOf: try row["duplicate_of"], pair: try row["pair_id"],
            sequence: try row["seq"], file: try row["file"], sha256: try row["sha256"],
            stagedSize: try row["staged_size"], isInMemory: try row["in_memory"], key: try row["identity"],
            jobs: [:], receipts: [])
        entry.isRemoved = try row["removed"]
        entry.doubts = Set(noted: try row["doubts"])
        try database.each(
            """
            SELECT j.state, d.url, j.receipt, j.problem, \(Self.isWanted)
            FROM upload_jobs j JOIN destinations d ON d.id = j.destination_id WHERE j.capture_id = ? ORDER BY j.id
            """, id
        ) { row in
            if let receipt = try row.get(2, as: String?.self) {
                entry.receipts.append((try row.get(1), receipt))
            }
            guard try row.get(4, as: Bool.self) else { return }
            entry.jobs[try row.word(0), default: 0] += 1
            if try row.word(0, as: JobState.self) == .failedPermanent {
                entry.problems.append(try row.get(3, as: String?.self) ?? "failed")
            }
        }
        return entry
    }

    // MARK: The journal

    package struct JournalLine: Equatable, Sendable {
        package let at: Timestamp
        package let entry: JournalEntry
    }

    /// The newest entries, oldest first.
    package func journal(
        limit: Int, of levels: Set<JournalEntry.Level> = Set(JournalEntry.Level.allCases)
    ) throws -> [JournalLine] {
        let list = levels.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
        return try database.all(
            """
            SELECT at, level, camera_id, capture_id, job_id, text FROM
                (SELECT * FROM journal WHERE level IN (\(list)) ORDER BY id DESC LIMIT ?) ORDER BY id
            """, limit
        ) { row in
            JournalLine(
                at: try row.get(0),
                entry: JournalEntry(
                    try row.word(1), camera: try row.get(2), capture: try row.get(3), job: try row.get(4),
                    try row.get(5)))
        }
    }

    // MARK: Counts

    package struct Counts: Equatable, Sendable {
        package var captures: [CaptureState: Int] = [:]
        package var jobs: [JobState: Int] = [:]
        /// Jobs that the operator took back.
        package var cancelled = 0
        /// Bytes of the jobs in each state.
        package var bytes: [JobState: UInt64] = [:]
        /// Bytes of the photos that were staged here.
        package var stagedBytes: UInt64 = 0

        /// Photos that are still on their way here or to a destination.
        package var underWay: Int {
            captures[.announced, default: 0] + captures[.receiving, default: 0]
                + jobs.filter { $0.key != .completed && $0.key != .failedPermanent }.values.reduce(0, +)
        }

        /// What the operator has to look at.
        package var failed: Int {
            captures[.lost, default: 0] + captures[.abandoned, default: 0]
                + jobs[.failedPermanent, default: 0]
        }
    }

    package func counts(of event: String) throws -> Counts { try Self.counts(of: event, in: database) }

    static func counts(of event: String, in database: Connection) throws -> Counts {
        var counts = Counts()
        try database.each(
            "SELECT subject, state, number, bytes FROM counts WHERE event_id = ? AND number > 0", event
        ) { row in
            let number: Int = try row.get(2)
            if try row.get(0, as: String.self) == "capture" {
                counts.captures[try row.word(1)] = number
                if try row.word(1, as: CaptureState.self) == .staged {
                    counts.stagedBytes = UInt64(max(0, try row.get(3, as: Int64.self)))
                }
            } else if try row.get(1, as: String.self) == "cancelled" {
                counts.cancelled = number
            } else {
                counts.jobs[try row.word(1)] = number
                counts.bytes[try row.word(1)] = try row.get(3)
            }
        }
        return counts
    }

    package func destinations(of event: String) throws -> [String] {
        try database.all(
            "SELECT url FROM destinations WHERE event_id = ? AND removed_at IS NULL ORDER BY id", event
        ) { row in try row.get(0, as: String.self) }
    }

    /// The body that was last met at this address.
    package func body(at address: String) throws -> KnownBody? {
        try database.first(
            """
            SELECT manufacturer, model, body, learned FROM cameras WHERE address = ?
            ORDER BY last_seen DESC, id DESC LIMIT 1
            """, address, as: KnownBody.init(row:))
    }

    /// The cameras that were met for an event, and where each was last.
    package func cameras(of event: String) throws -> [(id: CameraID, camera: CameraIdentity, address: String)]
    {
        try database.all(
            """
            SELECT id, manufacturer, model, body, address FROM cameras
            WHERE EXISTS (SELECT 1 FROM captures WHERE event_id = ?1 AND camera_id = cameras.id)
                OR id IN (SELECT k.camera_id FROM window_clocks k JOIN windows w ON w.id = k.window_id
                    WHERE w.event_id = ?1)
            ORDER BY id
            """, event
        ) { row in
            (
                try row.get(0),
                CameraIdentity(
                    manufacturer: try row.get(1), model: try row.get(2), body: try row.get(3)), try row.get(4)
            )
        }
    }
}

extension Ledger {
    package func counts(of event: BridgeEvent) throws -> LedgerReader.Counts {
        try LedgerReader.counts(of: event.id, in: database)
    }
}
