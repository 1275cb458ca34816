import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// What a link shows that is sent to others: a photo of an event that all may see, and the name of any other.
@Suite(.enabled(if: Tool.isThere("python3"), "python3 is not installed")) struct LinkPreviewTests {
    private static let server = "http://gallery.example"
    private static let name = "Ann & \"Ben\" <3"
    private static let caption = "The <b>kiss</b> & \"more\", it's"

    private struct Party {
        let gallery: GalleryGround
        let host: GalleryGround.Host
        let id: String
        let keys: [String]

        init(
            _ gallery: GalleryGround, _ more: [(key: String, value: JSONValue)] = []
        ) async throws {
            self.gallery = gallery
            host = try await gallery.host(event: .object([("name", .string(LinkPreviewTests.name))] + more))
            let photo = try #require(try await gallery.upload("kiss", for: host))
            id = try #require(photo["id"]?.string)
            keys = ["thumbKey", "screenKey", "originalKey"].compactMap { photo[$0]?.string }
            try await change(["caption": .string(LinkPreviewTests.caption)])
        }

        var path: String { "/e/\(host.slug)/p/\(id)" }

        func change(_ wish: JSONValue) async throws {
            let changed = try await gallery.call("PATCH", "/photos/\(id)", wish, token: gallery.token(host))
            #expect(changed.status == 200, "\(changed)")
        }

        func pass(_ pin: String) async throws -> [HTTPHeader] {
            let entered = try await gallery.call("POST", "/e/\(host.slug)/access", ["pin": .string(pin)])
            let cookie = try #require(entered.header("Set-Cookie")?.split(separator: ";").first)
            return [HTTPHeader("Cookie", String(cookie))]
        }
    }

    @Test("a link to a photo shows the photo and its words, and its picture is had until it is taken back")
    func photo() async throws {
        let party = try await Party(try GalleryGround(isServed: true))
        let (gallery, path) = (party.gallery, party.path)
        let page = try await gallery.call("GET", path)
        #expect(page.status == 200 && page.header("Content-Type") == "text/html; charset=utf-8")
        #expect(page.header("Cache-Control") == "private, no-cache")
        #expect(page.header("X-Robots-Tag") == "noindex")
        let seen = try HeadReader(page.text)
        #expect(seen.tags["og:title"] == Self.caption && seen.tags["robots"] == "noindex")
        #expect(seen.tags["og:description"]?.hasPrefix(Self.name) == true)
        #expect(seen.tags["og:type"] == "website" && seen.tags["twitter:card"] == "summary_large_image")
        #expect(seen.tags["og:url"] == Self.server + path)
        // As large as the stand-in for the renderer says that the photo is.
        #expect(seen.tags["og:image:width"] == "30" && seen.tags["og:image:height"] == "20")
        #expect(
            seen.tags["og:image:alt"] == Self.caption && seen.tags["og:image:type"] == "image/jpeg")
        #expect(seen.links.contains("/e/\(party.host.slug)") && seen.pictures.count == 1)
        let picture = try #require(seen.tags["og:image"])
        #expect(picture.hasPrefix("\(Self.server)/images/"))
        let image = String(picture.dropFirst(Self.server.count))
        let got = try await gallery.call("GET", image)
        #expect(got.status == 200 && got.header("Content-Type") == "image/jpeg")
        #expect(got.text.hasPrefix("rendition of"), "not the original")
        let port = try #require(gallery.port)
        let head = try await aside { try Wire(port).ask("HEAD", path) }
        #expect(head.status == 200 && head.text.isEmpty)
        #expect(head.line("Content-Type") == "text/html; charset=utf-8")

        try await party.change(["hidden": .bool(true)])
        #expect(try await gallery.call("GET", image).status == 404)
        #expect(try await gallery.call("GET", path).status == 404)
        try await party.change(["hidden": .bool(false)])
        #expect(try await gallery.call("GET", path).text == page.text)
        let gone = try await gallery.call("DELETE", "/photos/\(party.id)", token: gallery.token(party.host))
        #expect(gone.status == 204)
        #expect(try await gallery.call("GET", image).status == 404)
        #expect(try await gallery.call("GET", path).status == 404)
    }

    @Test("where there is no such photo a page says so, the same of any, and leads to the others")
    func nothing() async throws {
        let gallery = try GalleryGround()
        let party = try await Party(gallery)
        let other = try await gallery.host("other@example.org", event: ["name": "Elsewhere"])
        let elsewhere = try #require(try await gallery.upload("cake", for: other))
        try await party.change(["hidden": .bool(true)])
        let ids = [
            party.id, try #require(elsewhere["id"]?.string), "11111111-1111-4111-8111-111111111111", "a",
            String(repeating: "a", count: 3000),
        ]
        var pages: Set<String> = []
        for id in ids {
            let answer = try await gallery.call("GET", "/e/\(party.host.slug)/p/\(id)")
            #expect(answer.status == 404, "\(id)")
            pages.insert(answer.text)
        }
        #expect(pages.count == 1, "the page tells one from the other")
        let text = try #require(pages.first)
        #expect(text.contains("That photo is not here"))
        let seen = try HeadReader(text)
        #expect(seen.tags["og:title"] == Self.name && seen.tags["og:image"] == nil && seen.pictures == [])
        #expect(seen.links.contains("/e/\(party.host.slug)"))
        #expect(try await gallery.call("GET", "/e/nothing/p/\(party.id)").status == 404)
    }

    @Test("of an event with a PIN a link shows the name alone, whichever photo it names")
    func closed() async throws {
        let gallery = try GalleryGround()
        let party = try await Party(gallery, [("pin", "13579")])
        let event = try await gallery.call(
            "GET", "/events/\(party.host.event)", token: gallery.token(party.host))
        let entry = try #require(event["entryUrl"]?.string)
        let key = try #require(entry.split(separator: "k=").last.map(String.init))
        let unknown = "11111111-1111-4111-8111-111111111111"
        var doors: Set<String> = []
        let own = try await gallery.call("GET", "/e/\(party.host.slug)")
        #expect(own.status == 200 && own.text.contains("The PIN that the hosts gave you"))
        let tags = try HeadReader(own.text).tags
        #expect(tags["og:title"] == Self.name && tags["og:image"] == nil)
        for id in [party.id, unknown] {
            for query in ["", "?k=\(key)"] {
                let door = try await gallery.call("GET", "/e/\(party.host.slug)/p/\(id)\(query)")
                // What is not answered 200 has no preview at all.
                #expect(door.status == 200 && door.text.contains("The PIN that the hosts gave you"))
                #expect(!(door.header("Set-Cookie") ?? "").contains(GuestPass.cookieName(party.host.event)))
                for secret in party.keys + [key, "kiss", "1 photo"] {
                    #expect(!door.text.contains(secret), "\(secret): \(door)")
                }
                let seen = try HeadReader(door.text)
                #expect(seen.tags["og:title"] == Self.name && seen.title == Self.name)
                #expect(seen.tags["og:image"] == nil && seen.pictures == [] && !seen.said.contains(id))
                #expect(seen.fields["photo"] == id)
                doors.insert(door.text.replacing(id, with: "ID"))
            }
        }
        #expect(doors.count == 1, "the door tells which photos there are")
        // A phone of a guest who is in makes previews of what it shows.
        let pass = try await party.pass("13579")
        for path in [party.path, "/e/\(party.host.slug)"] {
            let page = try await gallery.call("GET", path, headers: pass)
            #expect(page.status == 200 && !page.text.contains(key), "\(page)")
            let seen = try HeadReader(page.text)
            #expect(!seen.pictures.isEmpty && seen.tags["og:image"] == nil)
            #expect(seen.tags["og:title"] == Self.name && seen.tags["twitter:card"] == "summary")
            #expect(seen.tags["og:url"] == "\(Self.server)/e/\(party.host.slug)")
            #expect(!seen.said.contains("kiss") && !seen.said.contains("1 photo"), "\(seen.said)")
        }
        let gone = try await gallery.call("GET", "/e/\(party.host.slug)/p/\(unknown)", headers: pass)
        #expect(gone.status == 404 && !gone.text.contains("kiss"))
    }

    @Test("an event that is over shows its name and says so")
    func over() async throws {
        let gallery = try GalleryGround()
        let end = CivilTime.rfc3339(milliseconds: gallery.wall.wallNow.milliseconds + 60_000)
        let party = try await Party(gallery, [("expiresAt", .string(end))])
        #expect(try await gallery.call("GET", party.path).status == 200)
        gallery.wall.go(.milliseconds(60_000))
        for path in [party.path, "/e/\(party.host.slug)"] {
            let answer = try await gallery.call("GET", path)
            let seen = try HeadReader(answer.text)
            #expect(answer.status == 410 && seen.tags["og:title"] == Self.name)
            #expect(seen.tags["og:image"] == nil && seen.pictures == [])
            for secret in party.keys + ["kiss", "1 photo"] { #expect(!answer.text.contains(secret)) }
        }
    }

    @Test(
        "the event's own link shows its newest photo that guests see, and none where the page begins elsewhere"
    )
    func newest() async throws {
        let gallery = try GalleryGround()
        let party = try await Party(gallery)
        let cake = try #require(try await gallery.upload("cake", for: party.host))
        let page = "/e/\(party.host.slug)"
        func picture(_ path: String) async throws -> String? {
            let seen = try HeadReader(try await gallery.call("GET", path).text)
            #expect(seen.tags["og:url"] == Self.server + page && seen.tags["og:title"] == Self.name)
            return seen.tags["og:image"]
        }
        let cakes = "\(Self.server)/images/\(try #require(cake["screenKey"]?.string))"
        #expect(try await picture(page) == cakes)
        #expect(try await picture("\(page)?q=cake") == nil)
        let id = try #require(cake["id"]?.string)
        let hidden = try await gallery.call(
            "PATCH", "/photos/\(id)", ["hidden": .bool(true)], token: gallery.token(party.host))
        #expect(hidden.status == 200)
        #expect(try await picture(page) == "\(Self.server)/images/\(party.keys[1])")
        try await party.change(["hidden": .bool(true)])
        #expect(try await picture(page) == nil)
    }

    @Test("a guest who types the PIN at a photo's link comes to the photo")
    func through() async throws {
        let gallery = try GalleryGround()
        let party = try await Party(gallery, [("pin", "13579")])
        let form = [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")]
        func type(_ text: String) async throws -> GalleryGround.Answer {
            try await gallery.call(
                "POST", "/e/\(party.host.slug)/access", bytes: Array(text.utf8), headers: form)
        }
        let wrong = try await type("photo=\(party.id)&pin=24680")
        #expect(wrong.status == 401)
        #expect(try HeadReader(wrong.text).fields["photo"] == party.id)
        let right = try await type("photo=\(party.id)&pin=13579")
        #expect(try await gallery.arrival(of: right) == party.path)
        for other in ["", "photo=&", "photo=//evil.example&", "photo=..&", "album=%26next=x&", "album=1&"] {
            let answer = try await type("\(other)pin=13579")
            #expect(try await gallery.arrival(of: answer) == "/e/\(party.host.slug)")
        }
    }

    @Test("capital letters and a slash too many lead to the photo as well")
    func typed() async throws {
        let gallery = try GalleryGround()
        let party = try await Party(gallery)
        let loud = try await gallery.call("GET", "/e/\(party.host.slug.uppercased())/p/\(party.id)?x=1")
        #expect(loud.status == 308 && loud.header("Location") == "\(party.path)?x=1")
        // What has no letter is written one way only.
        if party.id != party.id.uppercased() {
            let id = try await gallery.call("GET", "/e/\(party.host.slug)/p/\(party.id.uppercased())")
            #expect(id.status == 308 && id.header("Location") == party.path)
        }
        #expect(GuestAddress.path(of: ["E", party.host.slug, "p", party.id, ""]) == party.path)
    }

    @Test("the picture has the gallery's own address, wherever guests have images from")
    func elsewhere() async throws {
        for way in [ImageDelivery.Way.cdn("https://cdn.example"), .storage] {
            let party = try await Party(try GalleryGround { $0.images = ImageDelivery(way) })
            for path in [party.path, "/e/\(party.host.slug)"] {
                let seen = try HeadReader(try await party.gallery.call("GET", path).text)
                #expect(seen.tags["og:image"] == "\(Self.server)/images/\(party.keys[1])")
            }
        }
    }
}
