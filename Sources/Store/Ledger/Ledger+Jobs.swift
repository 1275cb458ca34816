import Basics
package import Bridge
import Database
import Posix

extension Ledger: UploadLedger {
    private static let jobColumns = """
        j.id, j.capture_id, j.destination_id, j.kind, j.state, j.lane, j.key, j.attempts, j.due_at, c.file,
        c.staged_size, c.sha256, \(LedgerReader.factColumns), j.problem, j.note, j.deadline_at, c.capture_date, c.clock_ahead,
        (SELECT json_extract(receipt, '$.key') FROM earlier_deliveries
            WHERE capture_id = j.capture_id AND destination_id = j.destination_id ORDER BY id DESC LIMIT 1) AS former_name,
        \(LedgerReader.isFirstTime) AS is_first_time
        """
    private static let jobTables = """
        upload_jobs j JOIN captures c ON c.id = j.capture_id JOIN events e ON e.id = j.event_id
        LEFT JOIN cameras m ON m.id = c.camera_id
        """

    /// In the order of an index, so that it ends after the rows it wants, however many wait.
    package static func bestFirst(newest: Bool) -> String {
        """
        SELECT id FROM upload_jobs WHERE destination_id = ? AND \(Schema.waits) AND state = ? AND lane = ?
        ORDER BY id \(newest ? "DESC" : "ASC") LIMIT ?
        """
    }
    /// The same by another index.
    package static let dueFirst = """
        SELECT id FROM upload_jobs WHERE destination_id = ? AND \(Schema.waits) ORDER BY due_at LIMIT ?
        """
    package static let sentFirst = """
        SELECT id FROM upload_jobs WHERE destination_id = ? AND claimed = 0
            AND state = 'uploadedAwaitingProcessing' ORDER BY id LIMIT ?
        """

    /// The best that wait, and a quarter of what has been due longest, so that what is always less urgent gets into
    /// the window as well.
    package func claim(_ count: Int, to destination: DestinationID, newestFirst: Bool) throws -> [Job] {
        try database.transaction {
            var ids: [JobID] = []
            for state in [JobState.presigned, .staged] {
                for lane in [Lane.first, .later] {
                    let limit = count - count / 4 - ids.count
                    guard limit > 0 else { break }
                    let best = try database.all(
                        Self.bestFirst(newest: newestFirst), destination, state.rawValue, lane.rawValue, limit
                    ) { try $0.get(0, as: JobID.self) }
                    ids += try take(best)
                }
            }
            if count > ids.count {
                ids += try take(
                    database.all(Self.dueFirst, destination, count - ids.count) { try $0.get(0) })
            }
            return try jobs(ids)
        }
    }

    /// Photos that a gallery works on, also those that an earlier run has sent.
    package func claimSent(_ count: Int, to destination: DestinationID) throws -> [Job] {
        try database.transaction {
            try jobs(take(database.all(Self.sentFirst, destination, count) { try $0.get(0) }))
        }
    }

    package func release(_ jobs: [JobID]) throws {
        try database.transaction {
            for id in jobs {
                try database.run(
                    "UPDATE upload_jobs SET claimed = 0 WHERE id = ? AND state NOT IN ('completed', 'failedPermanent')",
                    id)
            }
        }
    }

    private func take(_ ids: [JobID]) throws -> [JobID] {
        for id in ids { try database.run("UPDATE upload_jobs SET claimed = 1 WHERE id = ?", id) }
        return ids
    }

    private func jobs(_ ids: [JobID]) throws -> [Job] {
        try ids.compactMap { id in
            try database.first("SELECT \(Self.jobColumns) FROM \(Self.jobTables) WHERE j.id = ?", id, as: job)
        }
    }

    private func job(_ row: Row) throws -> Job {
        let announced: Timestamp = try row["announced_at"]
        let note: String? = try row["note"]
        let kind: DestinationKind = try row.word("kind")
        var job = Job(
            id: try row["id"], capture: try row["capture_id"], destination: try row["destination_id"],
            kind: kind,
            state: try row.word("state"), lane: try row.get("lane", as: Int64.self) == 0 ? .first : .later,
            key: try row["key"], attempts: try row["attempts"], due: try row["due_at"],
            photo: StagedPhoto(
                file: try row["file"], size: try row["staged_size"], sha256: try row["sha256"]),
            facts: try NameTemplate.Facts(row, wall),
            problem: try row["problem"],
            intent: kind == .gallery ? note.flatMap { PresignedUpload(noted: $0) } : nil,
            note: kind == .direct ? note : nil)
        job.deadline = try row["deadline_at"]
        job.takenAt = Timestamp(ptp: try row["capture_date"])
        job.cameraClockAhead = try row["clock_ahead"]
        if try row["is_first_time"] {
            job.shot = ConfirmationTimes.shot(
                date: job.takenAt, cameraSeconds: try row["taken_at"], clockAhead: job.cameraClockAhead,
                seen: announced)
        }
        job.formerName = try row["former_name"]
        return job
    }

