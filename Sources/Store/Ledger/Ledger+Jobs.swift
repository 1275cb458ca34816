package import Bridge
import Database
import Posix

extension Ledger: UploadLedger {
    private static let jobColumns = """
        j.id, j.capture_id, j.destination_id, j.kind, j.state, j.lane, j.key, j.attempts, j.due_at, c.file,
        c.staged_size, c.sha256, e.name, c.taken_at, c.announced_at, coalesce(m.model, ''), coalesce(m.body, ''),
        c.seq, c.name, j.problem
        """
    private static let jobTables = """
        upload_jobs j JOIN captures c ON c.id = j.capture_id JOIN events e ON e.id = j.event_id
        LEFT JOIN cameras m ON m.id = c.camera_id
        """

    /// In the order of an index, so that it ends after the rows it wants, however many wait.
    package static let bestFirst = """
        SELECT id FROM upload_jobs WHERE destination_id = ? AND \(Schema.waits) AND state = ?
        ORDER BY lane, id LIMIT ?
        """
    /// The same by another index.
    package static let dueFirst = """
        SELECT id FROM upload_jobs WHERE destination_id = ? AND \(Schema.waits) ORDER BY due_at LIMIT ?
        """

    /// The best that wait, and a quarter of what has been due longest, so that what is always less urgent gets into
    /// the window as well.
    package func claim(_ count: Int, to destination: DestinationID) throws -> [Job] {
        try database.transaction {
            var ids: [JobID] = []
            func take(_ more: [JobID]) throws {
                for id in more {
                    try database.run("UPDATE upload_jobs SET claimed = 1 WHERE id = ?", id)
                }
                ids += more
            }
            for state in [JobState.presigned, .staged] {
                let limit = count - count / 4 - ids.count
                guard limit > 0 else { break }
                try take(
                    database.all(Self.bestFirst, destination, state.rawValue, limit) { try $0.get(0) })
            }
            if count > ids.count {
                try take(database.all(Self.dueFirst, destination, count - ids.count) { try $0.get(0) })
            }
            return try ids.compactMap { id in
                try database.first(
                    """
                    SELECT \(Self.jobColumns) FROM \(Self.jobTables) WHERE j.id = ?
                    """, id, as: job)
            }
        }
    }

    private func job(_ row: Row) throws -> Job {
        // By the camera's own clock; where it has none, by ours when the photo was first seen.
        let announced: Timestamp = try row.get(14)
        let taken = CivilTime(
            secondsSince1970: try row.get(13, as: Int64?.self)
                ?? announced.seconds + wall.localOffset(at: announced))
        return Job(
            id: try row.get(0), capture: try row.get(1), destination: try row.get(2), kind: try row.word(3),
            state: try row.word(4), lane: try row.get(5, as: Int64.self) == 0 ? .first : .later,
            key: try row.get(6), attempts: try row.get(7), due: try row.get(8),
            photo: StagedPhoto(file: try row.get(9), size: try row.get(10), sha256: try row.get(11)),
            facts: NameTemplate.Facts(
                event: try row.get(12), date: taken.date, time: taken.time, camera: try row.get(15),
                serial: try row.get(16), sequence: try row.get(17, as: Int64?.self) ?? 0,
                name: try row.get(18)),
            problem: try row.get(19))
    }

    package func save(_ change: JobChange) throws {
        let isCompleted = change.to == .completed
        try database.run(
            """
            UPDATE upload_jobs SET state = ?, attempts = ?, due_at = ?, problem = ?, receipt = ?, completed_at = ?,
                claimed = ? WHERE id = ? AND state = ?
            """, change.to.rawValue, change.attempts, change.due, isCompleted ? nil : change.problem,
            change.receipt?.json.compact, isCompleted ? wall.wallNow : nil,
            // What is settled is nobody's any more.
            change.to != .completed && change.to != .failedPermanent, change.job, change.from.rawValue)
        guard database.changes == 1 else { throw JobMismatch(change: change) }
        if change.to == .failedPermanent {
            try enter(JournalEntry(.error, job: change.job, change.problem ?? "failed"))
        }
    }

    /// What a bridge that was killed had taken: uploads are begun again, windows are empty.
    package func rescueJobs() throws -> Int {
        try database.transaction {
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
