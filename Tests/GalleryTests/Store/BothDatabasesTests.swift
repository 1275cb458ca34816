import Basics
import Database
import Posix
import Postgres
import TestSupport
import Testing

@testable import Gallery

/// One schema, two dialects: what one database refuses the other refuses for the same reason, and what one takes the other
/// takes.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct BothDatabasesTests {
    private static let (account, event, photo) = (TestIDs.id(1), TestIDs.id(2), TestIDs.id(3))
    private static let hash = String(repeating: "a", count: 64)

    /// What every statement is tried on.
    private static let ground = [
        """
        INSERT INTO accounts (id, email, display_name, password_hash, created_at)
            VALUES ('\(account)', 'ann@example.org', 'Ann', '*', 1)
        """,
        """
        INSERT INTO events (id, owner_id, name, slug, created_at, updated_at, stamp)
            VALUES ('\(event)', '\(account)', 'Wedding', 'wedding', 1, 1, 1)
        """,
        insertPhoto(photo, sequence: 1, key: "k"),
    ]

    private static func insertPhoto(
        _ id: String, sequence: Int, key: String, hash: String = hash, rating: Int = 0, size: Int = 1,
        caption: String = "", hidden: Int = 0
    ) -> String {
        """
        INSERT INTO photos (id, event_id, owner_id, sequence, sha256, content_type, size, width, height, created_at,
            thumb_key, screen_key, original_key, thumb_size, screen_size, thumb_width, thumb_height, updated_at, stamp,
            rating, caption, hidden)
            VALUES ('\(id)', '\(event)', '\(account)', \(sequence), '\(hash)', 'image/jpeg', \(size), 1, 1, 1, '\(key)1',
                '\(key)2', '\(key)3', 1, 1, 1, 1, 1, 1, \(rating), '\(caption)', \(hidden))
        """
    }

    private static func insertUpload(_ status: String, _ columns: String = "", _ values: String = "")
        -> String
    {
        """
        INSERT INTO uploads (id, account_id, event_id, request_hash, content_type, content_length, status, expires_at,
            created_at\(columns)) VALUES ('\(TestIDs.id(9))', '\(account)', '\(event)', ?, 'image/jpeg', 1, '\(status)', 1,
            1\(values))
        """
    }

    private static let other = String(repeating: "b", count: 64)

    /// Each with what both make of it; nothing where both take it.
    static let statements: [(String, SQLFailure?)] = [
        ("UPDATE accounts SET email = 'a'", .checkViolated),
        ("UPDATE accounts SET credits = -1", .checkViolated),
        ("UPDATE accounts SET display_name = ''", .checkViolated),
        ("UPDATE accounts SET password_hash = NULL", .checkViolated),
        ("UPDATE accounts SET credits = 0", nil),
        (
            "INSERT INTO accounts (id, email, display_name, password_hash, created_at) VALUES "
                + "('\(TestIDs.id(8))', 'ann@example.org', 'B', '*', 1)", .uniqueViolated
        ),
        ("UPDATE events SET slug = 'ab'", .checkViolated),
        ("UPDATE events SET allows_originals = 2", .checkViolated),
        ("UPDATE events SET starts_at = 5, expires_at = 5", .checkViolated),
        ("UPDATE events SET starts_at = 5, expires_at = 6", nil),
        ("UPDATE events SET owner_id = '\(TestIDs.id(7))'", .foreignKeyViolated),
        ("UPDATE events SET guessed_offset = 841", .checkViolated),
        ("UPDATE events SET accent = 'red'", .checkViolated),
        ("UPDATE events SET accent = '#8a3b4a', theme = 'dark', typeface = 'mono'", nil),
        ("UPDATE events SET theme = 'grey'", .checkViolated),
        ("UPDATE events SET typeface = ''", .checkViolated),
        ("UPDATE events SET cover_photo = 'first'", .checkViolated),
        ("UPDATE events SET logo_key = 'k'", .checkViolated),
        ("UPDATE events SET logo_size = 0", .checkViolated),
        (insertPhoto(TestIDs.id(4), sequence: 2, key: "l"), .uniqueViolated),
        (insertPhoto(TestIDs.id(4), sequence: 1, key: "l", hash: other), .uniqueViolated),
        (insertPhoto(TestIDs.id(4), sequence: 2, key: "k", hash: other), .uniqueViolated),
        (insertPhoto(TestIDs.id(4), sequence: 2, key: "l", hash: "short"), .checkViolated),
        (insertPhoto(TestIDs.id(4), sequence: 2, key: "l", hash: other, rating: 6), .checkViolated),
        (insertPhoto(TestIDs.id(4), sequence: 2, key: "l", hash: other, size: 0), .checkViolated),
        (insertPhoto(TestIDs.id(4), sequence: 2, key: "l", hash: other, hidden: 2), .checkViolated),
        (
            insertPhoto(
                TestIDs.id(4), sequence: 2, key: "l", hash: other,
                caption: String(repeating: "ü", count: 2001)),
            .checkViolated
        ),
        (
            insertPhoto(
                TestIDs.id(4), sequence: 2, key: "l", hash: other,
                caption: String(repeating: "ü", count: 2000)),
            nil
        ),
        ("UPDATE photos SET event_id = '\(TestIDs.id(7))'", .foreignKeyViolated),
        (insertUpload("pending"), nil),
        (insertUpload("gone"), .checkViolated),
        (insertUpload("failed"), .checkViolated),
        (insertUpload("pending", ", error_code", ", 'X'"), .checkViolated),
        (insertUpload("completed", ", photo_id", ", '\(photo)'"), .checkViolated),
        (insertUpload("processing"), .checkViolated),
        (insertUpload("processing", ", object_key, arrival", ", 'k', 1"), nil),
        ("INSERT INTO invitations (hash, uses, created_at, expires_at) VALUES (?, -1, 1, 1)", .checkViolated),
        ("UPDATE event_counts SET photos = -1", .checkViolated),
        ("UPDATE events SET allows_hearts = 2", .checkViolated),
        ("UPDATE events SET allows_comments = -1", .checkViolated),
        ("UPDATE events SET allows_guest_uploads = 2", .checkViolated),
        ("UPDATE events SET guest_uploads_moderated = -1", .checkViolated),
        ("UPDATE events SET guest_upload_credits = -1", .checkViolated),
        ("UPDATE events SET guest_upload_credits = 0, guest_credits_spent = 5", nil),
        ("UPDATE events SET guest_credits_spent = -1", .checkViolated),
        ("UPDATE photos SET waiting = 2", .checkViolated),
        ("UPDATE photos SET tile_key = 'k'", .checkViolated),
        ("UPDATE photos SET tile_size = 0", .checkViolated),
        ("UPDATE photos SET tile_width = 0", .checkViolated),
        ("UPDATE photos SET tile_key = '\(hash.prefix(32))', tile_size = 1, tile_width = 800", nil),
        // Of 32 bytes.
        ("UPDATE photos SET placeholder = ?", .checkViolated),
        ("UPDATE photos SET guest_name = '', waiting = 1", nil),
        ("UPDATE photos SET guest_name = '\(String(repeating: "ü", count: 51))'", .checkViolated),
        (
            "INSERT INTO guest_uploads VALUES ('\(TestIDs.id(7))', '\(event)', 'd', '', 1)",
            .foreignKeyViolated
        ),
        (insertHeart(of: photo), nil),
        (insertHeart(of: TestIDs.id(7)), .foreignKeyViolated),
        (insertHeart(of: photo, device: ""), .checkViolated),
        (insertComment(String(repeating: "ü", count: 500)), nil),
        (insertComment(String(repeating: "ü", count: 501)), .checkViolated),
        (insertComment(""), .checkViolated),
        (
            "INSERT INTO photo_reactions (photo_id, event_id, hearts) VALUES ('\(photo)', '\(event)', -1)",
            .checkViolated
        ),
        (insertAlbum, nil),
        (insertDays(times: 0), nil),
        (insertDays(times: -1), .checkViolated),
        (
            "INSERT INTO download_guests (event_id, device, number, last_day) VALUES ('\(TestIDs.id(7))', '', 0, 1)",
            .foreignKeyViolated
        ),
        (
            "INSERT INTO reminders (event_id, stage, expires_at, due_at) VALUES ('\(event)', '', 1, 1)",
            .checkViolated
        ),
        (
            "INSERT INTO photo_albums (photo_id, album_id) VALUES ('\(photo)', '\(TestIDs.id(6))')",
            .foreignKeyViolated
        ),
        ("DELETE FROM events", nil),
    ]

    private static let insertAlbum = """
        INSERT INTO albums (id, event_id, owner_id, name, updated_at, stamp)
            VALUES ('\(TestIDs.id(6))', '\(event)', '\(account)', 'Church', 1, 1)
        """

    private static func insertDays(times: Int) -> String {
        "INSERT INTO download_days (event_id, day, kind, times) VALUES ('\(event)', 1, 'zip-screen', \(times))"
    }

    private static func insertHeart(of photo: String, device: String = "d") -> String {
        "INSERT INTO hearts (photo_id, device, event_id, given_at) VALUES ('\(photo)', '\(device)', '\(event)', 1)"
    }

    private static func insertComment(_ words: String) -> String {
        """
        INSERT INTO comments (id, photo_id, event_id, device, name, words, created_at)
            VALUES ('\(TestIDs.id(5))', '\(photo)', '\(event)', 'd', 'Cleo', '\(words)', 1)
        """
    }

    @Test("both count a photo's hearts and comments alike, whichever way they come and go")
    func reactions() throws {
        let folder = try TemporaryFolder(in: TemporaryFolder.memory)
        let database = try PostgresServer.shared.get().freshDatabase()
        let steps = [
            Self.insertHeart(of: Self.photo), Self.insertHeart(of: Self.photo, device: "e"),
            Self.insertHeart(of: Self.photo, device: "e") + " ON CONFLICT (photo_id, device) DO NOTHING",
            Self.insertComment("Lovely"), "DELETE FROM hearts WHERE device = 'd'", "DELETE FROM comments",
        ]
        let wanted = [[1, 0], [2, 0], [2, 0], [2, 1], [1, 1], [1, 0]]
        let sessions: [any SQLSession] = [
            try SQLiteGallery.open(folder.file(GalleryStore.fileName)),
            try database.server.session(database.name),
        ]
        for session in sessions {
            for statement in Self.ground { try session.run(statement) }
            for (step, numbers) in zip(steps, wanted) {
                try session.run(step)
                let found = try session.first("SELECT hearts, comments FROM photo_reactions") {
                    row -> [Int] in
                    [try row["hearts"], try row["comments"]]
                }
                #expect(found == numbers, "\(session.dialect) after \(step)")
            }
        }
    }

    @Test("both know where a photo of an album stands on the page, whatever becomes of it")
    func sections() throws {
        let folder = try TemporaryFolder(in: TemporaryFolder.memory)
        let database = try PostgresServer.shared.get().freshDatabase()
        let steps = [
            "INSERT INTO photo_albums (photo_id, album_id) VALUES ('\(Self.photo)', '\(TestIDs.id(6))')",
            "UPDATE photos SET captured_at = 500", "UPDATE photos SET hidden = 1",
            "UPDATE photos SET hidden = 0, captured_at = NULL", "UPDATE photos SET deleted_at = 5",
            "UPDATE photos SET deleted_at = NULL, caption = 'Rings'",
        ]
        // Place, sequence, shown: by hand from the steps; the photo came at 1.
        let wanted = [[1, 1, 1], [500, 1, 1], [500, 1, 0], [1, 1, 1], [1, 1, 0], [1, 1, 1]]
        let sessions: [any SQLSession] = [
            try SQLiteGallery.open(folder.file(GalleryStore.fileName)),
            try database.server.session(database.name),
        ]
        for session in sessions {
            for statement in Self.ground + [Self.insertAlbum] { try session.run(statement) }
            for (step, numbers) in zip(steps, wanted) {
                try session.run(step)
                let found = try session.first("SELECT place, sequence, shown FROM photo_albums") {
                    row -> [Int] in
                    [try row["place"], try row["sequence"], try row["shown"]]
                }
                #expect(found == numbers, "\(session.dialect) after \(step)")
            }
        }
    }

    @Test("what one refuses the other refuses for the same reason", arguments: statements)
    func refusals(sql: String, wanted: SQLFailure?) throws {
        let folder = try TemporaryFolder(in: TemporaryFolder.memory)
        let database = try PostgresServer.shared.get().freshDatabase()
        let sessions: [any SQLSession] = [
            try SQLiteGallery.open(folder.file(GalleryStore.fileName)),
            try database.server.session(database.name),
        ]
        for session in sessions {
            for statement in Self.ground { try session.run(statement) }
            var found: SQLFailure?
            do {
                if sql.contains("?") {
                    try session.run(sql, [UInt8](repeating: 7, count: 32))
                } else {
                    try session.run(sql)
                }
            } catch let error as any SQLError {
                found = error.failure
            }
            #expect(found == wanted, "\(session.dialect): \(sql)")
        }
    }

    @Test("both count an event's photos and uploads alike, whatever becomes of them")
    func counts() throws {
        let folder = try TemporaryFolder(in: TemporaryFolder.memory)
        let database = try PostgresServer.shared.get().freshDatabase()
        let steps = [
            Self.insertPhoto(TestIDs.id(4), sequence: 2, key: "l", hash: Self.other, size: 10),
            "UPDATE photos SET hidden = 1 WHERE sequence = 2",
            "UPDATE photos SET deleted_at = 5 WHERE sequence = 2",
            "UPDATE photos SET deleted_at = NULL, hidden = 0", "DELETE FROM photos WHERE sequence = 1",
        ]
        // Photos, bytes, visible: by hand from the steps, beginning with one photo of one byte.
        let wanted = [[2, 11, 2], [2, 11, 1], [1, 1, 1], [2, 11, 2], [1, 10, 1]]
        let sessions: [any SQLSession] = [
            try SQLiteGallery.open(folder.file(GalleryStore.fileName)),
            try database.server.session(database.name),
        ]
        for session in sessions {
            for statement in Self.ground { try session.run(statement) }
            for (step, numbers) in zip(steps, wanted) {
                try session.run(step)
                let found = try session.first("SELECT photos, bytes, visible FROM event_counts") {
                    row -> [Int] in
                    [try row["photos"], try row["bytes"], try row["visible"]]
                }
                #expect(found == numbers, "\(session.dialect) after \(step)")
            }
        }
    }
}
