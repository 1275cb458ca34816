import Basics
import Database
import Digest
import Glibc
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// What happens to a gallery while it moves, and what is wrong with it already.
@Suite(
    .onSQLite,
    .enabled(if: MoveGround.canRun, "SeaweedFS or PostgreSQL is not installed; tools/setup does it"),
    .timeLimit(.minutes(Cases.minutesOfHang)))
struct MoveChangeTests {
    @Test(
        "the copy of a video, and a tile, are moved, are missed where they are not there, and are not listed for removal",
        arguments: ["streamKey", "tileKey"])
    func more(name: String) async throws {
        let folder = try TemporaryFolder(in: TemporaryFolder.memory)
        let ground = try MoveGround(folder)
        let gallery = try GalleryGround(in: folder)
        gallery.renderer.hasTiles.change { $0 = true }
        let host = try await gallery.host()
        let key = try #require(try await gallery.bringVideo(for: host)[name]?.string)
        let file = ground.file(of: key)
        #expect(rename(file, "\(file).away") == 0)
        #expect(try await ground.problem() != nil)
        #expect(ground.said.value.contains { $0.contains(key) }, "\(ground.said.value)")
        #expect(rename("\(file).away", file) == 0)
        #expect(try await ground.move() == .moved)
        let there = try await ground.bucket.readBack(key)
        #expect(there?.sha256 == SHA256.of(try readFile(file)))
        let target = try ground.database.server.session(ground.database.name)
        #expect(try target.count("FROM removals WHERE object_key = ?", key) == 0)
        try ground.expectSameRows()
    }

    @Test("what has a tile and is deleted while a gallery is served is left to the sweeper, once")
    func deletedTile() async throws {
        let folder = try TemporaryFolder(in: TemporaryFolder.memory)
        let ground = try MoveGround(folder)
        let gallery = try GalleryGround(in: folder)
        gallery.renderer.hasTiles.change { $0 = true }
        let host = try await gallery.host()
        let photo = try #require(try await gallery.upload("kiss", for: host))
        _ = try await ground.move(isLocked: false)
        let gone = try await gallery.call(
            "DELETE", "/photos/\(photo["id"]?.string ?? "")", token: gallery.token(host))
        #expect(gone.status == 204)
        #expect(try await ground.move() == .moved)
        try ground.expectSameRows()
        let target = try ground.database.server.session(ground.database.name)
        let key = try #require(photo["tileKey"]?.string)
        #expect(try target.count("FROM removals WHERE object_key = ?", key) == 1)
    }

    @Test("what changes while a gallery is served is taken over by the last run")
    func changes() async throws {
        let folder = try TemporaryFolder(in: TemporaryFolder.memory)
        let ground = try MoveGround(folder)
        let gallery = try GalleryGround(in: folder)
        let host = try await gallery.host()
        let other = try await gallery.host("other@example.org")
        let token = gallery.token(host)
        var ids: [String: String] = [:]
        for name in ["kiss", "cake", "speech", "dance"] {
            ids[name] = try await gallery.upload(name, for: host)?["id"]?.string
        }
        try await gallery.upload("theirs", for: other)
        try await gallery.bringVideo(for: host)
        guard case .isServed(let rest) = try await ground.move(isLocked: false) else {
            Issue.record("it is served still")
            return
        }
        #expect(rest > .zero)
        try ground.expectSameRows()
        try await ground.expectSameObjects()
        // Bytes that come back after their photo was deleted, under a name that sorts before or behind it.
        for name in ["cake", "dance"] {
            _ = try await gallery.call("DELETE", "/photos/\(ids[name] ?? "")", token: token)
            let place = try await gallery.place("\(name)-again", Array(name.utf8), for: host)
            try await gallery.fill(place, with: Array(name.utf8))
        }
        try await gallery.work()
        _ = try await gallery.call(
            "PATCH", "/photos/\(ids["kiss"] ?? "")", ["hidden": .bool(true), "rating": .integer(4)],
            token: token)
        try await gallery.upload("late", for: host)
        var late = VideoFile()
        late.pictures = Array("the pictures of another video".utf8)
        try await gallery.bringVideo(late.bytes, for: host, name: "late.MP4")
        try await gallery.store.deleteAccount(other.account)
        _ = try await gallery.host("other@example.org")
        gallery.wall.go(Sweeper.grace * 3)
        try await gallery.server.sweeper.sweep()
        #expect(try await ground.move() == .moved)
        try ground.expectSameRows(except: ["removals"])
        try await ground.expectSameObjects()
        let target = try ground.database.server.session(ground.database.name)
        let due = try Set(
            target.all("SELECT object_key FROM removals") { try $0.get("object_key", as: String.self) })
        #expect(due.count >= 3, "what was deleted since it was brought there is left to the sweeper")
        let list = try await ground.bucket.list(after: nil, limit: 1000).map(\.key)
        let wanted = try target.all(
            """
            SELECT original_key AS key FROM photos WHERE deleted_at IS NULL UNION SELECT thumb_key FROM photos
            WHERE deleted_at IS NULL UNION SELECT screen_key FROM photos WHERE deleted_at IS NULL
            UNION SELECT stream_key FROM photos WHERE deleted_at IS NULL AND stream_key IS NOT NULL
            """
        ) { try $0.get("key", as: String.self) }
        #expect(Set(list).subtracting(due) == Set(wanted), "nothing else lies there")
    }

