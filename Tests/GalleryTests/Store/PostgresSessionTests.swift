import Basics
import Database
import Glibc
import Posix
import Postgres
import TestSupport
import Testing

@testable import Gallery

/// The driver against a real server.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct PostgresSessionTests {
    let database: PostgresServer.Database

    init() throws { database = try PostgresServer.shared.get().freshDatabase() }

    private func session(marks: Bool = false) throws -> PostgresSession {
        let time = try GalleryThreads.time()
        return PostgresSession(
            try database.server.address(database.name), servers: KnownServers(),
            commits: marks ? CommitLog(table: "commit_marks") : nil, random: SystemRandomSource(),
            now: { time.now })
    }

    @Test(
        "every kind of value comes back as it was put in, empty ones included, by either way to write its place"
    )
    func values() throws {
        let session = try session()
        try session.script("CREATE TABLE t (a BIGINT, b DOUBLE PRECISION, c TEXT, d BYTEA)")
        try session.run("INSERT INTO t VALUES (?, ?, ?, ?)", Int64.min, 1.5, "a'?ü\n", [UInt8]([0, 255, 92]))
        try session.run("INSERT INTO t VALUES (?4, ?3, ?2, ?1)", [UInt8](), "", Double?.none, Int64?.none)
        let rows = try session.all("SELECT a, b, c, d FROM t WHERE c <> '?' ORDER BY a") { row in
            (
                try row.get("a", as: Int64?.self), try row.get("b", as: Double?.self),
                try row.get("c", as: String.self), try row.get("d", as: [UInt8].self)
            )
        }
        #expect(rows.count == 2)
        #expect(rows[0] == (Int64.min, 1.5, "a'?ü\n", [0, 255, 92]))
        #expect(rows[1] == (nil, nil, "", []))
        #expect(try session.run("UPDATE t SET a = 1") == 2)
    }

    @Test("a misspelt server beside one that refuses is named, and both say what can be done")
    func connecting() throws {
        let place = database.server.path
        let time = try GalleryThreads.time()
        func failure(_ address: String) throws -> String {
            let session = PostgresSession(
                try PostgresAddress(address), servers: KnownServers(), commits: nil,
                random: SystemRandomSource(), now: { time.now })
            let error = #expect(throws: PostgresError.self) { try session.count("FROM commit_marks") }
            return error.map { "\($0)" } ?? "it answered"
        }
        let both = try failure("postgres://gallery@/missing?host=/nowhere/misspelt,\(place)")
        #expect(
            both.contains("/nowhere/misspelt") && both.contains("\"missing\" does not exist"), "\(both)")
        let database = try failure("postgres://gallery@/missing?host=\(place)")
        #expect(
            database.contains("\"missing\" does not exist; make it with createuser, or createdb"),
            "\(database)")
        let role = try failure("postgres://stranger@/postgres?host=\(place)")
        #expect(role.contains("\"stranger\" does not exist; make it with createuser"), "\(role)")
        let name = try failure("postgres://gallery@no-such-host.invalid/gallery")
        #expect(name.contains("check how the host is spelt"), "\(name)")
    }

    @Test("a text with a NUL is refused, not cut")
    func nul() throws {
        let session = try session()
        let error = #expect(throws: PostgresError.self) {
            try session.first("SELECT ? AS text", "a\u{0}b") { try $0.get("text", as: String.self) }
        }
        #expect(error?.failure == .checkViolated, "\(error.map { "\($0)" } ?? "it was taken")")
    }

    @Test("a connection that ends in a transaction undoes it, and the next one is on another")
    func lost() throws {
        let session = try session(marks: true)
        try session.script("CREATE TABLE t (a BIGINT)")
        let marks = try session.count("FROM commit_marks")
        let error = #expect(throws: PostgresError.self) {
            try session.transaction {
                try session.run("INSERT INTO t VALUES (1)")
                let own = try session.first("SELECT pg_backend_pid() AS pid") {
                    try $0.get("pid", as: Int.self)
                }
                try self.session().run("SELECT pg_terminate_backend(?::int)", try #require(own))
                try session.run("INSERT INTO t VALUES (2)")
            }
        }
        #expect(error?.failure == .lost)
        _ = try session.transaction { try session.run("INSERT INTO t VALUES (3)") }
        #expect(try session.all("SELECT a FROM t") { try $0.get("a", as: Int.self) } == [3])
        #expect(try session.count("FROM commit_marks") == marks + 1)
    }

    @Test(
        "after a look at one moment its connection goes on, or another where it has ended, without the settings"
    )
    func snapshotEnds() throws {
        let session = try session()
        func process() throws -> Int {
            try #require(
                try session.first("SELECT pg_backend_pid() AS pid") { try $0.get("pid", as: Int.self) })
        }
        func setting() throws -> String? {
            try session.first("SHOW enable_seqscan") { try $0.get("enable_seqscan", as: String.self) }
        }
        let first = try session.snapshot(settings: ["enable_seqscan = off"]) {
            #expect(try setting() == "off")
            return try process()
        }
        #expect(try setting() == "on")
        #expect(try process() == first)
        #expect(try session.snapshot { try process() } == first)
        let watcher = try self.session()
        try watcher.run("SELECT pg_terminate_backend(?::int, 10000)", first)
        do {
            #expect(try process() != first)
        } catch let error as PostgresError where error.failure == .lost {
            // The answer to the COMMIT had come before the end.
            #expect(try process() != first)
        }
        #expect(throws: PostgresError.self) { try session.snapshot { try session.run("SELECT nothing") } }
        #expect(try session.snapshot { try setting() } == "on")
    }

    @Test("a transaction that stands still is ended by the server, and holds up nobody for longer")
    func idle() throws {
        let session = try session()
        try session.transaction {
            let limit = try session.first("SHOW idle_in_transaction_session_timeout") {
                try $0.get("idle_in_transaction_session_timeout", as: String.self)
            }
            #expect(limit == "10s")
        }
    }

    @Test("a server that cannot be reached is named, without the password")
    func unreachable() throws {
        let time = try GalleryThreads.time()
        let address = try PostgresAddress("postgres://ann:secret@127.0.0.1:\(try FreePort.next())/gallery")
        let session = PostgresSession(
            address, servers: KnownServers(), commits: nil, random: SystemRandomSource(), now: { time.now })
        let error = #expect(throws: PostgresError.self) { try session.run("SELECT 1") }
        #expect(error?.failure == .lost)
        #expect(error.map { "\($0)" }?.contains("secret") == false)
        #expect(error.map { "\($0)" }?.contains("127.0.0.1") == true)
    }

    @Test(
        "an address that cannot be read says why",
        arguments: ["postgres://h:x/db", "postgres://h/db?nosuch=1"])
    func unreadable(address: String) throws {
        #expect(throws: PostgresAddress.Unreadable.self) { try PostgresAddress(address) }
    }

    @Test(
        "a COMMIT that waits for a standby is not taken for done, and nothing is begun beside it until it is")
    func standbyAway() throws {
        let server = try PostgresServer()
        let database = try server.freshDatabase()
        let time = try GalleryThreads.time()
        var patience = PostgresSession.Patience()
        (patience.statement, patience.commit) = (.seconds(6), .seconds(1))
        let session = PostgresSession(
            try server.address(database.name), servers: KnownServers(),
            commits: CommitLog(table: "commit_marks"), random: SystemRandomSource(), patience: patience,
            now: { time.now })
        try session.script("CREATE TABLE t (a BIGINT)")
        let other = try server.session(database.name)
        try Self.waits(for: "ghost", other)
        func insert() throws { _ = try session.transaction { try session.run("INSERT INTO t VALUES (1)") } }
        // Until the server's own processes have heard of the standby.
        var taken = 0
        while true {
            let start = time.now
            do {
                try insert()
                taken += 1
            } catch let error as PostgresError {
                #expect(error.failure == .unknown, "\(error)")
                // One time for all of it, not one for COMMIT and one for each question; the rest is the machine's.
                #expect(time.now - start < patience.statement + .seconds(5))
                break
            }
        }
        let second = #expect(throws: PostgresError.self, performing: insert)
        #expect(second?.failure == .lost, "\(second.map { "\($0)" } ?? "it was taken")")
        let clients =
            "FROM pg_stat_activity WHERE datname = ? AND query LIKE '%COMMIT%' AND pid <> pg_backend_pid()"
        #expect(try other.count(clients, database.name) == 1)
        #expect(try other.count("FROM t") == taken)
        try Self.waits(for: "", other)
        while true {
            do {
                try insert()
                break
            } catch let error as PostgresError {
                try #require(error.failure == .lost, "\(error)")
            }
        }
        #expect(try other.count("FROM t") == taken + 2)
    }

    private static func waits(for standby: String, _ session: PostgresSession) throws {
        try session.script("ALTER SYSTEM SET synchronous_standby_names = '\(standby)'")
        try session.script("SELECT pg_reload_conf()")
        func named() throws -> String? {
            try session.first("SHOW synchronous_standby_names") {
                try $0.get("synchronous_standby_names", as: String.self)
            }
        }
        while try named() != standby {}
    }

    // MARK: Servers that are not to be relied on

    @Test(
        "a database that would lose what was acknowledged is refused, and the sentence says what to do",
        arguments: [("off", "synchronous_commit is off"), ("on", nil)] as [(String, String?)])
    func durability(setting: String, said: String?) throws {
        try session().script("ALTER DATABASE \(database.name) SET synchronous_commit = \(setting)")
        let facts = try PostgresFacts(session())
        #expect(facts.refusal?.contains(said ?? "") == (said == nil ? nil : true))
    }

    @Test("a database in which transactions only read is refused, and the sentence says what to do")
    func readOnly() throws {
        try session().script("ALTER DATABASE \(database.name) SET default_transaction_read_only = on")
        let refusal = try PostgresFacts(session()).refusal
        #expect(refusal?.contains("default_transaction_read_only is on") == true)
        #expect(refusal?.contains("RESET default_transaction_read_only") == true)
        let writing = try session()
        try writing.script("SET default_transaction_read_only = off")
        try writing.script("ALTER DATABASE \(database.name) RESET default_transaction_read_only")
        #expect(try PostgresFacts(session()).refusal == nil)
    }

    @Test("with a standby that commits wait for, only those settings are taken that wait for it")
    func standby() {
        for (setting, isTaken) in [
            ("local", false), ("off", false), ("remote_write", true), ("on", true), ("remote_apply", true),
        ] {
            let facts = PostgresFacts(
                version: 15, encoding: "UTF8", collation: "C.UTF-8", synchronousCommit: setting,
                hasStandby: true, flushes: true)
            #expect((facts.refusal == nil) == isTaken, "\(setting)")
            #expect(facts.warnings.contains { $0.contains("remote_write") } == (setting == "remote_write"))
        }
    }

    @Test("another encoding is refused, and the C locale warned of")
    func encoding() throws {
        let name = "\(database.name)_ascii"
        let administrator = try database.server.session()
        try administrator.script(
            "CREATE DATABASE \(name) ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
        let facts = try PostgresFacts(database.server.session(name))
        #expect(facts.refusal?.contains("encoding is SQL_ASCII") == true)
        #expect(facts.warnings.contains { $0.contains("collation is C:") })
        try administrator.script("DROP DATABASE \(name) WITH (FORCE)")
    }

    // MARK: Versions

    @Test(
        "a newer version that says so works beside this program, and one that does not is refused with a sentence"
    )
    func versions() throws {
        let gallery = try database.server.gallery(database.name)
        #expect(try gallery.migrate() == [])
        let next = PostgresSchema.version + 1
        let session = try session()
        try session.run(
            "INSERT INTO gallery_schema (version, works_with) VALUES (?, ?)", next, PostgresSchema.version)
        try gallery.check()
        try session.run("UPDATE gallery_schema SET works_with = ? WHERE version = ?", next, next)
        let refusal = #expect(throws: PostgresGallery.Refusal.self) { try gallery.check() }
        #expect(refusal?.description.contains("install the newer program") == true)
        let unmigrated = #expect(throws: PostgresGallery.Refusal.self) { try gallery.migrate() }
        #expect(unmigrated?.description == refusal?.description)
    }

    @Test("what is no gallery yet says what to run")
    func empty() throws {
        let name = "\(database.name)_empty"
        let administrator = try database.server.session()
        try administrator.script("CREATE DATABASE \(name) TEMPLATE template0")
        let gallery = try database.server.gallery(name)
        let refusal = #expect(throws: PostgresGallery.Refusal.self) { try gallery.check() }
        #expect(refusal?.description.contains("gallery migrate") == true)
        #expect(try gallery.migrate().count == PostgresSchema.steps.count)
        try gallery.check()
        try administrator.script("DROP DATABASE \(name) WITH (FORCE)")
    }
}
