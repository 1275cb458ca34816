package import Bridge
import Database

extension LedgerReader {
    /// A photo that a destination has acknowledged.
    package struct Delivery: Equatable, Sendable {
        package let job: JobID
        package let destination: DestinationID
        /// The one that stands in its place, where it is none of the event's any more.
        package let successor: DestinationID?
        /// The address of the destination.
        package let url: String
        package let capture: CaptureID
        package let path: String
        package let receipt: Receipt
        /// The spool has its file, as far as the ledger knows.
        package let isSpooled: Bool
    }

    /// A delivery `j` to `d` that counts for the destination ?1: its own, or that of one whose place it took, as long as it has
    /// nothing of that photo itself.
    private static let counts = """
        upload_jobs j JOIN destinations d ON d.id = j.destination_id
        WHERE (d.id = ?1 OR d.replaced_by = ?1) AND j.state = 'completed' AND (d.id = ?1 OR NOT EXISTS
            (SELECT 1 FROM upload_jobs o WHERE o.capture_id = j.capture_id AND o.destination_id = ?1))
        """

    /// All that counts as delivered to a destination, in order of their making.
    package func delivered(to destination: DestinationID) throws -> [JobID] {
        try database.all("SELECT j.id FROM \(Self.counts) ORDER BY j.id", destination) { row in
            try row.get(0, as: JobID.self)
        }
    }

    /// Those of these that are still acknowledged.
    package func deliveries(_ jobs: some Sequence<JobID>) throws -> [Delivery] {
        try jobs.compactMap { job in
            try database.first(
                """
                SELECT j.capture_id, c.folder, c.name, j.receipt, j.destination_id, c.removed_at IS NULL,
                    CASE WHEN d.removed_at IS NOT NULL THEN d.replaced_by END, d.url
                FROM upload_jobs j JOIN captures c ON c.id = j.capture_id
                    JOIN destinations d ON d.id = j.destination_id
                WHERE j.id = ? AND j.state = 'completed'
                """, job
            ) { row in
                let folder: String = try row.get(1)
                let name: String = try row.get(2)
                guard let receipt = Receipt(noted: try row.get(3, as: String.self)) else { return nil }
                return Delivery(
                    job: job, destination: try row.get(4), successor: try row.get(6),
                    url: try row.get(7), capture: try row.get(0),
                    path: folder.isEmpty ? name : "\(folder)/\(name)", receipt: receipt,
                    isSpooled: try row.get(5))
            } ?? nil
        }
    }

    /// Of one photo: a name or a path as on the card, or its number here. None where nothing of it was delivered there.
    package func delivered(_ photo: String, to destination: DestinationID) throws -> [JobID] {
        try database.all(
            """
            SELECT j.id FROM \(Self.counts) AND j.capture_id IN (SELECT id FROM captures
                WHERE name = ?2 OR folder || '/' || name = ?2 OR CAST(id AS TEXT) = ?2) ORDER BY j.id
            """, destination, photo
        ) { row in try row.get(0, as: JobID.self) }
    }

    /// Destinations of an event that others stand in the place of, as long as what they have counts for these.
    package func formerDestinations(
        of event: String
    ) throws -> [(id: DestinationID, url: String, kind: DestinationKind)] {
        try database.all(
            """
            SELECT d.id, d.url, d.kind FROM destinations d JOIN destinations n ON n.id = d.replaced_by
            WHERE d.event_id = ? AND d.removed_at IS NOT NULL AND n.removed_at IS NULL ORDER BY d.id
            """, event
        ) { row in (try row.get(0), try row.get(1), try row.word(2)) }
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
