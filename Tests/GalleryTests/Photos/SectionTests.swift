import Basics
import Database
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Albums as guests see them.
@Suite struct SectionTests {
    private let ground: TimeGround
    private let church: String
    private let party: String
    private let ids: [String: String]

    /// Five photos: two in the church, which come first though their album is the second, three at the party, one of these in
    /// both, and an album with none.
    init() async throws {
        ground = try await TimeGround()
        for (name, minute) in [("vows", 10), ("ring", 20), ("cake", 30), ("dance", 40), ("toast", 50)] {
            try await ground.shoot(name, "2026-11-21T19:\(minute):00")
        }
        let (gallery, host) = (ground.gallery, ground.host)
        func album(_ name: String) async throws -> String {
            let made = try await gallery.call(
                "POST", "/events/\(host.event)/albums", ["name": .string(name)], token: gallery.token(host))
            return try #require(made["id"]?.string, "\(made)")
        }
        party = try await album("The <b>party</b>")
        church = try await album("Church")
        _ = try await album("Nothing yet")
        var ids: [String: String] = [:]
        for name in ["vows", "ring", "cake", "dance", "toast"] {
            ids[name] = try #require(try await ground.photo(name)["id"]?.string)
        }
        self.ids = ids
        try await put(["vows", "ring"], into: church)
        try await put(["cake", "dance", "ring"], into: party)
    }

    private func put(_ names: [String], into album: String, _ field: String = "addAlbums") async throws {
        let photos = names.compactMap { ids[$0].map(JSONValue.string) }
        let answer = try await ground.gallery.call(
            "PATCH", "/photos",
            .object([(key: "ids", value: .array(photos)), (key: field, value: .array([.string(album)]))]),
            token: ground.gallery.token(ground.host))
        #expect(answer.status == 200, "\(answer)")
    }

    private func hide(_ name: String, _ isHidden: Bool = true) async throws {
        let answer = try await ground.gallery.call(
            "PATCH", "/photos/\(ids[name] ?? "")", ["hidden": .bool(isHidden)],
            token: ground.gallery.token(ground.host))
        #expect(answer.status == 200, "\(answer)")
    }

    private func get(_ rest: String, _ tag: String? = nil) async throws -> GalleryGround.Answer {
        try await ground.gallery.call(
            "GET", "/e/\(ground.host.slug)\(rest)",
            headers: tag.map { [HTTPHeader("If-None-Match", $0)] } ?? [])
    }

