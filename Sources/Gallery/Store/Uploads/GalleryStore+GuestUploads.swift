import Basics
import Database

/// Who brings an upload that is a guest's.
struct GuestOfUpload: Equatable, Sendable {
    let device: String
    let name: String
    /// As the event says now.
    let isModerated: Bool
}

/// What guests bring: uploads of an event's host, each with the device that may go on with it, and counted.
extension GalleryStore {
    func setGuestUploads(_ wish: GuestUploadWish, of event: String) throws {
        if let isAllowed = wish.isAllowed {
            try database.run("UPDATE events SET allows_guest_uploads = ? WHERE id = ?", isAllowed, event)
        }
        if let isModerated = wish.isModerated {
            try database.run("UPDATE events SET guest_uploads_moderated = ? WHERE id = ?", isModerated, event)
        }
        if let credits = wish.credits {
            try database.run("UPDATE events SET guest_upload_credits = ? WHERE id = ?", credits, event)
        }
    }

    // MARK: Beginning

    /// The same wish with the same key is the same upload, also when nothing more would be taken by now.
    func beginTus(
        _ wish: UploadWish, metadata: String, by guest: GuestDevice, name: String, consent: Int
    ) throws -> TusUpload {
        try write {
            guard let owner = try event(guest.event)?.owner else { throw GalleryRefusal.notFound(.event) }
            try lock(account: owner)
            // As it is now that nothing else changes it.
            guard let event = try event(guest.event) else { throw GalleryRefusal.notFound(.event) }
            guard event.guestUploads.isAllowed else { throw GalleryRefusal.guestUploadsClosed }
            var wish = wish
            wish.event = event.id
            // No key of an account has a space.
            wish.idempotencyKey = wish.idempotencyKey.map { "guest \(guest.id) \($0)" }
            let place = try intendForGuest(wish, for: owner, consent: consent)
            if let known = try tus(place.upload.id) { return known }
            if event.guestUploads.isSpent { throw GalleryRefusal.guestUploadsFull }
            guard try openGuestUploads(of: event.id, by: guest.id) < GuestUpload.mostOpen,
                try openGuestUploads(of: event.id) < GuestUpload.mostOpenInEvent
            else { throw GalleryRefusal.tooManyGuestUploads }
            try database.run(
                """
                INSERT INTO guest_uploads (upload_id, event_id, device, name, begun_at) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (upload_id) DO NOTHING
                """, place.upload.id, event.id, guest.id, name, wall.wallNow.milliseconds)
            return try insertTus(place.upload.id, metadata: metadata)
        }
    }

    /// What the host's account lacks is not for guests to know.
    private func intendForGuest(_ wish: UploadWish, for owner: String, consent: Int) throws -> UploadPlace {
        do {
            return try intend(wish, for: owner, consent: consent, life: TusUpload.life)
        } catch let refusal as GalleryRefusal {
            switch refusal {
            case .noCredits, .consentMissing: throw GalleryRefusal.guestUploadsFull
            default: throw refusal
            }
        }
    }

    private static let open = """
        FROM guest_uploads AS g JOIN uploads AS u ON u.id = g.upload_id JOIN tus_uploads AS t ON t.upload_id = u.id
        WHERE u.status IN ('pending', 'expired') AND g.event_id = ?1
        """

    private func openGuestUploads(of event: String, by device: String) throws -> Int {
        try database.count("\(Self.open) AND g.device = ?2", event, device)
    }

    /// One without a byte counts for some minutes: otherwise one device that forgets its cookie would keep all others out.
    private func openGuestUploads(of event: String) throws -> Int {
        try database.count(
            "\(Self.open) AND (t.received > 0 OR g.begun_at > ?2)", event,
            wall.wallNow.milliseconds - GuestUpload.longestEmpty.wholeMilliseconds)
    }

    // MARK: Whose it is

    /// Nothing where a host has brought it.
    func guestUpload(_ id: String) throws -> GuestOfUpload? {
        try database.first(
            """
            SELECT g.device, g.name, e.guest_uploads_moderated
            FROM guest_uploads AS g JOIN events AS e ON e.id = g.event_id WHERE g.upload_id = ?
            """, id
        ) { row in
            GuestOfUpload(
                device: try row["device"], name: try row["name"],
                isModerated: try row["guest_uploads_moderated"])
        }
    }

    func isBrought(_ row: UploadRow, by uploader: Uploader) throws -> Bool {
        switch uploader {
        case .account(let account): try row.account == account && guestUpload(row.id) == nil
        case .guest(let guest): try row.event == guest.event && guestUpload(row.id)?.device == guest.id
        }
    }

    // MARK: Parts of a transaction that makes a photo

    /// One credit of the host's, and for a guest one of those that guests may spend: both or none. Says why there is none.
    func charge(_ row: UploadRow, _ guest: GuestOfUpload?) throws -> UploadStateMachine.Failure? {
        if guest != nil {
            let counted = try database.run(
                """
                UPDATE events SET guest_credits_spent = guest_credits_spent + 1
                WHERE id = ? AND guest_credits_spent < coalesce(guest_upload_credits, ?)
                """, row.event, GuestUploadTerms.usual)
            guard counted == 1 else {
                return UploadStateMachine.Failure(
                    .guestLimit, "guests have spent what the event gives them; give more, and retry it")
            }
        }
        let paid = try database.run(
            "UPDATE accounts SET credits = credits - 1 WHERE id = ? AND (credits IS NULL OR credits > 0)",
            row.account)
        if paid == 1 { return nil }
        if guest != nil {
            try database.run(
                "UPDATE events SET guest_credits_spent = guest_credits_spent - 1 WHERE id = ?", row.event)
        }
        return UploadStateMachine.Failure(
            .noCredits, "no credits are left; get some, and retry what has failed")
    }

