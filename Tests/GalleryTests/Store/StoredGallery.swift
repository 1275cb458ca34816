import Basics
import Database
import Glibc
import HTTPServer
import Imaging
import TestSupport
import Testing

@testable import Gallery

/// A few rows of everything that a gallery keeps, in one file.
enum StoredGallery {
    static let folder = getenv("TETHERLINE_FIXTURES").map { String(cString: $0) }

    static let email = "ann@example.org"
    static let password = "correct horse"
    static let pin = "13579"
    /// How long after the beginning of the test's calendar everything in it has happened.
    static let age = Duration.seconds(2 * 86_400)

    /// Makes the stored gallery of today's version, and its tables beside it.
    static func make(at folder: String) async throws {
        let gallery = try GalleryGround()
        let host = try await people(gallery)
        try await photos(gallery, host)
        try await video(gallery, host)
        try await reactions(gallery, host)
        try await look(gallery, host)
        try await pieces(gallery, host)
        try await guests(gallery, host)
        try await downloads(gallery, host)
        try await otherEvents(gallery, host)
        // What is searched for lies in blocks, but for what has changed since these were made.
        while try await gallery.store.indexWaiting(fewest: 1) {}
        let photos = try await gallery.call(
            "GET", "/events/\(host.event)/photos", token: gallery.token(host))
        let last = try #require(photos["photos"]?.array?.last?["id"]?.string)
        _ = try await gallery.call(
            "PATCH", "/photos/\(last)", ["rating": .integer(4)], token: gallery.token(host))
        let version = GallerySchema.migrations.version
        let path = gallery.ground.folder.file(GalleryStore.fileName)
        let copy = "\(folder)/version-\(version).sqlite"
        try Connection(path: path, .readOnly).backUp(to: copy)
        try Connection(path: copy, .readWrite).script("PRAGMA page_size = 1024; VACUUM")
        let schema = try OldGallery.schema(of: Connection(path: copy, .readOnly))
        guard let file = fopen("\(folder)/schema-\(version).sql", "wb") else {
            throw FileProblem(path: folder, number: errno)
        }
        fputs(schema, file)
        fclose(file)
    }

    /// Ann, who has a log-in that was renewed, one that has ended and one that was never used, and Bob, who has done nothing
    /// yet.
    private static func people(_ gallery: GalleryGround) async throws -> GalleryGround.Host {
        let accounts = gallery.ground
        _ = try await accounts.accounts.addUser(email: email, name: "Ann", password: password)
        _ = try await accounts.accounts.addUser(email: "bob@example.org", name: "Bob", password: password)
        let first = try await accounts.login(email, password)
        let renewed = try await accounts.refresh(first.refresh)
        let ended = try await accounts.login(email, password)
        _ = try await accounts.accounts.logout(
            AccountGround.post(["refreshToken": .string(ended.refresh)]))
        _ = try await accounts.login(email, password)
        _ = try await accounts.accounts.passwordLink(for: email, publicURL: "https://gallery.example")
        let token = try #require(
            AccessToken(
                renewed.access, keys: accounts.accounts.accessKeys, now: gallery.wall.wallNow))
        _ = try await gallery.store.grantCredits(to: email, 8)
        _ = try await accounts.accounts.invite(uses: 2, days: 30)
        _ = try await gallery.call("POST", "/consent", ["version": .integer(1)], token: renewed.access)
        let event = try await gallery.call(
            "POST", "/events",
            [
                "name": "Wedding", "pin": .string(pin), "allowsOriginals": .bool(true),
                "startsAt": "2026-11-21T00:00:00.000Z",
            ], token: renewed.access)
        return GalleryGround.Host(
            account: token.account, family: token.family, event: try #require(event["id"]?.string),
            slug: try #require(event["slug"]?.string))
    }

