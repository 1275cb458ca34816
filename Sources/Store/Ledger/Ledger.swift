package import Basics
package import Bridge
import Database
package import Posix

/// The writer: the one connection of the one bridge that may change the ledger, on a thread of its own.
///
/// Every call that returns is durable. Readers in other processes have connections of their own
/// (``LedgerReader``) and do not hold up the writer.
package actor Ledger {
    private nonisolated let executor: any SerialExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let database: Connection
    let wall: any WallTime
    let random: any RandomSource
    /// Rung when jobs have come, or may be claimed again. A stage is told to look again; it is never handed data.
    package nonisolated let jobsSignal = Signal()
    /// Rung when nothing of a photo is open any more, and when there is something to tell others.
    package nonisolated let settledSignal = Signal()
    package nonisolated let webhookSignal = Signal()
    /// What new jobs are like.
    package var policy = JobPolicy()
    /// Who is told of what happens to photos.
    package var listeners: [Webhook] = []
    /// Deliveries whose file is being mended: they are not claimed.
    var keptBack: Set<JobID> = []
    /// Why a delivery that is being tried once more failed before; its row says nothing of that meanwhile.
    var causes: [JobID: String] = [:]
    /// Told of each photo when nothing of it is open any more, before the signal is rung for it.
    var onSettled: @Sendable (CaptureID) -> Void = { _ in }

    package static let fileName = "tetherline.sqlite"

    /// Opens the home's ledger, making it or bringing it up to date. The caller holds the home's lock.
    package init(
        path: String, executor: any SerialExecutor, wall: any WallTime, random: any RandomSource
    ) throws {
        self.executor = executor
        self.wall = wall
        self.random = random
        database = try Connection.open(path: path, Schema.migrations)
    }

    // MARK: Events and destinations

    /// The event with this id or name. An unknown name makes a local one.
    package func event(_ idOrName: String) throws -> BridgeEvent {
        if let known = try LedgerReader.event(idOrName, in: database) { return known }
        let event = BridgeEvent(id: Randomness.uuid(from: random), name: idOrName)
        try database.run(
            "INSERT INTO events (id, name, origin, created_at) VALUES (?, ?, 'local', ?)", event.id,
            event.name,
            wall.wallNow)
        return event
    }

    /// The destination with this URL, from now on one of the event's. What was staged before gets its jobs, too.
    package func destination(
        _ url: String, kind: DestinationKind, of event: BridgeEvent
    ) throws -> DestinationID {
        let id = try database.transaction {
            let id = try row(of: url, kind: kind, event: event.id)
            try serve(id, kind: kind, event: event.id)
            return id
        }
        jobsSignal.fire()
        return id
    }

    package func destinations(
        of event: BridgeEvent
    ) throws -> [(id: DestinationID, url: String, kind: DestinationKind)] {
        try database.all(
            "SELECT id, url, kind FROM destinations WHERE event_id = ? AND removed_at IS NULL ORDER BY id",
            event.id
        ) { row in
            (try row.get(0), try row.get(1), try row.word(2))
        }
    }

    func insertJob(
        of capture: CaptureID, _ photoKind: PhotoKind, size: UInt64, to destination: DestinationID,
        kind: DestinationKind, event: String
    ) throws {
        let lane = Lane(photoKind, size: size, small: policy.small)
        let now = wall.wallNow
        let objection = policy.holdsBackDoubtful ? try doubts(about: capture).sentence : nil
        try database.run(
            """
            INSERT INTO upload_jobs (capture_id, destination_id, kind, event_id, state, problem, lane, key, due_at, size,
                created_at, deadline_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (capture_id, destination_id) DO NOTHING
            """, capture, destination, kind.rawValue, event,
            (objection == nil ? JobState.staged : .failedPermanent).rawValue,
            objection.map { "held back: \($0); look at it, then 'tetherline retry' delivers it." },
            lane.rawValue,
            Randomness.uuid(from: random), now, size, now, policy.within[lane].map { now + $0 })
    }

    private func doubts(about capture: CaptureID) throws -> Set<PhotoDoubt> {
        Set(
            noted: try database.first("SELECT doubts FROM captures WHERE id = ?", capture) { row in
                try row.get(0, as: String?.self)
            } ?? nil)
    }

    /// Returns when the ledger's thread has got to it: what it is at has come to its end.
    package func answer() {}

    // MARK: Small facts

    package func remember(_ key: String, _ value: String) throws {
        try database.run(
            "INSERT INTO state (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            key,
            value)
    }

    package func forget(_ key: String) throws {
        try database.run("DELETE FROM state WHERE key = ?", key)
    }

    package func recall(_ key: String) throws -> String? {
        try database.first("SELECT value FROM state WHERE key = ?", key) { row in try row.get(0) }
    }

    /// Entries kept; the oldest go.
    static let longestJournal: Int64 = 100_000

    func enter(_ entry: JournalEntry, at moment: Timestamp? = nil) throws {
        try database.run(
            "INSERT INTO journal (at, level, camera_id, capture_id, job_id, text) VALUES (?, ?, ?, ?, ?, ?)",
            moment ?? wall.wallNow, entry.level.rawValue, entry.camera?.number, entry.capture?.number,
            entry.job?.number,
            entry.text)
        let id = database.lastInsertedID
        if id % 1000 == 0 { try database.run("DELETE FROM journal WHERE id <= ?", id - Self.longestJournal) }
    }

    /// What stays to be done when the bridge ends in order.
    package func end() throws {
        try database.script("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
