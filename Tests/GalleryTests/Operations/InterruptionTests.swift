import Database
import Glibc
import TestSupport
import Testing

@testable import Gallery

/// Commands that are told to end while they wait for something.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct InterruptionTests {
    private static let interrupted: Int32 = 130
    private static let patience = Duration.seconds(60)

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func start(_ words: [String], input: String = "/dev/null") throws -> Spawned {
        try Spawned(
            [Built.gallery] + words, input: input, output: folder.file("out"), errors: folder.file("err"))
    }

    private func said(_ name: String) throws -> String {
        String(decoding: try readFile(folder.file(name)), as: UTF8.self)
    }

    private func until(_ isSo: () throws -> Bool) throws {
        let end = ContinuousClock.now + Self.patience
        while try !isSo() {
            guard ContinuousClock.now < end else { throw Surprise("\(try said("out")) \(try said("err"))") }
            // Others need the processor more.
            poll(nil, 0, 20)
        }
    }

    @Test("what shows nodes until Ctrl-C ends by it, and by SIGTERM", arguments: [SIGINT, SIGTERM])
    func top(signal: Int32) async throws {
        let port = try FreePort.next()
        try await aside {
            let program = try start(["top", "http://127.0.0.1:\(port)"])
            try until { try said("out").contains("does not answer") }
            program.signal(signal)
            #expect(program.wait() == Self.interrupted)
        }
    }

    @Test("a terminal shows again what is typed when a password is not typed after all")
    func password() async throws {
        try await aside {
            let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            try #require(terminal >= 0, "there are no terminals to be had")
            defer { close(terminal) }
            // As unlockpt(3) and ptsname(3) do it.
            var (locked, number): (Int32, Int32) = (0, 0)
            try #require(ioctl(terminal, 0x4004_5431, &locked) == 0)
            try #require(ioctl(terminal, 0x8004_5430, &number) == 0)
            let name = "/dev/pts/\(number)"
            func echoes() -> Bool {
                var settings = termios()
                return tcgetattr(terminal, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
            }
            #expect(echoes())
            let program = try start(
                ["user", "add", "ann@example.org", "--data", folder.file("data")], input: name)
            try until { try said("err").contains("Password: ") }
            #expect(!echoes())
            program.signal(SIGINT)
            #expect(program.wait() == Self.interrupted)
            #expect(echoes())
            #expect(try said("err").contains("interrupted"))
        }
    }

    @Test(
        "what waits at its start for a database, as for another node that makes the tables, ends all the same",
        .withPostgres, arguments: ["migrate", "serve"])
    func waiting(command: String) async throws {
        let server = try PostgresServer.shared.get()
        let database = try server.freshDatabase()
        try await aside {
            let holder = try server.session(database.name)
            // As of a database that has none, so that there is a step to wait for.
            try holder.run("DROP TABLE gallery_schema")
            try holder.run("SELECT pg_advisory_lock(?)", PostgresGallery.lock)
            let serving = [
                "--listen", "127.0.0.1:0", "--data", folder.file("data"), "--storage", "s3://photos",
            ]
            let program = try start(
                [command, "--database", server.url(database.name)] + (command == "serve" ? serving : []))
            try server.wait(for: 1, at: holder, of: database.name)
            program.signal(SIGTERM)
            #expect(program.wait() == Self.interrupted)
            #expect(try said("err").contains("interrupted"))
        }
    }
}
