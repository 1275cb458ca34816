import Basics
import Bridge
import Database
import Store
import TestSupport
import Testing
import WorldSupport

/// The database itself refuses what a bug would do to it.
@Suite struct CheckTests {
    let ground: LedgerGround

    init() async throws {
        ground = try await LedgerGround()
        _ = try await ground.ledger.destination("file:///a", kind: .direct, of: ground.event)
        try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        _ = try await ground.one(offer("B.JPG", handle: 2))
    }

    static let refused = [
        // Completed, with no receipt, no JSON, or no time; a receipt, and not completed.
        "UPDATE upload_jobs SET state = 'completed', completed_at = 1",
        "UPDATE upload_jobs SET state = 'completed', completed_at = 1, receipt = 'thanks'",
        "UPDATE upload_jobs SET state = 'completed', receipt = '{}'",
        "UPDATE upload_jobs SET receipt = '{}'",
        // Only galleries do that.
        "UPDATE upload_jobs SET state = 'presigned'",
        "UPDATE upload_jobs SET state = 'uploadedAwaitingProcessing'",
        "UPDATE upload_jobs SET state = 'presigned', kind = 'gallery'",
        // Failed for no reason.
        "UPDATE upload_jobs SET state = 'failedRetryable'",
        "UPDATE upload_jobs SET state = 'failedPermanent'",
        "UPDATE upload_jobs SET state = 'Staged'", "UPDATE upload_jobs SET state = 'done'",
        "UPDATE upload_jobs SET attempts = -1", "UPDATE upload_jobs SET key = 'short'",
        "UPDATE upload_jobs SET capture_id = 99", "UPDATE upload_jobs SET destination_id = 99",
        // Staged without what makes it staged.
        "UPDATE captures SET sha256 = NULL WHERE id = 1", "UPDATE captures SET file = NULL WHERE id = 1",
        "UPDATE captures SET staged_size = NULL WHERE id = 1",
        "UPDATE captures SET staged_at = NULL WHERE id = 1",
        "UPDATE captures SET sha256 = 'abc' WHERE id = 1",
        "UPDATE captures SET state = 'staged' WHERE id = 2",
        "UPDATE captures SET state = 'duplicate' WHERE id = 2",
        "UPDATE captures SET state = 'lost' WHERE id = 2",
        "UPDATE captures SET state = 'abandoned' WHERE id = 2",
        "UPDATE captures SET state = 'filtered' WHERE id = 2",
        "UPDATE captures SET state = 'new' WHERE id = 2",
        "UPDATE captures SET seq = NULL WHERE id = 2", "UPDATE captures SET in_memory = 1 WHERE id = 2",
        "UPDATE captures SET in_memory = 2, identity = NULL WHERE id = 2",
        "UPDATE captures SET identity = (SELECT identity FROM captures WHERE id = 1) WHERE id = 2",
        "UPDATE captures SET kind = 'movie' WHERE id = 2", "UPDATE captures SET size = -1 WHERE id = 2",
        "UPDATE captures SET size = 'large' WHERE id = 2",
        "UPDATE captures SET event_id = 'none' WHERE id = 2",
        "UPDATE events SET id = 'short'", "UPDATE events SET name = ''", "UPDATE events SET origin = 'else'",
        "UPDATE destinations SET kind = 'ftp'", "DELETE FROM captures WHERE id = 1", "DELETE FROM events",
        "INSERT INTO journal (at, level, text) VALUES (1, 'loud', 'x')",
        "UPDATE upload_jobs SET cancelled = 1", "UPDATE upload_jobs SET note = 'no JSON'",
        "UPDATE captures SET removed_at = 1 WHERE id = 1",
        "UPDATE captures SET settled_at = 1 WHERE state <> 'staged'",
        "INSERT INTO webhooks (url, key, body, due_at, created_at) VALUES ('u', 'short', '{}', 1, 1)",
        "INSERT INTO counts (event_id, subject, state) VALUES ('x', 'camera', 'y')",
    ]

    @Test("what must not be is refused as a constraint", arguments: refused)
    func refuses(sql: String) async throws {
        let error = #expect(throws: DatabaseError.self) { try ground.meddle(sql) }
        #expect(error?.code.primary == .constraint, "\(String(describing: error))")
    }

    @Test(
        "a gallery's job may be presigned once it has a place, and every state of a file's job is reached with what it needs"
    )
    func allowed() async throws {
        try ground.meddle("UPDATE upload_jobs SET state = 'failedRetryable', problem = 'cut'")
        try ground.meddle("UPDATE upload_jobs SET state = 'failedPermanent', problem = 'cut'")
        try ground.meddle("UPDATE upload_jobs SET state = 'uploading', problem = NULL")
        try ground.meddle("UPDATE upload_jobs SET state = 'completed', receipt = '{}', completed_at = 1")
        _ = try await ground.ledger.destination("https://gallery.example", kind: .gallery, of: ground.event)
        let presigned = "UPDATE upload_jobs SET state = 'presigned', note = '{}' WHERE kind = 'gallery'"
        try ground.meddle(presigned)
        try ground.meddle(
            "UPDATE upload_jobs SET state = 'uploadedAwaitingProcessing' WHERE kind = 'gallery'")
        #expect(try ground.number("SELECT count(*) FROM upload_jobs") == 2)
    }
}
