import Basics
import Digest
import Glibc
import HTTPServer
import Posix
import TestSupport
import Testing

@testable import Gallery

/// A video's way through the gallery: as a photo's, with a copy for guests.
@Suite struct VideoGalleryTests {
    private let gallery: GalleryGround
    private let host: GalleryGround.Host

    init() async throws {
        gallery = try GalleryGround { $0.videoLimit = 100_000 }
        host = try await gallery.host()
    }

    private var token: String { gallery.token(host) }

    /// With its place in all the ways that this test knows.
    private static var file: VideoFile {
        var file = VideoFile()
        file.extras = VideoFile.userData() + VideoFile.xmp
        return file
    }

    private func bytes(at key: JSONValue?) async throws -> [UInt8] {
        let key = try #require(key?.string)
        return try await gallery.storage.withFile(key) { try readFile($0) }
    }

    @Test("it is a photo that moves, with the facts of its file")
    func facts() async throws {
        let video = try await gallery.bringVideo(Self.file.bytes, for: host)
        #expect(video["kind"] == "video" && video["duration"] == .double(42))
        #expect(video["width"] == .integer(1920) && video["height"] == .integer(1080))
        #expect(video["contentType"]?.string == VideoType.mp4)
        #expect(video["capturedAt"] == "2026-11-21T20:15:00.000Z")
        #expect(video["sha256"]?.string == "\(SHA256.of(Self.file.bytes))")
        let one = try await gallery.call("GET", "/photos/\(video["id"]?.string ?? "")", token: token)
        #expect(one["kind"] == "video" && one["streamKey"] == video["streamKey"])
        let sync = try await gallery.call("POST", "/sync", ["lastSync": .null, "changes": []], token: token)
        let record = sync["changes"]?.array?.first { $0["type"] == "photo" }
        #expect(record?["data"]?["kind"] == "video" && record?["data"]?["duration"] == .double(42))
        try await gallery.upload("kiss", for: host)
        let list = try await gallery.call("GET", "/events/\(host.event)/photos", token: token)
        let kiss = try #require(list["photos"]?.array?.first { $0["filename"] == "kiss.jpg" })
        #expect(kiss["kind"] == "photo" && kiss["duration"] == .null && kiss["streamKey"] == .null)
    }

    @Test("guests are given a copy without places, and the original only where the hosts give originals")
    func copy() async throws {
        let video = try await gallery.bringVideo(Self.file.bytes, for: host)
        let stream = try await bytes(at: video["streamKey"])
        #expect(!stream.holds(VideoFile.place) && !stream.holds("GPSLatitude"))
        #expect(stream.holds(String(decoding: Self.file.pictures, as: UTF8.self)))
        #expect(try await bytes(at: video["originalKey"]) == Self.file.bytes)
        let guests = try await gallery.call("GET", "/e/\(host.slug)/photos")
        let seen = try #require(guests["photos"]?.array?.first)
        #expect(seen["kind"] == "video" && seen["duration"] == .double(42) && seen["originalUrl"] == nil)
        let url = try #require(seen["streamUrl"]?.string)
        let answer = try await gallery.call("GET", url)
        #expect(answer.status == 200)
        let original = "/images/\(video["originalKey"]?.string ?? "")"
        #expect(try await gallery.call("GET", original).status == 404)
        _ = try await gallery.call(
            "PATCH", "/events/\(host.event)", ["allowsOriginals": .bool(true)], token: token)
        #expect(try await gallery.call("GET", original).status == 200)
    }

    @Test("what is hidden or deleted is gone for guests at once, and all its objects with it")
    func withdrawal() async throws {
        let video = try await gallery.bringVideo(for: host)
        let id = try #require(video["id"]?.string)
        let url = "/images/\(try #require(video["streamKey"]?.string))"
        #expect(try await gallery.call("GET", url).status == 200)
        for (hidden, status) in [(true, 404), (false, 200)] {
            _ = try await gallery.call("PATCH", "/photos/\(id)", ["hidden": .bool(hidden)], token: token)
            #expect(try await gallery.call("GET", url).status == status)
        }
        _ = try await gallery.call("DELETE", "/photos/\(id)", token: token)
        #expect(try await gallery.call("GET", url).status == 404)
        gallery.wall.go(Sweeper.grace + Sweeper.curable)
        for _ in 0..<3 { try await gallery.server.sweeper.sweep() }
        #expect(try await gallery.storage.list(after: nil, limit: 10) == [])
    }

