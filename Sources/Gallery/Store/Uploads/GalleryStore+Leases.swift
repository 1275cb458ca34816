import Basics
import Database
import Postgres

/// What a node calls itself in leases, and for how long it takes work.
package struct Worker: Equatable, Sendable {
    /// Of this node for as long as it runs, and of no other.
    package let name: String
    package let lease: Duration

    package static let usualLease = Duration.seconds(30)

    package init(name: String, lease: Duration = Worker.usualLease) {
        self.name = name
        self.lease = lease
    }
}

/// Work that several nodes share: taken under a lease, by the database's clock. A node that stands still or has died is
/// waited for until its lease has run out; then another begins the work anew, and what the first brings is not taken.
extension GalleryStore {
    /// The next upload in order of arrival that no node works on.
    func lease(_ kinds: WorkKinds) throws -> (row: UploadRow, key: String)? {
        guard let worker else { return nil }
        return try write {
            let row = try database.first(
                """
                UPDATE uploads SET starts = starts + 1, worker = ?1, leased_until = \(ServerClock.now) + ?2
                WHERE id = (SELECT id FROM uploads WHERE status = 'processing' AND leased_until < \(ServerClock.now)
                    AND \(kinds.condition) ORDER BY arrival, id LIMIT 1 FOR UPDATE SKIP LOCKED)
                RETURNING \(UploadRow.columns)
                """, worker.name, worker.lease.wholeMilliseconds, as: UploadRow.init)
            guard let row, case .processing(let key) = row.intent.state else { return nil }
            return (row, key)
        }
    }

    /// Once more the lease's length for these, which this node works on at this moment, and for nothing else: what it has
    /// taken without knowing, or has put down without being able to say so, is another's when its lease is over.
    package func renewLeases(of uploads: Set<String>) throws {
        guard let worker, !uploads.isEmpty else { return }
        try database.run(
            """
            UPDATE uploads SET leased_until = \(ServerClock.now) + ?
            WHERE id = ANY (string_to_array(?, ' ')) AND worker = ? AND status = 'processing'
            """, worker.lease.wholeMilliseconds, uploads.sorted().joined(separator: " "), worker.name)
    }

    /// What this node has begun and will not end, because it stops.
    package func giveLeasesBack() throws {
        guard let worker else { return }
        try database.run(
            """
            UPDATE uploads SET leased_until = 0, worker = NULL, starts = starts - 1
            WHERE worker = ? AND status = 'processing'
            """, worker.name)
    }

    /// What this node has begun and cannot do just now is as if it had not been begun. False where its bytes came longer ago
    /// than that, so that it is to fail; what is another's by now stays so.
    package func giveBack(_ upload: String, key: String, within span: Duration) throws -> Bool {
        try write {
            guard let row = try uploadToChange(upload), row.intent.state == .processing(key: key),
                try isOurs(upload)
            else { return true }
            return try database.run(
                """
                UPDATE uploads SET leased_until = 0, worker = NULL, starts = starts - 1
                WHERE id = ? AND arrival > ?
                """, upload, wall.wallNow.milliseconds - span.wholeMilliseconds) == 1
        }
    }

    /// Whether no other node works on it; part of a transaction that has locked it.
    func isOurs(_ upload: String) throws -> Bool {
        guard let worker else { return true }
        return try database.has("SELECT 1 FROM uploads WHERE id = ? AND worker = ?", upload, worker.name)
    }

    /// Whether this node does something for all at this time: it did so last, or the node that did has stopped.
    package func takesDuty(_ name: String, for span: Duration) throws -> Bool {
        guard let worker else { return true }
        return try database.run(
            """
            INSERT INTO duties (name, worker, leased_until) VALUES (?1, ?2, \(ServerClock.now) + ?3)
            ON CONFLICT (name) DO UPDATE SET worker = excluded.worker, leased_until = excluded.leased_until
                WHERE duties.worker = excluded.worker OR duties.leased_until < \(ServerClock.now)
            """, name, worker.name, span.wholeMilliseconds) == 1
    }
}
