import Basics
import Database
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// What a stored gallery is asked through its interface, wherever its rows are by now.
struct StoredQuestions {
    let gallery: GalleryGround

    init(_ gallery: GalleryGround) {
        self.gallery = gallery
    }

    func host() async throws {
        let ground = gallery.ground
        let pair = try await ground.login(StoredGallery.email, StoredGallery.password)
        let me = try await gallery.call("GET", "/me", token: pair.access)
        #expect(me["credits"] == .integer(0) && me["hasConsented"] == .bool(true))
        let families = try await gallery.store.families()
        #expect(families.count == 4)
        for family in families where !family.isRevoked {
            let token = RefreshToken(
                family: family.id, number: family.newest, key: ground.accounts.refreshKeys.current
            ).text
            _ = try await ground.refresh(token)
        }
        for family in families where family.isRevoked {
            let token = RefreshToken(
                family: family.id, number: family.newest, key: ground.accounts.refreshKeys.current
            ).text
            #expect(try await AccountGround.refusal { try await ground.refresh(token) } != nil)
        }
    }

    func photos() async throws {
        let token = try await gallery.ground.login(StoredGallery.email, StoredGallery.password).access
        let events = try await gallery.call("GET", "/events", token: token).data?.array ?? []
        #expect(Set(events.map { $0["name"]?.string }) == ["Wedding", "Open house", "Rehearsal"])
        let wedding = try #require(events.first { $0["name"] == "Wedding" })
        #expect(wedding["hasPin"] == .bool(true) && wedding["allowsOriginals"] == .bool(true))
        let id = try #require(wedding["id"]?.string)
        let list = try await gallery.call("GET", "/events/\(id)/photos?hidden=true", token: token)
        let photos = list["photos"]?.array ?? []
        #expect(Set(photos.map { $0["filename"]?.string }) == ["kiss.jpg", "speech.jpg"])
        let kiss = try #require(photos.first { $0["filename"] == "kiss.jpg" })
        #expect(kiss["caption"] == "The first kiss" && kiss["tags"] == ["church", "both"])
        #expect(kiss["capturedAt"] == "2026-11-21T20:15:00.000Z")
        #expect(try await gallery.server.images.find(try #require(kiss["screenKey"]?.string)) != nil)
        try await guestUploads(of: wedding, kiss, token)
        let uploads = try await gallery.call("GET", "/uploads/events/\(id)", token: token)
        let statuses = (uploads["uploads"]?.array ?? []).compactMap { $0["status"]?.string }
        #expect(Set(statuses) == ["pending", "processing", "completed", "failed", "expired"], "\(uploads)")
        let sync = try await gallery.call(
            "POST", "/sync", ["lastSync": .null, "changes": []], token: token)
        let kinds = (sync["changes"]?.array ?? []).map {
            "\($0["type"]?.string ?? "") \($0["action"]?.string ?? "")"
        }
        #expect(
            Set(kinds) == ["event upsert", "event delete", "album upsert", "photo upsert", "photo delete"])
    }

    /// Galleries of before version 8 know none of guests.
    private func guestUploads(of wedding: JSONValue, _ kiss: JSONValue, _ token: String) async throws {
        let hasSome = wedding["allowsGuestUploads"] == .bool(true)
        #expect(wedding["guestUploadLimit"] == .integer(hasSome ? 5 : 200))
        #expect(wedding["guestCreditsSpent"] == .integer(hasSome ? 2 : 0))
        #expect(wedding["counts"]?["waiting"] == .integer(hasSome ? 1 : 0))
        #expect(kiss["guestName"] == (hasSome ? "Cleo" : .null) && kiss["pending"] == .bool(false))
        let id = try #require(wedding["id"]?.string)
        let waiting = try await gallery.call("GET", "/events/\(id)/photos?waiting=true", token: token)
        let names = (waiting["photos"]?.array ?? []).map { $0["filename"]?.string }
        #expect(names == (hasSome ? ["speech.jpg"] : []))
    }

    func guests() async throws {
        func slug(_ name: String) async throws -> String {
            try #require(try await gallery.store.events(named: name).first?.slug)
        }
        let wedding = try await slug("Wedding")
        let entered = try await gallery.call(
            "POST", "/e/\(wedding)/access", ["pin": .string(StoredGallery.pin)])
        let cookie = try #require(entered.header("Set-Cookie")?.split(separator: ";").first)
        let list = try await gallery.call(
            "GET", "/e/\(wedding)/photos?q=first%20kiss", bytes: [],
            headers: [HTTPHeader("Cookie", String(cookie))])
        #expect(list["photos"]?.array?.count == 1, "\(list)")
        #expect(list["photos"]?.array?.first?["originalUrl"] != nil)
        let sections = try await gallery.call(
            "GET", "/e/\(wedding)/albums", bytes: [], headers: [HTTPHeader("Cookie", String(cookie))])
        #expect(sections["albums"]?.array?.first?["name"] == "Best", "\(sections)")
        #expect(sections["albums"]?.array?.first?["photos"] == .integer(1), "\(sections)")
        let open = try await gallery.call("GET", "/e/\(try await slug("Open house"))/photos")
        #expect(open["photos"]?.array?.count == 1)
        #expect(try await gallery.call("GET", "/e/\(try await slug("Rehearsal"))").status == 410)
    }

    func uploads() async throws {
        let pair = try await gallery.ground.login(StoredGallery.email, StoredGallery.password)
        let event = try #require(try await gallery.store.events(named: "Wedding").first)
        let token = try #require(
            AccessToken(pair.access, keys: gallery.ground.accounts.accessKeys, now: gallery.wall.wallNow))
        let host = GalleryGround.Host(
            account: token.account, family: token.family, event: event.id, slug: event.slug)
        let again = try await gallery.place("kiss", Array("kiss".utf8), for: host, name: "kiss.jpg")
        #expect(again.status == 200, "\(again)")
        let working = try await gallery.store.nextToProcess(except: [])
        #expect(working?.row.contentLength == 7)
        let totals = try await gallery.totals()
        #expect(totals.photos == 4 && totals.removals > 0)
        let other = try await gallery.place("kiss", Array("kisses".utf8), for: host, name: "kiss.jpg")
        #expect(other.code == "CONFLICT")
    }
}

extension GalleryStore {
    fileprivate struct Family {
        let id: String
        let isRevoked: Bool
        let newest: Int
    }

    fileprivate func families() throws -> [Family] {
        try database.all(
            """
            SELECT id, revoked_at IS NOT NULL AS revoked,
                (SELECT max(number) FROM refresh_tokens WHERE family_id = id) AS newest
                FROM token_families
            """
        ) { row in Family(id: try row["id"], isRevoked: try row["revoked"], newest: try row["newest"]) }
    }
}
