import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Albums, as their host renames, orders and deletes them.
@Suite struct AlbumTests {
    private let gallery: GalleryGround
    private let host: GalleryGround.Host
    private let photos: [String]
    private let albums: [String]

    /// Three albums of one photo each; the second has one that is hidden as well.
    init() async throws {
        gallery = try GalleryGround()
        host = try await gallery.host()
        var photos: [String] = []
        for name in ["vows", "cake", "dance", "tears"] {
            photos.append(try #require(try await gallery.upload(name, for: host)?["id"]?.string))
        }
        self.photos = photos
        var albums: [String] = []
        for name in ["Ceremoy", "Dinner", "Party"] {
            let made = try await gallery.call(
                "POST", "/events/\(host.event)/albums", ["name": .string(name)], token: gallery.token(host))
            albums.append(try #require(made["id"]?.string, "\(made)"))
        }
        self.albums = albums
        for (photo, album) in [(0, 0), (1, 1), (2, 2), (3, 1)] {
            let put = try await gallery.call(
                "PATCH", "/photos", ["ids": [.string(photos[photo])], "addAlbums": [.string(albums[album])]],
                token: gallery.token(host))
            #expect(put.status == 200, "\(put)")
        }
        let hidden = try await gallery.call(
            "PATCH", "/photos/\(photos[3])", ["hidden": .bool(true)], token: gallery.token(host))
        #expect(hidden.status == 200, "\(hidden)")
    }

    private func ask(
        _ method: String, _ album: String, _ body: JSONValue? = nil
    ) async throws -> GalleryGround.Answer {
        try await gallery.call(
            method, "/events/\(host.event)/albums/\(album)", body, token: gallery.token(host))
    }

    /// By name: as guests see them, and as the host does.
    private func order() async throws -> (guests: [String], host: [String]) {
        let guests = try await gallery.call("GET", "/e/\(host.slug)/albums")
        let own = try await gallery.call(
            "GET", "/events/\(host.event)/albums", token: gallery.token(host))
        return (
            guests["albums"]?.array?.compactMap { $0["name"]?.string } ?? [],
            own.data?.array?.compactMap { $0["name"]?.string } ?? []
        )
    }

    private func sync(_ changes: [JSONValue] = []) async throws -> GalleryGround.Answer {
        try await gallery.call("POST", "/sync", ["changes": .array(changes)], token: gallery.token(host))
    }

    @Test("a new name is seen by guests at once, on open pages too, and by clients that sync")
    func rename() async throws {
        let tag = try #require(try await gallery.call("GET", "/e/\(host.slug)/albums").header("ETag"))
        let live = try #require(try await gallery.call("GET", "/e/\(host.slug)/live").stream)
        _ = live.heard
        let answer = try await ask("PATCH", albums[0], ["name": "Ceremony"])
        #expect(answer.status == 200 && answer["name"] == "Ceremony", "\(answer)")
        #expect(answer["photos"]?.integer == 1)
        await gallery.settle()
        #expect(live.heard.contains("event: count"))
        let again = try await gallery.call(
            "GET", "/e/\(host.slug)/albums", headers: [HTTPHeader("If-None-Match", tag)])
        #expect(again.status == 200)
        #expect(try await order().guests == ["Ceremony", "Dinner", "Party"])
        let page = try await gallery.call("GET", "/e/\(host.slug)")
        #expect(page.text.contains("Ceremony") && !page.text.contains("Ceremoy"))
        let told = try await sync()["changes"]?.array?.first { $0["id"]?.string == albums[0] }
        #expect(told?["data"]?["name"] == "Ceremony", "\(String(describing: told))")
    }

    @Test(
        "an album is moved to any place, and the others go on in their order",
        arguments: [
            (2, 0, ["Party", "Ceremoy", "Dinner"]), (0, 1, ["Dinner", "Ceremoy", "Party"]),
            (0, 499, ["Dinner", "Party", "Ceremoy"]), (1, 1, ["Ceremoy", "Dinner", "Party"]),
        ])
    func move(from: Int, to place: Int, names: [String]) async throws {
        let answer = try await ask("PATCH", albums[from], ["place": .integer(Int64(place))])
        #expect(answer.status == 200 && answer["order"]?.integer == Int64(min(place, 2)), "\(answer)")
        let found = try await order()
        #expect(found.guests == names && found.host == names)
        let told = try await sync()["changes"]?.array?.filter { $0["type"] == "album" } ?? []
        let inOrder = told.sorted { orderOf($0) < orderOf($1) }
        #expect(inOrder.compactMap { $0["data"]?["name"]?.string } == names)
    }

    private func orderOf(_ record: JSONValue) -> Int64 { record["data"]?["order"]?.integer ?? -1 }

    @Test("albums that a client made with one and the same order are moved, too")
    func sameOrder() async throws {
        let (first, second) = (TestIDs.id(41), TestIDs.id(42))
        let later = gallery.wall.wallNow + .seconds(1)
        let made = try await sync(
            [(first, "A"), (second, "B")].map { id, name in
                [
                    "type": "album", "id": .string(id), "action": "upsert", "updatedAt": later.json,
                    "data": ["eventId": .string(host.event), "name": .string(name), "order": .integer(1)],
                ]
            })
        #expect(made["rejected"]?.array == [], "\(made)")
        let before = try await order().host
        let place = try #require(before.firstIndex(of: "B"))
        #expect(try await ask("PATCH", second, ["place": .integer(0)]).status == 200)
        #expect(try await order().host == ["B"] + before.filter { $0 != "B" }, "it stood at \(place)")
    }

    @Test("a deleted album is gone for guests and for clients that sync, and its photos stay")
    func delete() async throws {
        let live = try #require(try await gallery.call("GET", "/e/\(host.slug)/live").stream)
        _ = live.heard
        #expect(try await ask("DELETE", albums[1]).status == 204)
        await gallery.settle()
        #expect(live.heard.contains("event: count"))
        #expect(try await ask("DELETE", albums[1]).status == 404)
        #expect(try await ask("PATCH", albums[1], ["name": "Supper"]).status == 404)
        let found = try await order()
        #expect(found.guests == ["Ceremoy", "Party"] && found.host == ["Ceremoy", "Party"])
        for rest in ["/photos?album=\(albums[1])", "/timeline?album=\(albums[1])"] {
            #expect(try await gallery.call("GET", "/e/\(host.slug)\(rest)").status == 404, "\(rest)")
        }
        let all = try await gallery.call("GET", "/events/\(host.event)/photos", token: gallery.token(host))
        #expect(all["photos"]?.array?.count == 4)
        let told = try await sync()["changes"]?.array?.first { $0["id"]?.string == albums[1] }
        #expect(told?["deletedAt"]?.string != nil, "\(String(describing: told))")
        let put = try await gallery.call(
            "PATCH", "/photos", ["ids": [.string(photos[0])], "addAlbums": [.string(albums[1])]],
            token: gallery.token(host))
        #expect(put.status == 404)
    }

    @Test("what a client that syncs says of an album is heard on open pages as well")
    func bySync() async throws {
        let live = try #require(try await gallery.call("GET", "/e/\(host.slug)/live").stream)
        let later = gallery.wall.wallNow + .seconds(1)
        let head: [(key: String, value: JSONValue)] = [
            ("type", "album"), ("id", .string(albums[0])), ("updatedAt", later.json),
        ]
        _ = live.heard
        let renamed = try await sync([
            .object(head + [("action", "upsert"), ("data", ["name": "Ceremony"])])
        ])
        #expect(renamed["rejected"]?.array == [], "\(renamed)")
        await gallery.settle()
        #expect(live.heard.contains("event: count"))
        #expect(try await order().guests.first == "Ceremony")
    }

    @Test("a host's photos are listed by album, hidden ones too, and searched there")
    func list() async throws {
        func names(_ query: String) async throws -> [String] {
            let answer = try await gallery.call(
                "GET", "/events/\(host.event)/photos?\(query)", token: gallery.token(host))
            return try #require(answer["photos"]?.array, "\(answer)").compactMap { $0["filename"]?.string }
        }
        #expect(try await names("album=\(albums[1])") == ["tears.jpg", "cake.jpg"])
        #expect(try await names("album=\(albums[1])&q=tear") == ["tears.jpg"])
        #expect(try await names("album=\(albums[0])&q=tear") == [])
        let first = try await gallery.call(
            "GET", "/events/\(host.event)/photos?limit=1&album=\(albums[1])", token: gallery.token(host))
        let cursor = try #require(first["next"]?.string)
        #expect(try await names("album=\(albums[1])&cursor=\(cursor)") == ["cake.jpg"])
    }

    @Test(
        "an album of another event, one that never was and what is no id are not there, and wrong wishes are refused"
    )
    func strangers() async throws {
        let other = try await gallery.host("other@example.org")
        let made = try await gallery.call(
            "POST", "/events/\(other.event)/albums", ["name": "Theirs"], token: gallery.token(other))
        let theirs = try #require(made["id"]?.string)
        for album in [theirs, TestIDs.id(9), "x"] {
            #expect(try await ask("PATCH", album, ["name": "Mine"]).status == 404, "\(album)")
            #expect(try await ask("DELETE", album).status == 404, "\(album)")
            let list = try await gallery.call(
                "GET", "/events/\(host.event)/photos?album=\(album)", token: gallery.token(host))
            #expect(list.status == 404, "\(album)")
        }
        for wish: JSONValue in [
            ["name": ""], ["name": .null], ["place": .integer(-1)], ["place": .integer(500)],
        ] {
            #expect(try await ask("PATCH", albums[0], wish).status == 422, "\(wish)")
        }
        #expect(try await order().host == ["Ceremoy", "Dinner", "Party"])
    }
}
