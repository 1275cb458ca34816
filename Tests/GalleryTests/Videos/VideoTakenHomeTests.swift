import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Videos in archives, exports, and galleries that move.
@Suite struct VideoTakenHomeTests {
    private static var file: VideoFile {
        var file = VideoFile()
        file.extras = VideoFile.userData()
        return file
    }

    /// An archive of everything, as a client gets it.
    private func archive(_ wish: JSONValue, of host: GalleryGround.Host, _ gallery: GalleryGround)
        async throws
        -> [UInt8]
    {
        let link = try await gallery.call("POST", "/e/\(host.slug)/zip-link", wish)
        let url = try #require(link["url"]?.string, "\(link)")
        let answer = try await gallery.call("GET", String(url.dropFirst("http://gallery.example".count)))
        #expect(answer.status == 200 && Int64(answer.bytes.count) == link["bytes"]?.integer)
        return answer.bytes
    }

    @Test("guests take the copy home under the video's name, and the original where it is given")
    func zip() async throws {
        let gallery = try GalleryGround(isServed: true)
        let host = try await gallery.host()
        try await gallery.bringVideo(Self.file.bytes, for: host, name: "Waltz.MP4")
        try await gallery.upload("kiss", for: host)
        let screens = try await archive([:], of: host, gallery)
        #expect(screens.holds("Waltz.MP4") && screens.holds("kiss.jpg") && !screens.holds("Waltz.jpg"))
        #expect(screens.holds("the pictures of a video") && !screens.holds(VideoFile.place))
        _ = try await gallery.call(
            "PATCH", "/events/\(host.event)", ["allowsOriginals": .bool(true)], token: gallery.token(host))
        let originals = try await archive(["size": "original"], of: host, gallery)
        #expect(originals.holds("Waltz.MP4") && originals.holds(VideoFile.place))
        #expect(gallery.warnings.value.filter { $0.contains("ZIP") } == [])
    }

    @Test("one video is worked on at a time, and photos do not wait for it")
    func besidePhotos() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        for name in ["one.MP4", "two.MP4"] {
            let place = try await gallery.videoPlace(Self.file.bytes, for: host, name: name)
            try await gallery.fill(place, with: Self.file.bytes)
        }
        let place = try await gallery.place("kiss", Array("kiss".utf8), for: host)
        try await gallery.fill(place, with: Array("kiss".utf8))
        let (photos, videos) = (WorkKinds(videos: false), WorkKinds(photos: false))
        let first = try #require(try await gallery.store.nextToProcess(except: []))
        #expect(VideoType.isVideo(first.row.contentType))
        let next = try #require(try await gallery.store.nextToProcess(except: [first.row.id], photos))
        #expect(next.row.contentType == "image/jpeg")
        let busy: Set = [first.row.id, next.row.id]
        #expect(try await gallery.store.nextToProcess(except: busy, photos) == nil)
        let other = try #require(try await gallery.store.nextToProcess(except: busy, videos))
        #expect(VideoType.isVideo(other.row.contentType) && other.row.id != first.row.id)
    }

    @Test("the copy of a video is removed by no sweep, however its key came among those that are due")
    func kept() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        let video = try await gallery.bringVideo(Self.file.bytes, for: host)
        let key = try #require(try await gallery.streamKey(of: video))
        try await gallery.server.store { try $0.removeSoon([key]) }
        #expect(try await gallery.server.store { try $0.dueRemovals(limit: 10) } == [])
        _ = try await gallery.call(
            "DELETE", "/photos/\(video["id"]?.string ?? "")", token: gallery.token(host))
        gallery.wall.go(.seconds(86_400))
        #expect(try await gallery.server.store { try $0.dueRemovals(limit: 10) }.contains(key))
    }

    @Test("a video without a name is saved by its kind")
    func names() {
        #expect(Photo.name(filename: nil, id: "id", contentType: VideoType.mp4) == "id.mp4")
        #expect(Photo.name(filename: nil, id: "id", contentType: VideoType.quickTime) == "id.mov")
        #expect(
            Photo.screenName(filename: "MVI_1.MOV", id: "id", contentType: VideoType.quickTime) == "MVI_1.jpg"
        )
    }

    @Test("an export has the copy, a page that leads to it, and facts that say that it moves")
    func export() async throws {
        let ground = try await ExportGround()
        try await ground.gallery.bringVideo(Self.file.bytes, for: ground.host, name: "Waltz.MP4")
        try await ground.bring("kiss", name: "DSC_1.JPG")
        let report = try await ground.export()
        #expect(report.problems == [] && report.copied == 5, "\(report)")
        let copy = try readFile("\(ground.out)/videos/Waltz.MP4")
        #expect(copy.holds("the pictures of a video") && !copy.holds(VideoFile.place))
        let page = String(decoding: try readFile("\(ground.out)/index.html"), as: UTF8.self)
        #expect(page.contains("<a href=\"videos/Waltz.MP4\" data-poster=\"screens/Waltz.jpg\">"))
        // On a disk each file is a place of its own to some browsers.
        let meta = try #require(page.firstMatch(of: /Content-Security-Policy" content="([^"]*)"/)?.1)
        let policy = meta.replacing("&#39;", with: "'").split(separator: ";")
        let media = policy.map { $0.split(separator: " ") }.filter { $0.first == "media-src" }
        #expect(media == [["media-src", "'self'", "file:"]], "\(policy)")
        #expect(page.contains("0:42</span>"))
        let facts = try JSON5.parse(try readFile("\(ground.out)/photos.json"))
        let waltz = try #require(facts["photos"]?.array?.first { $0["name"] == "Waltz.MP4" })
        #expect(waltz["kind"] == "video" && waltz["duration"] == .double(42))
        #expect(waltz["files"]?["video"]?["path"] == "videos/Waltz.MP4")
        let again = try await ground.export()
        #expect(again.copied == 0 && again.kept == 5)
    }

    @Test("a mark says how long a video is, as clocks do")
    func marks() {
        for (milliseconds, mark) in [
            (42_000, "0:42"), (1, "0:01"), (59_600, "1:00"), (3_725_000, "1:02:05"), (nil, ""),
        ] as [(Int64?, String)] {
            #expect(PageVideo(streamKey: "key", duration: milliseconds).mark("a.mp4") == mark)
        }
        let unseen = PageVideo(streamKey: "key", duration: 42_000, hasPoster: false)
        #expect(unseen.mark("a.mp4") == "a.mp4 · 0:42")
    }
}
