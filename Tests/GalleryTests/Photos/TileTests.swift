import Basics
import Glibc
import HTTPServer
import Posix
import TestSupport
import Testing

@testable import Gallery

/// The rendition for walls on screens that have several pixels for one of CSS: it is served and taken back as the thumb is.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct TileTests {
    /// A photo with a tile, in an open event.
    private struct Party {
        let gallery: GalleryGround
        let host: GalleryGround.Host
        let kiss: JSONValue

        init(
            _ more: [(key: String, value: JSONValue)] = [],
            _ change: (inout GallerySettings) -> Void = { _ in }
        ) async throws {
            gallery = try GalleryGround(change)
            gallery.renderer.hasTiles.change { $0 = true }
            gallery.renderer.hasPlaceholders.change { $0 = true }
            host = try await gallery.host(event: .object([("name", "Wedding")] + more))
            kiss = try #require(try await gallery.upload("kiss", for: host))
        }

        var token: String { gallery.token(host) }
        var id: String { kiss["id"]?.string ?? "" }

        /// How many photos have colours that stand for them, deleted ones too.
        func placeholders() async throws -> Int {
            try await gallery.server.store { store in
                try store.database.count("FROM photos WHERE placeholder IS NOT NULL")
            }
        }

        func key(_ name: String = "tileKey") throws -> String { try #require(kiss[name]?.string) }

        /// What each is answered: of the thumb, and of the tile.
        func answers() async throws -> [GalleryGround.Answer] {
            var answers: [GalleryGround.Answer] = []
            for name in ["thumbKey", "tileKey"] {
                answers.append(try await gallery.call("GET", "/images/\(key(name))"))
            }
            return answers
        }

        /// The same for both, which is this.
        func expectBoth(_ status: Int, at location: SourceLocation = #_sourceLocation) async throws {
            let found = try await answers()
            #expect(found.map(\.status) == [status, status], sourceLocation: location)
            for name in ["Cache-Control", "Content-Type", "Content-Disposition", "Location"] {
                #expect(found[0].header(name) == found[1].header(name), "\(name)", sourceLocation: location)
            }
        }

        func change(_ path: String, _ wish: JSONValue) async throws {
            let changed = try await gallery.call("PATCH", path, wish, token: token)
            #expect(changed.status == 200, "\(changed)")
        }

        func sweep() async throws {
            gallery.wall.go(Sweeper.grace + Sweeper.curable)
            for _ in 0..<3 { try await gallery.server.sweeper.sweep() }
        }
    }

    private static let workshopLimit = 10

    @Test("hosts and guests are told of it, and it is served as the thumb is")
    func served() async throws {
        let party = try await Party()
        try await party.expectBoth(200)
        let tile = try party.key()
        let list = try await party.gallery.call("GET", "/e/\(party.host.slug)/photos")
        let seen = try #require(list["photos"]?.array?.first)
        #expect(seen["tileUrl"]?.string == "/images/\(tile)" && seen["tileWidth"] == .integer(800))
        let own = try await party.gallery.call("GET", "/images/\(tile)", token: party.token)
        #expect(own.status == 200 && own.header("Cache-Control") == "private, no-cache")
        #expect(try await party.gallery.store.number("SELECT count(*) FROM removals") == 0)
        #expect(try Directory(path: party.gallery.storage.workshop).names(limit: Self.workshopLimit) == [])
    }

    @Test(
        "a page names both, with their true widths and how wide a tile is laid out; one that saves data names the thumb"
    )
    func page() async throws {
        let party = try await Party()
        let (thumb, tile) = (try party.key("thumbKey"), try party.key())
        let page = try await party.gallery.call("GET", "/e/\(party.host.slug)")
        // 3:2 is 18 twelfths: 18 times 16.4 pixels at the most, or 2.55 % of the window.
        #expect(
            page.text.contains(
                "<img src=\"/images/\(thumb)\" srcset=\"/images/\(thumb) 3w, /images/\(tile) 800w\" sizes=\"min(295px,46vw)\" "
            ), "\(page.text)")
        #expect(page.headers.contains { $0.name == "Vary" && $0.value.contains("Save-Data") })
        let sparing = try await party.gallery.call(
            "GET", "/e/\(party.host.slug)", headers: [HTTPHeader("Save-Data", "on")])
        #expect(sparing.text.contains("<img src=\"/images/\(thumb)\" alt"))
        #expect(!sparing.text.contains("srcset"))
    }

    @Test("what is hardly larger than its thumb has none, and leaves nothing behind")
    func small() async throws {
        let party = try await Party()
        party.gallery.renderer.hasTiles.change { $0 = false }
        let cake = try #require(try await party.gallery.upload("cake", for: party.host))
        #expect(cake["tileKey"] == .null && party.kiss["tileKey"] != .null)
        let list = try await party.gallery.call("GET", "/e/\(party.host.slug)/photos")
        let seen = try #require(list["photos"]?.array?.first { $0["id"] == cake["id"] })
        #expect(seen["tileUrl"] == nil && seen["tileWidth"] == nil)
        #expect(try await party.gallery.store.number("SELECT count(*) FROM removals") == 0)
        #expect(try Directory(path: party.gallery.storage.workshop).names(limit: Self.workshopLimit) == [])
        let report = try await party.gallery.care()
        #expect(report.problems == [] && report.strays == 0 && report.objects == 7, "\(report)")
    }

    @Test("hidden, deleted, behind a PIN and after the end it is answered as the thumb is")
    func takenBack() async throws {
        let party = try await Party()
        for (hidden, status) in [(true, 404), (false, 200)] {
            try await party.change("/photos/\(party.id)", ["hidden": .bool(hidden)])
            try await party.expectBoth(status)
        }
        try await party.change("/events/\(party.host.event)", ["pin": "13579"])
        try await party.expectBoth(404)
        try await party.change("/events/\(party.host.event)", ["pin": .null])
        try await party.expectBoth(200)
        let end = party.gallery.wall.wallNow + .seconds(60)
        try await party.change("/events/\(party.host.event)", ["expiresAt": end.json])
        try await party.expectBoth(200)
        party.gallery.wall.go(.seconds(60))
        try await party.expectBoth(404)
        try await party.change("/events/\(party.host.event)", ["expiresAt": .null])
        #expect(try await party.placeholders() == 1)
        let gone = try await party.gallery.call("DELETE", "/photos/\(party.id)", token: party.token)
        #expect(gone.status == 204)
        try await party.expectBoth(404)
        #expect(try await party.placeholders() == 0)
        try await party.sweep()
        #expect(try await party.gallery.storage.list(after: nil, limit: 10) == [])
    }

    @Test("it goes with its event, and with its account")
    func withAll() async throws {
        for target in ["event", "account"] {
            let party = try await Party()
            let path = target == "event" ? "/events/\(party.host.event)" : "/me"
            #expect(try await party.placeholders() == 1)
            let gone = try await party.gallery.call("DELETE", path, token: party.token)
            #expect(gone.status == 204)
            try await party.expectBoth(404)
            #expect(try await party.placeholders() == 0)
            try await party.sweep()
            #expect(try await party.gallery.storage.list(after: nil, limit: 10) == [], "\(target)")
        }
    }

    @Test("caches are told of it when its photo or its event is taken back", arguments: [true, false])
    func purged(isPhoto: Bool) async throws {
        let party = try await Party { $0.images = ImageDelivery(.cdn("https://cdn.example"), purges: true) }
        try await party.gallery.store.wantPurges()
        let list = try await party.gallery.call("GET", "/e/\(party.host.slug)/photos")
        let tile = try party.key()
        #expect(list["photos"]?.array?.first?["tileUrl"]?.string == "https://cdn.example/images/\(tile)")
        if isPhoto {
            try await party.change("/photos/\(party.id)", ["hidden": .bool(true)])
        } else {
            try await party.change("/events/\(party.host.event)", ["pin": "13579"])
        }
        let due = try await party.gallery.store.takePurges(limit: 10).map(\.key)
        #expect(try due.sorted() == [tile, party.key("thumbKey"), party.key("screenKey")].sorted())
    }

    @Test("'gallery check' misses it where it is not there")
    func check() async throws {
        let party = try await Party()
        let well = try await party.gallery.care()
        #expect(well.problems == [] && well.objects == 4 && well.strays == 0, "\(well)")
        try await party.gallery.storage.remove(party.key())
        let ill = try await party.gallery.care()
        let told = "its tile \(try party.key()) is missing; the page shows the thumb instead"
        #expect(ill.problems.count == 1 && ill.problems.first?.contains(told) == true, "\(ill)")
    }

    @Test("one that was kept, and of which no photo came, is removed; one of a photo never is")
    func leftOver() async throws {
        let party = try await Party()
        let gallery = party.gallery
        let keys = try await gallery.server.store { try $0.renditionKeys() }
        let path = "\(gallery.storage.workshop)/left.jpg"
        try await aside {
            guard let file = fopen(path, "wbx") else { throw FileProblem(path: path, number: errno) }
            fputs("a tile", file)
            fclose(file)
        }
        try await gallery.storage.keep(path, as: keys.tile, type: "image/jpeg")
        let tile = try party.key()
        try await gallery.server.store { try $0.removeSoon([tile]) }
        try await party.sweep()
        #expect(try await gallery.storage.look(keys.tile) == nil)
        #expect(try await gallery.storage.look(tile) != nil)
    }

    @Test("it is exported, and the export's page names both")
    func exported() async throws {
        let ground = try await ExportGround()
        ground.gallery.renderer.hasTiles.change { $0 = true }
        try await ground.bring("kiss", name: "a, b.JPG")
        ground.gallery.renderer.hasTiles.change { $0 = false }
        try await ground.bring("cake", name: "c.JPG")
        let report = try await ground.export()
        #expect(report.photos == 2 && report.copied == 5 && report.failed == 0, "\(report)")
        #expect(try ground.names(in: .tile) == ["a, b.jpg"])
        try ground.expectWhole()
        let page = try ground.page()
        #expect(
            page.contains(
                "src=\"thumbs/a%2C%20b.jpg\" srcset=\"thumbs/a%2C%20b.jpg 3w, tiles/a%2C%20b.jpg 800w\" sizes=\"min(295px,46vw)\""
            ), "\(page)")
        #expect(page.ranges(of: "srcset").count == 1)
        let photos = try ground.facts()["photos"]?.array ?? []
        #expect(photos.compactMap { $0["files"]?["tile"]?["path"]?.string } == ["tiles/a, b.jpg"])
        let hidden = try #require(photos.first { $0["files"]?["tile"] != nil }?["id"]?.string)
        try await ground.change(hidden, ["hidden": .bool(true)])
        let later = try await ground.export()
        #expect(later.removed == 3 && later.photos == 1, "\(later)")
        #expect(try ground.names(in: .tile) == [])
        try ground.expectWhole()
    }
}
