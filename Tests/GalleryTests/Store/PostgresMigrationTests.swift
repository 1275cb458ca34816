import Database
import Postgres
import TestSupport
import Testing

@testable import Gallery

/// Tables that several nodes would bring up to date.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct PostgresMigrationTests {
    @Test("programs that bring the tables up to date at once do it one after the other, and all end well")
    func atOnce() async throws {
        let database = try PostgresServer.shared.get().freshDatabase()
        let (server, name) = (database.server, "\(database.name)_twice")
        let administrator = try server.session()
        try administrator.script("CREATE DATABASE \(name) TEMPLATE template0")
        let migrating = try await aside {
            let holder = try server.session(name)
            return try holder.transaction {
                try holder.script("SELECT pg_advisory_xact_lock(\(PostgresGallery.lock))")
                let migrating = (0..<2).map { _ in
                    Task { try await aside { try server.gallery(name).migrate().count } }
                }
                try server.wait(for: 2, at: holder, of: name)
                return migrating
            }
        }
        var done = 0
        for task in migrating { done += try await task.value }
        #expect(done == PostgresSchema.steps.count)
        try server.gallery(name).check()
        try administrator.script("DROP DATABASE \(name) WITH (FORCE)")
    }
}
