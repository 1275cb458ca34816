import Basics
import HTTPServer
import Posix
import TestSupport
import Testing

@testable import Gallery

/// What becomes of a logo in the storage. Pictures are not looked at here: `LogoProgramTests` has real ones.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct LogoTests {
    private let gallery: GalleryGround
    private let host: GalleryGround.Host

    init() async throws {
        gallery = try GalleryGround(isServed: true)
        host = try await gallery.host()
    }

    private func put(
        _ text: String, type: String? = "image/png", as owner: GalleryGround.Host? = nil
    ) async throws -> GalleryGround.Answer {
        try await gallery.call(
            "PUT", "/events/\(host.event)/logo", bytes: Array(text.utf8),
            headers: [HTTPHeader("Authorization", "Bearer \(gallery.token(owner ?? host))")]
                + (type.map { [HTTPHeader("Content-Type", $0)] } ?? []))
    }

    /// Its address at the server.
    private func path(_ answer: GalleryGround.Answer) throws -> String {
        let url = try #require(answer["logo"]?["url"]?.string, "\(answer)")
        return String(url.dropFirst("http://gallery.example".count))
    }

    private func sweep() async throws {
        gallery.wall.go(Sweeper.grace * 2)
        try await gallery.server.sweeper.sweep()
    }

    private func problems() async throws -> [String] {
        try await GalleryCare.check(gallery.ground.database, FolderObjects(path: gallery.objects)).problems
    }

    @Test(
        "a logo is had by every client that knows the event's address, also before its door, and is kept for good"
    )
    func beforeTheDoor() async throws {
        _ = try await gallery.call(
            "PATCH", "/events/\(host.event)", ["pin": "13579"], token: gallery.token(host))
        let path = try path(try await put("an eagle"))
        let gate = try await gallery.call("GET", "/e/\(host.slug)")
        #expect(
            gate.status == 200
                && gate.text.contains("<img class=\"logo\" src=\"\(path)\" width=\"3\" height=\"2\""))
        let logo = try await gallery.call("GET", path)
        #expect(logo.status == 200 && logo.text.hasPrefix("rendition of"))
        #expect(
            logo.header("Content-Type") == "image/png" && logo.header("X-Content-Type-Options") == "nosniff")
        #expect(logo.header("Cache-Control") == "public, max-age=31536000, immutable")
        let tag = try #require(logo.header("ETag"))
        #expect(
            try await gallery.call("GET", path, headers: [HTTPHeader("If-None-Match", tag)]).status == 304)
    }

    @Test("where the storage has no room for a logo, nothing of it is left here, and the event keeps its own")
    func full() async throws {
        let before = try path(try await put("an eagle"))
        let server = gallery.server
        let logos = LogoEndpoints(
            store: server.store, reader: server.reader, accounts: server.accounts,
            storage: FullStorage(base: gallery.storage, refused: EventLogo.type), renderer: gallery.renderer,
            settings: server.settings, reserve: nil)
        let request = Request(
            id: "test", method: "PUT", path: "/events/\(host.event)/logo", parameters: ["id": host.event],
            headers: [
                HTTPHeader("Authorization", "Bearer \(gallery.token(host))"),
                HTTPHeader("Content-Type", "image/png"),
            ], peer: "192.0.2.1", body: Array("a lion".utf8))
        let problem = await #expect(throws: StorageProblem.self) { _ = try await logos.put(request) }
        #expect(problem?.meaning == .noRoom)
        #expect(try Directory(path: gallery.storage.workshop).names(limit: 10) == [])
        #expect(try await gallery.call("GET", before).status == 200)
    }

    @Test("a folder that cannot place a logo keeps nothing of it, and says why")
    func unplaced() async throws {
        for number in 0..<256 {
            let digits = String(number, radix: 16)
            // No folder of objects can be made.
            try gallery.ground.folder.write("", to: "objects/\(number < 16 ? "0" : "")\(digits)")
        }
        #expect(try await put("an eagle").status == 503)
        #expect(try Directory(path: gallery.storage.workshop).names(limit: 10) == [])
        let warnings = gallery.warnings.value
        #expect(warnings.contains { $0.contains("folder") }, "the first reason: \(warnings)")
    }

    @Test("the sweeper keeps the logo, and removes the one that was replaced or taken away")
    func swept() async throws {
        let first = try path(try await put("an eagle"))
        try await sweep()
        #expect(try await gallery.call("GET", first).status == 200)
        let second = try path(try await put("a lion"))
        #expect(first != second, "what lies under an address never changes")
        #expect(try await gallery.call("GET", first).status == 404)
        try await sweep()
        #expect(
            try await gallery.storage.list(after: nil, limit: 10).map(\.key) == [String(second.suffix(32))])
        #expect(try await gallery.call("GET", second).status == 200)
        #expect(try await problems() == [])
        let without = try await gallery.call(
            "DELETE", "/events/\(host.event)/logo", token: gallery.token(host))
        #expect(without.status == 200 && without["logo"] == .null)
        try await sweep()
        #expect(try await gallery.storage.list(after: nil, limit: 10).isEmpty)
        #expect(try await gallery.store.number("SELECT count(*) FROM removals") == 0)
    }

    @Test("a logo goes with its event, and with its host's account")
    func withEvent() async throws {
        let other = try await gallery.host("other@example.org")
        _ = try path(try await put("an eagle"))
        _ = try await gallery.call("DELETE", "/events/\(host.event)", token: gallery.token(host))
        try await sweep()
        #expect(try await gallery.storage.list(after: nil, limit: 10).isEmpty)
        let theirs = try await gallery.call(
            "PUT", "/events/\(other.event)/logo", bytes: Array("a lion".utf8),
            headers: [
                HTTPHeader("Authorization", "Bearer \(gallery.token(other))"),
                HTTPHeader("Content-Type", "image/jpeg"),
            ])
        #expect(theirs.status == 200, "\(theirs)")
        _ = try await gallery.call("DELETE", "/me", token: gallery.token(other))
        try await sweep()
        #expect(try await gallery.storage.list(after: nil, limit: 10).isEmpty)
    }

    @Test(
        "what is no picture, has no type, or one that logos cannot have is refused, and leaves nothing behind"
    )
    func refused() async throws {
        let before = try path(try await put("an eagle"))
        for (text, type) in [
            ("bad bytes", "image/png"), ("", "image/png"), ("<svg/>", "image/svg+xml"), ("a", "image/webp"),
            ("a", "image/heic"), ("a", "text/html"), ("a", nil),
        ] {
            let answer = try await put(text, type: type)
            #expect(answer.status == 422 && answer.json["error"]?["fields"]?["logo"] != nil, "\(answer)")
        }
        #expect(try await gallery.call("GET", before).status == 200)
        try await sweep()
        #expect(try await gallery.storage.list(after: nil, limit: 10).count == 1)
        let left = try Directory(path: gallery.storage.workshop).names(limit: 10)
        #expect(left == [])
        let stranger = try await gallery.host("other@example.org")
        #expect(try await put("a lion", as: stranger).status == 404)
    }

    @Test("a logo of more than 1 MiB is refused before it is looked at")
    func tooLong() async throws {
        let long = String(repeating: "a", count: EventLogo.mostBytes + 1)
        #expect(try await put(long).status == 413)
    }
}
