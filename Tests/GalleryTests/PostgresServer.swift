import Basics
import Database
import Glibc
import Posix
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Gallery

/// A PostgreSQL of the tests' own, in a folder of its own, started by the first that needs it. It ends with the tests.
final class PostgresServer: Sendable {
    static let shared = Result { try PostgresServer() }

    private static let wanted = getenv("TETHERLINE_TEST_DATABASE").map { String(cString: $0) }
    /// Galleries are tried on it instead of on SQLite.
    static let isWanted = wanted == "postgres" || isPooled
    /// Galleries reach it through PgBouncer; what tests ask themselves goes straight to it.
    private static let isPooled = wanted == "pooler"
    static let programs = "/usr/lib/postgresql/15/bin"
    static var isInstalled: Bool { Tool("\(programs)/initdb") != nil }

    private let folder: TemporaryFolder
    private let daemon: Daemon
    private let pooler: PostgresPooler?
    /// Of its socket, and of this machine's address where it has a certificate.
    let port: Int
    private let numbers = Shared(0)
    private static let template = "gallery_template"

    /// A timeline beyond the first is that of a server which was a standby and was promoted.
    init(
        _ settings: [String] = [], certificate: CertificateShop.Pair? = nil, timeline: Int = 1
    ) throws {
        port = try certificate == nil ? 5432 : Int(FreePort.next())
        folder = try TemporaryFolder(in: TemporaryFolder.memory)
        let data = folder.file("data")
        // It refuses to run as the superuser.
        var words: [String] = []
        var own = ["listen_addresses="]
        if let certificate { own = try Self.settings(certificate, in: folder) }
        if geteuid() == 0 {
            let user = try #require(SystemUser(named: "postgres"))
            for path in [folder.path] + (certificate == nil ? [] : Self.files.map(folder.file)) {
                guard chown(path, user.id, user.group) == 0, chmod(path, 0o700) == 0 else {
                    throw FileProblem(path: path, number: errno)
                }
            }
            words = ["--reuid=\(user.id)", "--regid=\(user.group)", "--clear-groups"]
        }
        func command(_ name: String, _ arguments: [String]) throws -> (path: String, arguments: [String]) {
            let path = "\(Self.programs)/\(name)"
            guard !words.isEmpty else { return (path, arguments) }
            return (try #require(Tool("setpriv")).path, words + [path] + arguments)
        }
        let (initialize, given) = try command(
            "initdb",
            ["-D", data, "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust", "-U", "gallery", "--no-sync"])
        let made = try #require(Tool(initialize)).run(given)
        guard made.code == 0 else { throw Surprise(made.errors) }
        if timeline > 1 {
            let log = "0000000\(timeline)0000000000000010"
            let (reset, given) = try command("pg_resetwal", ["-D", data, "-l", log])
            let done = try #require(Tool(reset)).run(given)
            guard done.code == 0 else { throw Surprise(done.errors) }
        }
        let options =
            [
                "port=\(port)", "unix_socket_directories=\(folder.path)", "max_connections=400", "fsync=off",
            ] + own + settings
        let (server, arguments) = try command("postgres", ["-D", data] + options.flatMap { ["-c", $0] })
        daemon = try Daemon(server, arguments, isLeashed: true)
        try daemon.wait(for: "ready to accept connections")
        pooler =
            Self.isPooled && settings.isEmpty
            ? try PostgresPooler(before: folder.path, port: port, connections: 4, isLeashed: true) : nil
        _ = try make(Self.template, from: "template0")
        // Not through a pooler, which would go on holding what others are copied from.
        _ = try gallery(at: address(Self.template), Self.template).migrate()
    }

    /// Its certificate and its key.
    private static let files = ["server.crt", "server.key"]

    private static func settings(
        _ certificate: CertificateShop.Pair, in folder: TemporaryFolder
    ) throws -> [String] {
        for (name, path) in zip(files, [certificate.certificate, certificate.key]) {
            try folder.write(try readFile(path), to: name)
            guard chmod(folder.file(name), 0o600) == 0 else { throw FileProblem(path: path, number: errno) }
        }
        return [
            "listen_addresses=127.0.0.1", "ssl=on", "ssl_cert_file=\(folder.file(files[0]))",
            "ssl_key_file=\(folder.file(files[1]))",
        ]
    }

    func url(_ database: String) -> String {
        "postgres://gallery@/\(database)?host=\(folder.path)&port=\(port)"
    }

    /// As galleries reach it, and as they hear of others' changes.
    func urls(_ database: String) -> (rows: String, bell: String) {
        (pooler?.url(database) ?? url(database), url(database))
    }

    /// Where its socket is.
    var path: String { folder.path }

    func address(_ database: String) throws -> PostgresAddress { try PostgresAddress(url(database)) }

    func gallery(_ database: String) throws -> PostgresGallery {
        try gallery(at: pooler?.address(database) ?? address(database), database)
    }

    private func gallery(at address: PostgresAddress, _ database: String) throws -> PostgresGallery {
        PostgresGallery(
            address, bell: try self.address(database), servers: KnownServers(),
            time: try GalleryThreads.time(),
            random: SystemRandomSource())
    }

    /// Statements of the tests' own.
    func session(_ database: String = "postgres") throws -> PostgresSession {
        let time = try GalleryThreads.time()
        return PostgresSession(
            try address(database), servers: KnownServers(), commits: nil, random: SystemRandomSource(),
            now: { time.now })
    }

    /// Returns when so many sessions of a database wait for what the holder has locked. The holder is asked something each time,
    /// because a transaction that stands still for ten seconds is ended by the server.
    func wait(for sessions: Int, at holder: PostgresSession, of database: String) throws {
        let (watcher, end) = (try session(), ContinuousClock.now + .seconds(Self.patience))
        let waiting = "FROM pg_stat_activity WHERE datname = ? AND wait_event_type = 'Lock'"
        while try watcher.count(waiting, database) < sessions {
            guard ContinuousClock.now < end else {
                throw Surprise("no \(sessions) sessions of \(database) have come to wait for a lock")
            }
            try holder.run("SELECT 1 AS held")
        }
    }

    /// Longer than it takes on any machine.
    private static let patience = 120

    private func make(_ name: String, from template: String) throws -> String {
        try session().script("CREATE DATABASE \(name) TEMPLATE \(template)")
        return name
    }

    /// One that goes when the test lets go of it.
    final class Database: Sendable {
        let server: PostgresServer
        let name: String

        fileprivate init(_ server: PostgresServer, _ name: String) {
            self.server = server
            self.name = name
        }

        deinit {
            do {
                try server.session().script("DROP DATABASE \(name) WITH (FORCE)")
            } catch {
                Issue.record("\(name) cannot be dropped: \(error)")
            }
        }
    }

    private struct Known {
        weak var database: Database?
    }

    private let known = Mutex<[String: Known]>([:])

    /// That of a folder, as its file would be: two that look at one folder look at one database.
    func database(of folder: TemporaryFolder) throws -> Database {
        if let known = known.withLock({ $0[folder.path]?.database }) { return known }
        let fresh = try freshDatabase()
        known.withLock { $0[folder.path] = Known(database: fresh) }
        return fresh
    }

    /// With the tables of a gallery, and nothing in them.
    func freshDatabase() throws -> Database {
        let number = numbers.change { number in
            number += 1
            return number
        }
        return Database(self, try make("gallery_\(number)", from: Self.template))
    }
}

extension Cases {
    /// Seeds of tests that each fill a gallery: a fifth of them on PostgreSQL, where each has a database made for it.
    static func galleries(full: Int) -> Range<UInt64> {
        seeds(full: PostgresServer.isWanted && !isFull ? full / 5 : full)
    }

    /// Of files that a whole program is sent, one by one: a fifth of them where it has its rows on PostgreSQL and its photos in a
    /// bucket. It reads the same bytes there, by another way.
    static func share<File>(of files: [File]) -> [File] {
        guard PostgresServer.isWanted, !isFull else { return files }
        return files.indices.filter { $0 % 5 == 0 }.map { files[$0] }
    }
}

extension Trait where Self == ConditionTrait {
    /// What is only about the file of SQLite.
    static var onSQLite: Self { .enabled(if: !PostgresServer.isWanted, "it is about SQLite's file") }
    /// What is only about PostgreSQL, and runs with the tests on SQLite, too.
    static var withPostgres: Self { .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed") }
}