    /// "Church 2".
    private func sections() async throws -> [String] {
        let answer = try await get("/albums")
        return try #require(answer["albums"]?.array, "\(answer)").map {
            "\($0["name"]?.string ?? "") \($0["photos"]?.integer ?? -1)"
        }
    }

    /// Its photos by the list, which the timeline and every piece of it agree with.
    private func photos(of album: String, _ search: String = "") async throws -> [String] {
        let answer = try await get("/photos?album=\(album)&limit=200\(search)")
        let names = try #require(answer["photos"]?.array, "\(answer)").compactMap {
            $0["filename"]?.string?.replacing(".jpg", with: "")
        }
        guard search.isEmpty else { return names }
        let timeline = try await get("/timeline?album=\(album)")
        #expect(timeline["count"]?.integer == Int64(names.count), "\(timeline)")
        #expect(timeline["shapes"]?.string?.count == names.count)
        let end = try #require(timeline["ends"]?.array?.last?.string)
        let piece = try await get("/photos?album=\(album)&until=\(end)")
        #expect(piece["photos"]?.array?.count == names.count)
        return names
    }

    @Test("guests see albums that have photos, in the host's order, with the photos that they see")
    func list() async throws {
        #expect(try await sections() == ["The <b>party</b> 3", "Church 2"])
        #expect(try await photos(of: party) == ["dance", "cake", "ring"])
        #expect(try await photos(of: church) == ["ring", "vows"])
        #expect(try await photos(of: church, "&q=ing") == ["ring"])
        #expect(try await photos(of: party, "&q=vows") == [])
        let page = try await get("/photos?album=\(party)&limit=2")
        #expect(page["photos"]?.array?.count == 2)
        let cursor = try #require(page["next"]?.string)
        let rest = try await get("/photos?album=\(party)&limit=2&cursor=\(cursor)")
        #expect(rest["photos"]?.array?.compactMap { $0["filename"]?.string } == ["ring.jpg"])
    }

    @Test("what is hidden or deleted is in no section, and a section without photos is not there")
    func hidden() async throws {
        try await hide("ring")
        #expect(try await sections() == ["The <b>party</b> 2", "Church 1"])
        #expect(try await photos(of: church) == ["vows"])
        #expect(try await photos(of: church, "&q=ring") == [])
        let deleted = try await ground.gallery.call(
            "DELETE", "/photos/\(ids["vows"] ?? "")", token: ground.gallery.token(ground.host))
        #expect(deleted.status == 204)
        #expect(try await sections() == ["The <b>party</b> 2"])
        for rest in ["/photos?album=\(church)", "/timeline?album=\(church)"] {
            #expect(try await get(rest).status == 404, "\(rest)")
        }
        try await hide("ring", false)
        #expect(try await sections() == ["The <b>party</b> 3", "Church 1"])
        try await put(["ring"], into: church, "removeAlbums")
        #expect(try await sections() == ["The <b>party</b> 3"])
    }

    @Test("an album that was deleted, one of another event and what is no id are no sections")
    func strangers() async throws {
        let gallery = ground.gallery
        let other = try await gallery.call(
            "POST", "/events", ["name": "Another"], token: gallery.token(ground.host))
        let slug = try #require(other["slug"]?.string)
        #expect(try await gallery.call("GET", "/e/\(slug)/albums")["albums"]?.array == [])
        #expect(try await gallery.call("GET", "/e/\(slug)/photos?album=\(church)").status == 404)
        for album in ["", "x", TestIDs.id(1)] {
            #expect(try await get("/photos?album=\(album)").status == 404, "\(album)")
            #expect(try await get("?album=\(album)").text.contains("data-album=\"\""), "\(album)")
        }
        let change: JSONValue = [
            "type": "album", "id": .string(church), "action": "delete",
            "updatedAt": (gallery.wall.wallNow + .seconds(1)).json,
        ]
        let sync = try await gallery.call(
            "POST", "/sync", ["lastSync": .null, "changes": [change]], token: gallery.token(ground.host))
        #expect(sync["rejected"]?.array == [], "\(sync)")
        #expect(try await sections() == ["The <b>party</b> 3"])
        #expect(try await get("/timeline?album=\(church)").status == 404)
    }

    @Test("a photo whose time is corrected stands at its place in its section, too")
    func times() async throws {
        try await ground.shoot("late", "2026-11-21T18:00:00", camera: "Leica M11", serial: "2")
        let late = try #require(try await ground.photo("late")["id"]?.string)
        let answer = try await ground.gallery.call(
            "PATCH", "/photos", ["ids": [.string(late)], "addAlbums": [.string(church)]],
            token: ground.gallery.token(ground.host))
        #expect(answer.status == 200)
        #expect(try await photos(of: church) == ["ring", "vows", "late"])
        try await ground.shift("Leica M11", by: 2 * 3600)
        #expect(try await photos(of: church) == ["late", "ring", "vows"])
    }

    @Test("a section that has not changed is not sent anew, whatever comes to others")
    func tags() async throws {
        let all = try #require(try await get("/timeline").header("ETag"))
        let first = try await get("/timeline?album=\(church)")
        let tag = try #require(first.header("ETag"))
        #expect(tag != all, "another list has another tag")
        #expect(try await get("/timeline?album=\(party)", tag).status == 200)
        #expect(try await get("/timeline?album=\(church)", tag).status == 304)
        try await hide("toast")
        #expect(try await get("/timeline?album=\(church)", tag).status == 304)
        try await hide("vows")
        let changed = try await get("/timeline?album=\(church)", tag)
        #expect(changed.status == 200 && changed["count"]?.integer == 1)
        let row = try #require(try await get("/albums").header("ETag"))
        #expect(try await get("/albums", row).status == 304)
        try await put(["toast"], into: church)
        #expect(try await get("/albums", row).status == 200)
    }

    @Test("the page has links to its sections, and each is a page of its own without scripts")
    func page() async throws {
        let slug = ground.host.slug
        let all = try await get("").text
        #expect(
            all.contains("<a href=\"/e/\(slug)\" data-album=\"\" data-count=\"5\" aria-current=\"true\">"))
        #expect(all.contains("<bdi>The &lt;b&gt;party&lt;/b&gt;</bdi> <small>3</small>"))
        #expect(!all.contains("Nothing yet"))
        let page = try await get("?album=\(church)").text
        #expect(
            page.contains(
                "href=\"/e/\(slug)?album=\(church)\" data-album=\"\(church)\" data-count=\"2\" aria-current"))
        #expect(
            page.contains("<span id=\"count\">2 photos</span>")
                && page.contains("· Church · 2 photos</title>"))
        #expect(page.contains("<input type=\"hidden\" name=\"album\" value=\"\(church)\">"))
        for (name, isThere) in [("vows", true), ("ring", true), ("cake", false)] {
            #expect(page.contains("id=\"\(ids[name] ?? "-")\"") == isThere, "\(name)")
        }
        let found = try await get("?album=\(church)&q=vows").text
        #expect(found.contains(ids["vows"] ?? "-") && !found.contains("id=\"\(ids["ring"] ?? "-")\""))
        let plain = try await ground.gallery.call(
            "POST", "/events", ["name": "Plain"], token: ground.gallery.token(ground.host))
        let other = try await ground.gallery.call("GET", "/e/\(plain["slug"]?.string ?? "")").text
        #expect(!other.contains("sections.css") && !other.contains("id=\"sections\""))
    }

    @Test("a link to a section leads there through the door, by the PIN and by the key of the QR code")
    func door() async throws {
        let (gallery, host) = (ground.gallery, ground.host)
        let closed = try await gallery.call(
            "PATCH", "/events/\(host.event)", ["pin": "13579"], token: gallery.token(host))
        let key = try #require(closed["entryUrl"]?.string?.split(separator: "k=").last, "\(closed)")
        let page = "/e/\(host.slug)?album=\(church)"
        let door = try await get("?album=\(church)")
        #expect(door.status == 200)
        let seen = try HeadReader(door.text)
        #expect(seen.fields["album"] == church)
        #expect(seen.links.contains("\(page)&lang=de"), "a language is chosen on the way")
        func type(_ pin: String, _ goal: String) async throws -> GalleryGround.Answer {
            try await gallery.call(
                "POST", "/e/\(host.slug)/access", bytes: Array("\(goal)&pin=\(pin)".utf8),
                headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded")])
        }
        let wrong = try await type("24680", "album=\(church)")
        #expect(wrong.status == 401)
        #expect(try HeadReader(wrong.text).fields["album"] == church)
        let photo = try #require(ids["vows"])
        for (goal, place) in [
            ("album=\(church)", page), ("album=\(church.uppercased())", page),
            ("photo=..&album=\(church)", page),
            ("album=\(church)&photo=\(photo)", "/e/\(host.slug)/p/\(photo)"),
        ] {
            let right = try await type("13579", goal)
            #expect(try await gallery.arrival(of: right) == place, "\(goal)")
        }
        let byKey = try await get("?k=\(key)&album=\(church)")
        #expect(try await gallery.arrival(of: byKey) == page)
        #expect(byKey.header("Set-Cookie") != nil)
        let byAnother = try await get("?k=another&album=\(church)")
        #expect(byAnother.status == 401)
        #expect(try HeadReader(byAnother.text).fields["album"] == church)
    }

    @Test("everything of a section comes as one ZIP, of which what comes later is no part")
    func archive() async throws {
        let gallery = ground.gallery
        func link(_ album: String) async throws -> GalleryGround.Answer {
            try await gallery.call("POST", "/e/\(ground.host.slug)/zip-link", ["album": .string(album)])
        }
        /// The archive behind a link, by what no other one has: its tag and how long it is.
        func archive(_ link: GalleryGround.Answer) async throws -> [String] {
            let url = try #require(link["url"]?.string, "\(link)")
            let zip = try await gallery.response(to: String(url.dropFirst("http://gallery.example".count)))
            #expect(zip.status == 200)
            if case .stream(let source) = zip.body { source.close() }
            return try ["ETag", "Content-Length", "Content-Disposition"].map { name in
                try #require(zip.headers.first { $0.name == name }?.value, "\(name)")
            }
        }
        let made = try await link(party)
        #expect(made["photos"]?.integer == 3 && made["size"]?.string == "screen", "\(made)")
        let before = try await archive(made)
        #expect(before[2].contains(" - The _b_party_-b_.zip\""), "\(before)")
        try await ground.shoot("later", "2026-11-21T20:00:00")
        let later = try #require(try await ground.photo("later")["id"]?.string)
        let added = try await gallery.call(
            "PATCH", "/photos", ["ids": [.string(later)], "addAlbums": [.string(party)]],
            token: gallery.token(ground.host))
        #expect(added.status == 200, "\(added)")
        #expect(try await archive(made) == before)
        let anew = try await link(party)
        #expect(anew["photos"]?.integer == 4)
        #expect(try await archive(anew)[0] != before[0])
        try await hide("cake")
        #expect(try await link(party)["photos"]?.integer == 3)
        #expect(try await archive(made)[0] != before[0], "what is hidden is in no archive")
        #expect(try await link(TestIDs.id(1)).status == 404)
        let own = try await gallery.call(
            "POST", "/events/\(ground.host.event)/zip-link", ["album": .string(church)],
            token: gallery.token(ground.host))
        #expect(own["photos"]?.integer == 2 && own["size"]?.string == "original", "\(own)")
    }

    @Test("neither database sorts a section's photos or reads others than its own")
    func plan() async throws {
        let plans = Shared<[String]>([])
        let reader = try ground.gallery.ground.reader(on: GalleryThreads.store) {
            try ExplainedSession($0, plans)
        }
        var filter = PhotoFilter()
        filter.album = party
        let event = ground.host.event
        _ = try await reader { [filter] in try $0.photos(of: event, filter) }
        _ = try await reader { [party] in try $0.timelineEntries(of: event, in: party, behind: nil).isLast }
        #expect(plans.value.count == 2)
        for plan in plans.value {
            #expect(plan.contains("photos_of_section"), "\(plan)")
            #expect(!plan.contains("TEMP B-TREE") && !plan.contains("Sort"), "\(plan)")
            #expect(!plan.contains("SCAN") && !plan.contains("Seq Scan"), "\(plan)")
        }
    }
}
