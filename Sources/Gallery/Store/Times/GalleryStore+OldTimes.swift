import Basics
import Database
import Imaging

/// What is known of times that older versions wrote down: it is read from the files once more, in the background.
extension GalleryStore {
    /// Event by event, in the order in which they came, so that an event's first photos say first what zone it is in.
    func nextUnread(after last: OldPhoto?) throws -> OldPhoto? {
        try database.first(
            """
            SELECT id, event_id, sequence, original_key, content_type FROM photos
            WHERE is_unread = 1 AND deleted_at IS NULL AND (event_id, sequence) > (?, ?)
            ORDER BY event_id, sequence LIMIT 1
            """, last?.event ?? "", last?.sequence ?? -1
        ) { row in
            OldPhoto(
                id: try row["id"], event: try row["event_id"], sequence: try row["sequence"],
                original: try row["original_key"], contentType: try row["content_type"])
        }
    }

    /// What a photo's file says of its time; nothing where that cannot be read any more. What was written down stays for a
    /// moment where the file tells no time.
    func reread(_ photo: OldPhoto, as exif: ExifFacts?) throws {
        try write {
            try lockOwner(ofEvent: photo.event)
            let time = exif?.time ?? ExifTime()
            let isTold = time.clock != nil || time.satellites != nil
            let read = try database.run(
                """
                UPDATE photos SET is_unread = 0, clock = ?2, clock_offset = ?3, satellites = ?4,
                    claimed_at = CASE WHEN ?5 = 0 THEN claimed_at END
                WHERE id = ?1 AND is_unread = 1 AND deleted_at IS NULL
                """, photo.id, time.clock?.milliseconds, time.offset, time.satellites?.milliseconds, isTold)
            guard read == 1 else { return }
            // The measure of an uploader of that time is not known, and what it said of the moment is not to be relied on:
            // it may have read a clock in no zone as if that were UTC.
            let hint = CaptureEvidence(exif: time, arrived: wall.wallNow).hint
            let camera = try database.first("SELECT camera_id FROM photos WHERE id = ?", photo.id) { row in
                try row.get("camera_id", as: String?.self)
            }
            let movesOthers = try hear(hint, from: camera.flatMap { $0 }, in: photo.event)
            try retime(photo.event, photo: movesOthers ? nil : photo.id)
            if movesOthers { try noteMoved(photo.event) }
        }
    }
}
