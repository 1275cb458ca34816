import Basics
package import Bridge
import Database
import Posix

/// What the operator does with jobs, and what a destination notes about one.
extension Ledger {
    /// What failed for good begins again, with none of its failures counted; what a gallery knows of it stays known.
    /// Says how many.
    package func retry(_ jobs: [JobID]) throws -> [JobID] {
        let retried = try database.transaction { try begin(jobs) }
        if !retried.isEmpty { jobsSignal.fire() }
        return retried
    }

    /// Those that can be, in a transaction of the caller's.
    func begin(_ jobs: [JobID]) throws -> [JobID] {
        try jobs.filter { id in
            try database.run(
                """
                UPDATE upload_jobs SET state = CASE WHEN note IS NULL OR kind <> 'gallery' THEN 'staged'
                        ELSE 'presigned' END,
                    note = CASE WHEN note IS NULL OR kind <> 'gallery' THEN note
                        ELSE json_set(note, '$.url', '') END,
                    attempts = 0, due_at = ?, problem = NULL, cancelled = 0, claimed = 0
                WHERE id = ? AND state = 'failedPermanent'
                    AND EXISTS (SELECT 1 FROM captures
                        WHERE id = capture_id AND state = 'staged' AND removed_at IS NULL)
                    AND EXISTS (SELECT 1 FROM destinations WHERE id = destination_id AND removed_at IS NULL)
                """, wall.wallNow, id)
            guard database.changes == 1 else { return false }
            try database.run(
                "UPDATE captures SET settled_at = NULL WHERE id = (SELECT capture_id FROM upload_jobs WHERE id = ?)",
                id)
            return true
        }
    }

    /// Those that no bridge has in its window, or that are kept back from it, are taken back; the others are said.
    package func cancelUnclaimed(_ jobs: [JobID]) throws -> (cancelled: [JobID], claimed: [JobID]) {
        var cancelled: [JobID] = []
        var claimed: [JobID] = []
        var changes: [JobChange] = []
        for id in jobs {
            let row = try database.first(
                "SELECT state, claimed, attempts, note, kind, cancelled FROM upload_jobs WHERE id = ?", id
            ) { row in
                (
                    state: try row.word(0, as: JobState.self), isClaimed: try row.get(1, as: Bool.self),
                    attempts: try row.get(2, as: Int.self), note: try row.get(3, as: String?.self),
                    isGallery: try row.word(4, as: DestinationKind.self) == .gallery,
                    isCancelled: try row.get(5, as: Bool.self)
                )
            }
            guard let row, row.state != .completed, !row.isCancelled else { continue }
            if row.isClaimed, !keptBack.contains(id) {
                claimed.append(id)
                continue
            }
            var change = JobChange(
                id, from: row.state, to: .failedPermanent, attempts: row.attempts, due: wall.wallNow,
                problem: JobChange.cancelledByOperator,
                intent: row.isGallery ? row.note.flatMap { PresignedUpload(noted: $0) } : nil)
            change.isCancelled = true
            changes.append(change)
            cancelled.append(id)
        }
        _ = try save(changes)
        return (cancelled, claimed)
    }
}

extension Ledger: JobNotes {
    package func note(_ text: String?, of job: JobID) throws {
        try database.run("UPDATE upload_jobs SET note = ? WHERE id = ? AND kind <> 'gallery'", text, job)
    }
}

/// What new jobs are like.
package struct JobPolicy: Equatable, Sendable {
    /// What is no larger goes with the pictures.
    package var small: UInt64 = 1 << 20
    /// How soon after it is staged a photo should be there.
    package var within: [Lane: Duration] = [:]
    /// What a person should look at first waits for the operator.
    package var holdsBackDoubtful = false

    package init() {}
}

extension Ledger {
    /// Before recovery, which may stage what a crash left: that is told to listeners as well.
    package func use(
        _ policy: JobPolicy, listeners: [Webhook] = [],
        onSettled: @escaping @Sendable (CaptureID) -> Void = { _ in }
    ) {
        self.policy = policy
        self.listeners = listeners
        self.onSettled = onSettled
    }
}
