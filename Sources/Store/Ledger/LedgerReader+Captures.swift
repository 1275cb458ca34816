package import Bridge
import Database

/// Rows by rows, for those who hold them against something else.
extension LedgerReader {
    private static let entries = """
        SELECT \(entryColumns) FROM captures c LEFT JOIN cameras m ON m.id = c.camera_id
        """

    /// The row that was made last.
    package var newestCapture: CaptureID? {
        get throws {
            try database.first("SELECT max(id) FROM captures") { row in try row.get(0, as: CaptureID?.self) }
                ?? nil
        }
    }

    package func capture(_ id: CaptureID) throws -> Entry? {
        try database.first("\(Self.entries) WHERE c.id = ?", id, as: entry)
    }

    /// The event's rows behind that one, in the order of their arrival.
    package func captures(of event: String, after last: CaptureID?, limit: Int) throws -> [Entry] {
        try database.all(
            // By number, and not by event: sorted anew each time, a million rows would be sorted thousands of times.
            "\(Self.entries) WHERE +c.event_id = ? AND c.id > ? ORDER BY c.id LIMIT ?", event,
            last ?? CaptureID(0), limit, as: entry)
    }

    /// The row of what a camera shows: by its identity, else by its looks where it, or the row, does not know its size yet.
    package func capture(of offer: Offer, in event: String) throws -> Entry? {
        if let key = offer.key,
            let known = try database.first(
                "\(Self.entries) WHERE c.event_id = ? AND c.identity = ?", event, key, as: entry)
        {
            return known
        }
        let identity = offer.identity
        return try database.first(
            """
            \(Self.entries)
            WHERE c.event_id = ? AND c.camera_id = (SELECT id FROM cameras WHERE key = ?) AND c.folder = ? AND c.stem = ?
                AND c.capture_date = ? AND c.name = ? AND c.in_memory = 0 AND (c.identity IS NULL OR ?) LIMIT 1
            """, event, identity.camera.key, identity.folders.joined(separator: "/"), identity.stem,
            identity.captureDate, identity.name, !offer.hasFinalSize, as: entry)
    }
}
