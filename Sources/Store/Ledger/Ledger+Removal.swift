package import Bridge
import Database

/// A whole file in the spool that every destination has.
package struct Removable: Equatable, Sendable {
    package let capture: CaptureID
    package let event: String
    package let file: String
    package let size: UInt64
    package let settledAt: Timestamp
}

/// Letting go of what is delivered. The row says so before the file goes: after a crash between the two the file is
/// removed at the next start, and never is a photo missed that was let go on purpose.
extension Ledger {
    /// Photos of which nothing is open, oldest first.
    package func removable(settledBefore limit: Timestamp, atMost count: Int) throws -> [Removable] {
        try database.all(
            """
            SELECT id, event_id, file, staged_size, settled_at FROM captures
            WHERE settled_at IS NOT NULL AND removed_at IS NULL AND settled_at <= ? ORDER BY settled_at LIMIT ?
            """, limit, count
        ) { row in
            Removable(
                capture: try row.get(0), event: try row.get(1), file: try row.get(2), size: try row.get(3),
                settledAt: try row.get(4))
        }
    }

    /// When the next one was settled; nothing when there is none.
    package func oldestRemovable() throws -> Timestamp? {
        try database.first(
            """
            SELECT settled_at FROM captures WHERE settled_at IS NOT NULL AND removed_at IS NULL
            ORDER BY settled_at LIMIT 1
            """
        ) { try $0.get(0) }
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