    /// Photos that are shown, hidden and deleted, and uploads that came to every other end.
    private static func photos(_ gallery: GalleryGround, _ host: GalleryGround.Host) async throws {
        _ = try await gallery.place("never", Array("nothing".utf8), for: host)
        gallery.wall.go(GalleryStore.placeLife)
        try await gallery.server.sweeper.sweep()
        var exif = ExifFacts()
        exif.time = ExifTime(
            clock: Timestamp(rfc3339: "2026-11-21T21:15:00Z"), offset: 60,
            satellites: Timestamp(rfc3339: "2026-11-21T20:15:02Z"))
        (exif.make, exif.model, exif.serial) = ("NIKON CORPORATION", "NIKON Z 8", "042")
        gallery.renderer.exif.change { [exif] in
            $0["kiss"] = exif
            // A drawing, say: of no camera.
            $0["garden"] = ExifFacts()
        }
        gallery.renderer.hasPlaceholders.change { $0 = true }
        let kiss = try #require(try await gallery.upload("kiss", for: host)?["id"]?.string)
        let speech = try #require(try await gallery.upload("speech", for: host)?["id"]?.string)
        // It is deleted below: what is shown is the same in galleries of every version.
        gallery.renderer.hasTiles.change { $0 = true }
        let cake = try #require(try await gallery.upload("cake", for: host)?["id"]?.string)
        gallery.renderer.hasTiles.change { $0 = false }
        gallery.renderer.hasPlaceholders.change { $0 = false }
        try await gallery.upload("bad", for: host)
        try await gallery.upload("bad-and-dismissed", for: host)
        let token = gallery.token(host)
        let uploads = try await gallery.call("GET", "/uploads/events/\(host.event)", token: token)
        let dismissed = try #require(
            uploads["uploads"]?.array?.first { $0["filename"] == "bad-and-dismissed.jpg" }?["uploadId"]?
                .string)
        _ = try await gallery.call("POST", "/uploads/events/\(host.event)/\(dismissed)/dismiss", token: token)
        try await gallery.store.learnCRCs(of: kiss)
        _ = try await gallery.call(
            "PATCH", "/photos/\(kiss)",
            ["caption": "The first kiss", "rating": .integer(5), "tags": ["church", "both"]], token: token)
        _ = try await gallery.call("PATCH", "/photos/\(speech)", ["hidden": .bool(true)], token: token)
        _ = try await gallery.call("DELETE", "/photos/\(cake)", token: token)
        let album: JSONValue = [
            "type": "album", "id": .string(TestIDs.id(7)), "action": "upsert",
            "updatedAt": gallery.wall.wallNow.json, "data": ["name": "Best", "eventId": .string(host.event)],
        ]
        let filed: JSONValue = [
            "type": "photo", "id": .string(kiss), "action": "upsert",
            "updatedAt": (gallery.wall.wallNow + .seconds(1)).json,
            "data": ["albumIds": [.string(TestIDs.id(7))]],
        ]
        let sync = try await gallery.call(
            "POST", "/sync", ["lastSync": .null, "changes": [album, filed]], token: token)
        #expect(sync["rejected"]?.array == [], "\(sync)")
        _ = try await gallery.call(
            "PATCH", "/events/\(host.event)", ["timeZone": "Europe/Vienna"], token: token)
        let cameras = try await gallery.call("GET", "/events/\(host.event)/cameras", token: token)
        let camera = try #require(cameras.data?.array?.first { $0["make"] == "NIKON CORPORATION" })
        _ = try await gallery.call(
            "PATCH", "/events/\(host.event)/cameras/\(camera["id"]?.string ?? "")",
            ["shiftSeconds": .integer(0)], token: token)
    }

    /// A video, which was deleted: what is shown is the same in galleries of every version.
    private static func video(_ gallery: GalleryGround, _ host: GalleryGround.Host) async throws {
        let waltz = try await gallery.bringVideo(for: host, name: "waltz.mp4")
        let id = try #require(waltz["id"]?.string)
        _ = try await gallery.call("DELETE", "/photos/\(id)", token: gallery.token(host))
    }

    /// Hearts and comments, of which one of each was taken back, and an event that takes none.
    private static func reactions(_ gallery: GalleryGround, _ host: GalleryGround.Host) async throws {
        let list = try await gallery.call(
            "GET", "/events/\(host.event)/photos", token: gallery.token(host))
        let photos = (list["photos"]?.array ?? []).filter { $0["hidden"] == .bool(false) }
        let kiss = try #require(photos.first?["id"]?.string)
        for device in ["one", "two", "three"] {
            _ = try await gallery.store.setHeart(true, on: kiss, in: host.event, by: device)
        }
        _ = try await gallery.store.setHeart(false, on: kiss, in: host.event, by: "three")
        for words in ["Sweet!", "Not so"] {
            let wish = CommentWish(id: nil, photo: kiss, name: "Cleo", words: words)
            let (comment, _) = try await gallery.store.addComment(wish, in: host.event, by: "one")
            if words == "Not so" {
                _ = try await gallery.store.removeComment(comment.id, in: host.event, by: "one")
            }
        }
        try await gallery.store.tellReactions(of: [kiss], in: host.event)
    }

    /// All that a host gives an event to look like.
    private static func look(_ gallery: GalleryGround, _ host: GalleryGround.Host) async throws {
        let token = gallery.token(host)
        let list = try await gallery.call("GET", "/events/\(host.event)/photos", token: token)
        let cover = try #require(list["photos"]?.array?.first { $0["hidden"] == .bool(false) }?["id"])
        let dressed = try await gallery.call(
            "PATCH", "/events/\(host.event)",
            ["coverPhoto": cover, "accent": "#c2185b", "theme": "dark", "typeface": "rounded"], token: token)
        #expect(dressed.status == 200, "\(dressed)")
        let logo = EventLogo(key: try await gallery.store.logoKey(), size: 300, width: 30, height: 20)
        _ = try await gallery.store.setLogo(logo, of: host.event, by: host.account)
    }

    /// An upload of which the half has come.
    private static func pieces(_ gallery: GalleryGround, _ host: GalleryGround.Host) async throws {
        let upload = try await gallery.beginTus(10, for: host, name: "dance.jpg")
        let answer = try await gallery.append(Array("dance".utf8), at: 0, to: upload, for: host)
        #expect(answer.status == 204, "\(answer)")
    }

    /// Guests who bring photos: one that is shown, one that waits, and one that is on its way.
    private static func guests(_ gallery: GalleryGround, _ host: GalleryGround.Host) async throws {
        let changed = try await gallery.call(
            "PATCH", "/events/\(host.event)",
            ["allowsGuestUploads": .bool(true), "guestUploadCredits": .integer(5)], token: gallery.token(host)
        )
        #expect(changed["guestUploadLimit"] == .integer(5), "\(changed)")
        let wish = UploadWish(
            event: host.event, contentType: "image/jpeg", contentLength: 10, filename: "selfie.jpg")
        let guest = GuestDevice(id: "one", event: host.event)
        _ = try await gallery.store.beginTus(wish, metadata: "", by: guest, name: "Cleo", consent: 1)
        try await gallery.store.learnGuests(of: host.event)
    }

    /// What was taken home, by a guest who has written something and by others, and an end that was told.
    private static func downloads(_ gallery: GalleryGround, _ host: GalleryGround.Host) async throws {
        let list = try await gallery.call(
            "GET", "/events/\(host.event)/photos", token: gallery.token(host))
        let kiss = try #require(list["photos"]?.array?.first { $0["hidden"] == .bool(false) })
        let sequence = try #require(kiss["sequence"]?.integer)
        var tally = DownloadTally()
        for (kind, device, author) in [
            (DownloadTally.Kind.photoOriginal, "taker", "one"), (.zipScreen, "", nil),
        ] {
            tally.add(
                DownloadTally.Entry(
                    kind: kind, count: DownloadTally.Count(times: 1, photos: 1, bytes: 4),
                    photos: kind == .photoOriginal ? [sequence] : [], device: device, author: author,
                    day: gallery.wall.wallNow.day))
        }
        try await gallery.store.addDownloads(tally, to: host.event)
        try await gallery.store.noteReminders(of: host.event, at: gallery.wall.wallNow.milliseconds)
    }

    private static func otherEvents(_ gallery: GalleryGround, _ host: GalleryGround.Host) async throws {
        let token = gallery.token(host)
        let soon = gallery.wall.wallNow + .seconds(600)
        var ids: [String] = []
        for event: JSONValue in [
            ["name": "Open house"],
            [
                "name": "Rehearsal", "expiresAt": soon.json, "allowsHearts": .bool(false),
                "allowsComments": .bool(false),
            ],
            ["name": "Cancelled"],
        ] {
            let made = try await gallery.call("POST", "/events", event, token: token)
            ids.append(try #require(made["id"]?.string, "\(made)"))
        }
        for (event, text) in zip(ids, ["garden", "vows", "rain"]) {
            try await gallery.upload(text, for: host, in: event)
        }
        // Caches are told of what goes with it.
        try await gallery.store.wantPurges()
        _ = try await gallery.call("DELETE", "/events/\(ids[2])", token: token)
        // The last credit is gone when its bytes come: this one waits for another.
        let unpaid = try await gallery.place("unpaid", Array("unpaid".utf8), for: host)
        let working = try await gallery.place("working", Array("working".utf8), for: host)
        _ = try await gallery.place("waiting", Array("waiting".utf8), for: host)
        try await gallery.fill(unpaid, with: Array("unpaid".utf8))
        try await gallery.store.spendAll(of: host.account)
        try await gallery.work()
        try await gallery.fill(working, with: Array("working".utf8))
    }
}