    @Test(
        "an event that is deleted takes its videos with it, and a PIN closes them to those who do not say it")
    func events() async throws {
        let video = try await gallery.bringVideo(for: host)
        let url = "/images/\(try #require(video["streamKey"]?.string))"
        #expect(try await gallery.call("GET", url).status == 200)
        _ = try await gallery.call("PATCH", "/events/\(host.event)", ["pin": "13579"], token: token)
        #expect(try await gallery.call("GET", url).status == 404)
        let entered = try await gallery.call("POST", "/e/\(host.slug)/access", ["pin": "13579"])
        let cookie = String(try #require(entered.header("Set-Cookie")?.split(separator: ";").first))
        #expect(
            try await gallery.call("GET", url, bytes: [], headers: [HTTPHeader("Cookie", cookie)]).status
                == 200)
        #expect(try await gallery.storage.list(after: nil, limit: 10).count >= 4)
        _ = try await gallery.call("DELETE", "/events/\(host.event)", token: token)
        #expect(
            try await gallery.call("GET", url, bytes: [], headers: [HTTPHeader("Cookie", cookie)]).status
                == 404)
        gallery.wall.go(Sweeper.grace + Sweeper.curable)
        for _ in 0..<3 { try await gallery.server.sweeper.sweep() }
        #expect(try await gallery.storage.list(after: nil, limit: 10) == [])
    }

    @Test("caches are told of the copy when it is taken back")
    func purges() async throws {
        try await gallery.store.wantPurges()
        let video = try await gallery.bringVideo(for: host)
        _ = try await gallery.call(
            "PATCH", "/photos/\(video["id"]?.string ?? "")", ["hidden": .bool(true)], token: token)
        let due = try await gallery.store.takePurges(limit: 10).map(\.key)
        #expect(
            Set(due) == Set(["thumbKey", "screenKey", "streamKey"].compactMap { video[$0]?.string }))
    }

    @Test("what is no video fails with a code, and leaves nothing behind")
    func failures() async throws {
        let bad = Array("hello, this is no video at all".utf8)
        for (name, type, bytes, code) in [
            ("a.mp4", VideoType.mp4, bad, "NOT_A_VIDEO"),
            ("b.mp4", VideoType.mp4, Array(VideoFile().bytes.dropLast(9)), "TRUNCATED"),
            ("c.mov", VideoType.quickTime, Array("a text".utf8), "NOT_A_VIDEO"),
            ("d.mov", VideoType.quickTime, VideoFile().bytes, "TYPE_MISMATCH"),
        ] {
            let place = try await gallery.videoPlace(bytes, for: host, name: name, type: type)
            try await gallery.fill(place, with: bytes)
            try await gallery.work()
            let states = try await gallery.call(
                "GET", "/uploads/status?ids=\(place["uploadId"]?.string ?? "")", token: token)
            let state = try #require(states.data?.array?.first)
            #expect(
                state["status"] == "failed" && state["errorCode"]?.string == code, "\(name): \(state)")
        }
        let list = try await gallery.call("GET", "/events/\(host.event)/photos?hidden=true", token: token)
        #expect(list["photos"]?.array == [], "\(list)")
        #expect(try Directory(path: gallery.storage.workshop).names(limit: 10) == [])
    }

    @Test("the same video twice is one photo, and its original comes back where the storage has lost it")
    func twins() async throws {
        let first = try await gallery.bringVideo(for: host)
        let key = try #require(first["originalKey"]?.string)
        try await gallery.storage.remove(key)
        let bytes = VideoFile().bytes
        let place = try await gallery.videoPlace(bytes, for: host, name: "again.mp4")
        try await gallery.fill(place, with: bytes)
        try await gallery.work()
        let list = try await gallery.call("GET", "/events/\(host.event)/photos", token: token)
        #expect(list["photos"]?.array?.count == 1)
        #expect(try await gallery.storage.look(key)?.size == UInt64(bytes.count))
    }

    @Test("videos have a limit of their own, by both ways of uploading")
    func limits() async throws {
        func presign(_ type: String, _ length: Int64) async throws -> Int {
            try await gallery.call(
                "POST", "/uploads/presign",
                [
                    "eventId": .string(host.event), "contentType": .string(type),
                    "contentLength": .integer(length),
                ], token: token
            ).status
        }
        #expect(try await presign(VideoType.mp4, 100_000) == 201)
        #expect(try await presign(VideoType.mp4, 100_001) == 422)
        #expect(try await presign("image/jpeg", 100_001) == 201)
        #expect(try await presign("video/webm", 1000) == 422)
        for (length, status) in [(100_000, 201), (100_001, 413)] {
            let answer = try await gallery.call(
                "POST", "/uploads/tus", token: token,
                headers: GalleryGround.tusHeaders(length, at: 0, for: host, ["filetype": VideoType.quickTime])
            )
            #expect(answer.status == status, "\(answer)")
        }
    }

    @Test("without a program for pictures a sign stands for it, and it has all else")
    func sign() async throws {
        let video = try await gallery.bringVideo(for: host, name: "Waltz.MP4")
        #expect(video["hasPoster"] == .bool(false))
        let guests = try await gallery.call("GET", "/e/\(host.slug)/photos")
        #expect(guests["photos"]?.array?.first?["mark"] == "Waltz.MP4 · 0:42")
        let page = try await gallery.call("GET", "/e/\(host.slug)")
        #expect(!page.text.contains("og:image"), "a sign is no picture of the event")
        #expect(page.text.contains("Waltz.MP4 · 0:42</span>"))
    }

    @Test("with one, its picture is the photo's, also in previews of links")
    func poster() async throws {
        let posters = StandInPosters()
        let gallery = try GalleryGround(videos: VideoStudio(VideoThread(), posters: posters))
        let host = try await gallery.host()
        let video = try await gallery.bringVideo(for: host)
        #expect(video["hasPoster"] == .bool(true) && posters.moments.value == [.seconds(1)])
        let page = try await gallery.call("GET", "/e/\(host.slug)")
        let screen = try #require(video["screenKey"]?.string)
        #expect(
            page.text.contains("property=\"og:image\" content=\"http://gallery.example/images/\(screen)\""))
        #expect(page.text.contains(">0:42</span>") && page.text.contains("alt=\"Video\""))
        let stream = try #require(video["streamKey"]?.string)
        #expect(page.text.contains("<a href=\"/images/\(stream)\">"), "without scripts it leads to the video")
        let one = try await gallery.call("GET", "/e/\(host.slug)/p/\(video["id"]?.string ?? "")")
        #expect(one.text.contains("<video src=\"/images/\(stream)\" poster=\"/images/\(screen)\""))
    }

    @Test("a picture that the renderer does not take is replaced by the sign")
    func badPoster() async throws {
        let gallery = try GalleryGround(
            videos: VideoStudio(VideoThread(), posters: StandInPosters("bad picture")))
        let host = try await gallery.host()
        let video = try await gallery.bringVideo(for: host)
        #expect(video["hasPoster"] == .bool(false))
        #expect(gallery.warnings.value.contains { $0.contains("no picture of its video") })
    }

    @Test("'gallery check' knows its objects, and says which is missing")
    func check() async throws {
        let video = try await gallery.bringVideo(for: host)
        let well = try await gallery.care()
        #expect(well.problems == [] && well.photos == 1 && well.objects == 4, "\(well)")
        try await gallery.storage.remove(try #require(video["streamKey"]?.string))
        let ill = try await gallery.care()
        #expect(ill.problems.count == 1 && ill.problems.first?.contains("is missing") == true, "\(ill)")
    }
}

/// Writes what it was told for a picture.
final class StandInPosters: PosterMaker {
    let moments = Shared<[Duration]>([])
    private let picture: String

    init(_ picture: String = "picture") { self.picture = picture }

    func poster(of file: String, at moment: Duration, to path: String) async -> PosterOutcome {
        moments.change { $0.append(moment) }
        do {
            guard let file = fopen(path, "wb") else { throw Surprise("\(path) cannot be made") }
            defer { fclose(file) }
            fputs(picture, file)
            return .made
        } catch {
            return .none("\(error)")
        }
    }
}
