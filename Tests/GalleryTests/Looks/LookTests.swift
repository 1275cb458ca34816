import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// What a host gives an event to look like, and who sees what of it.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct LookTests {
    private let gallery: GalleryGround
    private let host: GalleryGround.Host

    init() async throws {
        gallery = try GalleryGround(isServed: true)
        host = try await gallery.host()
    }

    @discardableResult
    private func change(_ wish: JSONValue, _ event: String? = nil) async throws -> GalleryGround.Answer {
        try await gallery.call("PATCH", "/events/\(event ?? host.event)", wish, token: gallery.token(host))
    }

    private func event() async throws -> GalleryGround.Answer {
        try await gallery.call("GET", "/events/\(host.event)", token: gallery.token(host))
    }

    private func photo(_ name: String) async throws -> (id: String, thumb: String, screen: String) {
        let photo = try #require(try await gallery.upload(name, for: host))
        return (
            try #require(photo["id"]?.string), try #require(photo["thumbKey"]?.string),
            try #require(photo["screenKey"]?.string)
        )
    }

    private func page(_ rest: String = "") async throws -> String {
        try await gallery.call("GET", "/e/\(host.slug)\(rest)").text
    }

    // MARK: Fields

    @Test("an event begins with the gallery's own look, and keeps what it is given until that is taken away")
    func fields() async throws {
        let fresh = try await event()
        #expect(fresh["accent"] == .null && fresh["coverPhoto"] == .null && fresh["logo"] == .null)
        #expect(fresh["theme"]?.string == "auto" && fresh["typeface"]?.string == "classic")
        let changed = try await change(["accent": "#FFD500", "theme": "dark", "typeface": "mono"])
        #expect(changed.status == 200, "\(changed)")
        try await change(["name": "Another name"])
        let kept = try await event()
        #expect(kept["accent"]?.string == "#ffd500")
        #expect(kept["theme"]?.string == "dark" && kept["typeface"]?.string == "mono")
        #expect(try await change(["accent": .null])["accent"] == .null)
        let made = try await gallery.call(
            "POST", "/events", ["name": "Second", "accent": "#012345", "typeface": "rounded"],
            token: gallery.token(host))
        #expect(made["accent"]?.string == "#012345" && made["typeface"]?.string == "rounded", "\(made)")
    }

    @Test("what is no colour, no theme and no typeface is refused by its name, and nothing changes")
    func refusals() async throws {
        let wrongs: [(String, JSONValue)] = [
            ("accent", "red"), ("accent", "#12345"), ("accent", "#1234567"), ("accent", "#00000g"),
            ("accent", .integer(0)), ("theme", "blue"), ("theme", .null), ("theme", "Dark"),
            ("typeface", "Comic Sans"), ("typeface", .null), ("typeface", "serif; }"),
            ("coverPhoto", "first"),
        ]
        for (name, value) in wrongs {
            let answer = try await change(.object([(name, value), ("name", "Changed")]))
            #expect(
                answer.status == 422 && answer.json["error"]?["fields"]?[name] != nil, "\(name): \(answer)")
        }
        #expect(try await event()["name"]?.string == "Wedding")
    }

    @Test("a change of the look is a change of the event to those who sync")
    func synced() async throws {
        let before = try await gallery.call("POST", "/sync", ["changes": []], token: gallery.token(host))
        try await change(["accent": "#123456"])
        let after = try await gallery.call(
            "POST", "/sync", ["lastSync": try #require(before["serverTimestamp"]), "changes": []],
            token: gallery.token(host))
        #expect(after["changes"]?.array?.map { $0["type"]?.string } == ["event"], "\(after)")
    }

    // MARK: The cover

    @Test("a photo that guests see may be the cover; one that is hidden, deleted or elsewhere may not")
    func covers() async throws {
        let (kiss, cake) = (try await photo("kiss"), try await photo("cake"))
        #expect(try await change(["coverPhoto": .string(kiss.id)])["coverPhoto"]?.string == kiss.id)
        let other = try await gallery.call("POST", "/events", ["name": "Other"], token: gallery.token(host))
        let elsewhere = try await change(
            ["coverPhoto": .string(kiss.id)], try #require(other["id"]?.string))
        #expect(elsewhere.status == 409, "\(elsewhere)")
        _ = try await gallery.call(
            "PATCH", "/photos/\(cake.id)", ["hidden": .bool(true)], token: gallery.token(host))
        for id in [cake.id, TestIDs.id(9)] {
            let refused = try await change(["coverPhoto": .string(id), "name": "Changed"])
            #expect(
                refused.status == 409 && refused.json["error"]?["fields"]?["coverPhoto"] != nil, "\(refused)")
        }
        let kept = try await event()
        #expect(kept["coverPhoto"]?.string == kiss.id && kept["name"]?.string == "Wedding")
    }

    @Test("an event's cover is looked up by its own key, however many photos the event has")
    func coverPlan() async throws {
        let plans = Shared<[String]>([])
        let reader = try gallery.ground.reader(on: GalleryThreads.store) { try ExplainedSession($0, plans) }
        let slug = host.slug
        _ = try await reader { try $0.event(slug: slug) }
        let plan = try #require(plans.value.first)
        #expect(plans.value.count == 1 && !plan.contains("photos_by_time"), "\(plan)")
        #expect(plan.contains("photos_pkey") || plan.contains("sqlite_autoindex_photos_1"), "\(plan)")
    }

    @Test(
        "the cover stands behind the name and in previews, and goes at once when its photo is hidden or deleted"
    )
    func coverGoes() async throws {
        let (kiss, cake) = (try await photo("kiss"), try await photo("cake"))
        try await change(["coverPhoto": .string(kiss.id)])
        func cover() async throws -> String? {
            try await page().firstMatch(of: /class="cover" src="\/images\/([0-9a-f]+)"/).map {
                String($0.output.1)
            }
        }
        func preview() async throws -> String? {
            try await page().firstMatch(of: /og:image" content="[^"]*\/images\/([0-9a-f]+)"/).map {
                String($0.output.1)
            }
        }
        #expect(try await cover() == kiss.thumb)
        #expect(try await preview() == kiss.screen, "the newest is another one")
        #expect(try await !page("?q=cake").contains("class=\"cover\""))
        for _ in 0..<2 {
            _ = try await gallery.call(
                "PATCH", "/photos/\(kiss.id)", ["hidden": .bool(true)], token: gallery.token(host))
            #expect(try await cover() == nil)
            #expect(try await event()["coverPhoto"] == .null)
            #expect(try await preview() == cake.screen)
            _ = try await gallery.call(
                "PATCH", "/photos", ["ids": [.string(kiss.id)], "hidden": .bool(false)],
                token: gallery.token(host))
            #expect(try await cover() == kiss.thumb, "shown again, it is the cover again")
        }
        _ = try await gallery.call("DELETE", "/photos/\(kiss.id)", token: gallery.token(host))
        #expect(try await cover() == nil)
        #expect(try await event()["coverPhoto"] == .null)
        #expect(try await !page().contains(kiss.id))
    }

    @Test("the page that asks for the PIN has colours and name, and never the cover")
    func closed() async throws {
        let kiss = try await photo("kiss")
        try await change(["coverPhoto": .string(kiss.id), "accent": "#112233", "pin": "13579"])
        let gate = try await gallery.call("GET", "/e/\(host.slug)")
        #expect(gate.status == 200)
        #expect(gate.text.contains("look.css?v="))
        for secret in [kiss.id, kiss.thumb, kiss.screen, "class=\"cover\""] {
            #expect(!gate.text.contains(secret))
        }
        #expect(try await gallery.call("GET", "/images/\(kiss.thumb)").status == 404)
    }

    // MARK: The sheet

    @Test(
        "a page without a look of its own loads no sheet for it, and one with it names a sheet that may be kept"
    )
    func sheets() async throws {
        let bar = "<meta name=\"theme-color\""
        let plain = try await page()
        #expect(!plain.contains("look.css") && plain.contains(bar))
        try await change(["accent": "#ffd500", "typeface": "elegant"])
        let html = try await page()
        #expect(!html.contains(bar), "the browser's bar has colours that the page need not have")
        let address = try #require(html.firstMatch(of: /href="([^"]*\/look\.css\?v=[0-9a-f]+)"/)).output.1
        let sheet = try await gallery.call("GET", String(address))
        #expect(sheet.status == 200 && sheet.header("Content-Type") == "text/css; charset=utf-8")
        #expect(sheet.header("Cache-Control") == "public, max-age=31536000, immutable")
        #expect(sheet.text.contains("--serif: Didot"))
        #expect(
            !sheet.text.contains("url(") && !sheet.text.contains("@import") && !sheet.text.contains("--paper")
        )
        let tag = try #require(sheet.header("ETag"))
        let again = try await gallery.call(
            "GET", "/e/\(host.slug)/look.css", headers: [HTTPHeader("If-None-Match", tag)])
        #expect(again.status == 304 && again.header("Cache-Control") == "no-cache")
        try await change(["theme": "dark"])
        let old = try await gallery.call("GET", String(address))
        #expect(old.header("Cache-Control") == "no-cache", "an old address is not the new sheet's for good")
        #expect(old.text.contains("color-scheme: dark") && old.text.contains("--paper: #151211"))
        #expect(!old.text.contains("prefers-color-scheme"))
        for path in ["/show", "/p/\(try await photo("kiss").id)"] {
            #expect(try await page(path).contains("/look.css?v="), "\(path)")
        }
    }

    @Test("a home screen is told the accent as its host picked it")
    func manifest() async throws {
        let path = "/e/\(host.slug)/manifest.webmanifest"
        let before = try await gallery.call("GET", path).json["theme_color"]?.string
        try await change(["accent": "#FFD500"])
        #expect(before == "#faf7f2")
        #expect(try await gallery.call("GET", path).json["theme_color"]?.string == "#ffd500")
    }
}
