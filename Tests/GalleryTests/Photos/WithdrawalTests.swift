import Basics
import Database
import Digest
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// What a host takes back is not served to guests any more, whatever they have kept: keys, lists, tags and places in the
/// live feed.
@Suite struct WithdrawalTests {
    /// Two photos in an event whose guests may have originals, and what their page knew of it.
    private struct Party {
        let gallery: GalleryGround
        let host: GalleryGround.Host
        let kiss: JSONValue
        let cake: JSONValue

        init(isServed: Bool = false, _ more: [(key: String, value: JSONValue)] = []) async throws {
            gallery = try GalleryGround(isServed: isServed)
            host = try await gallery.host(
                event: .object([("name", "Wedding"), ("allowsOriginals", .bool(true))] + more))
            kiss = try #require(try await gallery.upload("kiss", for: host))
            cake = try #require(try await gallery.upload("cake", for: host))
        }

        var token: String { gallery.token(host) }

        static func keys(_ photo: JSONValue) -> [String] {
            ["thumbKey", "screenKey", "originalKey"].compactMap { photo[$0]?.string }
        }

        /// What a guest is answered who asks for each image, also one who has it already.
        func statuses(of photo: JSONValue, cookie: String? = nil) async throws -> Set<Int> {
            let headers = cookie.map { [HTTPHeader("Cookie", $0)] } ?? []
            var found: Set<Int> = []
            for key in Party.keys(photo) {
                for more in [
                    [], [HTTPHeader("If-None-Match", "\"\(key)\"")], [HTTPHeader("Range", "bytes=0-3")],
                ] {
                    let answer = try await gallery.call(
                        "GET", "/images/\(key)", bytes: [], headers: headers + more)
                    found.insert(answer.status)
                    if answer.status >= 400 {
                        #expect(answer.header("Cache-Control") == "no-store")
                        #expect(answer.header("ETag") == nil)
                    }
                }
            }
            return found
        }

        func change(_ path: String, _ wish: JSONValue) async throws {
            let changed = try await gallery.call("PATCH", path, wish, token: token)
            #expect(changed.status == 200, "\(changed)")
        }
    }

    @Test("a photo that is hidden is served to its host only, and to guests again when it is shown again")
    func hidden() async throws {
        let party = try await Party(isServed: true)
        let id = try #require(party.kiss["id"]?.string)
        #expect(try await party.statuses(of: party.kiss) == [200, 206, 304])
        try await party.change("/photos/\(id)", ["hidden": .bool(true)])
        #expect(try await party.statuses(of: party.kiss) == [404])
        #expect(try await party.statuses(of: party.cake) == [200, 206, 304])
        for key in Party.keys(party.kiss) {
            let own = try await party.gallery.call("GET", "/images/\(key)", token: party.token)
            #expect(own.status == 200 && own.header("Cache-Control") == "private, no-cache")
        }
        try await party.change("/photos/\(id)", ["hidden": .bool(false)])
        #expect(try await party.statuses(of: party.kiss) == [200, 206, 304])
    }

    @Test("a photo that is hidden or deleted by sync is gone as well")
    func bySync() async throws {
        let party = try await Party(isServed: true)
        party.gallery.wall.go(.seconds(1))
        func change(_ photo: JSONValue, _ action: String) -> JSONValue {
            [
                "type": "photo", "id": photo["id"] ?? .null, "action": .string(action),
                "updatedAt": party.gallery.wall.wallNow.json, "data": ["hidden": .bool(true)],
            ]
        }
        let synced = try await party.gallery.call(
            "POST", "/sync",
            ["lastSync": .null, "changes": [change(party.kiss, "upsert"), change(party.cake, "delete")]],
            token: party.token)
        #expect(synced["rejected"]?.array == [], "\(synced)")
        #expect(try await party.statuses(of: party.kiss) == [404])
        #expect(try await party.statuses(of: party.cake) == [404])
    }

