package import Basics
package import Bridge
import Database

extension LedgerReader {
    /// What names and captions are made of, of a capture `c`, its event `e` and its camera `m`.
    static let factColumns = """
        e.name AS event, c.taken_at, c.announced_at, coalesce(m.model, '') AS model,
        coalesce(json_extract(m.learned, '$.serial'), m.body, '') AS serial, c.seq, c.name
        """

    /// What may be said of a photo, and by how many seconds its camera's clock was ahead of UTC.
    package func facts(
        of photo: CaptureID, _ wall: any WallTime
    ) throws -> (facts: NameTemplate.Facts, clockAhead: Int64?)? {
        try database.first(
            """
            SELECT \(Self.factColumns), c.clock_ahead FROM captures c JOIN events e ON e.id = c.event_id
            LEFT JOIN cameras m ON m.id = c.camera_id WHERE c.id = ?
            """, photo
        ) { row in (try NameTemplate.Facts(row, wall), try row["clock_ahead"]) }
    }

    /// Whether a delivery with this key may still have to send something.
    package func isOpen(jobWithKey key: String) throws -> Bool {
        try database.first(
            "SELECT 1 FROM upload_jobs WHERE key = ? AND state <> 'completed' AND cancelled = 0", key
        ) { try $0.get(0, as: Int.self) } != nil
    }
}

extension NameTemplate.Facts {
    /// Of a row with `LedgerReader.factColumns`.
    init(_ row: Row, _ wall: any WallTime) throws {
        // By the camera's own clock; where it has none, by ours when the photo was first seen.
        let announced: Timestamp = try row["announced_at"]
        let taken = CivilTime(
            secondsSince1970: try row.get("taken_at", as: Int64?.self)
                ?? announced.seconds + wall.localOffset(at: announced))
        self.init(
            event: try row["event"], date: taken.date, time: taken.time, camera: try row["model"],
            serial: try row["serial"], sequence: try row.get("seq", as: Int64?.self) ?? 0,
            name: try row["name"])
    }
}
