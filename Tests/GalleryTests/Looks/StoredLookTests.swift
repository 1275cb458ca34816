import Database
import TestSupport
import Testing

@testable import Gallery

/// Looks of galleries that come from elsewhere: from a version that knew none, or from one machine to several.
@Suite(.onSQLite, .timeLimit(.minutes(Cases.minutesOfHang))) struct StoredLookTests {
    /// The last version without looks.
    private static let before = 6

    @Test("events of a version that knew no looks have the gallery's own")
    func older() async throws {
        let wall = GalleryWall()
        wall.go(StoredGallery.age)
        let gallery = try GalleryGround(seed: 70, in: OldGallery(Self.before).folder, wall: wall)
        let events = try await gallery.store.number("SELECT count(*) FROM events")
        let plain = try await gallery.store.number(
            """
            SELECT count(*) FROM events WHERE accent IS NULL AND theme = 'auto' AND typeface = 'classic'
                AND cover_photo IS NULL AND logo_key IS NULL
            """)
        #expect(events > 0 && plain == events)
    }

    @Test(
        "an event's look moves with it, and its logo is read back at the new place",
        .enabled(if: MoveGround.canRun, "SeaweedFS or PostgreSQL is not installed; tools/setup does it"))
    func moved() async throws {
        let ground = try MoveGround(OldGallery(Self.before).folder)
        try ground.makeObjects()
        let key = String(repeating: "0123456789abcdef", count: 2)
        try dress(ground, key)
        let folders = ["objects", "objects/01", "objects/01/23"]
        for folder in folders { ground.folder.makeFolder(folder) }
        #expect(try await ground.problem() != nil, "its logo is missing")
        try ground.folder.write("a logo", to: "objects/01/23/\(key)")
        #expect(try await ground.move() == .moved)
        try ground.expectSameRows()
        let there = try await ground.bucket.readBack(key)
        #expect(there?.size == 6)
        let session = try ground.database.server.session(ground.database.name)
        let look = try session.first(
            "SELECT accent, theme, typeface, logo_width FROM events WHERE logo_key = ?", key
        ) { row in
            [
                try row.get("accent", as: String.self), try row.get("theme", as: String.self),
                try row.get("typeface", as: String.self), "\(try row.get("logo_width", as: Int.self))",
            ]
        }
        #expect(look == ["#8a3b4a", "dark", "mono", "30"])
        #expect(try session.count("FROM removals WHERE object_key = ?", key) == 0)
    }

    /// As the program of this version has it, which is not running now.
    private func dress(_ ground: MoveGround, _ key: String) throws {
        let source = try SQLiteGallery.open(ground.path)
        try source.run(
            """
            UPDATE events SET accent = '#8a3b4a', theme = 'dark', typeface = 'mono', logo_key = ?, logo_size = 6,
                logo_width = 30, logo_height = 20
            WHERE id = (SELECT id FROM events WHERE deleted_at IS NULL ORDER BY id LIMIT 1)
            """, key)
    }
}
