import Basics
import Bridge
import Glibc
import Posix
import Store
import TestSupport
import Testing

@Suite struct HomeTests {
    private func mode(_ path: String) -> mode_t? {
        var facts = stat()
        return stat(path, &facts) == 0 ? facts.st_mode & 0o777 : nil
    }

    @Test("a home is its user's alone: folder 0700, the ledger, its log, the lock and the spool likewise")
    func modes() async throws {
        let folder = try TemporaryFolder()
        let home = Home(folder.file("home"))
        let lock = try home.lock()
        try home.makeDatabaseFile()
        let thread = ThreadExecutor(name: "ledger")
        defer { thread.shutDown() }
        let ledger = try Ledger(
            path: home.database, executor: thread, wall: SystemWallTime(), random: SystemRandomSource())
        let event = try await ledger.event("Wedding")
        _ = try home.openSpool()
        #expect(event.name == "Wedding")
        #expect(mode(home.path) == 0o700)
        #expect(mode(home.spool) == 0o700)
        #expect(mode(home.database) == 0o600)
        #expect(mode(home.database + "-wal") == 0o600)
        #expect(mode("\(home.path)/lock") == 0o600)
        withExtendedLifetime(lock) {}
    }

    @Test("a home with too long a path for a socket has its socket in the user's runtime folder")
    func longPath() throws {
        let short = Home("/tmp/home")
        #expect(short.controlSocket == "/tmp/home/control.sock")
        let long = Home("/tmp/" + String(repeating: "x", count: 120))
        if Program.environment("XDG_RUNTIME_DIR") == nil {
            #expect(long.controlSocket == long.path + "/control.sock")
        } else {
            #expect(long.controlSocket.utf8.count <= ControlListener.longestPath)
        }
    }
}
