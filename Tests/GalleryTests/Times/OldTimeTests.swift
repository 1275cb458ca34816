import Basics
import Database
import Glibc
import Imaging
import TestSupport
import Testing

@testable import Gallery

/// Photos of galleries in which a time was what a camera's clock showed, or what the uploader said, without a note which.
@Suite(
    .enabled(
        if: !PostgresServer.isWanted || MoveGround.canRun, "SeaweedFS is not installed; tools/setup does it"))
struct OldTimeTests {
    private struct Old {
        let gallery: GalleryGround
        let token: String
        let event: String
        let host: GalleryGround.Host

        /// The originals are there, with what their files say, and have been read again.
        func read(_ files: [String: ExifTime]) async throws {
            for (name, time) in files {
                var exif = ExifFacts()
                (exif.model, exif.time) = ("Test", time)
                gallery.renderer.exif.change { [exif] in $0[name] = exif }
                let key = try #require(try await photo("\(name).jpg")["originalKey"]?.string)
                let path = "\(gallery.storage.workshop)/\(name)"
                let file = try #require(fopen(path, "wb"))
                fputs(name, file)
                fclose(file)
                try await gallery.storage.keep(path, as: key, type: "image/jpeg")
            }
            while try await gallery.server.processor.readOnce() {}
        }

        func setZone(_ zone: JSONValue) async throws {
            let set = try await gallery.call("PATCH", "/events/\(event)", ["timeZone": zone], token: token)
            #expect(set.status == 200, "\(set)")
        }

        func photo(_ name: String) async throws -> JSONValue {
            let list = try await gallery.call("GET", "/events/\(event)/photos", token: token)
            return try #require(list["photos"]?.array?.first { $0["filename"]?.string == name })
        }
    }

