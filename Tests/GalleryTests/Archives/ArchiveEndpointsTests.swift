import Basics
import Digest
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Photos that guests take home: by whom, which, and from any place of the archive on.
@Suite struct ArchiveEndpointsTests {
    /// An event with a PIN whose guests may have originals, and one of them who is in.
    private struct Party {
        let gallery: GalleryGround
        let host: GalleryGround.Host
        var photos: [String] = []
        let cookie: String

        init(isServed: Bool = true, pin: JSONValue = "13579") async throws {
            gallery = try GalleryGround(isServed: isServed)
            host = try await gallery.host(
                event: ["name": "Wedding", "pin": pin, "allowsOriginals": .bool(true)])
            for name in ["kiss", "cake", "dance"] {
                let photo = try #require(try await gallery.upload(name, for: host))
                photos.append(try #require(photo["id"]?.string))
            }
            let entered = try await gallery.call("POST", "/e/\(host.slug)/access", ["pin": pin])
            cookie = entered.header("Set-Cookie")?.split(separator: ";").first.map(String.init) ?? ""
        }

        var token: String { gallery.token(host) }

        func link(
            _ wish: JSONValue = [:], from peer: String = "192.0.2.1"
        ) async throws -> GalleryGround.Answer {
            try await gallery.call(
                "POST", "/e/\(host.slug)/zip-link", wish, headers: [HTTPHeader("Cookie", cookie)], peer: peer)
        }

        /// Its path, without the server's name.
        func path(_ wish: JSONValue = [:], from peer: String = "192.0.2.1") async throws -> String {
            let link = try await link(wish, from: peer)
            return String(
                try #require(link["url"]?.string, "\(link)").dropFirst("http://gallery.example".count))
        }

        /// An archive that is being sent.
        func stream(
            _ wish: JSONValue = [:], from peer: String = "192.0.2.1"
        ) async throws -> any BodySource {
            let response = try await gallery.response(to: path(wish, from: peer), peer: peer)
            guard case .stream(let source) = response.body else {
                throw Surprise("it is answered with \(response.status)")
            }
            return source
        }

        func get(_ path: String, _ headers: [HTTPHeader] = []) async throws -> GalleryGround.Answer {
            try await gallery.call("GET", path, headers: headers)
        }

        func change(_ target: String, _ wish: JSONValue) async throws {
            let changed = try await gallery.call("PATCH", target, wish, token: token)
            #expect(changed.status == 200, "\(changed)")
        }
    }

    @Test(
        "a link works without a cookie, and ends with the PIN, with the key, with the event and with its time"
    )
    func door() async throws {
        let party = try await Party(isServed: false)
        let refused = try await party.gallery.call("POST", "/e/\(party.host.slug)/zip-link", [:])
        #expect(refused.status == 403)
        let path = try await party.path()
        #expect(try await party.path() != path, "each guest has a link of its own")
        #expect(try await party.get(path).status == 200)
        #expect(try await party.get(path + "A").status == 403)
        #expect(try await party.get(path.replacing("pass=1", with: "pass=2")).status == 403)
        party.gallery.wall.go(.seconds(6 * 3600 - 60))
        #expect(try await party.get(path).status == 200)
        party.gallery.wall.go(.seconds(61))
        #expect(try await party.get(path).status == 403)
        let second = try await party.path()
        _ = try await party.gallery.call("POST", "/events/\(party.host.event)/key", token: party.token)
        #expect(try await party.get(second).status == 403)
        let third = try await party.path()
        try await party.change("/events/\(party.host.event)", ["pin": "97531"])
        #expect(try await party.get(third).status == 403)
        try await party.change("/events/\(party.host.event)", ["pin": .null])
        let fourth = try await party.path()
        #expect(try await party.get(fourth).status == 200)
        let soon = party.gallery.wall.wallNow + .seconds(60)
        try await party.change("/events/\(party.host.event)", ["expiresAt": soon.json])
        party.gallery.wall.go(.seconds(61))
        #expect(try await party.get(fourth).status == 410)
    }

    @Test("a guest has what is shown, as large as the host allows")
    func wishes() async throws {
        let party = try await Party(isServed: false)
        for (wish, size, count) in [
            ([:], "screen", 3), (["size": "original"], "original", 3),
            (["size": .null, "photos": .null], "screen", 3),
            (["photos": [.string(party.photos[0])], "size": "original"], "original", 1),
            (["photos": [.string(party.photos[0]), .string(party.photos[0])]], "screen", 1),
        ] as [(JSONValue, String, Int64)] {
            let link = try await party.link(wish)
            #expect(link["size"]?.string == size && link["photos"]?.integer == count, "\(link)")
        }
        try await party.change("/photos/\(party.photos[0])", ["hidden": .bool(true)])
        #expect(try await party.link()["photos"]?.integer == 2)
        let hidden: JSONValue = ["photos": [.string(party.photos[0])]]
        #expect(try await party.link(hidden).status == 404)
        let some: JSONValue = ["photos": [.string(party.photos[0]), .string(party.photos[2])]]
        #expect(try await party.link(some)["photos"]?.integer == 1)
        let originals = try await party.path(["size": "original"])
        try await party.change("/events/\(party.host.event)", ["allowsOriginals": .bool(false)])
        #expect(try await party.get(originals).status == 403)
        #expect(try await party.link(["size": "original"])["size"]?.string == "screen")
        for wrong: JSONValue in [
            ["size": "huge"], ["photos": []], ["photos": ["x"]],
            ["photos": .array((0...ArchiveWish.mostPhotos).map { .string(TestIDs.id($0)) })],
        ] {
            #expect(try await party.link(wrong).status == 422, "\(wrong)")
        }
        let own = try await party.gallery.call(
            "POST", "/events/\(party.host.event)/zip-link", token: party.token)
        #expect(own["size"]?.string == "original" && own["photos"]?.integer == 3, "\(own)")
    }

    @Test("a link leads to the same bytes from any place on, also when more photos have come")
    func ranges() async throws {
        let party = try await Party()
        let path = try await party.path(["size": "original"])
        let whole = try await party.get(path)
        let bytes = whole.bytes
        let tag = try #require(whole.header("ETag"))
        #expect(whole.header("Content-Length").flatMap(Int.init) == bytes.count)
        #expect(whole.header("Accept-Ranges") == "bytes")
        #expect(whole.header("X-Robots-Tag") == "noindex", "as the pages say it")
        #expect(
            whole.header("Content-Disposition")?.hasPrefix("attachment; filename=\"Wedding.zip\"") == true)
        try await party.gallery.upload("later", for: party.host)
        let part = try await party.get(path, [HTTPHeader("Range", "bytes=40-59")])
        #expect(part.status == 206 && part.header("Content-Range") == "bytes 40-59/\(bytes.count)")
        #expect(part.bytes == Array(bytes[40...59]) && part.header("ETag") == tag)
        let rest = try await party.get(path, [HTTPHeader("Range", "bytes=-22"), HTTPHeader("If-Range", tag)])
        #expect(rest.status == 206 && rest.bytes == Array(bytes.suffix(22)))
        let behind = try await party.get(path, [HTTPHeader("Range", "bytes=\(bytes.count)-")])
        #expect(behind.status == 416 && behind.header("Content-Range") == "bytes */\(bytes.count)")
        #expect(try await party.get(path, [HTTPHeader("If-None-Match", tag)]).status == 304)
        #expect(try await party.link(["size": "original"])["photos"]?.integer == 4)
    }

