import Basics
import Database
import HTTPServer
import TestSupport
import Testing
import Web

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
        let codes: Set = ["NULL", "'NOT_AN_IMAGE'", "'INSUFFICIENT_CREDITS'"]
        #expect(uploads.column("error_code") == (version > 5 ? codes.union(["'DISMISSED'"]) : codes))
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
        guard version > 5 else { return }
        for column in ["original_crc", "screen_crc"] {
            let values = photos.column(column)
            #expect(values.contains("NULL") && values.count > 1, "\(column)")
        }
        guard version > 6 else { return }
        let events = try #require(old.before["events"])
        for column in ["allows_hearts", "allows_comments"] {
            #expect(events.column(column) == ["0", "1"], "\(column)")
        }
        let reactions = try #require(old.before["photo_reactions"])
        #expect(reactions.column("hearts") == ["2"] && reactions.column("comments") == ["1"])
        #expect(reactions.column("edits") == ["3"] && reactions.column("stamp") != ["0"])
        for column in ["cover_photo", "accent", "logo_key", "logo_width"] {
            let values = events.column(column)
            #expect(values.contains("NULL") && values.count > 1, "\(column)")
        }
        #expect(events.column("theme") == ["'dark'", "'auto'"])
        let pieces = try #require(old.before["tus_pieces"])
        #expect(pieces.column("start") == ["0"] && pieces.column("size") == ["5"])
        guard version > 7 else { return }
        for column in ["stream_key", "stream_size", "stream_crc", "duration"] {
            let values = photos.column(column)
            #expect(values.contains("NULL") && values.count > 1, "\(column)")
        }
        #expect(photos.column("has_poster") == ["0", "1"])
        #expect(events.column("guest_upload_credits") == ["NULL", "5"])
        #expect(events.column("guest_credits_spent") == ["0", "2"])
        #expect(photos.column("guest_name") == ["NULL", "''", "'Cleo'"])
        #expect(photos.column("waiting") == ["0", "1"])
        #expect(try #require(old.before["guest_uploads"]).column("name") == ["'Cleo'"])
        let sorted = try #require(old.before["photo_albums"])
        #expect(sorted.column("shown") == ["1"] && !sorted.column("place").contains("0"))
        let guests = try #require(old.before["download_guests"])
        #expect(guests.column("number") == ["0", "1"] && guests.column("author").contains("NULL"))
        let told = try #require(old.before["reminders"]).column("told_at")
        #expect(told.contains("NULL") && told.count > 1)
    }

    @Test(
        "photos of an older gallery have no tile, and no placeholder before version 10, and their page does without",
        arguments: OldGallery.versions
    )
    func tiles(version: Int) async throws {
        let old = try OldGallery(version)
        // One was deleted: what is shown is the same in galleries of every version.
        for column in ["tile_key", "tile_size", "tile_width"] where version > 8 {
            let values = try #require(old.before["photos"]).column(column)
            #expect(values.contains("NULL") && values.count > 1, "\(column)")
        }
        if version > 9 {
            let values = try #require(old.before["photos"]).column("placeholder")
            #expect(values.contains("NULL") && values.count > 1)
        }
        let gallery = try open(old)
        let found = try await gallery.server.store { store in
            try store.database.all(
                "SELECT \(Photo.columns) FROM photos WHERE deleted_at IS NULL", as: Photo.init)
        }
        #expect(!found.isEmpty && found.allSatisfy { $0.tile == nil && $0.keys.count == 3 })
        let photo = try #require(found.first { !$0.isHidden })
        let event = try #require(try await gallery.store.event(photo.event))
        let page = PagePhoto(photo, in: event, ImageDelivery(.here))
        #expect(page.json["tileUrl"] == nil && page.json["thumbUrl"] != nil)
        #expect(version > 9 || page.json["placeholder"] == nil && PlaceholderSheet([page]).sheet == nil)
        let tile = PhotoTile.html(page, .of(.english), number: 0, savesData: false)
        #expect(tile.text.contains("src=") && !tile.text.contains("srcset"))
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
    func host(version: Int) async throws { try await StoredQuestions(open(OldGallery(version))).host() }

    @Test("an older gallery's events, photos and uploads are as they were", arguments: OldGallery.versions)
    func photos(version: Int) async throws { try await StoredQuestions(open(OldGallery(version))).photos() }

    @Test("guests of an older gallery come in by the PIN they have", arguments: OldGallery.versions)
    func guests(version: Int) async throws { try await StoredQuestions(open(OldGallery(version))).guests() }

    @Test(
        "what was on its way to an older gallery goes on, and nothing is charged again",
        arguments: OldGallery.versions)
    func uploads(version: Int) async throws { try await StoredQuestions(open(OldGallery(version))).uploads() }

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
