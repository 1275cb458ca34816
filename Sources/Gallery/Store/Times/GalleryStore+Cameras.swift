import Basics
import Database
import Imaging

extension CaptureEvidence {
    static let columns = "clock, clock_offset, satellites, claimed_at, clock_ahead, created_at"

    init(_ row: any SQLRow) throws {
        self.init(
            exif: ExifTime(
                clock: try row.moment("clock"), offset: try row["clock_offset"],
                satellites: try row.moment("satellites")), claimed: try row.moment("claimed_at"),
            clockAhead: try row["clock_ahead"], arrived: try row.moment("created_at"))
    }
}

extension SQLSession {
    /// Those of which there are photos, the one with the most first.
    func cameras(of event: String, _ zones: TimeZones) throws -> [EventCamera] {
        let zone = try zone(of: event, zones)
        return try all(
            """
            SELECT c.id, c.make, c.model, c.serial, c.shift, p.photos, p.first_shown, p.last_shown,
                \(CaptureEvidence.columns)
            FROM cameras AS c
            JOIN (SELECT camera_id, count(*) AS photos, min(shown_at) AS first_shown, max(shown_at) AS last_shown,
                    max(sequence) AS latest
                FROM photos WHERE event_id = ?1 AND deleted_at IS NULL GROUP BY camera_id) AS p
                ON p.camera_id = c.id
            JOIN photos AS l ON l.event_id = ?1 AND l.sequence = p.latest
            WHERE c.event_id = ?1 ORDER BY p.photos DESC, c.number
            """, event
        ) { row in
            let shift: Int64? = try row["shift"]
            let latest = try CaptureEvidence(row)
            let correction = latest.time(in: zone, shift: shift).flatMap { time in
                latest.time(in: zone, shift: 0).map { time.moment.seconds - $0.moment.seconds }
            }
            return EventCamera(
                id: try row["id"], make: try row["make"], model: try row["model"], serial: try row["serial"],
                shift: shift, photos: try row["photos"], first: try row.moment("first_shown"),
                last: try row.moment("last_shown"),
                clockAhead: latest.clockAhead, correction: correction)
        }
    }
}

extension GalleryStore {
    /// An event has no more cameras than that; photos of others have none.
    static let mostCameras = 1000

    struct KnownCamera {
        let id: String
        let shift: Int64?
    }

    /// The row of the camera that a photo was taken with, which is made when it is the first; part of a transaction. Nothing
    /// for a photo that neither names its camera nor shows a clock.
    func camera(of exif: ExifFacts, in event: String) throws -> KnownCamera? {
        let names = [exif.make, exif.model, exif.serial].map(EventCamera.kept)
        guard names.contains(where: { !$0.isEmpty }) || exif.time.clock != nil else { return nil }
        let known = try database.first(
            "SELECT id, shift FROM cameras WHERE event_id = ? AND make = ? AND model = ? AND serial = ?",
            event,
            names[0], names[1], names[2]
        ) { KnownCamera(id: try $0["id"], shift: try $0["shift"]) }
        if let known { return known }
        let count = try database.count("FROM cameras WHERE event_id = ?", event)
        guard count < Self.mostCameras else { return nil }
        let camera = KnownCamera(id: newID(), shift: nil)
        try database.run(
            "INSERT INTO cameras (id, event_id, make, model, serial, number) VALUES (?, ?, ?, ?, ?, ?)",
            camera.id, event, names[0], names[1], names[2], count + 1)
        return camera
    }
}