    @Test(
        "a photo that was hidden meanwhile makes another archive, of which no part is given for one of the first"
    )
    func changed() async throws {
        let party = try await Party()
        let path = try await party.path()
        let tag = try #require(try await party.get(path).header("ETag"))
        try await party.change("/photos/\(party.photos[1])", ["hidden": .bool(true)])
        let range = HTTPHeader("Range", "bytes=40-")
        #expect(try await party.get(path, [range]).status == 412)
        let anew = try await party.get(path, [range, HTTPHeader("If-Range", tag)])
        #expect(anew.status == 200 && anew.header("ETag") != tag)
        #expect(try await party.get(path).status == 200)
        try await party.change("/photos/\(party.photos[1])", ["hidden": .bool(false)])
        #expect(try await party.get(path, [range]).status == 206)
    }

    /// What a host does while an archive is sent.
    enum Withdrawal: CaseIterable {
        case hidden, deleted, otherPIN, otherKey, noOriginals, over
    }

    @Test("an archive under way ends at what was taken back", arguments: Withdrawal.allCases)
    func takenBack(what: Withdrawal) async throws {
        let party = try await Party(isServed: false)
        let stream = try await party.stream(["size": "original"])
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
        defer { memory.deallocate() }
        #expect(try await stream.read(into: memory) == 4)
        let (event, photo) = ("/events/\(party.host.event)", "/photos/\(party.photos[1])")
        switch what {
        case .hidden: try await party.change(photo, ["hidden": .bool(true)])
        case .deleted: _ = try await party.gallery.call("DELETE", photo, token: party.token)
        case .otherPIN: try await party.change(event, ["pin": "97531"])
        case .otherKey: _ = try await party.gallery.call("POST", "\(event)/key", token: party.token)
        case .noOriginals: try await party.change(event, ["allowsOriginals": .bool(false)])
        case .over:
            try await party.change(
                event, ["expiresAt": (party.gallery.wall.wallNow + .seconds(60)).json])
            party.gallery.wall.go(.seconds(61))
        }
        await #expect(throws: ZipStream.TakenBack.self) {
            while try await stream.read(into: memory) > 0 {}
        }
        stream.close()
    }

