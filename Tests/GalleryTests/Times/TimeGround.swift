import Basics
import HTTPServer
import Imaging
import TestSupport
import Testing

@testable import Gallery

/// An event whose photos say when they were taken, as a test wants it.
struct TimeGround: Sendable {
    let gallery: GalleryGround
    let host: GalleryGround.Host

    init(_ event: JSONValue = ["name": "Wedding"]) async throws {
        gallery = try GalleryGround()
        // To 2026-11-22T11:06:40Z: the evening's photos come on the day after.
        gallery.wall.go(.seconds(4 * 86_400))
        host = try await gallery.host(event: event)
    }

    /// A photo whose file says that; the time is of a clock: "2026-11-21T18:59:03".
    func shoot(
        _ name: String, _ clock: String? = nil, offset: Int? = nil, satellites: String? = nil,
        camera: String = "Nikon Z 8", serial: String = "1", ahead: Int64? = nil
    ) async throws {
        var exif = ExifFacts()
        exif.time = ExifTime(
            clock: clock.flatMap { Timestamp(rfc3339: "\($0)Z") }, offset: offset,
            satellites: satellites.flatMap { Timestamp(rfc3339: "\($0)Z") })
        (exif.make, exif.model, exif.serial) = (nil, camera, serial)
        gallery.renderer.exif.change { [exif] in $0[name] = exif }
        let place = try await presign(name, ahead: ahead)
        try await gallery.fill(place, with: Array(name.utf8))
        try await gallery.work()
    }

    func presign(_ name: String, ahead: Int64?) async throws -> GalleryGround.Answer {
        try await gallery.call(
            "POST", "/uploads/presign",
            [
                "eventId": .string(host.event), "contentType": "image/jpeg",
                "contentLength": .integer(Int64(name.utf8.count)), "filename": .string(name),
                "cameraClockAhead": .optional(ahead, JSONValue.integer),
            ], token: gallery.token(host), headers: [HTTPHeader("Idempotency-Key", name)])
    }

    // MARK: What is seen

    /// "name 18:59", in the order of the guests' list.
    func list(_ search: String = "") async throws -> [String] {
        let query = search.isEmpty ? "" : "&q=\(PercentEncoding.encoded(search))"
        let answer = try await gallery.call(
            "GET", "/events/\(host.event)/photos?limit=200\(query)", token: gallery.token(host))
        let guests = try await gallery.call("GET", "/e/\(host.slug)/photos?limit=200\(query)")
        let photos = try #require(answer["photos"]?.array, "\(answer)")
        let ids = try #require(guests["photos"]?.array).map { $0["id"] }
        #expect(ids == photos.map { $0["id"] }, "guests have the same order")
        return photos.map { photo in
            let time = photo["localTime"]?.string?.dropFirst(11).prefix(5)
            return [photo["filename"]?.string ?? "", time.map(String.init)].compactMap(\.self)
                .joined(separator: " ")
        }
    }

    func photo(_ name: String) async throws -> JSONValue {
        let answer = try await gallery.call(
            "GET", "/events/\(host.event)/photos?limit=200", token: gallery.token(host))
        return try #require(answer["photos"]?.array?.first { $0["filename"]?.string == name })
    }

    func event() async throws -> GalleryGround.Answer {
        try await gallery.call("GET", "/events/\(host.event)", token: gallery.token(host))
    }

    @discardableResult
    func change(_ wish: JSONValue) async throws -> GalleryGround.Answer {
        try await gallery.call("PATCH", "/events/\(host.event)", wish, token: gallery.token(host))
    }

    func cameras() async throws -> [JSONValue] {
        let answer = try await gallery.call(
            "GET", "/events/\(host.event)/cameras", token: gallery.token(host))
        return try #require(answer.data?.array, "\(answer)")
    }

    @discardableResult
    func shift(_ model: String, by seconds: Int64?) async throws -> GalleryGround.Answer {
        let camera = try #require(try await cameras().first { $0["model"]?.string == model })
        return try await gallery.call(
            "PATCH", "/events/\(host.event)/cameras/\(try #require(camera["id"]?.string))",
            ["shiftSeconds": .optional(seconds, JSONValue.integer)], token: gallery.token(host))
    }
}
