import Basics
import Database
import Glibc
import Posix
import Postgres
import TestSupport
import Testing

@testable import Gallery

/// PgBouncer in transaction mode between a node and its database: two connections for all.
@Suite(
    .withPostgres,
    .enabled(if: PostgresPooler.isInstalled, "PgBouncer is not installed"),
    .timeLimit(.minutes(Cases.minutesOfHang)))
struct PoolerTests {
    @Test("transactions, marks and leases need nothing that a pooler does not keep")
    func transactions() async throws {
        let server = try PostgresServer.shared.get()
        let database = try server.freshDatabase()
        let pooler = try PostgresPooler(before: server.path, connections: 2)
        let time = try GalleryThreads.time()
        let gallery = PostgresGallery(
            try pooler.address(database.name), bell: try server.address(database.name),
            servers: KnownServers(), time: time, random: SystemRandomSource())
        let rows = try GalleryDatabase(
            .server(gallery, Worker(name: "a"), connections: 6), time: time, wall: GalleryWall(),
            random: SystemRandomSource())
        let marks = try await rows.store { try $0.database.count("FROM commit_marks") }
        let account = try #require(
            try await rows.store { try $0.addAccount(email: "ann@example.org", name: "Ann", hash: "*") }
        ).id
        try await withThrowingTaskGroup { group in
            for number in 0..<24 {
                group.addTask {
                    var wish = EventWish()
                    wish.name = "Event \(number)"
                    _ = try await rows.store { [wish] in try $0.makeEvent(wish, for: account) }
                    _ = try await rows.reader { try $0.events(of: account) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await rows.reader { try $0.events(of: account) }.count == 24)
        let names = try await rows.reader { try $0.events(of: account) }.map(\.name)
        #expect(Set(names).count == 24)
        #expect(try await rows.store { try $0.database.count("FROM commit_marks") } == marks + 25)
    }

    @Test(
        "nothing is prepared through a pooler, which leads to one process of the server and then to another")
    func prepared() throws {
        let server = try PostgresServer.shared.get()
        let database = try server.freshDatabase()
        let pooler = try PostgresPooler(before: server.path, connections: 2)
        let time = try GalleryThreads.time()
        let sessions = try (0..<3).map { _ in
            PostgresSession(
                try pooler.address(database.name), servers: KnownServers(), commits: nil,
                random: SystemRandomSource(), now: { time.now })
        }
        for number in 0..<12 {
            for session in sessions {
                let answer = try session.first("SELECT ?1 + 1 AS next", number) {
                    try $0.get("next", as: Int.self)
                }
                #expect(answer == number + 1)
                #expect(try session.count("FROM pg_prepared_statements") == 0)
            }
        }
    }
}
