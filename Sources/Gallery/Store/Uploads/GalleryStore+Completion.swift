import Basics
import Database
import Imaging

/// What has come becomes a photo.
extension GalleryStore {
    /// The photo, its charge and the end of its upload in one transaction: once, whatever is tried again.
    package func complete(_ upload: String, key: String, with photo: NewPhoto) throws -> Completion {
        try write {
            guard var row = try uploadToChange(upload), row.intent.state == .processing(key: key),
                try isOurs(upload)
            else {
                try removeSoon(photo.madeKeys)
                return .late
            }
            let ending = try ending(of: row, key, photo)
            switch ending {
            case .photo(let id):
                _ = row.intent.handle(.processed(key: key, photo: id))
            case .sameAs(let id):
                _ = row.intent.handle(.processed(key: key, photo: id))
                // Worked on twice, it is its own twin.
                let isItsOriginal = try twin(of: photo.sha256, in: row.event)?.key == key
                try removeSoon((isItsOriginal ? [] : [key]) + photo.madeKeys)
            case .failed(let failure):
                _ = row.intent.handle(.refused(key: key, failure))
                try removeSoon(photo.madeKeys)
            case .late: preconditionFailure("it has just been looked at")
            }
            try write(row)
            if case .photo(let id) = ending {
                if let photo = try database.photo(id), let event = try event(row.event) {
                    note(.photoAdded(photo, in: event))
                }
            } else {
                try noteCounts(of: row.event)
            }
            return ending
        }
    }

    private func ending(of row: UploadRow, _ key: String, _ photo: NewPhoto) throws -> Completion {
        guard try isLive(event: row.event) else {
            return .failed(UploadStateMachine.Failure(.eventGone, "its event has been deleted"))
        }
        let guest = try guestUpload(row.id)
        if let twin = try twin(of: photo.sha256, in: row.event) {
            if guest == nil { try adopt(twin.id) }
            return .sameAs(twin.id)
        }
        if let failure = try charge(row, guest) { return .failed(failure) }
        let camera = try camera(of: photo.exif, in: row.event)
        let evidence = CaptureEvidence(
            exif: photo.exif.time, claimed: row.capturedAt, clockAhead: row.clockAhead, arrived: wall.wallNow)
        // What waits for its host says nothing about the clocks of others.
        let movesOthers =
            guest?.isModerated == true ? false : try hear(evidence.hint, from: camera?.id, in: row.event)
        if movesOthers { try retime(row.event) }
        let id = try insert(photo, evidence, camera, of: row, key, guest)
        if movesOthers { try noteMoved(row.event) }
        return .photo(id)
    }

    /// The photo of the event that has these bytes, and the key of its original.
    package func twin(of sha256: String, in event: String) throws -> (id: String, key: String)? {
        try database.first(
            "SELECT id, original_key FROM photos WHERE event_id = ? AND sha256 = ? AND deleted_at IS NULL",
            event, sha256
        ) { (try $0["id"], try $0["original_key"]) }
    }

    private func insert(
        _ photo: NewPhoto, _ evidence: CaptureEvidence, _ camera: KnownCamera?, of row: UploadRow,
        _ key: String, _ guest: GuestOfUpload?
    ) throws -> String {
        let id = newID()
        let stamp = try nextStamp(of: row.account)
        let now = evidence.arrived.milliseconds
        let (thumb, tile, screen) = (photo.renditions.thumb, photo.renditions.tile, photo.renditions.screen)
        let time = evidence.time(in: try database.zone(of: row.event, zones), shift: camera?.shift)
        try database.run(
            """
            INSERT INTO photos (id, event_id, owner_id, sequence, sha256, content_type, size, width, height,
                filename, source, camera, copyright, captured_at, captured_offset, shown_at, camera_id, clock,
                clock_offset, satellites, claimed_at, clock_ahead, created_at, thumb_key, screen_key, original_key,
                thumb_size, screen_size, thumb_width, thumb_height, original_crc, screen_crc, updated_at, stamp,
                guest_name, waiting, hidden, tile_key, tile_size, tile_width, placeholder)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
                ?, ?, ?, ?)
            """, id, row.event, row.account, try nextSequence(of: row.event), photo.sha256, row.contentType,
            photo.size,
            photo.width, photo.height, row.filename, row.source, photo.exif.camera, photo.exif.copyright,
            time?.moment.milliseconds, time?.offset, time?.shown.milliseconds, camera?.id,
            evidence.exif.clock?.milliseconds, evidence.exif.offset, evidence.exif.satellites?.milliseconds,
            evidence.claimed?.milliseconds, evidence.clockAhead, now, thumb.key, screen.key, key,
            thumb.size, screen.size, thumb.width, thumb.height, photo.crc.map(Int64.init),
            screen.crc.map(Int64.init), now, stamp, guest?.name, guest?.isModerated ?? false,
            guest?.isModerated ?? false, tile?.key, tile?.size, tile?.width,
            photo.renditions.placeholder?.pixels)
        if let video = photo.video { try add(video, to: id) }
        for key in photo.madeKeys + photo.renditions.unused {
            try database.run("DELETE FROM removals WHERE object_key = ?", key)
        }
        return id
    }

    /// What it has because it moves.
    private func add(_ video: NewPhoto.Video, to photo: String) throws {
        try database.run(
            """
            UPDATE photos SET stream_key = ?, stream_size = ?, stream_crc = ?, duration = ?, has_poster = ? WHERE id = ?
            """, video.key, video.size, Int64(video.crc), video.milliseconds, video.hasPoster, photo)
    }

    /// Keys for renditions that are about to be kept.
    package func renditionKeys() throws -> RenditionKeys { try write { try passingKeys() } }

    /// The same, and one for the copy of a video that guests are given.
    package func videoKeys() throws -> (renditions: RenditionKeys, stream: String) {
        try write { (renditions: try passingKeys(), stream: try passingKey()) }
    }

    private func passingKeys() throws -> RenditionKeys {
        RenditionKeys(thumb: try passingKey(), tile: try passingKey(), screen: try passingKey())
    }

    /// A key for an object that is about to be kept, written down for removal before its first byte lies there. What comes to
    /// refer to it takes it off again. Part of a transaction.
    func passingKey() throws -> String {
        let key = newKey()
        try database.run(
            "INSERT INTO removals (object_key, due_at) VALUES (?, ?)", key,
            (wall.wallNow + Sweeper.grace).milliseconds)
        return key
    }

    /// Objects that nothing refers to any more, to be removed by the sweeper.
    func removeSoon(_ keys: [String]) throws {
        let earlier = database.dialect.lesser("removals.due_at", "excluded.due_at")
        for key in keys {
            try database.run(
                """
                INSERT INTO removals (object_key, due_at) VALUES (?, ?)
                ON CONFLICT (object_key) DO UPDATE SET due_at = \(earlier)
                """, key, wall.wallNow.milliseconds)
        }
    }

    func isLive(event: String) throws -> Bool {
        try database.has("SELECT 1 FROM events WHERE id = ? AND deleted_at IS NULL", event)
    }
}
