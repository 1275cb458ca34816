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

    @Test(
        "no transaction is committed that would be lost, though the connection is older than the setting",
        arguments: [("off", ""), ("local", "ghost")])
    func commits(setting: String, standbys: String) throws {
        // One whose settings are its own.
        let server = try PostgresServer()
        let database = try server.freshDatabase()
        let administrator = try server.session()
        let session = try server.gallery(database.name).session()
        func sets(_ commits: String, standbys: String) throws {
            try administrator.script("ALTER SYSTEM SET synchronous_commit = '\(commits)'")
            try administrator.script("ALTER SYSTEM SET synchronous_standby_names = '\(standbys)'")
            try administrator.script("SELECT pg_reload_conf()")
            let question = "SELECT current_setting('synchronous_commit') AS commits"
            // Until the connection's own process has heard of it.
            let read = { (row: any SQLRow) in try row.get("commits", as: String.self) }
            while try session.first(question, as: read) != commits {}
        }
        func put() throws {
            try session.transaction { _ = try session.run("INSERT INTO t VALUES (1)") }
        }
        try session.script("CREATE TABLE t (a BIGINT)")
        try put()
        try sets(setting, standbys: standbys)
        let error = #expect(throws: PostgresError.self) { try put() }
        #expect(
            error?.message.contains("synchronous_commit is \(setting)") == true,
            "\(error.map { "\($0)" } ?? "")")
        #expect(error?.failure == .lost, "another server may take it")
        #expect(try session.count("FROM t") == 1)
        try sets("on", standbys: "")
        try put()
        #expect(try session.count("FROM t") == 2)
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
