import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// What a host does with many photos at once.
@Suite struct ManyPhotosTests {
    private let gallery: GalleryGround
    private let host: GalleryGround.Host
    private let ids: [String]
    private let keys: [String]

    init() async throws {
        gallery = try GalleryGround()
        host = try await gallery.host()
        var photos: [JSONValue] = []
        for name in ["kiss", "cake", "dance"] {
            photos.append(try #require(try await gallery.upload(name, for: host)))
        }
        ids = photos.compactMap { $0["id"]?.string }
        keys = photos.compactMap { $0["thumbKey"]?.string }
    }

    private func change(_ wish: [(key: String, value: JSONValue)], _ ids: [String]? = nil) async throws
        -> GalleryGround.Answer
    {
        let all: JSONValue = .array((ids ?? self.ids).map(JSONValue.string))
        return try await gallery.call(
            "PATCH", "/photos", .object([("ids", all)] + wish), token: gallery.token(host))
    }

    private func shown() async throws -> Int? {
        try await gallery.call("GET", "/e/\(host.slug)/photos")["photos"]?.array?.count
    }

    @Test("they are hidden from guests at once, and shown again")
    func hide() async throws {
        for key in keys { #expect(try await gallery.call("GET", "/images/\(key)").status == 200) }
        let hidden = try await change([("hidden", .bool(true))], [ids[0], ids[2], ids[0]])
        #expect(hidden["photos"]?.array?.compactMap { $0["id"]?.string } == [ids[0], ids[2]])
        #expect(try await shown() == 1)
        #expect(try await gallery.call("GET", "/images/\(keys[0])").status == 404)
        #expect(try await gallery.call("GET", "/images/\(keys[1])").status == 200)
        _ = try await change([("hidden", .bool(false))])
        #expect(try await shown() == 3)
    }

    @Test("tags are added and removed, and those that each has besides stay")
    func tags() async throws {
        _ = try await change([("tags", ["church"]), ("caption", "All of us")], [ids[0]])
        _ = try await change([("addTags", ["best", "church"])])
        let changed = try await change([
            ("removeTags", ["best"]), ("addTags", ["party"]), ("rating", .integer(4)),
        ])
        let tags = changed["photos"]?.array?.map { $0["tags"]?.array?.compactMap(\.string) }
        #expect(tags == [["church", "party"], ["church", "party"], ["church", "party"]])
        #expect(changed["photos"]?.array?.map { $0["caption"]?.string } == ["All of us", "", ""])
        _ = try await change([("tags", .array((0..<50).map { .string("tag \($0)") }))], [ids[2]])
        let full = try await change([("addTags", ["one more"]), ("rating", .integer(1))])
        #expect(full.status == 422 && full.json["error"]?["fields"]?["addTags"] != nil, "\(full)")
        let after = try await gallery.call("GET", "/photos/\(ids[0])", token: gallery.token(host))
        #expect(after["rating"]?.integer == 4, "all of them or none")
    }

    @Test("they are put into an album in one request and taken out of it, and those who sync hear of it")
    func albums() async throws {
        let path = "/events/\(host.event)/albums"
        let made = try await gallery.call("POST", path, ["name": "Best of all"], token: gallery.token(host))
        let album = try #require(made["id"]?.string, "\(made)")
        func held() async throws -> [Int64?] {
            try await gallery.call("GET", path, token: gallery.token(host)).data?.array?.map {
                $0["photos"]?.integer
            } ?? []
        }
        #expect(made.status == 201)
        #expect(try await held() == [0])
        for _ in 0..<2 {
            #expect(try await change([("addAlbums", [.string(album)])], [ids[0], ids[2]]).status == 200)
            #expect(try await held() == [2])
        }
        let told = try await gallery.call("POST", "/sync", ["changes": []], token: gallery.token(host))
        let inside = told["changes"]?.array?.filter { $0["data"]?["albumIds"] == [.string(album)] }
        #expect(Set(inside?.compactMap { $0["id"]?.string } ?? []) == [ids[0], ids[2]])
        _ = try await change([("removeAlbums", [.string(album)])], [ids[0], ids[1]])
        #expect(try await held() == [1])
    }

    @Test("an album of another event takes none of them, and nothing is changed")
    func foreignAlbum() async throws {
        let other = try await gallery.host("other@example.org")
        let made = try await gallery.call(
            "POST", "/events/\(other.event)/albums", ["name": "Theirs"], token: gallery.token(other))
        let album = try #require(made["id"])
        for wrong in [album, .string(TestIDs.id(9))] {
            let answer = try await change([("addAlbums", [wrong]), ("caption", "Changed")])
            #expect(answer.status == 404, "\(answer)")
        }
        let photo = try await gallery.call("GET", "/photos/\(ids[0])", token: gallery.token(host))
        #expect(photo["caption"]?.string == "")
        let list = try await gallery.call(
            "GET", "/events/\(other.event)/albums", token: gallery.token(other))
        #expect(list.data?.array?.map { $0["photos"]?.integer } == [0])
    }

    @Test("those of another account are left out, and learn nothing")
    func others() async throws {
        let other = try await gallery.host("other@example.org")
        let theirs = try #require(try await gallery.upload("garden", for: other)?["id"]?.string)
        let answer = try await change([("hidden", .bool(true))], [theirs, TestIDs.id(9)])
        #expect(answer.status == 200 && answer["photos"]?.array?.isEmpty == true)
        let deleted = try await gallery.call(
            "POST", "/photo-deletions", ["ids": [.string(theirs)]], token: gallery.token(host))
        #expect(deleted["deleted"]?.array?.isEmpty == true)
        let left = try await gallery.call("GET", "/photos/\(theirs)", token: gallery.token(other))
        #expect(left["hidden"] == .bool(false))
    }

    @Test("they are deleted with their files")
    func delete() async throws {
        let deleted = try await gallery.call(
            "POST", "/photo-deletions", ["ids": [.string(ids[0]), .string(ids[1])]],
            token: gallery.token(host))
        #expect(deleted["deleted"]?.array?.compactMap(\.string) == [ids[0], ids[1]])
        #expect(try await shown() == 1)
        // Their places might be filled until then.
        gallery.wall.go(GalleryStore.placeLife + .seconds(1))
        try await gallery.server.sweeper.sweep()
        #expect(try await gallery.storage.list(after: nil, limit: 10).count == 3)
    }

    @Test("too many, none, and what is no id are refused with a reason")
    func limits() async throws {
        let many = (0...ManyPhotosWish.mostPhotos).map { TestIDs.id($0) }
        for wrong in [many, [], ["x"]] {
            #expect(try await change([("hidden", .bool(true))], wrong).status == 422)
        }
    }
}
