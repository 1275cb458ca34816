import Bridge
import Database
import Imaging

/// A body that photos of an event were taken with, and its clock.
package struct EventCamera: Equatable, Sendable {
    let id: String
    let make: String
    let model: String
    let serial: String
    /// What its host adds to its clock, in seconds.
    let shift: Int64?
    let photos: Int
    /// As shown, of all its photos that have a time.
    let first: Timestamp?
    let last: Timestamp?
    /// By how many seconds its clock was ahead of UTC when the last of its photos came, where that was measured.
    let clockAhead: Int64?
    /// By how many seconds the last of its photos is taken to be later than its clock said, for whatever reason.
    let correction: Int64?

    /// As much of each name as is kept, in Unicode scalars.
    static let longestName = 200

    static func kept(_ name: String?) -> String {
        String(String.UnicodeScalarView((name ?? "").unicodeScalars.prefix(longestName)))
    }
}

extension CaptureEvidence {
    static let columns = "clock, clock_offset, satellites, claimed_at, clock_ahead, created_at"

    /// From that column on.
    init(_ row: Row, from column: Int32) throws {
        self.init(
            exif: ExifTime(
                clock: try row.moment(column), offset: try row.get(column + 1),
                satellites: try row.moment(column + 2)), claimed: try row.moment(column + 3),
            clockAhead: try row.get(column + 4), arrived: Timestamp(milliseconds: try row.get(column + 5)))
    }
}

extension Connection {
    /// Those of which there are photos, the one with the most first.
    func cameras(of event: String, _ zones: TimeZones) throws -> [EventCamera] {
        let zone = try zone(of: event, zones)
        return try all(
            """
            SELECT c.id, c.make, c.model, c.serial, c.shift, p.photos, p.first, p.last, \(CaptureEvidence.columns)
            FROM cameras AS c
            JOIN (SELECT camera_id, count(*) AS photos, min(shown_at) AS first, max(shown_at) AS last,
                    max(sequence) AS latest
                FROM photos WHERE event_id = ?1 AND deleted_at IS NULL GROUP BY camera_id) AS p
                ON p.camera_id = c.id
            JOIN photos AS l ON l.sequence = p.latest
            WHERE c.event_id = ?1 ORDER BY p.photos DESC, c.number
            """, event
        ) { row in
            let shift: Int64? = try row.get(4)
            let latest = try CaptureEvidence(row, from: 8)
            let correction = latest.time(in: zone, shift: shift).flatMap { time in
                latest.time(in: zone, shift: 0).map { time.moment.seconds - $0.moment.seconds }
            }
            return EventCamera(
                id: try row.get(0), make: try row.get(1), model: try row.get(2), serial: try row.get(3),
                shift: shift, photos: try row.get(5), first: try row.moment(6), last: try row.moment(7),
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
        ) { KnownCamera(id: try $0.get(0), shift: try $0.get(1)) }
        if let known { return known }
        let count = try database.first("SELECT count(*) FROM cameras WHERE event_id = ?", event) { row in
            try row.get(0, as: Int.self)
        }
        guard count ?? 0 < Self.mostCameras else { return nil }
        let camera = KnownCamera(id: newID(), shift: nil)
        try database.run(
            "INSERT INTO cameras (id, event_id, make, model, serial, number) VALUES (?, ?, ?, ?, ?, ?)",
            camera.id, event, names[0], names[1], names[2], (count ?? 0) + 1)
        return camera
    }
}