    /// The speech's file had a time in it, which was another than what was said of it: an hour later, as of a clock in Vienna.
    private func open() async throws -> Old {
        let old = try OldGallery(1)
        try Connection(path: old.path, .readWrite).script(
            "UPDATE photos SET captured_at = captured_at + 3600000 WHERE filename = 'speech.jpg'")
        let wall = GalleryWall()
        wall.go(StoredGallery.age)
        let gallery = try await Self.gallery(old.folder, wall)
        let token = try await gallery.ground.login(StoredGallery.email, StoredGallery.password).access
        let event = try #require(try await gallery.store.events(named: "Wedding").first)
        let access = try #require(
            AccessToken(token, keys: gallery.ground.accounts.accessKeys, now: wall.wallNow))
        let host = GalleryGround.Host(
            account: access.account, family: access.family, event: event.id, slug: event.slug)
        return Old(gallery: gallery, token: token, event: event.id, host: host)
    }

    /// In its folder; where tests run on PostgreSQL, after it has moved there: older versions knew files alone.
    private static func gallery(
        _ folder: TemporaryFolder, _ wall: GalleryWall
    ) async throws -> GalleryGround {
        guard PostgresServer.isWanted else { return try GalleryGround(seed: 70, in: folder, wall: wall) }
        let ground = try MoveGround(folder)
        try ground.makeObjects()
        #expect(try await ground.move() == .moved)
        return try GalleryGround(seed: 70, on: ground.database, wall: wall)
    }

    @Test("they are shown at the times at which they were shown")
    func asBefore() async throws {
        let old = try await open()
        #expect(try await old.photo("kiss.jpg")["localTime"] == "2026-11-21T20:15:00.000")
        #expect(try await old.photo("speech.jpg")["localTime"] == "2026-11-21T21:15:00.000")
        #expect(try await old.photo("speech.jpg")["capturedAt"] == "2026-11-21T21:15:00.000Z")
        let event = try await old.gallery.call("GET", "/events/\(old.event)", token: old.token)
        #expect(event["timeZone"] == .null)
    }

    @Test(
        "when their host says the zone, what a clock showed stays, and a moment is shown there",
        arguments: [false, true])
    func zone(isReadLater: Bool) async throws {
        let old = try await open()
        if isReadLater { try await old.setZone("Europe/Vienna") }
        try await old.read(["kiss": ExifTime(), "speech": ExifTime(clock: Self.clock("21:15"))])
        if !isReadLater { try await old.setZone("Europe/Vienna") }
        for name in ["kiss.jpg", "speech.jpg"] {
            #expect(try await old.photo(name)["localTime"] == "2026-11-21T21:15:00.000", "\(name)")
            #expect(try await old.photo(name)["capturedAt"] == "2026-11-21T20:15:00.000Z", "\(name)")
        }
    }

    /// Of the evening, as a camera's clock in no zone.
    private static func clock(_ time: String) -> Timestamp? { Timestamp(rfc3339: "2026-11-21T\(time):00Z") }

    private static let phone: ExifFacts = {
        var exif = ExifFacts()
        exif.model = "iPhone 15"
        exif.time = ExifTime(clock: clock("21:20"), offset: 60)
        return exif
    }()

    @Test(
        "a photo whose camera told its zone stays at its moment, whatever the host and other photos say of the event's",
        arguments: ["Europe/Vienna", nil])
    func told(zone: String?) async throws {
        let old = try await open()
        _ = try await old.gallery.store.grantCredits(to: StoredGallery.email, 1)
        // It was 22:15 in Helsinki, and what an older version wrote down is in UTC already.
        for (turn, zone) in [zone, nil, zone].enumerated() {
            try await old.setZone(.optional(zone, JSONValue.string))
            if turn == 1 {
                old.gallery.renderer.exif.change { $0["toast"] = Self.phone }
                _ = try #require(try await old.gallery.upload("toast", for: old.host))
            }
            let kiss = try await old.photo("kiss.jpg")
            #expect(kiss["capturedAt"] == "2026-11-21T20:15:00.000Z", "\(turn)")
            #expect(kiss["localTime"] == "2026-11-21T20:15:00.000", "\(turn)")
        }
        try await old.read(["kiss": ExifTime(clock: Self.clock("22:15"), offset: 120)])
        let kiss = try await old.photo("kiss.jpg")
        #expect(kiss["capturedAt"] == "2026-11-21T20:15:00.000Z" && kiss["capturedOffset"] == .integer(120))
        // Without a host's word it is the first of two cameras that counts.
        let shown = zone == nil ? "2026-11-21T22:15:00.000" : "2026-11-21T21:15:00.000"
        #expect(kiss["localTime"]?.string == shown)
        #expect(try await old.gallery.server.processor.readOnce() == false, "once is enough")
    }

    @Test("old photos tell an event's zone as new ones do, and a file that is gone changes nothing")
    func guess() async throws {
        let old = try await open()
        // The speech's file is not there.
        try await old.read(["kiss": ExifTime(clock: Self.clock("22:15"), offset: 120)])
        let event = try await old.gallery.call("GET", "/events/\(old.event)", token: old.token)
        #expect(event["timeZone"] == "+02:00" && event["timeZoneSource"] == "photos")
        #expect(try await old.photo("kiss.jpg")["localTime"] == "2026-11-21T22:15:00.000")
        #expect(try await old.photo("speech.jpg")["capturedAt"] == "2026-11-21T21:15:00.000Z")
        let warnings = old.gallery.warnings.value
        let isSaid = warnings.contains { $0.contains("stays as an older version wrote it down") }
        #expect(isSaid, "\(warnings)")
    }

    @Test("their cameras can be shifted by what they were called")
    func cameras() async throws {
        let old = try await open()
        let path = "/events/\(old.event)/cameras"
        let cameras = try await old.gallery.call("GET", path, token: old.token).data?.array ?? []
        #expect(cameras.map { $0["model"] } == ["Test"] && cameras.first?["photos"] == .integer(2))
        let id = try #require(cameras.first?["id"]?.string)
        _ = try await old.gallery.call(
            "PATCH", "\(path)/\(id)", ["shiftSeconds": .integer(-60)], token: old.token)
        #expect(try await old.photo("speech.jpg")["localTime"] == "2026-11-21T21:14:00.000")
        try await old.read(["speech": ExifTime(clock: Self.clock("21:15"))])
        #expect(try await old.photo("speech.jpg")["localTime"] == "2026-11-21T21:14:00.000")
    }
}
