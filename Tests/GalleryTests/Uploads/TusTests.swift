import Basics
import Digest
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Uploads that come in pieces: one photo comes out of each, whatever is cut, doubled or late.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct TusTests {
    private static let bytes = Array("a picture in three pieces".utf8)

    private func credits(_ gallery: GalleryGround, _ host: GalleryGround.Host) async throws -> Int {
        try await gallery.store.number("SELECT credits FROM accounts WHERE id = '\(host.account)'")
    }

    private func photos(_ gallery: GalleryGround, _ host: GalleryGround.Host) async throws -> [JSONValue] {
        let list = try await gallery.call(
            "GET", "/events/\(host.event)/photos", token: gallery.token(host))
        return try #require(list["photos"]?.array)
    }

    /// All of it, in requests of so many bytes.
    private func bring(
        _ bytes: [UInt8], inPieces count: Int, to gallery: GalleryGround, for host: GalleryGround.Host
    ) async throws -> String {
        let upload = try await gallery.beginTus(bytes.count, for: host)
        for start in stride(from: 0, to: bytes.count, by: count) {
            let end = min(start + count, bytes.count)
            let answer = try await gallery.append(Array(bytes[start..<end]), at: start, to: upload, for: host)
            #expect(answer.status == 204 && answer.header("Upload-Offset") == "\(end)", "\(answer)")
        }
        return upload
    }

    @Test(
        "pieces become one photo with their bytes in order, charged once; the same bytes again are that photo"
    )
    func pieces() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host(credits: 2)
        let upload = try await bring(Self.bytes, inPieces: 9, to: gallery, for: host)
        let state = try await gallery.tus(upload, for: host)
        #expect(state["status"] == "processing" && state.header("Upload-Offset") == "\(Self.bytes.count)")
        try await gallery.work()
        let photo = try #require(try await photos(gallery, host).first)
        #expect(photo["sha256"]?.string == "\(SHA256.of(Self.bytes))" && photo["filename"] == "DSC_1.JPG")
        #expect(try await gallery.tus(upload, for: host)["isThereAlready"] == .bool(false))
        // Once more, at once, and by the other way.
        let again = try await bring(Self.bytes, inPieces: 100, to: gallery, for: host)
        try await gallery.work()
        let twin = try await gallery.tus(again, for: host)
        #expect(twin["photoId"] == photo["id"] && twin["isThereAlready"] == .bool(true), "\(twin)")
        try await gallery.fill(try await gallery.place("other", Self.bytes, for: host), with: Self.bytes)
        try await gallery.work()
        #expect(try await photos(gallery, host).count == 1)
        #expect(try await credits(gallery, host) == 1)
        try await gallery.server.sweeper.sweep()
        let report = try await gallery.care()
        #expect(report.problems == [] && report.objects == 3 && report.strays == 0)
        #expect(gallery.warnings.value == [])
    }

    @Test("bytes that come with the creation count, and all of them are a photo without another request")
    func atOnce() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        for count in [Self.bytes.count, 7] {
            let token = HTTPHeader("Authorization", "Bearer \(gallery.token(host))")
            let headers = GalleryGround.tusHeaders(Self.bytes.count, at: 0, for: host).filter {
                $0.name != "Content-Length"
            }
            let answer = try await gallery.call(
                "POST", "/uploads/tus", bytes: Array(Self.bytes[..<count]),
                headers: headers + [HTTPHeader("Content-Length", "\(count)"), token])
            #expect(answer.status == 201 && answer.header("Upload-Offset") == "\(count)", "\(answer)")
        }
        try await gallery.work()
        #expect(try await photos(gallery, host).count == 1)
    }

    @Test("a piece that does not go on where the last one ended, or is too long, or damaged, changes nothing")
    func refusals() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        let other = try await gallery.host("other@example.org")
        let upload = try await gallery.beginTus(6, for: host)
        func refused(_ bytes: String, _ offset: Int, _ checksum: String? = nil) async throws -> Int {
            try await gallery.append(
                Array(bytes.utf8), at: offset, to: upload, for: host, checksum: checksum
            ).status
        }
        #expect(try await refused("abc", 0, "sha1 qZk+NkcGgWq6PiVxeFDCbJzQ2J0=") == 204)
        let wrong = try await gallery.append([1], at: 0, to: upload, for: host)
        #expect(wrong.status == 409 && wrong.code == "CONFLICT" && wrong.header("Upload-Offset") == "3")
        #expect(try await refused("abc", 6) == 409)
        #expect(try await refused("abcd", 3) == 413)
        // The digest of "abc".
        #expect(try await refused("abd", 3, "sha256 ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=") == 460)
        for header in [
            "", "md5 kAFQmDzST7DWlj99KOF/cg==", "sha1", "sha1 qZk+", "sha256 qZk+NkcGgWq6PiVxeFDCbJzQ2J0=",
        ] {
            #expect(try await refused("abc", 3, header) == 400, "\(header)")
        }
        #expect(try await gallery.append([1], at: 3, to: upload, for: other).status == 404)
        #expect(try await gallery.tus(upload, for: other).status == 404)
        #expect(try await gallery.tus(upload, for: host).header("Upload-Offset") == "3")
        #expect(try await refused("abc", 3, "sha256 ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=") == 204)
        try await gallery.work()
        let photo = try #require(try await photos(gallery, host).first)
        #expect(photo["sha256"]?.string == "\(SHA256.of(Array("abcabc".utf8)))")
    }

    @Test("what asks for a place is refused as by the other way")
    func wishes() async throws {
        let gallery = try GalleryGround { $0.uploadLimit = 1000 }
        let host = try await gallery.host(credits: 0)
        func begin(_ length: Int, _ more: [String: String] = [:], _ headers: [HTTPHeader] = []) async throws
            -> GalleryGround.Answer
        {
            let all = GalleryGround.tusHeaders(length, at: 0, for: host, more).filter { header in
                !headers.contains { $0.name == header.name }
            }
            return try await gallery.call(
                "POST", "/uploads/tus", token: gallery.token(host), headers: all + headers)
        }
        #expect(try await begin(10).status == 402)
        _ = try await gallery.store.grantCredits(to: host.account, 5)
        #expect(try await begin(1001).status == 413)
        #expect(try await begin(0).status == 400)
        #expect(try await begin(10, ["filetype": "text/plain"]).status == 422)
        #expect(try await begin(10, ["event": "no"]).status == 422)
        #expect(try await begin(10, ["sha256": "abc"]).status == 422)
        for metadata in [
            "event", "event !", "event YQ, event YQ==", String(repeating: "a", count: 4097), ",", "a YR==",
        ] {
            let answer = try await begin(10, [:], [HTTPHeader("Upload-Metadata", metadata)])
            #expect([400, 422].contains(answer.status), "\(metadata): \(answer)")
        }
        #expect(try await begin(10, [:], [HTTPHeader("Upload-Defer-Length", "1")]).status == 400)
        for version in ["", "0.2.2", "1.0.1"] {
            let answer = try await begin(10, [:], [HTTPHeader("Tus-Resumable", version)])
            #expect(answer.status == 412 && answer.header("Tus-Version") == "1.0.0", "\(version): \(answer)")
        }
        let end = try await gallery.call(
            "PATCH", "/events/\(host.event)", ["expiresAt": .string("2026-11-19T00:00:00.000Z")],
            token: gallery.token(host))
        #expect(end.status == 200, "\(end)")
        gallery.wall.go(.seconds(2 * 86_400))
        #expect(try await begin(10).status == 410)
        #expect(try await gallery.store.number("SELECT count(*) FROM uploads") == 0)
    }

    @Test("a creation whose answer was lost is asked for again with its key, and is the same upload")
    func idempotency() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        func begin(_ length: Int) async throws -> GalleryGround.Answer {
            try await gallery.call(
                "POST", "/uploads/tus", token: gallery.token(host),
                headers: GalleryGround.tusHeaders(length, at: 0, for: host)
                    + [HTTPHeader("Idempotency-Key", "photo-1")])
        }
        let first = try await begin(10)
        let again = try await begin(10)
        #expect(first.status == 201 && again.status == 201)
        #expect(first.header("Location") == again.header("Location"))
        #expect(try await begin(11).status == 409)
        #expect(try await gallery.store.number("SELECT count(*) FROM uploads") == 1)
    }

    @Test("an upload that is ended is gone with its bytes; one that is a photo is not ended")
    func termination() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        func end(_ upload: String) async throws -> Int {
            try await gallery.call(
                "DELETE", "/uploads/tus/\(upload)", token: gallery.token(host),
                headers: [HTTPHeader("Tus-Resumable", "1.0.0")]
            ).status
        }
        let upload = try await gallery.beginTus(10, for: host)
        _ = try await gallery.append([1, 2, 3], at: 0, to: upload, for: host)
        #expect(try await end(upload) == 204)
        #expect(try await end(upload) == 404)
        #expect(try await gallery.append([1], at: 3, to: upload, for: host).status == 404)
        let event = try await gallery.call("GET", "/events/\(host.event)", token: gallery.token(host))
        #expect(event["counts"]?["pending"]?.integer == 0)
        // The place could have been filled as long as it was good.
        gallery.wall.go(TusUpload.life + Sweeper.grace * 2)
        try await gallery.server.sweeper.sweep()
        #expect(try await gallery.care() == GalleryCare.Report())
        let finished = try await bring(Self.bytes, inPieces: 30, to: gallery, for: host)
        try await gallery.work()
        #expect(try await end(finished) == 409)
    }

    @Test("after its time an upload is over, and nothing of it stays")
    func expiry() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        let upload = try await gallery.beginTus(10, for: host)
        _ = try await gallery.append([1, 2, 3], at: 0, to: upload, for: host)
        let expiry = try #require(try await gallery.tus(upload, for: host).header("Upload-Expires"))
        #expect(
            Timestamp(httpDate: expiry)
                == Timestamp(
                    milliseconds: (gallery.wall.wallNow + TusUpload.life).seconds * 1000))
        gallery.wall.go(TusUpload.life + .seconds(1))
        #expect(try await gallery.tus(upload, for: host).status == 410)
        #expect(try await gallery.append([4], at: 3, to: upload, for: host).status == 410)
        try await gallery.server.tusKeeper.sweep()
        gallery.wall.go(Sweeper.grace * 2)
        try await gallery.server.sweeper.sweep()
        #expect(try await gallery.care() == GalleryCare.Report())
        #expect(try await gallery.tus(upload, for: host).status == 404)
    }

    @Test("with its event an upload goes, and so do bytes that come late")
    func eventDeleted() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        let upload = try await gallery.beginTus(10, for: host)
        _ = try await gallery.append([1, 2, 3], at: 0, to: upload, for: host)
        let sink = try await gallery.beginning(7, at: 3, of: upload, for: host)
        #expect(
            try await gallery.call("DELETE", "/events/\(host.event)", token: gallery.token(host)).status
                == 204)
        try [UInt8](repeating: 4, count: 7).withUnsafeBytes { try sink.write($0) }
        #expect([404, 410, 423].contains(await sink.finish().status))
        #expect(try await gallery.tus(upload, for: host).status == 404)
        gallery.wall.go(TusUpload.life + Sweeper.grace * 2)
        try await gallery.server.sweeper.sweep()
        #expect(try await gallery.care() == GalleryCare.Report())
    }
}
