import Basics
import Database
import Posix
import Postgres
import TestSupport
import Testing

@testable import Gallery

/// What the server of a connection has planned once.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct PreparedStatementsTests {
    let database: PostgresServer.Database
    let session: PostgresSession

    init() throws {
        database = try PostgresServer.shared.get().freshDatabase()
        session = try Self.session(of: database)
        try session.script("CREATE TABLE t (a BIGINT, b TEXT)")
    }

    private static func session(of database: PostgresServer.Database) throws -> PostgresSession {
        let time = try GalleryThreads.time()
        return PostgresSession(
            try database.server.address(database.name), servers: KnownServers(), commits: nil,
            random: SystemRandomSource(), now: { time.now })
    }

    /// What the server keeps for this connection of the statements that name the table.
    private func kept() throws -> [String] {
        try session.all(
            """
            SELECT statement FROM pg_prepared_statements
            WHERE statement LIKE '%FROM t %' AND statement NOT LIKE '%pg_prepared_statements%'
            """
        ) { try $0.get("statement", as: String.self) }
    }

    private func ask(_ number: Int64?) throws -> [String] {
        try session.all("SELECT b FROM t WHERE a IS NOT DISTINCT FROM ? ORDER BY b", number) { try $0["b"] }
    }

    @Test("a statement that comes again is prepared once, and answers as before, whatever its values")
    func again() throws {
        for number in 1...3 { try session.run("INSERT INTO t VALUES (?, ?)", number, "row \(number)") }
        try session.run("INSERT INTO t VALUES (?, ?)", Int64?.none, "none")
        #expect(try ask(1) == ["row 1"])
        #expect(try kept().isEmpty)
        for number in 1...12 { #expect(try ask(Int64(number)) == (number > 3 ? [] : ["row \(number)"])) }
        #expect(try kept().count == 1)
        // Of a null the type is not known: it is another statement.
        for _ in 0..<3 { #expect(try ask(nil) == ["none"]) }
        #expect(try kept().count == 2)
    }

    @Test("one that cannot be prepared is refused for its own reason each time, also in a transaction")
    func refused() throws {
        for _ in 0..<3 {
            let error = #expect(throws: PostgresError.self) {
                try session.run("SELECT c FROM t WHERE a = ?", 1)
            }
            #expect(error?.state == "42703" && error?.failure == .other)
            #expect(throws: PostgresError.self) {
                try session.transaction { try session.run("SELECT c FROM t WHERE a = ?", 1) }
            }
        }
        #expect(try session.count("FROM t") == 0)
    }

    @Test("where the server has forgotten it, that is a lost connection, and nothing is prepared any more")
    func forgotten() throws {
        for _ in 0..<3 { _ = try ask(1) }
        try session.script("DEALLOCATE ALL")
        #expect(throws: PostgresError.self) { try ask(1) }
        for _ in 0..<4 { #expect(try ask(1).isEmpty) }
        #expect(try kept().isEmpty)
    }

    @Test("a table that a newer program has changed meanwhile is asked anew, over another connection")
    func changed() throws {
        let other = try Self.session(of: database)
        func row() throws -> Int? { try session.first("SELECT * FROM t WHERE a = ?", 1) { try $0["a"] } }
        try session.run("INSERT INTO t VALUES (?, ?)", 1, "b")
        for _ in 0..<3 { #expect(try row() == 1) }
        try other.script("ALTER TABLE t ADD COLUMN c BIGINT")
        let error = #expect(throws: PostgresError.self) { try row() }
        #expect(error?.failure == .lost, "it is done again by those that do so after a cut")
        #expect(try row() == 1)
    }

    @Test("a server keeps no more statements for a connection than it may")
    func limit() throws {
        for number in 0..<200 {
            for _ in 0..<2 { try session.run("SELECT \(number) FROM t WHERE a = ?", number) }
        }
        #expect(try kept().count == 128)
        try session.run("SELECT 199 FROM t WHERE a = ?", 1)
    }
}
