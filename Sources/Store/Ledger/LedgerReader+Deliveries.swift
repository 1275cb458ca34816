package import Bridge
import Database

extension LedgerReader {
    /// A photo that a destination has acknowledged.
    package struct Delivery: Equatable, Sendable {
        package let job: JobID
        package let destination: DestinationID
        package let capture: CaptureID
        package let path: String
        package let receipt: Receipt
        /// The spool has its file, as far as the ledger knows.
        package let isSpooled: Bool
    }

    /// All that a destination has acknowledged, in order of their making.
    package func delivered(to destination: DestinationID) throws -> [JobID] {
        try database.all(
            "SELECT id FROM upload_jobs WHERE destination_id = ? AND state = 'completed' ORDER BY id",
            destination
        ) { row in try row.get(0, as: JobID.self) }
    }

    /// Those of these that are still acknowledged.
    package func deliveries(_ jobs: some Sequence<JobID>) throws -> [Delivery] {
        try jobs.compactMap { job in
            try database.first(
                """
                SELECT j.capture_id, c.folder, c.name, j.receipt, j.destination_id, c.removed_at IS NULL
                FROM upload_jobs j JOIN captures c ON c.id = j.capture_id
                WHERE j.id = ? AND j.state = 'completed'
                """, job
            ) { row in
                let folder: String = try row.get(1)
                let name: String = try row.get(2)
                guard let receipt = Receipt(noted: try row.get(3, as: String.self)) else { return nil }
                return Delivery(
                    job: job, destination: try row.get(4), capture: try row.get(0),
                    path: folder.isEmpty ? name : "\(folder)/\(name)", receipt: receipt,
                    isSpooled: try row.get(5))
            } ?? nil
        }
    }

    /// Of one photo: a name or a path as on the card, or its number here. None where nothing of it was delivered there.
    package func delivered(_ photo: String, to destination: DestinationID) throws -> [JobID] {
        try database.all(
            """
            SELECT j.id FROM upload_jobs j JOIN captures c ON c.id = j.capture_id
            WHERE j.destination_id = ?1 AND j.state = 'completed'
                AND (c.name = ?2 OR c.folder || '/' || c.name = ?2 OR CAST(c.id AS TEXT) = ?2) ORDER BY j.id
            """, destination, photo
        ) { row in try row.get(0, as: JobID.self) }
    }

    /// Where a photo has arrived.
    package func receipts(of capture: CaptureID) throws -> [(DestinationID, Receipt)] {
        try database.all(
            "SELECT destination_id, receipt FROM upload_jobs WHERE capture_id = ? AND state = 'completed' ORDER BY id",
            capture
        ) { row in (try row.get(0, as: DestinationID.self), Receipt(noted: try row.get(1, as: String.self))) }
        .compactMap { id, receipt in receipt.map { (id, $0) } }
    }
}
