import Basics
import Glibc
import Posix
import Postgres
import TestSupport
import Testing

@testable import Gallery

/// Programs that are told of several servers of PostgreSQL, and start when one of before is among them.
@Suite(.withPostgres, .timeLimit(.minutes(Cases.minutesOfHang))) struct SeveralServersTests {
    /// Of the same name at both.
    private struct Pair {
        /// A primary that was lost, and started again as it was.
        let before: PostgresServer
        let newest: PostgresServer
        let databases: [PostgresServer.Database]

        init() throws {
            before = try PostgresServer()
            newest = try PostgresServer(timeline: 2)
            databases = [try before.freshDatabase(), try newest.freshDatabase()]
            try #require(databases[0].name == databases[1].name)
        }

        var name: String { databases[0].name }

        /// The one of before is named first.
        func url(behind silent: [UInt16] = []) -> String {
            let hosts = silent.map { _ in "127.0.0.1" } + [before.path, newest.path]
            let ports = silent.map { "\($0)" } + ["\(before.port)", "\(newest.port)"]
            return "postgres://gallery@/\(name)?host=\(hosts.joined(separator: ","))"
                + "&port=\(ports.joined(separator: ","))"
        }

        func gallery(behind silent: [UInt16] = []) throws -> PostgresGallery {
            PostgresGallery(
                try PostgresAddress(url(behind: silent)), servers: KnownServers(),
                time: try GalleryThreads.time(), random: SystemRandomSource())
        }

        func accounts(_ server: PostgresServer) throws -> Int {
            try server.session(name).count("FROM accounts")
        }
    }

    @Test("commands change the newest primary alone, though the one of before is named first")
    func commands() async throws { try await aside { try command() } }

    private func command() throws {
        let (pair, folder) = (try Pair(), try TemporaryFolder())
        try folder.write("correct horse\n", to: "password")
        let tool = try #require(Tool(Built.gallery))
        for words in [
            ["migrate"],
            [
                "user", "add", "a@example.org", "--password-file", folder.file("password"), "--data",
                folder.file("data"),
            ],
        ] {
            let said = try tool.run(words + ["--database", pair.url()])
            #expect(said.code == 0, "\(said.errors)")
        }
        #expect(try pair.accounts(pair.before) == 0)
        #expect(try pair.accounts(pair.newest) == 1)
    }

    @Test("tables that are up to date are not written to by a program that starts")
    func unwritten() throws {
        let database = try PostgresServer.shared.get().freshDatabase()
        let session = try database.server.session(database.name)
        let marks = try session.count("FROM commit_marks")
        #expect(try database.server.gallery(database.name).migrate() == [])
        #expect(try session.count("FROM commit_marks") == marks)
    }

    @Test("servers that take connections and do not answer are waited for together, and not for long")
    func silent() async throws { try await aside { try startBehindSilence() } }

    private func startBehindSilence() throws {
        let pair = try Pair()
        let sockets = try (0..<4).map { _ in
            let endpoint = IPEndpoint.loopback(port: 0)
            let socket = try Socket.make(for: endpoint)
            try socket.listen(on: endpoint, backlog: 8)
            return socket
        }
        defer { withExtendedLifetime(sockets) {} }
        let gallery = try pair.gallery(behind: sockets.map { try #require($0.localEndpoint).port })
        let time = try GalleryThreads.time()
        let start = time.now
        #expect(try gallery.migrate() == [])
        // One after the other they took five seconds each.
        #expect(time.now - start < .seconds(15))
        #expect(gallery.servers.newest == 2)
    }
}
