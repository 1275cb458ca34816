import Basics
import Database

/// Counts of what guests take home.
extension GalleryStore {
    /// Adds to what is there, also by other nodes. An event that is gone counts nothing.
    func addDownloads(_ tally: DownloadTally, to event: String) throws {
        try write {
            try lockOwner(ofEvent: event)
            guard try database.event(event) != nil else { return }
            try addDays(tally, to: event)
            try addPhotos(tally, to: event)
            try addGuests(tally, to: event)
        }
    }

    private func addDays(_ tally: DownloadTally, to event: String) throws {
        for (day, count) in tally.days.sorted(by: { $0.key < $1.key }) {
            try add(count, to: event, day.number, day.kind.rawValue)
        }
        let oldest = wall.wallNow.day - DownloadTally.mostDays
        let old = try database.all(
            "SELECT kind, times, photos, bytes FROM download_days WHERE event_id = ? AND day > 0 AND day < ?",
            event, oldest
        ) { (try $0.get("kind", as: String.self), try DownloadTally.Count($0)) }
        guard !old.isEmpty else { return }
        try database.run(
            "DELETE FROM download_days WHERE event_id = ? AND day > 0 AND day < ?", event, oldest)
        for (kind, count) in old { try add(count, to: event, 0, kind) }
    }

    private func add(_ count: DownloadTally.Count, to event: String, _ day: Int64, _ kind: String) throws {
        try database.run(
            """
            INSERT INTO download_days (event_id, day, kind, times, photos, bytes) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (event_id, day, kind) DO UPDATE SET times = download_days.times + excluded.times,
                    photos = download_days.photos + excluded.photos, bytes = download_days.bytes + excluded.bytes
            """, event, day, kind, count.times, count.photos, count.bytes)
    }

    private func addPhotos(_ tally: DownloadTally, to event: String) throws {
        guard !tally.photos.isEmpty else { return }
        let known = try database.count("FROM download_photos WHERE event_id = ?", event)
        let isFull = known >= DownloadTally.mostPhotos
        let amongPhotos = "sequence \(database.dialect.isAmong("?2"))"
        for (times, photos) in Dictionary(grouping: tally.photos, by: \.value).sorted(by: { $0.key < $1.key })
        {
            let sequences = SQLDialect.list(photos.map(\.key).sorted())
            if isFull {
                try database.run(
                    """
                    UPDATE download_photos SET times = times + ?3 WHERE event_id = ?1 AND photo_id IN
                        (SELECT id FROM photos WHERE event_id = ?1 AND \(amongPhotos))
                    """, event, sequences, times)
            } else {
                try database.run(
                    """
                    INSERT INTO download_photos (photo_id, event_id, times)
                        SELECT id, event_id, CAST(?3 AS BIGINT) FROM photos
                        WHERE event_id = ?1 AND \(amongPhotos) AND deleted_at IS NULL ORDER BY id
                        ON CONFLICT (photo_id) DO UPDATE SET times = download_photos.times + excluded.times
                    """, event, sequences, times)
            }
        }
    }

    private func addGuests(_ tally: DownloadTally, to event: String) throws {
        var next =
            try database.first(
                "SELECT coalesce(max(number), 0) AS last FROM download_guests WHERE event_id = ?", event
            ) { try $0.get("last", as: Int64.self) + 1 } ?? 1
        for (device, guest) in tally.guests.sorted(by: { $0.key < $1.key }) {
            let isNew =
                try !database.has(
                    "SELECT 1 FROM download_guests WHERE event_id = ? AND device = ?", event, device)
            let isOneOfMany = isNew && next > DownloadTally.mostGuests
            let own = isOneOfMany ? "" : device
            try database.run(
                """
                INSERT INTO download_guests (event_id, device, author, number, times, bytes, last_day)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (event_id, device) DO UPDATE SET times = download_guests.times + excluded.times,
                        bytes = download_guests.bytes + excluded.bytes, last_day = \(Self.later(database.dialect)),
                        author = coalesce(excluded.author, download_guests.author)
                """, event, own, own.isEmpty ? nil : guest.author, own.isEmpty ? 0 : next, guest.count.times,
                guest.count.bytes, guest.lastDay)
            if isNew, !own.isEmpty { next += 1 }
        }
    }

    private static func later(_ dialect: SQLDialect) -> String {
        dialect.greater("excluded.last_day", "download_guests.last_day")
    }

    // MARK: Parts of a transaction that deletes

    func removeDownloads(ofPhoto photo: String) throws {
        try database.run("DELETE FROM download_photos WHERE photo_id = ?", photo)
    }

    func removeDownloads(ofEvent event: String) throws {
        for table in ["download_days", "download_photos", "download_guests"] {
            try database.run("DELETE FROM \(table) WHERE event_id = ?", event)
        }
    }
}

extension DownloadTally.Count {
    init(_ row: any SQLRow) throws {
        self.init(times: try row["times"], photos: try row["photos"], bytes: try row["bytes"])
    }
}

extension GalleryReader {
    func screenSize(of photo: String) throws -> UInt64 {
        try database.first("SELECT screen_size FROM photos WHERE id = ?", photo) {
            try $0.get("screen_size", as: UInt64.self)
        } ?? 0
    }

    /// As it was at one moment.
    func downloads(of event: String) throws -> DownloadReport {
        try database.snapshot { () in
            let lines = try database.all(
                """
                SELECT day, kind, times, photos, bytes FROM download_days WHERE event_id = ?
                ORDER BY day DESC, kind
                """, event
            ) { row in
                DownloadReport.Line(
                    day: try row["day"], kind: try row["kind"], count: try DownloadTally.Count(row))
            }
            let photos = try database.all(
                """
                SELECT d.times, \(Photo.columns(of: "p")) FROM download_photos AS d JOIN photos AS p ON p.id = d.photo_id
                WHERE d.event_id = ? AND p.deleted_at IS NULL ORDER BY d.times DESC, d.photo_id LIMIT ?
                """, event, DownloadReport.mostPhotos
            ) { (photo: try Photo($0), times: try $0.get("times", as: Int64.self)) }
            let guests = try database.all(
                """
                SELECT number, times, bytes, last_day, (SELECT name FROM comments
                    WHERE comments.event_id = g.event_id AND comments.device = g.author
                    ORDER BY created_at DESC LIMIT 1) AS name
                FROM download_guests AS g WHERE event_id = ? ORDER BY bytes DESC, number LIMIT ?
                """, event, DownloadReport.mostGuests
            ) { row in
                DownloadReport.Guest(
                    number: try row["number"], name: try row["name"],
                    count: DownloadTally.Count(times: try row["times"], bytes: try row["bytes"]),
                    lastDay: try row["last_day"])
            }
            return DownloadReport(
                lines: lines, photos: photos, guests: guests,
                countOfGuests: try database.count(
                    "FROM download_guests WHERE event_id = ? AND number > 0", event))
        }
    }
}
