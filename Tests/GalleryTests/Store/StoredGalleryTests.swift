import Basics
import Database
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Galleries that older versions have left behind: what was in them is there, and what gave access still does.
@Suite struct StoredGalleryTests {
    private func open(_ old: OldGallery) throws -> GalleryGround {
        let wall = GalleryWall()
        wall.go(StoredGallery.age)
        return try GalleryGround(seed: 70, in: old.folder, wall: wall)
    }

    /// How the newest was made: into the folder that TETHERLINE_FIXTURES names, with its tables beside it. Never again
    /// once it was shipped.
    @Test("the stored gallery has been made", .enabled(if: StoredGallery.folder != nil, "made once, by hand"))
    func make() async throws {
        try await StoredGallery.make(at: try #require(StoredGallery.folder))
    }

    @Test("a fresh gallery has the tables that were shipped, to the letter")
    func golden() throws {
        let ground = try AccountGround()
        let path = ground.folder.file(GalleryStore.fileName)
        let found = try OldGallery.schema(of: Connection(path: path, .readOnly))
        #expect(
            try found == OldGallery.shippedSchema(GallerySchema.migrations.version),
            """
            Migrations that were shipped are append-only: a change of the tables is another step in \
            GallerySchema.migrations with files of its own in Fixtures/gallery, never a change to an old step.
            """)
    }

    @Test("a stored gallery has rows in every table, in every state", arguments: OldGallery.versions)
    func everyState(version: Int) throws {
        let old = try OldGallery(version)
        #expect(
            try OldGallery.schema(of: Connection(path: old.path, .readOnly))
                == OldGallery.shippedSchema(version))
        for (name, table) in old.before { #expect(!table.rows.isEmpty, "\(name)") }
        let uploads = try #require(old.before["uploads"])
        let states = ["pending", "processing", "completed", "failed", "expired"].map { "'\($0)'" }
        #expect(uploads.column("status") == Set(states))
        #expect(uploads.column("error_code") == ["NULL", "'NOT_AN_IMAGE'", "'INSUFFICIENT_CREDITS'"])
        let photos = try #require(old.before["photos"])
        #expect(photos.column("hidden") == ["0", "1"])
        for (table, column) in [
            ("photos", "deleted_at"), ("events", "deleted_at"), ("events", "pin_hash"),
            ("events", "expires_at"), ("token_families", "revoked_at"), ("refresh_tokens", "spent_at"),
            ("refresh_tokens", "used_at"), ("accounts", "credits"), ("accounts", "consent_version"),
        ] {
            let values = try #require(old.before[table]).column(column)
            #expect(values.contains("NULL") && values.count > 1, "\(table).\(column)")
        }
        guard version > 2 else { return }
        for (table, column) in [
            ("events", "time_zone"), ("cameras", "shift"), ("cameras", "hint"), ("photos", "clock"),
            ("photos", "satellites"), ("photos", "captured_offset"), ("photos", "camera_id"),
        ] {
            let values = try #require(old.before[table]).column(column)
            #expect(values.contains("NULL") && values.count > 1, "\(table).\(column)")
        }
    }

    @Test("every value of an older gallery is there when it has been opened", arguments: OldGallery.versions)
    func everyValue(version: Int) throws {
        let old = try OldGallery(version)
        let after = try OldGallery.contents(Connection.open(path: old.path, GallerySchema.migrations))
        for (name, table) in old.before {
            #expect(after[name]?.only(table.columns) == table, "\(name)")
        }
        let look = try Connection(path: old.path, .readOnly)
        #expect(try look.problems() == [])
        #expect(try OldGallery.schema(of: look) == OldGallery.shippedSchema(GallerySchema.migrations.version))
    }

    @Test("a host of an older gallery is still logged in, and can log in", arguments: OldGallery.versions)
    func host(version: Int) async throws {
        let gallery = try open(OldGallery(version))
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

    @Test("an older gallery's events, photos and uploads are as they were", arguments: OldGallery.versions)
    func photos(version: Int) async throws {
        let gallery = try open(OldGallery(version))
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

    @Test("guests of an older gallery come in by the PIN they have", arguments: OldGallery.versions)
    func guests(version: Int) async throws {
        let gallery = try open(OldGallery(version))
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
        let open = try await gallery.call("GET", "/e/\(try await slug("Open house"))/photos")
        #expect(open["photos"]?.array?.count == 1)
        #expect(try await gallery.call("GET", "/e/\(try await slug("Rehearsal"))").status == 410)
    }

    @Test(
        "what was on its way to an older gallery goes on, and nothing is charged again",
        arguments: OldGallery.versions)
    func uploads(version: Int) async throws {
        let gallery = try open(OldGallery(version))
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
        let totals = try await gallery.store.totals()
        #expect(totals.photos == 4 && totals.removals > 0)
        let other = try await gallery.place("kiss", Array("kisses".utf8), for: host, name: "kiss.jpg")
        #expect(other.code == "CONFLICT")
    }

    @Test("a gallery of a newer version is refused, and not a byte of it changes")
    func newer() throws {
        let now = GallerySchema.migrations.version
        let old = try OldGallery(now)
        try Connection(path: old.path, .readWrite).script("PRAGMA user_version = \(now + 1)")
        let before = try readFile(old.path)
        let refusal = #expect(throws: Refusal.self) { try open(old) }
        #expect(refusal?.description.contains("was made by a newer Tetherline") == true)
        #expect(try readFile(old.path) == before)
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
