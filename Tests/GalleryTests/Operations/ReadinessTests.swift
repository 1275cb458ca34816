import Basics
import Posix
import Postgres
import TestSupport
import Testing

@testable import Gallery

/// What `/ready` says, to whom, and how soon.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct ReadinessTests {
    private let gallery: GalleryGround

    init() throws { gallery = try GalleryGround() }

    private func ready(from peer: String = "127.0.0.1") async throws -> GalleryGround.Answer {
        try await gallery.call("GET", "/ready", peer: peer)
    }

    @Test("what is wrong is told in detail to whom may read figures, and to others only what it is about")
    func details() async throws {
        gallery.ground.database.close(because: "db1.example.org has tables of another version")
        let (own, others) = (try await ready(), try await ready(from: "192.0.2.1"))
        #expect(own.status == 503 && own.text.contains("db1.example.org"), "\(own)")
        #expect(others.status == 503 && others.text.contains("not ready: the database"), "\(others)")
        #expect(!others.text.contains("example.org") && others.header("Retry-After") != nil, "\(others)")
    }

    @Test("one look does for all that ask within a second, however many these are")
    func kept() async throws {
        #expect(try await ready().status == 200)
        gallery.ground.database.close(because: "it is gone")
        gallery.wall.go(.milliseconds(999))
        for _ in 0..<10 { #expect(try await ready().status == 200) }
        gallery.wall.go(.milliseconds(1))
        #expect(try await ready().status == 503)
        gallery.ground.database.close(because: nil)
        gallery.wall.go(.seconds(1))
        #expect(try await ready().status == 200)
    }

    private func figure() async throws -> String? {
        try await gallery.call("GET", "/metrics", peer: "127.0.0.1").text
            .split(separator: "\n").first { $0.hasPrefix("gallery_ready") }.map(String.init)
    }

    @Test("a node that is not ready has a figure that says so, and one line for each reason in its log")
    func told() async throws {
        #expect(try await figure() == "gallery_ready 1")
        gallery.ground.database.close(because: "it is gone")
        // As it was found within the last ten seconds.
        gallery.wall.go(.milliseconds(9_999))
        #expect(try await figure() == "gallery_ready 1")
        for _ in 0..<3 {
            gallery.wall.go(.seconds(10))
            #expect(try await figure() == "gallery_ready 0")
        }
        let reason = "this node is not ready: the database cannot be used now"
        #expect(gallery.warnings.value.count { $0.hasPrefix(reason) } == 1, "\(gallery.warnings.value)")
        gallery.ground.database.close(because: nil)
        gallery.wall.go(.seconds(10))
        #expect(try await figure() == "gallery_ready 1")
        #expect(gallery.told.value.count { $0 == "this node is ready again" } == 1, "\(gallery.told.value)")
        gallery.server.beginDraining()
        #expect(try await figure() == "gallery_ready 0")
    }

    @Test("a server leaves work to others where there may be some, and does it where it is alone")
    func leaving() async throws {
        let server = gallery.server
        #expect(await server.processor.takesWork)
        server.readiness.note(store: Look(problem: "403 AccessDenied"))
        let isAlone = gallery.ground.database.worker == nil
        #expect(await server.processor.takesWork == isAlone)
    }

    @Test(
        "a node takes no work while the store lets it in no longer or its folder is gone, and does when it is slow"
    )
    func taking() throws {
        let record = ReadinessRecord(log: GalleryLog { _, _ in })
        let folder = gallery.ground.folder
        #expect(record.takesWork(in: folder.path) && !record.takesWork(in: folder.file("gone")))
        for (look, takes) in [
            (Look(problem: "403 AccessDenied"), false), (Look.late, true), (Look(problem: nil), true),
        ] {
            record.note(store: look)
            #expect(record.takesWork(in: folder.path) == takes, "\(look)")
        }
    }

    @Test("a database that hangs is known after two seconds, and so is that it goes on")
    func hanging() async throws {
        let lane = gallery.server.database.looker.members[0]
        let gate = Gate()
        let held = Task { await lane.hold(gate) }
        await gate.isHeld()
        let asking = Task { await gallery.server.lookAtDatabase() }
        await gallery.wall.clock.waitForSleepers(1)
        gallery.wall.go(.seconds(2))
        #expect(await asking.value == Look.late)
        gate.open()
        await held.value
        #expect(try await ready().status == 200)
    }
}

/// Whether what is written becomes durable, with a database whose standby is away.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct CommitWatchTests {
    @Test("a commit that waits for a standby is known, said once, and forgotten when it has succeeded")
    func standbyAway() async throws {
        let server = try PostgresServer()
        let place = try server.freshDatabase()
        let time = try GalleryThreads.time()
        let database = try GalleryDatabase(
            .server(try server.gallery(place.name), Worker(name: "a"), connections: 2), time: time,
            wall: GalleryWall(), random: SystemRandomSource())
        let lines = Shared<[String]>([])
        let log = GalleryLog { _, line in lines.change { $0.append(line) } }
        let watch = CommitWatch(database.store, time: time, log: log, pause: .milliseconds(50))
        let running = Task { await watch.run() }
        func until(_ isSo: () -> Bool) async throws {
            let end = time.now + .seconds(120)
            while !isSo() {
                try #require(time.now < end, "it has waited for \(watch.waiting)")
                try await time.sleep(until: time.now + .milliseconds(20))
            }
        }
        let other = try server.session(place.name)
        try other.script("ALTER SYSTEM SET synchronous_standby_names = 'ghost'")
        try other.script("SELECT pg_reload_conf()")
        try await until { watch.waiting > .seconds(10) }
        #expect(watch.problem?.contains("no commit of this node has succeeded for 1") == true)
        // The database answers all the same.
        try await database.looker.look { try $0.look() }
        try await until { !lines.value.isEmpty }
        try other.script("ALTER SYSTEM SET synchronous_standby_names = ''")
        try other.script("SELECT pg_reload_conf()")
        try await until { watch.problem == nil }
        running.cancel()
        await running.value
        #expect(lines.value.count == 1, "\(lines.value)")
        database.shutDown()
    }
}
