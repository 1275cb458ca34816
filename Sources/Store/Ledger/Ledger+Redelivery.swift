import Basics
package import Bridge
import Database
import Posix

/// Deliveries that are begun once more, because what had arrived is not there any more.
extension Ledger {
    /// Why one is to be sent again.
    package static let longestReason = 1000

    /// Each is a new delivery with a key of its own; what was acknowledged before is kept beside it. What a destination had whose
    /// place another took goes to that one. Only what is in the spool can be sent. Says which.
    package func redeliver(_ wanted: [(job: JobID, reason: String)]) throws -> [JobID] {
        let begun = try database.transaction {
            try wanted.filter { try redeliver($0.job, because: $0.reason) }.map(\.job)
        }
        if !begun.isEmpty { jobsSignal.fire() }
        return begun
    }

    private func redeliver(_ job: JobID, because reason: String) throws -> Bool {
        let now = wall.wallNow
        guard let target = try target(of: job) else { return false }
        try database.run(
            """
            INSERT INTO earlier_deliveries (capture_id, destination_id, key, receipt, completed_at, reason, repeated_at)
            SELECT capture_id, destination_id, key, receipt, completed_at, ?2, ?3 FROM upload_jobs
            WHERE id = ?1 AND state = 'completed' AND EXISTS (SELECT 1 FROM captures
                WHERE id = capture_id AND state = 'staged' AND removed_at IS NULL)
            """, job, String(reason.prefix(Self.longestReason)), now)
        guard database.changes == 1 else { return false }
        try database.run(
            """
            UPDATE upload_jobs SET state = 'staged', key = ?2, receipt = NULL, completed_at = NULL, note = NULL,
                attempts = 0, problem = NULL, due_at = ?3, deadline_at = NULL, claimed = 0, destination_id = ?4 WHERE id = ?1
            """, job, Randomness.uuid(from: random), now, target)
        try database.run(
            "UPDATE captures SET settled_at = NULL WHERE id = (SELECT capture_id FROM upload_jobs WHERE id = ?)",
            job)
        try enter(JournalEntry(.info, job: job, PhotoHistory.Earlier.line(reason)))
        return true
    }

    /// Where a job that is begun again goes: to the destination that it was for, or to the one in its place, as long as that has
    /// nothing of the photo itself.
    private func target(of job: JobID) throws -> DestinationID? {
        try database.first(
            """
            SELECT n.id FROM upload_jobs j JOIN destinations d ON d.id = j.destination_id
                JOIN destinations n ON n.id = CASE WHEN d.removed_at IS NULL THEN d.id ELSE d.replaced_by END
            WHERE j.id = ? AND n.removed_at IS NULL AND (n.id = d.id OR NOT EXISTS
                (SELECT 1 FROM upload_jobs o WHERE o.capture_id = j.capture_id AND o.destination_id = n.id))
            """, job
        ) { try $0.get(0, as: DestinationID.self) }
    }

    /// Its file is in the spool again, under the name that it had, and what it is wanted for begins. What was let go of on purpose
    /// is let go of again when that has been delivered, and at any time where it was wanted for nothing. Says what has begun.
    @discardableResult
    package func restored(
        _ capture: CaptureID, redelivering wanted: [(job: JobID, reason: String)] = []
    ) throws -> [JobID] {
        let begun = try database.transaction {
            try database.run(
                "UPDATE captures SET removed_at = NULL WHERE id = ? AND state = 'staged' AND removed_at IS NOT NULL",
                capture)
            try enter(JournalEntry(.info, capture: capture, "its file is in the spool again"))
            return try wanted.filter { try redeliver($0.job, because: $0.reason) }.map(\.job)
        }
        if begun.isEmpty { settledSignal.fire() } else { jobsSignal.fire() }
        return begun
    }

    // MARK: While a file is mended

