import Basics
import Database
import Glibc
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// Galleries of one machine, of every version there was, move to PostgreSQL and a bucket.
@Suite(
    .onSQLite,
    .enabled(if: MoveGround.canRun, "SeaweedFS or PostgreSQL is not installed; tools/setup does it"),
    .timeLimit(.minutes(Cases.minutesOfHang)))
struct MoveTests {
    private func ground(_ version: Int = GallerySchema.migrations.version) throws -> MoveGround {
        let ground = try MoveGround(OldGallery(version).folder)
        try ground.makeObjects()
        return ground
    }

    /// The moved gallery, as a node serves it.
    private func moved(_ ground: MoveGround) throws -> StoredQuestions {
        let wall = GalleryWall()
        wall.go(StoredGallery.age)
        return StoredQuestions(try GalleryGround(seed: 70, on: ground.database, wall: wall))
    }

    @Test("a stored gallery of any version is whole at its new place", arguments: OldGallery.versions)
    func everything(version: Int) async throws {
        let ground = try ground(version)
        #expect(try await ground.move() == .moved)
        try ground.expectSameRows()
        try await ground.expectSameObjects()
        let session = try ground.database.server.session(ground.database.name)
        #expect(
            try session.count("FROM removals JOIN tus_pieces USING (object_key)") == 0,
            "a piece whose upload goes on is removed")
        let questions = try moved(ground)
        try await questions.host()
        try await questions.photos()
        try await questions.guests()
        try await questions.uploads()
    }

    @Test("PostgreSQL knows how many photos there are at once, by which it chooses how to look for them")
    func statistics() async throws {
        let ground = try ground()
        #expect(try await ground.move() == .moved)
        let session = try ground.database.server.session(ground.database.name)
        let counted = try session.first(
            "SELECT reltuples::bigint AS rows FROM pg_class WHERE relname = 'photos'"
        ) {
            try $0.get("rows", as: Int64.self)
        }
        let there = try session.first("SELECT count(*) AS rows FROM photos") {
            try $0.get("rows", as: Int64.self)
        }
        #expect(counted == there)
    }

    @Test("log-ins are signed by the same keys, also by one that came while the gallery moved")
    func keys() async throws {
        let ground = try ground()
        #expect(try await ground.problem(dyingAfter: 3) == "killed")
        let second = ServerSecret.Key(
            number: 2, Array(repeating: 9, count: 32), createdAt: Timestamp(milliseconds: 1_700_000_000_000))
        try await ground.move(secret: ServerSecret([AccountGround.secret.current, second]))
        let gallery = try ground.database.server.gallery(ground.database.name)
        try gallery.check()
        let keys = try await moved(ground).gallery.store.signingKeys()
        #expect(keys.map(\.number) == [2, 1])
        #expect(keys.map(\.bytes) == [second.bytes, AccountGround.secret.current.bytes])
        #expect(keys.allSatisfy(\.isKnownToAll) && keys[0].createdAt == second.createdAt)
    }

    @Test("a move that is killed after any of its transactions goes on with the next run")
    func killed() async throws {
        var batches = 1
        while true {
            let ground = try ground()
            if try await ground.problem(dyingAfter: batches) == nil { break }
            #expect(try await ground.move() == .moved, "killed after \(batches)")
            try ground.expectSameRows()
            try await ground.expectSameObjects()
            batches += 1
        }
        #expect(batches > MovedTable.all.count, "it was killed in every table and between its last steps")
    }

    @Test("a move that is killed again and again comes to its end all the same")
    func killedOften() async throws {
        let ground = try ground()
        var runs = 0
        while try await ground.problem(dyingAfter: 6) != nil {
            runs += 1
            try #require(runs < 100)
        }
        try ground.expectSameRows()
        try await ground.expectSameObjects()
    }

    @Test("until it has come to its end, no node serves what is there")
    func unfinished() async throws {
        let ground = try ground()
        #expect(try await ground.problem(dyingAfter: 5) == "killed")
        let gallery = try ground.database.server.gallery(ground.database.name)
        let refusal = #expect(throws: PostgresGallery.Refusal.self) { try gallery.check() }
        #expect(refusal?.description.contains("run the same 'gallery move' again") == true)
        try await ground.move()
        try gallery.check()
    }

    // MARK: Closing

    @Test("what was moved is closed, to older programs as well, until it is opened again")
    func closing() async throws {
        let ground = try ground()
        let before = try OldGallery.contents(Connection(path: ground.path, .readOnly))
        try await ground.move()
        for open in [SQLiteGallery.open, SQLiteGallery.openForReading] {
            let refusal = #expect(throws: Refusal.self) { _ = try open(ground.path) }
            let text = refusal?.description ?? ""
            #expect(text.contains("moved to the cluster") && text.contains("--reopen"), "\(text)")
        }
        // That is what programs of before looked at.
        #expect(try Connection(path: ground.path, .readOnly).pragma("user_version") > 1000)
        #expect(try await ground.move() == .wasMoved)
        #expect(try GalleryMover.reopen(ground.path))
        #expect(try !GalleryMover.reopen(ground.path))
        let after = try Connection.open(path: ground.path, GallerySchema.migrations)
        #expect(try OldGallery.contents(after) == before)
        #expect(try after.problems() == [])
        #expect(
            try OldGallery.schema(of: after) == OldGallery.shippedSchema(GallerySchema.migrations.version))
        // Both may have changed since.
        #expect(try await ground.problem()?.contains("was reopened since") == true)
    }

    @Test("a gallery that is closed for another reason than this move is not moved")
    func closedBefore() async throws {
        let first = try ground()
        try await first.move()
        let second = try MoveGround(first.folder)
        #expect(try await second.problem()?.contains("is closed") == true)
    }

    @Test("what was moved to one database is not taken for moved to another that it was once on its way to")
    func closedMeanwhile() async throws {
        let first = try ground()
        let second = try MoveGround(first.folder)
        #expect(try await second.problem(dyingAfter: 6) == "killed")
        try await first.move()
        #expect(try await second.problem()?.contains("is closed") == true)
    }

    // MARK: Targets

    @Test("a database that holds another gallery is left alone")
    func otherTargets() async throws {
        let ground = try ground()
        let other = ServerSecret(Array(repeating: 7, count: 32))
        #expect(try await ground.problem(dyingAfter: 4) == "killed")
        #expect(
            try await ground.problem(secret: other)?.contains("was moved to this database before") == true)
        let used = try MoveGround(ground.folder)
        let gallery = try GalleryGround(on: used.database)
        _ = try await gallery.host()
        #expect(try await used.problem()?.contains("its table accounts is not empty") == true)
        let served = try MoveGround(ground.folder)
        let database = try GalleryGround(on: served.database).ground.database
        _ = try await SharedKeys(database.store).load()
        #expect(try await served.problem()?.contains("signs by another key") == true)
        #expect(try SQLiteGallery.closure(ground.path) == nil)
    }
}
