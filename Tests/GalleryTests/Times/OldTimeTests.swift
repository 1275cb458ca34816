import Bridge
import Database
import TestSupport
import Testing

@testable import Gallery

/// Photos of galleries in which a time was what a camera's clock showed, or what the uploader said, and nobody knew which.
@Suite struct OldTimeTests {
    private struct Old {
        let gallery: GalleryGround
        let token: String
        let event: String

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
        let gallery = try GalleryGround(seed: 70, in: old.folder, wall: wall)
        let token = try await gallery.ground.login(StoredGallery.email, StoredGallery.password).access
        let event = try #require(try await gallery.store.events(named: "Wedding").first)
        return Old(gallery: gallery, token: token, event: event.id)
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

    @Test("when their host says the zone, what a clock showed stays, and a moment is shown there")
    func zone() async throws {
        let old = try await open()
        _ = try await old.gallery.call(
            "PATCH", "/events/\(old.event)", ["timeZone": "Europe/Vienna"], token: old.token)
        for name in ["kiss.jpg", "speech.jpg"] {
            #expect(try await old.photo(name)["localTime"] == "2026-11-21T21:15:00.000", "\(name)")
            #expect(try await old.photo(name)["capturedAt"] == "2026-11-21T20:15:00.000Z", "\(name)")
        }
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
    }
}
