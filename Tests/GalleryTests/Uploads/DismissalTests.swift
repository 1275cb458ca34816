import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Uploads that failed and that the host wants to hear no more of.
@Suite struct DismissalTests {
    private let gallery: GalleryGround
    private let host: GalleryGround.Host

    init() async throws {
        gallery = try GalleryGround()
        host = try await gallery.host(credits: 5)
    }

    /// Bytes that are no picture, worked on to their end.
    private func fail(_ key: String) async throws -> String {
        let bytes = Array("bad \(key)".utf8)
        let place = try await gallery.place(key, bytes, for: host)
        try await gallery.fill(place, with: bytes)
        try await gallery.work()
        return try #require(place["uploadId"]?.string)
    }

    private func call(_ method: String, _ path: String) async throws -> GalleryGround.Answer {
        try await gallery.call(method, path, token: gallery.token(host))
    }

    private func status(_ upload: String) async throws -> JSONValue? {
        try await call("GET", "/uploads/status?ids=\(upload)").data?.array?.first
    }

    private func failed() async throws -> Int64? {
        try await call("GET", "/events/\(host.event)")["counts"]?["failed"]?.integer
    }

    private func listed() async throws -> Int? {
        try await call("GET", "/uploads/events/\(host.event)")["uploads"]?.array?.count
    }

    @Test("it is in no count and no list, and who asks for it is told for good")
    func one() async throws {
        let (upload, other) = (try await fail("a"), try await fail("b"))
        #expect(try await failed() == 2)
        let path = "/uploads/events/\(host.event)/\(upload)"
        #expect(try await call("POST", "\(path)/dismiss").status == 204)
        #expect(try await call("POST", "\(path)/dismiss").status == 204, "the answer may have been lost")
        #expect(try await failed() == 1)
        #expect(try await listed() == 1)
        #expect(try await status(other)?["errorCode"]?.string == "NOT_AN_IMAGE")
        let told = try await status(upload)
        #expect(
            told?["status"]?.string == "failed" && told?["errorCode"]?.string == "DISMISSED",
            "\(String(describing: told))")
        #expect(try await call("POST", "/uploads/\(upload)/presign").status == 409)
        #expect(try await call("POST", "\(path)/retry").status == 409)
        let again = try await gallery.place("a", Array("bad a".utf8), for: host)
        #expect(again.status == 409 && again.json["error"]?["message"]?.string?.contains("dismissed") == true)
        #expect(try await call("GET", "/me")["credits"]?.integer == 5, "nothing was charged")
    }

    @Test("its bytes go, and those that come late are no photo and go as well")
    func bytes() async throws {
        let upload = try await fail("a")
        let again = try await call("POST", "/uploads/\(upload)/presign")
        #expect(again.status == 200, "\(again)")
        #expect(
            try await call("POST", "/uploads/events/\(host.event)/\(upload)/dismiss").status == 409,
            "it is pending"
        )
        try await gallery.fill(again, with: Array("bad a".utf8))
        try await gallery.work()
        // While another try is under way, with an address that is good.
        let late = try #require(again["objectKey"]?.string)
        #expect(try await call("POST", "/uploads/events/\(host.event)/\(upload)/dismiss").status == 204)
        await gallery.server.landed(late)
        #expect(try await gallery.server.processor.workOnce() == false)
        gallery.wall.go(GalleryStore.placeLife + .seconds(1))
        try await gallery.server.sweeper.sweep()
        #expect(try await gallery.storage.list(after: nil, limit: 10) == [])
        #expect(try await status(upload)?["errorCode"]?.string == "DISMISSED")
    }

    @Test("all of an event's at once, and no photo and no upload under way with them")
    func all() async throws {
        for key in ["a", "b", "c"] { _ = try await fail(key) }
        try await gallery.upload("kiss", for: host)
        let waiting = try await gallery.place("waiting", Array("waiting".utf8), for: host)
        #expect(
            try await call("POST", "/uploads/events/\(host.event)/dismiss-all")["dismissed"]?.integer == 3)
        #expect(
            try await call("POST", "/uploads/events/\(host.event)/dismiss-all")["dismissed"]?.integer == 0)
        #expect(try await failed() == 0)
        #expect(try await listed() == 2)
        let open = try #require(waiting["uploadId"]?.string)
        #expect(try await status(open)?["status"]?.string == "pending")
        #expect(try await call("POST", "/uploads/events/\(host.event)/\(open)/dismiss").status == 409)
        // Counts hold until the last row is gone.
        #expect(try await call("DELETE", "/events/\(host.event)").status == 204)
        #expect(try await call("DELETE", "/me").status == 204)
    }
}