    @Test("a photo that was hidden by sync is gone also when what others changed cannot be read afterwards")
    func bySyncThatFails() async throws {
        let party = try await Party()
        #expect(try await party.statuses(of: party.kiss) == [200])
        party.gallery.wall.go(.seconds(1))
        try await party.gallery.store.spoilTags(of: try #require(party.cake["id"]?.string))
        let change: JSONValue = [
            "type": "photo", "id": party.kiss["id"] ?? .null, "action": "upsert",
            "updatedAt": party.gallery.wall.wallNow.json, "data": ["hidden": .bool(true)],
        ]
        let synced = try await party.gallery.call(
            "POST", "/sync", ["lastSync": .null, "changes": [change]], token: party.token)
        #expect(synced.status == 500, "\(synced)")
        #expect(try await party.statuses(of: party.kiss) == [404])
    }

    @Test("what is deleted is not served any more, before its files are removed")
    func deleted() async throws {
        let party = try await Party(isServed: true)
        #expect(try await party.statuses(of: party.kiss) == [200, 206, 304])
        let gone = try await party.gallery.call(
            "DELETE", "/photos/\(try #require(party.kiss["id"]?.string))", token: party.token)
        #expect(gone.status == 204)
        #expect(try await party.statuses(of: party.kiss) == [404])
        let key = try #require(party.kiss["screenKey"]?.string)
        #expect(try await party.gallery.storage.look(key) != nil)
        let own = try await party.gallery.call("GET", "/images/\(key)", token: party.token)
        #expect(own.status == 404)
        let account = try await party.gallery.call("DELETE", "/me", token: party.token)
        #expect(account.status == 204)
        #expect(try await party.statuses(of: party.cake) == [404])
    }

    @Test("from the end of an event on its images are served to its host only", arguments: [nil, "13579"])
    func over(pin: String?) async throws {
        let end = GalleryWall.start + .seconds(60)
        let party = try await Party(
            isServed: true, [("expiresAt", end.json), ("pin", .optional(pin) { .string($0) })])
        let entered = try await party.gallery.call(
            "POST", "/e/\(party.host.slug)/access", ["pin": .optional(pin) { .string($0) }])
        let cookie = entered.header("Set-Cookie")?.split(separator: ";").first.map(String.init)
        #expect(try await party.statuses(of: party.kiss, cookie: cookie) == [200, 206, 304])
        party.gallery.wall.go(.seconds(60))
        #expect(try await party.statuses(of: party.kiss, cookie: cookie) == [404])
        let key = try #require(party.kiss["screenKey"]?.string)
        let own = try await party.gallery.call("GET", "/images/\(key)", token: party.token)
        #expect(own.status == 200)
        try await party.change("/events/\(party.host.event)", ["expiresAt": .null])
        #expect(try await party.statuses(of: party.kiss, cookie: cookie) == [200, 206, 304])
    }

    @Test("originals end with the hosts' leave, in lists, in searches and under their keys")
    func originals() async throws {
        let party = try await Party()
        let slug = party.host.slug
        func told() async throws -> [Bool] {
            var told: [Bool] = []
            for query in ["", "?q=kiss"] {
                let list = try await party.gallery.call("GET", "/e/\(slug)/photos\(query)")
                told += (list["photos"]?.array ?? []).map { $0["originalUrl"] != nil }
            }
            let page = try await party.gallery.call("GET", "/e/\(slug)")
            return told + [page.text.contains(try #require(party.kiss["originalKey"]?.string))]
        }
        #expect(try await told() == [true, true, true, true])
        #expect(try await party.statuses(of: party.kiss) == [200])
        try await party.change("/events/\(party.host.event)", ["allowsOriginals": .bool(false)])
        #expect(try await told() == [false, false, false, false])
        #expect(try await party.statuses(of: party.kiss) == [200, 404])
        let original = "/images/\(try #require(party.kiss["originalKey"]?.string))"
        #expect(try await party.gallery.call("GET", original).status == 404)
        #expect(try await party.gallery.call("GET", original, token: party.token).status == 200)
        try await party.change("/events/\(party.host.event)", ["allowsOriginals": .bool(true)])
        #expect(try await party.gallery.call("GET", original).status == 200)
    }

    @Test("no search finds what was hidden or deleted")
    func searches() async throws {
        let party = try await Party()
        let target = "/e/\(party.host.slug)/photos?q=jpg"
        #expect(try await party.gallery.call("GET", target)["photos"]?.array?.count == 2)
        try await party.change(
            "/photos/\(try #require(party.kiss["id"]?.string))", ["hidden": .bool(true)])
        _ = try await party.gallery.call(
            "DELETE", "/photos/\(try #require(party.cake["id"]?.string))", token: party.token)
        #expect(try await party.gallery.call("GET", target)["photos"]?.array?.isEmpty == true)
    }

    @Test("an image that guests see may be kept for good, because nothing else ever lies under its key")
    func caching() async throws {
        let open = try await Party()
        let closed = try await Party([("pin", "13579")])
        let entered = try await closed.gallery.call(
            "POST", "/e/\(closed.host.slug)/access", ["pin": "13579"])
        let cookie = try #require(entered.header("Set-Cookie")?.split(separator: ";").first)
        for (party, word) in [(open, "public, s-maxage=60"), (closed, "private")] {
            for key in Party.keys(party.kiss) {
                let answer = try await party.gallery.call(
                    "GET", "/images/\(key)", bytes: [], headers: [HTTPHeader("Cookie", String(cookie))])
                #expect(answer.status == 200)
                #expect(
                    answer.header("Cache-Control") == "\(word), max-age=31536000, immutable", "\(answer)")
            }
        }
    }

    // MARK: The live feed

    /// What a client hears that was away since `position`.
    private func heard(_ party: Party, since position: Int64) async throws -> String {
        let port = try #require(party.gallery.port)
        let request = Wire.head("GET", "/e/\(party.host.slug)/live?after=\(position)", [])
        return try await aside { [feeds = party.gallery.server.feeds, event = party.host.event] in
            let wire = try Wire(port)
            wire.send(Array(request.utf8))
            let isAnswered = wire.hears(within: 10_000)
            #expect(isAnswered)
            feeds.close(event)
            return try wire.answer().text
        }
    }

    @Test("who comes back to the feed is not told of what was taken back meanwhile")
    func replay() async throws {
        let party = try await Party(isServed: true)
        let gallery = party.gallery
        let position = try await gallery.store.lastStamp(ofEvent: party.host.event)
        let listener = gallery.server.feeds.stream(
            of: party.host.event, for: .guests, behind: position, after: nil)
        for photo in [party.kiss, party.cake] {
            try await party.change("/photos/\(try #require(photo["id"]?.string))", ["rating": .integer(3)])
        }
        let garden = try #require(try await gallery.upload("garden", for: party.host))
        try await party.change(
            "/photos/\(try #require(party.kiss["id"]?.string))", ["hidden": .bool(true)])
        _ = try await gallery.call(
            "DELETE", "/photos/\(try #require(party.cake["id"]?.string))", token: party.token)
        let text = try await heard(party, since: position)
        for photo in [party.kiss, party.cake] {
            for key in Party.keys(photo) { #expect(!text.contains(key), "\(text)") }
            let gone = "event: gone\ndata: {\"id\":\"\(photo["id"]?.string ?? "?")\"}"
            #expect(text.contains(gone), "\(text)")
        }
        for key in Party.keys(garden) { #expect(text.contains(key), "\(text)") }
        withExtendedLifetime(listener) {}
    }

    @Test("who comes back when originals are no longer given begins anew, and finds none")
    func replayOfOriginals() async throws {
        let party = try await Party(isServed: true)
        let position = try await party.gallery.store.lastStamp(ofEvent: party.host.event)
        let listener = party.gallery.server.feeds.stream(
            of: party.host.event, for: .guests, behind: position, after: nil)
        let garden = try #require(try await party.gallery.upload("garden", for: party.host))
        try await party.change("/events/\(party.host.event)", ["allowsOriginals": .bool(false)])
        guard case .stream(let stream) = listener else {
            Issue.record("nobody listens")
            return
        }
        #expect(stream.isOver)
        let text = try await heard(party, since: position)
        #expect(text.contains("event: reset") && !text.contains("event: photo"), "\(text)")
        #expect(!text.contains(try #require(garden["originalKey"]?.string)))
    }

    // MARK: Archives

    @Test("a host's archive under way ends where a photo of it was deleted, and the log says which")
    func archive() async throws {
        let party = try await Party()
        let link = try await party.gallery.call(
            "POST", "/events/\(party.host.event)/zip-link", token: party.token)
        let url = try #require(link["url"]?.string, "\(link)")
        let response = try await party.gallery.response(
            to: String(url.dropFirst("http://gallery.example".count)))
        guard case .stream(let stream) = response.body else { throw Surprise("\(response.status)") }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
        defer { memory.deallocate() }
        #expect(try await stream.read(into: memory) == 4)
        _ = try await party.gallery.call(
            "DELETE", "/photos/\(try #require(party.cake["id"]?.string))", token: party.token)
        await #expect(throws: ZipStream.TakenBack.self) {
            while try await stream.read(into: memory) > 0 {}
        }
        stream.close()
        #expect(
            party.gallery.warnings.value.contains {
                $0.contains(
                    "'cake.jpg' was deleted or taken back while it was under way; ask for the archive anew")
            })
    }
}

extension GalleryStore {
    /// Nothing that this program writes: reading the photo fails.
    fileprivate func spoilTags(of photo: String) throws {
        try database.run("UPDATE photos SET tags = '[' WHERE id = ?", photo)
    }
}
