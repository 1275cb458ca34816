import Basics
import Database
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Hearts of guests: one a device and photo, of photos that they see.
@Suite struct HeartTests {
    @Test("a device has one heart for a photo, which it takes back, over the network")
    func once() async throws {
        let ground = try await ReactionGround(in: try GalleryGround(isServed: true))
        let photo = ground.photos[0]
        let (ann, bob) = (ground.guest(), ground.guest())
        let first = try await ann.give(photo)
        #expect(first.status == 200 && first["hearts"] == .integer(1) && first["isGiven"] == .bool(true))
        let cookie = try #require(first.header("Set-Cookie"))
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax") && cookie.contains("Path=/e/"))
        let again = try await ann.give(photo)
        #expect(again["hearts"] == .integer(1) && again.header("Set-Cookie") == nil)
        let other = try await bob.give(photo)
        #expect(other["hearts"] == .integer(2))
        #expect(other.header("Set-Cookie")?.prefix { $0 != ";" } != cookie.prefix { $0 != ";" })
        #expect(try await ann.ask("GET", "hearts")["photos"]?.array == [.string(photo)])
        #expect(try await ann.counts() == [photo: [2, 0]])
        #expect(try await ann.takeBack(photo)["hearts"] == .integer(1))
        #expect(try await ann.takeBack(photo)["hearts"] == .integer(1))
        #expect(try await ann.ask("GET", "hearts")["photos"]?.array == [])
        #expect(try await bob.ask("GET", "hearts")["photos"]?.array == [.string(photo)])
        // A browser that has given none has none to take back, and is not known for that.
        let stranger = try await ground.guest().takeBack(photo)
        #expect(stranger["hearts"] == .integer(1) && stranger.header("Set-Cookie") == nil)
    }

