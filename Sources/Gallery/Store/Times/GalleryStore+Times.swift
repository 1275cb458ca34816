import Basics
import Database

extension SQLSession {
    /// Of the host, else as guessed. A name that this machine does not know any more counts for nothing; the server says so
    /// when it starts.
    func zone(of event: String, _ zones: TimeZones) throws -> TimeZone? {
        let row = try first("SELECT time_zone, guessed_offset FROM events WHERE id = ?", event) { row in
            (
                name: try row.get("time_zone", as: String?.self),
                guess: try row.get("guessed_offset", as: Int?.self)
            )
        }
        if let name = row?.name.flatMap(ZoneName.init), let zone = zones.known(name) { return zone }
        return row?.guess.map { TimeZone(minutes: $0) }
    }
}

/// When photos were taken, as it follows from what is known of each, from the event's zone and from its cameras' clocks. What
/// follows is written down, so that pages are in order by an index; what it follows from stays beside it.
extension GalleryStore {
    /// What is wrong with the zones that hosts have named, as far as this machine knows.
    func unknownZones() throws -> [String] {
        let named = try database.all(
            "SELECT name, time_zone FROM events WHERE time_zone IS NOT NULL AND deleted_at IS NULL"
        ) { row in
            (event: try row.get("name", as: String.self), zone: try row.get("time_zone", as: String.self))
        }
        return named.compactMap { event, zone in
            guard let name = ZoneName(zone) else { return nil }
            do throws(TimeZones.Unknown) {
                _ = try zones.zone(name)
                return nil
            } catch {
                return "times of '\(event)' are shown in the zone that its photos tell, or in UTC: \(error)"
            }
        }
    }

    // MARK: The guess

    /// As many cameras as say what zone an event is in, the first that came.
    private static let mostVoices = 9

    /// A camera's photo says something about the event's zone. True where that changes what is guessed, and with it when
    /// other photos were taken; part of a transaction.
    func hear(_ hint: CaptureEvidence.Hint?, from camera: String?, in event: String) throws -> Bool {
        guard let hint, let camera else { return false }
        // The first photos count: later ones may be from the way home.
        let changed = try database.run(
            "UPDATE cameras SET hint = ?, hint_rank = ? WHERE id = ? AND (hint IS NULL OR hint_rank > ?)",
            hint.offset, hint.rank, camera, hint.rank)
        guard changed > 0 else { return false }
        let voices = try database.all(
            """
            SELECT hint FROM cameras WHERE event_id = ?1 AND hint_rank =
                (SELECT min(hint_rank) FROM cameras WHERE event_id = ?1) ORDER BY number LIMIT ?2
            """, event, Self.mostVoices
        ) { try $0.get("hint", as: Int.self) }
        // The most cameras; of as many, what was heard first.
        let counts = voices.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        let most = counts.values.max()
        guard let guess = voices.first(where: { counts[$0] == most }) else { return false }
        return try database.run(
            """
            UPDATE events SET guessed_offset = ?1
            WHERE id = ?2 AND (guessed_offset IS NULL OR guessed_offset <> ?1)
            """, guess, event) > 0
    }

    // MARK: Cameras

    /// A shift of a hundred years is enough for any clock that was never set.
    package static let mostShift = 3_200_000_000

    /// What a host says about a camera's clock, from now on and of every photo that is there; nothing takes it back.
    package func shift(
        _ camera: String, by seconds: Int64?, in event: String, of account: String
    ) throws -> EventCamera {
        try write {
            try lock(account: account)
            let event = try liveEvent(event, of: account)
            let known = try database.run(
                "UPDATE cameras SET shift = ? WHERE id = ? AND event_id = ?", seconds, camera, event.id)
            guard known == 1 else { throw GalleryRefusal.notFound(.camera) }
            try retime(event.id, camera: camera)
            try noteMoved(event.id)
            guard let changed = try database.cameras(of: event.id, zones).first(where: { $0.id == camera })
            else {
                throw GalleryRefusal.notFound(.camera)
            }
            return changed
        }
    }

    // MARK: What follows

    /// Works out anew when the photos of an event, or of one of its cameras, or one of its photos, were taken; part of a
    /// transaction. Those for which that is another time are told to clients as changed.
    ///
    /// Of a photo that an older version has taken it is unknown whether its time is a moment or what a clock showed. Until
    /// its file has been read again no zone moves it.
    func retime(_ event: String, camera: String? = nil, photo: String? = nil) throws {
        let zone = try database.zone(of: event, zones)
        let scope = photo != nil ? "p.id" : camera != nil ? "p.camera_id" : "p.event_id"
        var changed: [(id: String, time: CaptureTime?)] = []
        try database.each(
            """
            SELECT p.id, c.shift, p.captured_at, p.captured_offset, p.shown_at, p.is_unread, \(CaptureEvidence.columns)
            FROM photos AS p LEFT JOIN cameras AS c ON c.id = p.camera_id
            WHERE \(scope) = ? AND p.deleted_at IS NULL
            """, photo ?? camera ?? event
        ) { row in
            let isUnread: Bool = try row["is_unread"]
            let time = try CaptureEvidence(row).time(in: isUnread ? nil : zone, shift: try row["shift"])
            var old: CaptureTime?
            if let moment = try row.get("captured_at", as: Int64?.self),
                let shown = try row.get("shown_at", as: Int64?.self)
            {
                old = CaptureTime(
                    moment: Timestamp(milliseconds: moment), offset: try row["captured_offset"],
                    shown: Timestamp(milliseconds: shown))
            }
            if time != old { changed.append((try row["id"], time)) }
        }
        guard !changed.isEmpty else { return }
        var stamp = try nextStamp(ofEvent: event, count: changed.count)
        for start in stride(from: 0, to: changed.count, by: Self.timesAtOnce) {
            let some = changed[start..<min(start + Self.timesAtOnce, changed.count)]
            try writeTimes(some, from: stamp)
            stamp += Int64(some.count)
        }
    }

    /// The database is asked once for so many; a photo at a time, an event of 50,000 would hold its account for minutes.
    private static let timesAtOnce = 200

    private func writeTimes(_ photos: ArraySlice<(id: String, time: CaptureTime?)>, from stamp: Int64) throws
    {
        let values = photos.enumerated().flatMap { place, photo -> [any Storable] in
            [
                photo.time?.moment.milliseconds, photo.time?.offset, photo.time?.shown.milliseconds,
                stamp + Int64(place), photo.id,
            ]
        }
        let number = "CAST(? AS BIGINT)"
        let row = "(\(number), \(number), \(number), \(number), ?)"
        try database.execute(
            """
            WITH times (moment, shift, shown, place, photo) AS (VALUES \(photos.map { _ in row }.joined(separator: ", ")))
            UPDATE photos SET captured_at = moment, captured_offset = shift, shown_at = shown, stamp = times.place
            FROM times WHERE photos.id = photo
            """, values
        ) { _ in true }
    }
}