    /// All of them in one transaction, in their order; those that did not fit are left out and named.
    package func save(_ changes: [JobChange]) throws -> [JobMismatch] {
        var settled: [CaptureID] = []
        let mismatches = try database.transaction {
            try changes.compactMap { change in
                guard try save(change) else { return JobMismatch(change: change) }
                guard change.to == .completed || change.isCancelled else { return nil }
                if let capture = try settle(after: change.job) { settled.append(capture) }
                return nil
            }
        }
        for capture in settled { onSettled(capture) }
        if !settled.isEmpty { settledSignal.fire() }
        return mismatches
    }

    /// False when the job was not in the state that the change begins from.
    private func save(_ change: JobChange) throws -> Bool {
        let isCompleted = change.to == .completed
        if change.from == .failedRetryable { causes[change.job] = try problem(of: change.job) }
        try database.run(
            """
            UPDATE upload_jobs SET state = ?, attempts = ?, due_at = ?, problem = ?, receipt = ?, completed_at = ?,
                claimed = ?, cancelled = ?, note = CASE kind WHEN 'gallery' THEN ? ELSE note END
            WHERE id = ? AND state = ?
            """, change.to.rawValue, change.attempts, change.due, isCompleted ? nil : change.problem,
            change.receipt?.json.compact, isCompleted ? wall.wallNow : nil,
            // A settled job is claimed no longer.
            change.to != .completed && change.to != .failedPermanent, change.isCancelled,
            change.intent?.noted, change.job, change.from.rawValue)
        guard database.changes == 1 else { return false }
        try noteCause(of: change)
        return true
    }

    /// Why a delivery failed, once for each reason: the row has only the last, and a photo's story is to have all of them.
    private func noteCause(of change: JobChange) throws {
        let problem = change.problem ?? "failed"
        switch change.to {
        case .failedPermanent:
            try enter(JournalEntry(change.isCancelled ? .info : .error, job: change.job, problem))
        case .failedRetryable where causes[change.job] != problem:
            try enter(JournalEntry(.warning, job: change.job, "not delivered: \(problem)"))
        case .completed:
            if case .leftOut(let reason) = change.receipt?.caption {
                try enter(JournalEntry(.warning, job: change.job, DeliveredCaption.leftOut(because: reason)))
            }
        case .failedRetryable, .staged: break
        // It is being tried once more.
        case .presigned, .uploading, .uploadedAwaitingProcessing: return
        }
        causes[change.job] = nil
    }

    private func problem(of job: JobID) throws -> String? {
        try database.first("SELECT problem FROM upload_jobs WHERE id = ?", job) { row in
            try row.get(0, as: String?.self)
        } ?? nil
    }

    /// Whether a photo is at a destination of its event, and nothing of it is open. What only a destination had that was
    /// removed is nowhere.
    static let hasAllItShould = """
        EXISTS (SELECT 1 FROM \(LedgerReader.wantedJobs) AND j.capture_id = captures.id AND j.state = 'completed')
        AND NOT EXISTS (SELECT 1 FROM upload_jobs
            WHERE capture_id = captures.id AND state <> 'completed' AND cancelled = 0)
        """

    /// Notes that nothing of a photo is open any more, if that is so.
    private func settle(after job: JobID) throws -> CaptureID? {
        let capture = try database.all(
            """
            UPDATE captures SET settled_at = ?1 WHERE id = (SELECT capture_id FROM upload_jobs WHERE id = ?2)
                AND state = 'staged' AND settled_at IS NULL
                AND \(Self.hasAllItShould)
            RETURNING id
            """, wall.wallNow, job
        ) { try $0.get(0, as: CaptureID.self) }.first
        guard let capture else { return nil }
        try tell(.completed, of: capture)
        return capture
    }

    /// What a bridge that was killed had taken: uploads are begun again, windows are empty.
    package func rescueJobs() throws -> Int {
        causes = [:]
        return try database.transaction {
            // What was under way is claimed, so this looks at a window, not at a million rows.
            try database.run(
                """
                UPDATE upload_jobs SET state = CASE kind WHEN 'gallery' THEN 'presigned' ELSE 'staged' END
                WHERE claimed = 1 AND state = 'uploading'
                """)
            let rescued = database.changes
            try database.run("UPDATE upload_jobs SET claimed = 0 WHERE claimed = 1")
            return rescued
        }
    }
}
