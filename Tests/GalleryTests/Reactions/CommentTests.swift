import Basics
import Database
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// What guests write of photos, and who takes it away.
@Suite struct CommentTests {
    @Test(
        "a comment is there for all guests as it was written, and is its writer's to remove, over the network"
    )
    func written() async throws {
        let ground = try await ReactionGround(in: try GalleryGround(isServed: true))
        let photo = ground.photos[0]
        let (ann, bob) = (ground.guest(), ground.guest())
        let text = "<b>So</b> \"sweet\" & dear 💍"
        let made = try await ann.write(text, of: photo, as: "Ann & Co")
        #expect(made.status == 201 && made["text"]?.string == text && made["name"]?.string == "Ann & Co")
        #expect(made["isMine"] == .bool(true))
        let id = try #require(made["id"]?.string)
        let list = try await bob.ask("GET", "photos/\(photo)/comments")["comments"]?.array
        #expect(list?.count == 1 && list?.first?["isMine"] == .bool(false))
        #expect(list?.first?["text"]?.string == text)
        // It says nothing of the device that others could use.
        let device = try #require(ann.cookies.value.values.first)
        let shown = list?.first?.compact ?? ""
        #expect(!shown.contains(device.prefix { $0 != "." }))
        #expect(try await bob.ask("DELETE", "comments/\(id)").status == 404)
        _ = try await bob.give(photo)
        #expect(try await bob.ask("DELETE", "comments/\(id)").status == 404)
        #expect(try await ann.ask("DELETE", "comments/\(id)").status == 204)
        #expect(try await bob.comments(of: photo) == [])
        #expect(try await ann.ask("DELETE", "comments/\(id)").status == 404)
        #expect(try await ann.counts() == [photo: [1, 0]])
    }

    @Test(
        "what is no comment is refused, field by field",
        arguments: [
            ("Cleo", ""), ("Cleo", " \n "), ("", "Lovely"), ("Cleo", "a\u{0}b"), ("Cleo", "bell\u{7}"),
            ("two\nlines", "Lovely"), (String(repeating: "n", count: 51), "Lovely"),
            ("Cleo", String(repeating: "t", count: 501)),
        ])
    func refused(name: String, text: String) async throws {
        let ground = try await ReactionGround()
        let answer = try await ground.guest().write(text, of: ground.photos[0], as: name)
        #expect(answer.status == 422, "\(answer)")
        #expect(try await ground.guest().counts() == [:])
    }

    @Test("space at the ends is left out, and what has too many lines is written on")
    func trimmed() async throws {
        let ground = try await ReactionGround()
        let guest = ground.guest()
        let first = try await guest.write(" \n one\r\ntwo \n", of: ground.photos[0], as: "  Cleo ")
        #expect(first["text"]?.string == "one\ntwo" && first["name"]?.string == "Cleo")
        let lines = (1...13).map(String.init)
        let long = try await guest.write(lines.joined(separator: "\n"), of: ground.photos[0])
        #expect(long["text"]?.string == "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11 12 13")
        let most = String(repeating: "t", count: 500)
        #expect(try await guest.write(most, of: ground.photos[0])["text"]?.string == most)
    }

    @Test("the same request again is the same comment, and its id is no other's")
    func again() async throws {
        let ground = try await ReactionGround()
        let guest = ground.guest()
        let wish: JSONValue = ["id": .string(TestIDs.id(3)), "name": "Cleo", "text": "Lovely"]
        let target = "photos/\(ground.photos[0])/comments"
        #expect(try await guest.ask("POST", target, wish).status == 201)
        #expect(try await guest.ask("POST", target, wish).status == 200)
        let other: JSONValue = ["id": .string(TestIDs.id(3)), "name": "Cleo", "text": "Another"]
        #expect(try await guest.ask("POST", target, other).status == 409)
        #expect(try await ground.guest().ask("POST", target, wish).status == 409)
        #expect(try await guest.comments(of: ground.photos[0]) == ["Lovely"])
    }

    @Test("they come in the order in which they were written, piece by piece")
    func pieces() async throws {
        let ground = try await ReactionGround()
        let guest = ground.guest()
        for text in ["one", "two", "three"] {
            _ = try await guest.write(text, of: ground.photos[0])
            ground.gallery.wall.go(.seconds(1))
        }
        let first = try await guest.ask("GET", "photos/\(ground.photos[0])/comments?limit=2")
        let next = try #require(first["next"]?.string)
        let rest = try await guest.ask("GET", "photos/\(ground.photos[0])/comments?limit=2&cursor=\(next)")
        let texts = [first, rest].flatMap { $0["comments"]?.array ?? [] }.map { $0["text"]?.string }
        #expect(texts == ["one", "two", "three"] && rest["next"] == .null)
        let bad = try await guest.ask("GET", "photos/\(ground.photos[0])/comments?cursor=1_2")
        #expect(bad.status == 422)
    }

    @Test("a host sees all of the event, the newest first, and removes any; another host none")
    func moderated() async throws {
        let ground = try await ReactionGround()
        let guest = ground.guest()
        let comments = "/events/\(ground.host.event)/comments"
        var ids: [String] = []
        for (photo, text) in zip(ground.photos, ["one", "two"]) {
            ids.append(try #require(try await guest.write(text, of: photo)["id"]?.string))
            ground.gallery.wall.go(.seconds(1))
        }
        let all = try await ground.ask("GET", comments)["comments"]?.array ?? []
        #expect(all.map { $0["text"]?.string } == ["two", "one"])
        #expect(all.map { $0["photoId"]?.string } == ground.photos.reversed())
        let one =
            try await ground.ask("GET", "\(comments)?photo=\(ground.photos[0])")["comments"]?.array ?? []
        #expect(one.map { $0["text"]?.string } == ["one"])
        let other = try await ground.gallery.host("other@example.org")
        let foreign = try await ground.gallery.call(
            "DELETE", "/events/\(other.event)/comments/\(ids[0])", token: ground.gallery.token(other))
        #expect(foreign.status == 404)
        // Also of a photo that guests do not see, and where none are taken any more.
        try await ground.change("/photos/\(ground.photos[0])", ["hidden": .bool(true)])
        try await ground.change("/events/\(ground.host.event)", ["allowsComments": .bool(false)])
        #expect(try await ground.ask("DELETE", "\(comments)/\(ids[0])").status == 204)
        #expect(try await ground.ask("DELETE", "\(comments)/\(ids[0])").status == 404)
        let left = try await ground.ask("GET", comments)["comments"]?.array ?? []
        #expect(left.map { $0["text"]?.string } == ["two"])
    }

    @Test("a photo has so many comments and no more")
    func most() async throws {
        let ground = try await ReactionGround()
        let (photo, event) = (ground.photos[0], ground.host.event)
        for number in 0..<200 {
            let wish = CommentWish(id: nil, photo: photo, name: "Cleo", words: "\(number)")
            _ = try await ground.gallery.store.addComment(wish, in: event, by: "device")
        }
        #expect(try await ground.guest().write("One more", of: photo).status == 409)
        #expect(try await ground.guest().counts() == [photo: [0, 200]])
        #expect(try await ground.guest().write("First", of: ground.photos[1]).status == 201)
    }
}
