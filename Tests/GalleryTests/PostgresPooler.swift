import Glibc
import Posix
import Postgres
import TestSupport
import Testing

/// PgBouncer in transaction mode: each transaction gets one of a few connections, whichever is free.
final class PostgresPooler: Sendable {
    private let folder: TemporaryFolder
    private let daemon: Daemon
    private static let port = 6432

    private static var program: Tool? { Tool("pgbouncer") ?? Tool("/usr/sbin/pgbouncer") }
    static var isInstalled: Bool { program != nil }

    /// `connections`: to each database.
    init(before server: String, port: Int = 5432, connections: Int, isLeashed: Bool = false) throws {
        folder = try TemporaryFolder(in: TemporaryFolder.memory)
        let (users, settings) = (folder.file("users"), folder.file("pgbouncer.ini"))
        try folder.write("\"gallery\" \"\"\n", to: "users")
        try folder.write(
            """
            [databases]
            * = host=\(server) port=\(port) user=gallery
            [pgbouncer]
            listen_addr =
            listen_port = \(Self.port)
            unix_socket_dir = \(folder.path)
            auth_type = trust
            auth_file = \(users)
            pool_mode = transaction
            default_pool_size = \(connections)
            max_client_conn = 400
            ; Of galleries whose tests are over: it does not tell them that their database has gone.
            client_idle_timeout = 30

            """, to: "pgbouncer.ini")
        var words = [settings]
        if geteuid() == 0 {
            // It refuses to run as the superuser.
            let user = try #require(SystemUser(named: "postgres"))
            for path in [folder.path, users, settings] {
                guard chown(path, user.id, user.group) == 0 else {
                    throw FileProblem(path: path, number: errno)
                }
            }
            words = ["-u", "postgres"] + words
        }
        daemon = try Daemon(try #require(Self.program).path, words, isLeashed: isLeashed)
        try daemon.wait(for: "process up")
    }

    func url(_ database: String) -> String {
        "postgres://gallery@/\(database)?host=\(folder.path)&port=\(Self.port)"
    }

    func address(_ database: String) throws -> PostgresAddress { try PostgresAddress(url(database)) }
}
