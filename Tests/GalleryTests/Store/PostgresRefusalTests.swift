import Basics
import Database
import Postgres
import TestSupport
import Testing

@testable import Gallery

/// Servers that are set up otherwise than they were when the program began.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct PostgresRefusalTests {
    private let database: PostgresServer.Database

    init() throws { database = try PostgresServer.shared.get().freshDatabase() }

    /// As every node has them.
    private func session() throws -> PostgresSession {
        try database.server.gallery(database.name).session()
    }

    @Test("nothing is committed by a connection whose commits a crash would lose, until that is set right")
    func commits() throws {
        let administrator = try database.server.session()
        func sets(_ value: String) throws {
            try administrator.script("ALTER DATABASE \(database.name) SET synchronous_commit = \(value)")
        }
        func put(_ session: PostgresSession) throws {
            try session.transaction { _ = try session.run("INSERT INTO t VALUES (1)") }
        }
        try session().script("CREATE TABLE t (a BIGINT)")
        try sets("off")
        let session = try session()
        let error = #expect(throws: PostgresError.self) { try put(session) }
        #expect(error?.message.contains("synchronous_commit is off") == true)
        #expect(error?.failure == .lost, "another server may take it")
        #expect(try self.session().count("FROM t") == 0)
        try sets("on")
        try put(session)
        #expect(try session.count("FROM t") == 1)
    }

    @Test("a setting that a server does not know fails its snapshot, and nothing after it")
    func snapshot() throws {
        let session = try session()
        let error = #expect(throws: PostgresError.self) {
            try session.snapshot(settings: ["no_such_setting = 1"]) { try session.count("FROM photos") }
        }
        #expect(error?.message.contains("no_such_setting") == true)
        #expect(try session.count("FROM photos") == 0)
        #expect(try session.snapshot(settings: []) { try session.count("FROM photos") } == 0)
    }
}