extension GalleryStore {
    /// As a renderer would have said them.
    fileprivate func learnCRCs(of photo: String) throws {
        try database.run("UPDATE photos SET original_crc = 1000, screen_crc = 4294967295 WHERE id = ?", photo)
    }

    /// As if guests had brought what is there.
    fileprivate func learnGuests(of event: String) throws {
        try database.run(
            """
            UPDATE photos SET guest_name = CASE WHEN hidden = 1 THEN '' ELSE 'Cleo' END, waiting = hidden
            WHERE event_id = ? AND deleted_at IS NULL
            """, event)
        try database.run("UPDATE events SET guest_credits_spent = 2 WHERE id = ?", event)
    }

    /// One that was told, and one that is tried again.
    fileprivate func noteReminders(of event: String, at now: Int64) throws {
        for (stage, told) in [("14-days", now), ("3-days", nil)] as [(String, Int64?)] {
            try database.run(
                """
                INSERT INTO reminders (event_id, stage, expires_at, due_at, tries, told_at) VALUES (?, ?, ?, ?, ?, ?)
                """, event, stage, now + 100, now, told == nil ? 2 : 0, told)
        }
    }

    /// No credit is left, without a photo for each.
    fileprivate func spendAll(of account: String) throws {
        try database.run("UPDATE accounts SET credits = 0 WHERE id = ?", account)
    }
}
