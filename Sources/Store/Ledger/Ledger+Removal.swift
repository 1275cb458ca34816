import Basics
package import Bridge
import Database

/// Letting go of what is delivered. The row says so before the file goes: after a crash between the two the file is
/// removed at the next start, and never is a photo missed that was let go on purpose.
extension Ledger {
    /// Photos of which nothing is open, the longest delivered first.
    package func removable(atMost count: Int) throws -> [DeliveredPhoto] {
        try database.all(
            """
            SELECT id, event_id, file, staged_size, settled_at FROM captures
            WHERE settled_at IS NOT NULL AND removed_at IS NULL ORDER BY settled_at, id LIMIT ?
            """, count
        ) { row in
            DeliveredPhoto(
                capture: try row.get(0), event: try row.get(1), file: try row.get(2), size: try row.get(3),
                settledAt: try row.get(4))
        }
    }

    /// What was delivered later than now was delivered before the clock was set back: its time begins anew, so that it
    /// neither goes early nor stays until the calendar has come there again. Says how many.
    package func settleAnew() throws -> Int {
        let now = wall.wallNow
        try database.run(
            """
            UPDATE captures SET settled_at = ?1
            WHERE settled_at IS NOT NULL AND removed_at IS NULL AND settled_at > ?2
            """, now, now + Retention.slack)
        return database.changes
    }

    /// False when something of it is open again.
    package func remove(_ capture: CaptureID) throws -> Bool {
        try database.run(
            """
            UPDATE captures SET removed_at = ?1 WHERE id = ?2 AND settled_at IS NOT NULL AND removed_at IS NULL
                AND NOT EXISTS (SELECT 1 FROM upload_jobs
                    WHERE capture_id = ?2 AND state <> 'completed' AND cancelled = 0)
            """, wall.wallNow, capture)
        return database.changes == 1
    }
}