    @Test(
        "as many archives are sent at a time as may, of one network and of all; the next is told when to come"
    )
    func seats() async throws {
        let party = try await Party(isServed: false)
        var streams: [any BodySource] = []
        for _ in 0..<ArchiveSeats.mostForOneAddress { streams.append(try await party.stream()) }
        let path = try await party.path(from: "198.51.100.7")
        #expect(try await party.gallery.response(to: path).status == 429)
        while streams.count < ArchiveSeats.mostForGuests {
            streams.append(try await party.stream(from: "198.51.100.7"))
        }
        let refused = try await party.gallery.response(to: path, peer: "203.0.113.5")
        #expect(refused.status == 503)
        #expect(refused.headers.contains(HTTPHeader("Retry-After", "60")))
        let link = try await party.link(from: "203.0.113.5")
        #expect(link.status == 503, "a link would be of no use now: \(link)")
        streams.removeLast().close()
        #expect(try await party.gallery.response(to: path, peer: "203.0.113.5").status == 200)
        for stream in streams { stream.close() }
    }

    @Test("a heart does not have an event's archive read anew; a photo that is hidden does")
    func hearts() async throws {
        let party = try await Party(isServed: false)
        let desk = ArchiveDesk(reader: party.gallery.server.reader)
        let event = party.host.event
        let wish = try await desk.everything(of: event, .screen, showsHidden: false)
        let before = try await desk.layout(of: event, wish, showsHidden: false)
        _ = try await party.gallery.store.setHeart(true, on: party.photos[0], in: event, by: "device")
        #expect(try await desk.layout(of: event, wish, showsHidden: false) === before)
        try await party.change("/photos/\(party.photos[0])", ["hidden": .bool(true)])
        #expect(try await desk.layout(of: event, wish, showsHidden: false).files.count == 2)
    }

    @Test("what is learned of a photo without a CRC is kept, and changes nothing else of it")
    func remembered() async throws {
        let party = try await Party()
        let known = "SELECT count(*) FROM photos WHERE original_crc IS NOT NULL AND screen_crc IS NULL"
        #expect(try await party.gallery.store.number(known) == 0)
        let stamp = try await party.gallery.store.lastStamp(ofEvent: party.host.event)
        #expect(try await party.get(try await party.path(["size": "original"])).status == 200)
        #expect(try await party.gallery.store.number(known) == 3)
        #expect(try await party.gallery.store.lastStamp(ofEvent: party.host.event) == stamp)
        var crc = CRC32()
        Array("kiss".utf8).withUnsafeBytes { crc.update($0) }
        let kiss = "SELECT original_crc FROM photos WHERE id = '\(party.photos[0])'"
        #expect(try await party.gallery.store.number(kiss) == Int(crc.value))
    }
}
