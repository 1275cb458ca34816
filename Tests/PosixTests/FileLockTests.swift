import Glibc
import Posix
import TestSupport
import Testing

@Suite struct FileLockTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("lock")
    }

    @Test("a lock is held as long as its object lives, and says whose it is")
    func lifetime() throws {
        do {
            let lock = try FileLock(path: path)
            #expect(try readFile(path) == Array("\(getpid())\n".utf8))
            let error = #expect(throws: FileLock.Failure.self) { try FileLock(path: path) }
            #expect(error == .held(by: getpid(), path: path))
            #expect(try readFile(path) == Array("\(getpid())\n".utf8))
            withExtendedLifetime(lock) {}
        }
        #expect(try readFile(path) == [])
        _ = try FileLock(path: path)
    }

    @Test("another process that holds the lock is named, with what to do")
    func otherProcess() throws {
        let tool = try #require(Tool("flock"))
        // One process, so that its end is the end of all of it.
        let holder = try Daemon(
            tool.path,
            [
                "--no-fork", path, "sh", "-c", "echo $$ >'\(path)'; echo has it; exec tail -f /dev/null",
            ])
        try holder.wait(for: "has it")
        let error = #expect(throws: FileLock.Failure.self) { try FileLock(path: path) }
        guard case .held(let pid?, path) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try readFile(path) == Array("\(pid)\n".utf8))
        #expect(error?.description.contains("process \(pid) holds this lock") == true)
        withExtendedLifetime(holder) {}
        #expect(error?.description.contains("end that one, or give this one another --home") == true)
    }

    @Test("another process does not get a lock that is held here, and gets it afterwards")
    func heldHere() throws {
        let tool = try #require(Tool("flock"))
        do {
            let lock = try FileLock(path: path)
            #expect(try tool.run(["--nonblock", path, "true"]).code == 1)
            withExtendedLifetime(lock) {}
        }
        #expect(try tool.run(["--nonblock", path, "true"]).code == 0)
    }

    @Test("a holder that has not said who it is holds the lock all the same")
    func namelessHolder() throws {
        for text in ["", "\n", "12", "who?\n"] {
            try folder.write(text, to: "lock")
            let descriptor = open(path, O_RDWR | O_CLOEXEC)
            try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            defer {
                // A program that another test starts just now has the descriptor too, for a moment.
                flock(descriptor, LOCK_UN)
                close(descriptor)
            }
            #expect(throws: FileLock.Failure.held(by: nil, path: path)) { try FileLock(path: path) }
        }
    }

    @Test("a lock is a file for its owner only, and no link leads elsewhere")
    func file() throws {
        let lock = try FileLock(path: path)
        var facts = stat()
        stat(path, &facts)
        #expect(facts.st_mode & 0o777 == 0o600)
        withExtendedLifetime(lock) {}
        symlink(path, folder.file("link"))
        let error = #expect(throws: FileLock.Failure.self) { try FileLock(path: folder.file("link")) }
        guard case .system(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.number == ELOOP)
        #expect(throws: FileLock.Failure.self) { try FileLock(path: folder.file("missing/lock")) }
    }
}