    @Test("a cookie that was changed, or is of another event, is no device's that is known")
    func cookies() async throws {
        let ground = try await ReactionGround()
        let photo = ground.photos[0]
        let guest = ground.guest()
        _ = try await guest.give(photo)
        let (name, value) = try #require(guest.cookies.value.first)
        for text in [value + "A", String(value.dropLast()), "x" + value, "", "a.1.b"] {
            let forger = ground.guest()
            forger.cookies.change { $0[name] = text }
            #expect(try await forger.ask("GET", "hearts")["photos"]?.array == [])
        }
        let other = try await ground.ask("POST", "/events", ["name": "Party"])
        let event = try #require(other["id"]?.string)
        let elsewhere = ReactionGround.Guest(
            gallery: ground.gallery, slug: try #require(other["slug"]?.string), peer: "192.0.2.1")
        let picture = try await ground.gallery.upload("rain", for: ground.host, in: event)
        let rain = try #require(picture?["id"]?.string)
        elsewhere.cookies.change { $0["hearts_\(event.prefix(8))"] = value }
        #expect(try await elsewhere.give(rain).header("Set-Cookie") != nil)
        ground.gallery.wall.go(.seconds(180 * 86_400 + 1))
        #expect(try await guest.ask("GET", "hearts")["photos"]?.array == [])
    }

    @Test("photos that guests do not see take none, and show theirs again when they do")
    func hidden() async throws {
        let ground = try await ReactionGround()
        let (kiss, cake) = (ground.photos[0], ground.photos[1])
        let guest = ground.guest()
        _ = try await guest.give(kiss)
        _ = try await guest.give(cake)
        _ = try await guest.write("Sweet", of: cake)
        try await ground.change("/photos/\(cake)", ["hidden": .bool(true)])
        for answer in [
            try await guest.give(cake), try await guest.takeBack(cake),
            try await guest.write("More", of: cake),
            try await guest.ask("GET", "photos/\(cake)/comments"),
        ] {
            #expect(answer.status == 404, "\(answer)")
        }
        #expect(try await guest.counts() == [kiss: [1, 0]])
        #expect(try await guest.ask("GET", "hearts")["photos"]?.array == [.string(kiss)])
        try await ground.change("/photos/\(cake)", ["hidden": .bool(false)])
        #expect(try await guest.counts() == [kiss: [1, 0], cake: [1, 1]])
    }

    @Test(
        "with a photo its hearts and comments are deleted, and with an event all of them, and with an account"
    )
    func deleted() async throws {
        let ground = try await ReactionGround()
        let store = ground.gallery.store
        func left() async throws -> [Int] {
            var counts: [Int] = []
            for table in ["hearts", "comments", "photo_reactions"] {
                counts.append(try await store.number("SELECT count(*) FROM \(table)"))
            }
            return counts
        }
        let guest = ground.guest()
        for photo in ground.photos {
            _ = try await guest.give(photo)
            _ = try await guest.write("Lovely", of: photo)
        }
        #expect(try await left() == [2, 2, 2])
        #expect(try await ground.ask("DELETE", "/photos/\(ground.photos[0])").status == 204)
        #expect(try await left() == [1, 1, 1])
        #expect(try await guest.give(ground.photos[0]).status == 404)
        #expect(try await ground.ask("DELETE", "/events/\(ground.host.event)").status == 204)
        #expect(try await left() == [0, 0, 0])
        let other = try await ReactionGround()
        _ = try await other.guest().give(other.photos[0])
        try await other.gallery.store.deleteAccount(other.host.account)
        #expect(try await other.gallery.store.number("SELECT count(*) FROM hearts") == 0)
    }

    @Test(
        "guests who may not look, and those of an event that is over, give none; downloads have no part in it"
    )
    func doors() async throws {
        let ground = try await ReactionGround(["name": "Wedding", "pin": "13579"])
        let photo = ground.photos[0]
        let guest = ground.guest()
        for answer in [
            try await guest.give(photo), try await guest.write("Hi", of: photo),
            try await guest.ask("GET", "reactions"), try await guest.ask("GET", "hearts"),
        ] {
            #expect(answer.status == 403, "\(answer)")
        }
        _ = try await guest.ask("POST", "access", ["pin": "13579"])
        try await ground.change("/events/\(ground.host.event)", ["allowsOriginals": .bool(false)])
        #expect(try await guest.give(photo).status == 200)
        let elsewhere = try await ReactionGround(photos: [], in: nil)
        #expect(try await elsewhere.guest().give(photo).status == 404)
        let end = ground.gallery.wall.wallNow + .seconds(60)
        try await ground.change("/events/\(ground.host.event)", ["expiresAt": end.json])
        ground.gallery.wall.go(.seconds(61))
        #expect(try await guest.give(photo).status == 410)
        #expect(try await guest.write("Late", of: photo).status == 410)
    }

    @Test("a host switches hearts and comments, each by itself; new events take both")
    func switches() async throws {
        let ground = try await ReactionGround()
        let (event, photo) = ("/events/\(ground.host.event)", ground.photos[0])
        let made = try await ground.ask("GET", event)
        #expect(made["allowsHearts"] == .bool(true) && made["allowsComments"] == .bool(true))
        let guest = ground.guest()
        _ = try await guest.give(photo)
        _ = try await guest.write("Lovely", of: photo)
        try await ground.change(event, ["allowsHearts": .bool(false)])
        #expect(try await guest.give(photo).status == 403)
        #expect(try await guest.write("More", of: photo).status == 201)
        #expect(try await guest.counts() == [photo: [0, 2]])
        try await ground.change(event, ["allowsHearts": .bool(true), "allowsComments": .bool(false)])
        #expect(try await guest.write("Most", of: photo).status == 403)
        #expect(try await guest.ask("GET", "photos/\(photo)/comments").status == 403)
        #expect(try await guest.counts() == [photo: [1, 0]])
        let quiet = try await ground.ask("POST", "/events", ["name": "Quiet", "allowsHearts": .bool(false)])
        #expect(quiet["allowsHearts"] == .bool(false) && quiet["allowsComments"] == .bool(true))
        let page = try await guest.gallery.call("GET", "/e/\(ground.host.slug)")
        #expect(page.text.contains(" data-likes"))
        try await ground.change(event, ["allowsHearts": .bool(false)])
        #expect(try await !guest.gallery.call("GET", "/e/\(ground.host.slug)").text.contains(" data-likes"))
    }

    @Test("events of a gallery from before take none until their host says so", .onSQLite)
    func before() async throws {
        let wall = GalleryWall()
        wall.go(StoredGallery.age)
        let gallery = try GalleryGround(seed: 71, in: try OldGallery(6).folder, wall: wall)
        let token = try await gallery.ground.login(StoredGallery.email, StoredGallery.password).access
        let events = try await gallery.call("GET", "/events", token: token).data?.array ?? []
        let open = try #require(events.first { $0["name"] == "Open house" })
        #expect(open["allowsHearts"] == .bool(false) && open["allowsComments"] == .bool(false))
        let (id, slug) = (open["id"]?.string ?? "", open["slug"]?.string ?? "")
        let list = try await gallery.call("GET", "/e/\(slug)/photos")
        let photo = try #require(list["photos"]?.array?.first?["id"]?.string)
        let guest = ReactionGround.Guest(gallery: gallery, slug: slug, peer: "192.0.2.1")
        #expect(try await guest.give(photo).status == 403)
        _ = try await gallery.call("PATCH", "/events/\(id)", ["allowsHearts": .bool(true)], token: token)
        #expect(try await guest.give(photo)["hearts"] == .integer(1))
    }

    @Test("a host sees photos with most hearts first, piece by piece, and no other host does")
    func liked() async throws {
        let ground = try await ReactionGround(photos: ["kiss", "cake", "rain", "vows"])
        let guests = (0..<3).map { _ in ground.guest() }
        for guest in guests { _ = try await guest.give(ground.photos[2]) }
        _ = try await guests[0].give(ground.photos[0])
        _ = try await guests[0].write("Lovely", of: ground.photos[1])
        var found: [String] = []
        var counts: [JSONValue?] = []
        var target = "/events/\(ground.host.event)/reactions?limit=1"
        for _ in 0..<4 {
            let page = try await ground.ask("GET", target)
            let photos = page["photos"]?.array ?? []
            found += photos.compactMap { $0["photo"]?["id"]?.string }
            counts += photos.map { $0["hearts"] }
            guard let next = page["next"]?.string else { break }
            target = "/events/\(ground.host.event)/reactions?limit=1&cursor=\(next)"
        }
        #expect(found == [ground.photos[2], ground.photos[0], ground.photos[1]])
        #expect(counts == [.integer(3), .integer(1), .integer(0)])
        // There are no more, although as many came as were wanted.
        #expect(
            try await ground.ask("GET", "/events/\(ground.host.event)/reactions?limit=3")["next"] == .null)
        let other = try await ground.gallery.host("other@example.org")
        let foreign = try await ground.gallery.call(
            "GET", "/events/\(ground.host.event)/reactions", token: ground.gallery.token(other))
        #expect(foreign.status == 404)
        #expect(
            try await ground.ask("GET", "/events/\(ground.host.event)/reactions?cursor=1_2").status == 422)
    }
}