    @Test("a text that PostgreSQL cannot hold is taken over without what it cannot, and that is said")
    func nul() async throws {
        let ground = try MoveGround(OldGallery(4).folder)
        try ground.makeObjects()
        let source = try Connection(path: ground.path, .readWrite)
        try source.run(
            "UPDATE photos SET camera = ?, copyright = ? WHERE filename = 'kiss.jpg'", "Z\u{0}8", "é")
        try source.run("UPDATE events SET name = ? WHERE name = 'Wedding'", "Wed\u{0}\u{0}ding")
        #expect(try await ground.move() == .moved)
        let target = try ground.database.server.session(ground.database.name)
        #expect(try target.has("SELECT 1 FROM photos WHERE camera = ? AND copyright = ?", "Z\u{FFFD}8", "é"))
        #expect(try target.has("SELECT 1 FROM events WHERE name = ?", "Wed\u{FFFD}\u{FFFD}ding"))
        let told = ground.said.value.filter { $0.contains("U+0000") }
        #expect(told.count == 2 && told.contains { $0.hasPrefix("photos ") }, "\(told)")
    }

    @Test(
        "a photo whose bytes are lost or changed keeps the gallery where it is, and is named",
        arguments: [
            ("original_key", "is missing"), ("thumb_key", "is missing"), ("original_key", "bytes instead of"),
            ("original_key", "the SHA-256"),
        ])
    func harmed(column: String, word: String) async throws {
        let ground = try MoveGround(OldGallery(4).folder)
        try ground.makeObjects()
        let photo = try #require(
            try Connection(path: ground.path, .readOnly).first(
                "SELECT id, \(column) FROM photos WHERE deleted_at IS NULL ORDER BY id LIMIT 1"
            ) { (id: try $0.get(0, as: String.self), key: try $0.get(1, as: String.self)) })
        let file = ground.file(of: photo.key)
        let before = try readFile(file)
        unlink(file)
        switch word {
        case "bytes instead of": try write([1, 2, 3], file)
        case "the SHA-256": try write(before.map { $0 ^ 1 }, file)
        default: break
        }
        #expect(try await ground.problem()?.contains("may be served") == true)
        let said = ground.said.value.filter { $0.contains(photo.id) && $0.contains(word) }
        #expect(said.count == 1, "\(ground.said.value)")
        #expect(try SQLiteGallery.closure(ground.path) == nil)
        unlink(file)
        try write(before, file)
        #expect(try await ground.move() == .moved)
        try await ground.expectSameObjects()
    }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        guard let file = fopen(path, "wb") else { throw FileProblem(path: path, number: errno) }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
            throw FileProblem(path: path, number: errno)
        }
    }

    @Test("an object that lies in the bucket with other bytes is put there anew")
    func otherBytes() async throws {
        let ground = try MoveGround(OldGallery(4).folder)
        try ground.makeObjects()
        let (key, size) = try #require(
            try Connection(path: ground.path, .readOnly).first(
                "SELECT thumb_key, thumb_size FROM photos WHERE deleted_at IS NULL"
            ) { (try $0.get(0, as: String.self), try $0.get(1, as: Int.self)) })
        let bytes = [UInt8](repeating: 1, count: size)
        try ground.folder.write(bytes, to: "other")
        try await ground.bucket.put(
            ground.folder.file("other"), size: UInt64(size), sha256: SHA256.of(bytes), type: "image/jpeg",
            as: key)
        #expect(try await ground.move() == .moved)
        try await ground.expectSameObjects()
    }

    @Test("every table of a gallery in a file is moved, or is known to mean nothing elsewhere")
    func tables() throws {
        let old = try OldGallery(4)
        let tables = try OldGallery.contents(Connection.open(path: old.path, GallerySchema.migrations))
        #expect(Set(tables.keys.filter { !MovedTable.isLeft($0) }) == Set(MovedTable.all.map(\.name)))
    }
}
