import Basics
import Digest
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// What guests bring: by the device that began, for the host to decide on.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct GuestUploadTests {
    @Test(
        "pieces of a guest's become a photo that waits, is approved and is seen with its name, over the network"
    )
    func approved() async throws {
        let ground = try await ReactionGround(
            ReactionGround.open, photos: [], in: try GalleryGround(isServed: true))
        let (ann, bob) = (ground.guest(), ground.guest())
        let begun = try await ann.begin(9, name: "selfie.jpg", as: " Ann ")
        #expect(begun.status == 201 && begun.header("Tus-Resumable") == "1.0.0", "\(begun)")
        let cookie = try #require(begun.header("Set-Cookie"))
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax") && cookie.contains("Path=/e/"))
        let upload = String(try #require(begun.header("Location")?.split(separator: "/").last))
        #expect(try await ann.append("first", at: 0, to: upload).header("Upload-Offset") == "5")
        #expect(try await ann.states() == ["selfie.jpg": "coming"])
        let last = try await ann.append("half", at: 5, to: upload)
        #expect(last.status == 204 && last.header("Set-Cookie") == nil, "\(last)")
        #expect(try await ann.states() == ["selfie.jpg": "working"])
        try await ground.gallery.work()
        #expect(try await ann.states() == ["selfie.jpg": "waiting"])
        #expect(try await bob.states() == [:])
        #expect(try await ann.seen() == [])
        let photo = try #require(try await ground.waiting()["selfie.jpg"])
        #expect(photo["sha256"]?.string == "\(SHA256.of(Array("firsthalf".utf8)))")
        #expect(photo["pending"] == .bool(true) && photo["hidden"] == .bool(true))
        #expect(photo["guestName"] == "Ann")
        let event = try await ground.ask("GET", ground.event)
        #expect(event["counts"]?["waiting"] == .integer(1) && event["guestCreditsSpent"] == .integer(1))
        let id = try #require(photo["id"]?.string)
        let approved = try await ground.ask("PATCH", "/photos/\(id)", ["hidden": .bool(false)])
        #expect(approved["pending"] == .bool(false), "\(approved)")
        #expect(try await ann.states() == ["selfie.jpg": "shown"])
        let list = try await bob.ask("GET", "photos")
        #expect(list["photos"]?.array?.first?["guestName"] == "Ann")
        #expect(try await ground.waiting().isEmpty)
        // Hidden again it is not what waits.
        try await ground.change("/photos/\(id)", ["hidden": .bool(true)])
        #expect(try await ann.states() == ["selfie.jpg": "refused"])
        #expect(try await ground.waiting().isEmpty)
        #expect(ground.gallery.warnings.value == [])
    }

    @Test("only the device that began an upload goes on with it, sees it or ends it")
    func devices() async throws {
        let ground = try await ReactionGround(ReactionGround.open, photos: [])
        let ann = ground.guest()
        let upload = try await ann.begun(6)
        #expect(try await ann.append("abc", at: 0, to: upload).status == 204)
        let (bob, stranger) = (ground.guest(), ground.guest())
        _ = try await bob.begun(6)
        let elsewhere = try await ground.ask("POST", "/events", ReactionGround.open)
        let other = ReactionGround.Guest(
            gallery: ground.gallery, slug: try #require(elsewhere["slug"]?.string), peer: "192.0.2.1")
        other.cookies.change { $0 = ann.cookies.value }
        let version = [HTTPHeader("Tus-Resumable", "1.0.0")]
        for guest in [bob, stranger, other] {
            #expect(try await guest.append("def", at: 3, to: upload).status == 404)
            #expect(try await guest.send("GET", "uploads/tus/\(upload)", headers: version).status == 404)
            #expect(try await guest.send("DELETE", "uploads/tus/\(upload)", headers: version).status == 404)
            #expect(try await guest.ask("DELETE", "uploads/\(upload)").status == 404)
        }
        // Nor the account whose event it is, by its own addresses.
        let gallery = ground.gallery
        let bytes = Array("def".utf8)
        #expect(try await gallery.append(bytes, at: 3, to: upload, for: ground.host).status == 404)
        #expect(try await gallery.tus(upload, for: ground.host).status == 404)
        #expect(try await ground.ask("POST", "/uploads/\(upload)/presign").status == 404)
        let state = try await ann.send("GET", "uploads/tus/\(upload)", headers: version)
        #expect(state.header("Upload-Offset") == "3" && state["offset"] == .integer(3), "\(state)")
        #expect(try await ann.append("def", at: 3, to: upload).status == 204)
        let own = try await gallery.beginTus(6, for: ground.host)
        #expect(try await ann.append("abc", at: 0, to: own).status == 404)
    }

    @Test("the same question by the same device is the same upload, and by another one another")
    func keys() async throws {
        let ground = try await ReactionGround(ReactionGround.open, photos: [])
        let (ann, bob) = (ground.guest(), ground.guest())
        _ = try await ann.begun(1)
        let first = try await ann.begin(9, key: "k")
        #expect(try await ann.begin(9, key: "k").header("Location") == first.header("Location"))
        #expect(try await ann.begin(8, key: "k").status == 409)
        let other = try await bob.begin(9, key: "k")
        #expect(other.status == 201 && other.header("Location") != first.header("Location"))
        let hosts = try await ground.gallery.place("k", Array("k".utf8), for: ground.host)
        #expect(hosts.status == 201, "\(hosts)")
    }

    @Test(
        "what a guest brought before the photographer is the photographer's photo once that comes, and stays")
    func adopted() async throws {
        let ground = try await ReactionGround(ReactionGround.open, photos: [])
        let ann = ground.guest()
        let upload = try await ann.bring("kiss", as: "Ann")
        try await ground.gallery.work()
        #expect(try await ann.seen() == [])
        _ = try await ground.gallery.upload("kiss", for: ground.host)
        #expect(try await ann.seen() == ["kiss.jpg"])
        #expect(try await ground.waiting().isEmpty)
        let list = try await ground.ask("GET", "\(ground.event)/photos")
        let name = list["photos"]?.array?.first?["guestName"]
        #expect(name == nil || name == .null, "\(list)")
        #expect(try await ann.ask("DELETE", "uploads/\(upload)").status == 204)
        #expect(try await ann.seen() == ["kiss.jpg"])
    }

    @Test("without moderation it is seen at once; its guest takes it back, and nothing that was there before")
    func takenBack() async throws {
        let ground = try await ReactionGround(
            ["name": "Wedding", "allowsGuestUploads": .bool(true), "guestUploadsModerated": .bool(false)])
        let (ann, bob) = (ground.guest(), ground.guest())
        let upload = try await ann.bring("dance")
        let twin = try await bob.bring("dance")
        let hosts = try await bob.bring("kiss")
        try await ground.gallery.work()
        #expect(try await ann.states() == ["dance.jpg": "shown"])
        #expect(try await bob.states() == ["dance.jpg": "there", "kiss.jpg": "there"])
        #expect(try await bob.seen() == ["kiss.jpg", "cake.jpg", "dance.jpg"])
        #expect(try await ground.spent() == 1)
        for brought in [twin, hosts] {
            #expect(try await bob.ask("DELETE", "uploads/\(brought)").status == 204)
        }
        #expect(try await bob.seen() == ["kiss.jpg", "cake.jpg", "dance.jpg"])
        #expect(try await bob.states() == [:])
        #expect(try await bob.ask("DELETE", "uploads/\(upload)").status == 404)
        #expect(try await ann.ask("DELETE", "uploads/\(upload)").status == 204)
        #expect(try await bob.seen() == ["kiss.jpg", "cake.jpg"])
        #expect(try await ann.states() == [:])
        #expect(try await ann.ask("DELETE", "uploads/\(upload)").status == 404)
        // Also before it is whole.
        let half = try await ann.begun(9)
        #expect(try await ann.append("half", at: 0, to: half).status == 204)
        #expect(try await ann.ask("DELETE", "uploads/\(half)").status == 204)
        #expect(try await ann.append("more.", at: 4, to: half).status == 404)
        // Bytes may come for a place as long as it lives.
        ground.gallery.wall.go(TusUpload.life + Sweeper.grace * 2)
        for _ in 0..<3 { try await ground.gallery.server.sweeper.sweep() }
        let report = try await ground.gallery.care()
        #expect(report.problems == [] && report.strays == 0, "\(report)")
    }

    @Test("what a host refuses, and what is no photo, is told to its guest alone")
    func refused() async throws {
        let ground = try await ReactionGround(ReactionGround.open, photos: [])
        try await ground.grant(5)
        let ann = ground.guest()
        for text in ["dance", "bad"] { try await ann.bring(text, as: "Ann") }
        try await ground.gallery.work()
        #expect(try await ann.states() == ["dance.jpg": "waiting", "bad.jpg": "failed"])
        let before = try await ground.credits()
        #expect(try await ground.spent() == 1)
        let photo = try #require(try await ground.waiting()["dance.jpg"]?["id"]?.string)
        #expect(try await ground.ask("DELETE", "/photos/\(photo)").status == 204)
        #expect(try await ann.states() == ["dance.jpg": "refused", "bad.jpg": "failed"])
        #expect(try await ground.credits() == before)
        #expect(try await ground.spent() == 1)
        let names = try await ground.gallery.store.number(
            "SELECT count(*) FROM photos WHERE guest_name <> ''")
        #expect(names == 0)
        // It may be brought once more, and waits again.
        try await ann.bring("dance")
        try await ground.gallery.work()
        #expect(try await ground.waiting().keys.sorted() == ["dance.jpg"])
        #expect(try await ground.waiting()["dance.jpg"]?["guestName"] == "")
    }

    @Test("an offline host approves by a change of its own, and hosts hear how many wait")
    func offline() async throws {
        let ground = try await ReactionGround(ReactionGround.open, photos: [])
        let stream = try #require(try await ground.ask("GET", "\(ground.event)/live").stream)
        let ann = ground.guest()
        let guests = try await ann.listen()
        try await ann.bring("dance", as: "Ann")
        try await ground.gallery.work()
        let heard = stream.heard
        #expect(heard.contains("\"waiting\":1") && heard.contains("\"pending\":true"), "\(heard)")
        #expect(heard.contains("\"guestCreditsSpent\":1"), "\(heard)")
        let told = guests.heard
        #expect(!told.contains("waiting") && !told.contains("Ann") && !told.contains("thumbUrl"), "\(told)")
        let photo = try #require(try await ground.waiting()["dance.jpg"]?["id"]?.string)
        let change: JSONValue = [
            "type": "photo", "id": .string(photo), "action": "upsert",
            "updatedAt": (ground.gallery.wall.wallNow + .seconds(1)).json, "data": ["hidden": .bool(false)],
        ]
        let sync = try await ground.ask("POST", "/sync", ["lastSync": .null, "changes": [change]])
        #expect(sync["rejected"]?.array == [], "\(sync)")
        #expect(stream.heard.contains("\"waiting\":0"))
        #expect(guests.heard.contains("\"guestName\":\"Ann\""))
        #expect(try await ann.states() == ["dance.jpg": "shown"])
    }
}