    /// Deliveries of a photo that need its file: no bridge takes them into its window until they are let go, whatever becomes
    /// of the windows and the destinations meanwhile.
    package func keepBack(_ capture: CaptureID) throws -> [JobID] {
        let jobs = try database.all(
            """
            UPDATE upload_jobs SET claimed = 1 WHERE capture_id = ?
                AND state IN ('staged', 'presigned', 'uploading', 'failedRetryable') RETURNING id
            """, capture
        ) { try $0.get(0, as: JobID.self) }
        keptBack.formUnion(jobs)
        return jobs
    }

    /// What an uploader had that has ended may be claimed by the next, but for what is kept back.
    package func giveBackJobs() throws {
        _ = try rescueJobs()
        try holdKeptBack()
    }

    /// After others were given back.
    func holdKeptBack() throws {
        for job in keptBack {
            try database.run(
                """
                UPDATE upload_jobs SET claimed = 1 WHERE id = ? AND state IN ('staged', 'presigned', 'failedRetryable')
                """, job)
        }
    }

    /// They may be delivered; those that failed because of the file begin again.
    package func letGo(_ capture: CaptureID, _ jobs: [JobID]) throws {
        keptBack.subtract(jobs)
        for job in jobs {
            try database.run(
                """
                UPDATE upload_jobs SET claimed = 0 WHERE id = ? AND state IN ('staged', 'presigned', 'failedRetryable')
                """, job)
        }
        let failed = try database.all(
            """
            SELECT id FROM upload_jobs WHERE capture_id = ? AND state = 'failedPermanent' AND cancelled = 0
                AND (problem LIKE '\(SpoolFileFailure.Code.damaged.rawValue):%'
                    OR problem LIKE '\(SpoolFileFailure.Code.missing.rawValue):%')
            """, capture
        ) { try $0.get(0, as: JobID.self) }
        _ = try retry(failed)
        jobsSignal.fire()
    }
}

extension LedgerReader {
    /// What of an event the spool should have.
    package func spooled(in event: String?, after: CaptureID?, limit: Int) throws -> [SpooledCapture] {
        try database.all(
            """
            SELECT \(Self.spooledColumns) FROM captures
            WHERE state = 'staged' AND (?1 IS NULL OR event_id = ?1) AND id > ?2 ORDER BY id LIMIT ?3
            """, event, after?.number ?? 0, limit, as: SpooledCapture.init)
    }

    package func spooled(_ capture: CaptureID) throws -> SpooledCapture? {
        try database.first(
            "SELECT \(Self.spooledColumns) FROM captures WHERE id = ? AND state = 'staged'", capture,
            as: SpooledCapture.init)
    }

    private static let spooledColumns = """
        id, event_id, camera_id, identity, file, staged_size, sha256, folder, name, removed_at IS NOT NULL AS removed,
        EXISTS (SELECT 1 FROM \(wantedJobs) AND j.capture_id = captures.id AND j.state = 'completed')
            AND NOT EXISTS (SELECT 1 FROM \(wantedJobs) AND j.capture_id = captures.id AND j.state <> 'completed') AS delivered
        """
}

/// A photo that is staged, and its file.
package struct SpooledCapture: Equatable, Sendable {
    package let id: CaptureID
    package let event: String
    package let camera: CameraID?
    /// What the same photo has in common with itself on its card.
    package let key: String?
    package let file: String
    package let size: UInt64
    package let sha256: String
    package let path: String
    /// Its file was let go of on purpose.
    package let isRemoved: Bool
    /// Every destination has acknowledged it.
    package let isDelivered: Bool

    init(_ row: Row) throws {
        id = try row["id"]
        event = try row["event_id"]
        camera = try row["camera_id"]
        key = try row["identity"]
        file = try row["file"]
        size = try row["staged_size"]
        sha256 = try row["sha256"]
        let folder: String = try row["folder"]
        let name: String = try row["name"]
        path = folder.isEmpty ? name : "\(folder)/\(name)"
        isRemoved = try row["removed"]
        isDelivered = try row["delivered"]
    }
}
