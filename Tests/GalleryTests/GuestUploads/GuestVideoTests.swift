import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Videos that guests bring: as their photos, with a length of their own.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct GuestVideoTests {
    /// With the place where it was recorded.
    private static var file: VideoFile {
        var file = VideoFile()
        file.extras = VideoFile.userData() + VideoFile.xmp
        return file
    }

    private static func ground(
        _ change: (inout GallerySettings) -> Void = { _ in }
    ) async throws -> ReactionGround {
        try await ReactionGround(ReactionGround.open, photos: [], in: try GalleryGround(change))
    }

    @Test(
        "a guest's video waits, is played by the host, and is seen by guests without its place once it is shown"
    )
    func approved() async throws {
        let ground = try await Self.ground()
        try await ground.grant(5)
        let (ann, bob) = (ground.guest(), ground.guest())
        let bytes = Self.file.bytes
        let begun = try await ann.begin(bytes.count, name: "Waltz.MOV", as: "Ann", type: VideoType.mp4)
        let upload = String(try #require(begun.header("Location")?.split(separator: "/").last, "\(begun)"))
        let half = bytes.count / 2
        #expect(try await ann.append(Array(bytes[..<half]), at: 0, to: upload).status == 204)
        #expect(try await ann.append(Array(bytes[half...]), at: half, to: upload).status == 204)
        try await ground.gallery.work()
        #expect(try await ann.states() == ["Waltz.MOV": "waiting"])
        #expect(try await bob.seen() == [])
        let video = try #require(try await ground.waiting()["Waltz.MOV"])
        #expect(video["kind"] == "video" && video["guestName"] == "Ann" && video["duration"] == .double(42))
        let key = try #require(video["streamKey"]?.string)
        // Its address is none for guests before that, nor are those of its picture.
        for name in ["streamKey", "thumbKey", "screenKey", "originalKey"] {
            let key = try #require(video[name]?.string, "\(name)")
            #expect(try await ground.gallery.call("GET", "/images/\(key)").status == 404, "\(name)")
            #expect(try await ground.ask("GET", "/images/\(key)").status == 200, "\(name)")
        }
        let id = try #require(video["id"]?.string)
        #expect(try await ground.ask("PATCH", "/photos/\(id)", ["hidden": .bool(false)]).status == 200)
        let seen = try #require(try await bob.ask("GET", "photos")["photos"]?.array?.first)
        #expect(seen["kind"] == "video" && seen["guestName"] == "Ann" && seen["streamUrl"] != .null)
        let copy = try await ground.gallery.storage.withFile(key) { try readFile($0) }
        #expect(!copy.holds(VideoFile.place))
        // It costs what a photo does.
        #expect(try await ground.credits() == 4)
        #expect(try await ground.spent() == 1)
        #expect(try await ann.ask("DELETE", "uploads/\(upload)").status == 204)
        #expect(try await bob.seen() == [])
        #expect(try await ground.gallery.call("GET", "/images/\(key)").status == 404)
    }

    @Test("a guest's video has as many bytes as guests' videos may have, and no more than any video")
    func limits() async throws {
        let ground = try await Self.ground {
            $0.uploadLimit = 100
            $0.guestVideoLimit = 1000
            $0.videoLimit = 10_000
        }
        let ann = ground.guest()
        let terms = try await ann.ask("GET", "uploads")
        #expect(terms["mostBytes"] == .integer(100) && terms["mostVideoBytes"] == .integer(1000))
        #expect(terms["types"]?.array?.contains("video/quicktime") == true)
        #expect(try await ann.begin(1000, type: VideoType.quickTime).status == 201)
        #expect(try await ann.begin(1001, type: VideoType.quickTime).status == 413)
        #expect(try await ann.begin(101).status == 413)
        let options = try await ann.send("OPTIONS", "uploads/tus", headers: [])
        #expect(options.header("Tus-Max-Size") == "1000")
        // The host's own are as large as ever.
        let large = [UInt8](repeating: 0, count: 10_000)
        #expect(try await ground.gallery.videoPlace(large, for: ground.host).status == 201)
        let narrow = try await Self.ground {
            $0.guestVideoLimit = 1000
            $0.videoLimit = 500
        }
        #expect(try await narrow.guest().begin(501, type: VideoType.mp4).status == 413)
    }

    @Test("where guests bring photos only, a video is refused with the types that are taken")
    func photosOnly() async throws {
        let ground = try await Self.ground { $0.guestVideoLimit = nil }
        let ann = ground.guest()
        let terms = try await ann.ask("GET", "uploads")
        #expect(terms["mostVideoBytes"] == .null)
        #expect(terms["types"]?.array?.contains { $0.string?.hasPrefix("video/") == true } == false)
        let refused = try await ann.begin(5, type: VideoType.mp4)
        #expect(refused.status == 422, "\(refused)")
        #expect(try await ann.begin(5).status == 201)
    }

    @Test("a guest's video that is cut fails and is told to its guest, and costs nothing")
    func cut() async throws {
        let ground = try await Self.ground()
        try await ground.grant(5)
        let ann = ground.guest()
        let bytes = Array(Self.file.bytes.dropLast(20))
        let begun = try await ann.begin(bytes.count, name: "Cut.MP4", type: VideoType.mp4)
        let upload = String(try #require(begun.header("Location")?.split(separator: "/").last, "\(begun)"))
        #expect(try await ann.append(bytes, at: 0, to: upload).status == 204)
        try await ground.gallery.work()
        #expect(try await ann.states() == ["Cut.MP4": "failed"])
        #expect(try await ground.credits() == 5)
        #expect(try await ground.spent() == 0)
    }
}