    // MARK: Its end

    /// The host shows it: it waits no more.
    func approve(_ photo: String) throws {
        try database.run("UPDATE photos SET waiting = 0 WHERE id = ? AND waiting = 1", photo)
    }

    /// The host has brought the same: it is the host's photo from now on, and waits for no decision.
    func adopt(_ id: String) throws {
        guard let photo = try database.photo(id), photo.guestName != nil else { return }
        try database.run(
            """
            UPDATE photos SET hidden = CASE WHEN waiting = 1 THEN 0 ELSE hidden END, waiting = 0, guest_name = NULL,
                updated_at = \(database.dialect.greater("updated_at + 1", "?")), stamp = ? WHERE id = ?
            """, wall.wallNow.milliseconds, try nextStamp(of: photo.owner), id)
        guard let event = try event(photo.event), let adopted = try database.photo(id) else { return }
        note(.photoChanged(adopted, in: event))
    }

    func forgetGuest(ofPhoto photo: String) throws {
        try database.run(
            "UPDATE photos SET guest_name = '', waiting = 0 WHERE id = ? AND guest_name IS NOT NULL", photo)
    }

    func forgetGuests(ofEvent event: String) throws {
        try database.run(
            "UPDATE photos SET guest_name = '', waiting = 0 WHERE event_id = ? AND guest_name IS NOT NULL",
            event)
        try database.run("DELETE FROM guest_uploads WHERE event_id = ?", event)
    }

    /// A guest wants it there no more, whatever has become of it; what was there before it stays. What it has cost stays spent.
    func takeBack(_ upload: String, by guest: GuestDevice) throws {
        let now = wall.wallNow
        try write {
            guard let row = try uploadToChange(upload), try isBrought(row, by: .guest(guest)) else {
                throw GalleryRefusal.notFound(.upload)
            }
            switch row.intent.state {
            case .processing:
                throw GalleryRefusal.uploadConflict("it is being worked on; take it back in a moment")
            case .completed(let id, let key):
                if let photo = try database.photo(id), photo.originalKey == key, photo.guestName != nil {
                    try removePhoto(photo, deletedAt: now, updatedAt: nil)
                }
                try database.run("DELETE FROM guest_uploads WHERE upload_id = ?", upload)
            case .pending, .failed, .expired:
                try discard(Self.keysOfUploads("id"), of: upload)
                try database.run("DELETE FROM uploads WHERE id = ?", upload)
                try noteCounts(of: row.event)
            }
        }
    }
}

extension GalleryReader {
    /// What a device has brought, the last one first.
    func guestUploads(of device: GuestDevice) throws -> [GuestUpload] {
        try database.all(
            """
            SELECT g.upload_id, g.begun_at, u.status, u.filename, u.content_length, u.error_code, u.object_key,
                p.id AS photo_id, p.original_key, p.hidden, p.waiting, p.deleted_at, t.upload_id AS kept
            FROM guest_uploads AS g JOIN uploads AS u ON u.id = g.upload_id
            LEFT JOIN photos AS p ON p.id = u.photo_id LEFT JOIN tus_uploads AS t ON t.upload_id = u.id
            WHERE g.event_id = ? AND g.device = ? ORDER BY g.begun_at DESC, g.upload_id DESC LIMIT ?
            """, device.event, device.id, GuestUpload.mostTold, as: GuestUpload.init)
    }

    /// Whether the host's account takes uploads: it has credits, and has agreed to the terms of uploads.
    func takesUploads(_ account: String, consent: Int) throws -> Bool {
        try database.has(
            "SELECT 1 FROM accounts WHERE id = ? AND (credits IS NULL OR credits > 0) AND consent_version = ?",
            account, consent)
    }
}

extension GuestUpload {
    fileprivate init(_ row: any SQLRow) throws {
        id = try row["upload_id"]
        filename = try row["filename"]
        size = try row["content_length"]
        begunAt = try row.moment("begun_at")
        state = try Self.state(row)
        photo = state == .shown ? try row["photo_id"] : nil
    }

    private static func state(_ row: any SQLRow) throws -> State {
        switch try row.get("status", as: String.self) {
        case "completed":
            let (key, original): (String?, String?) = (try row["object_key"], try row["original_key"])
            guard key == original else { return .there }
            if try row.get("deleted_at", as: Int64?.self) != nil { return .refused }
            guard try row.get("hidden", as: Int64.self) == 1 else { return .shown }
            return try row.get("waiting", as: Int64.self) == 1 ? .waiting : .refused
        case "failed":
            let code = UploadStateMachine.Code(rawValue: try row["error_code"])
            switch code {
            case .noCredits, .guestLimit: return .full
            case .dismissed: return .refused
            default: return .failed
            }
        case "processing": return .working
        // What came of it is kept for some days.
        default: return try row.get("kept", as: String?.self) == nil ? .failed : .coming
        }
    }
}
