import CLinux
import Glibc

/// A file that says that a process is here: locked as long as this object lives and, whatever happens to the process,
/// no longer. The file itself stays; a lock on a file that has been removed would keep no process out.
package final class FileLock: Sendable {
    package enum Failure: Error, Equatable, Sendable {
        /// Another process has it. Its id, unless it has only just come.
        case held(by: Int32?, path: String)
        case system(SystemError)
    }

    private let descriptor: OwnedDescriptor

    /// Takes the lock or says who has it; never waits.
    package init(path: String) throws(Failure) {
        // Not this object's before it is locked: giving it up empties it.
        descriptor = try Self.locked(path)
    }

    deinit {
        // Said aloud, because a child that was forked meanwhile has the descriptor too, and with it the lock. Before
        // that the id goes, so that it is not read as the next one's.
        ftruncate(descriptor.number, 0)
        flock(descriptor.number, LOCK_UN)
    }

    private static func locked(_ path: String) throws(Failure) -> OwnedDescriptor {
        do throws(SystemError) {
            let file = OwnedDescriptor(
                owning: try check("opening the lock", on: path) {
                    tl_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
                })
            try give(file.number, path)
            try check("locking", on: path) { flock(file.number, LOCK_EX | LOCK_NB) }
            try check("emptying the lock", on: path) { ftruncate(file.number, 0) }
            let line = Array("\(getpid())\n".utf8)
            // So few bytes are written whole or not at all.
            try check("writing the lock", on: path) { pwrite(file.number, line, line.count, 0) }
            return file
        } catch {
            if error.number == EWOULDBLOCK { throw .held(by: holder(path), path: path) }
            throw .system(error)
        }
    }

    /// What the administrator makes in another user's folder is that user's: after one command with sudo the bridge would have
    /// to wait for the next.
    private static func give(_ number: Int32, _ path: String) throws(SystemError) {
        guard geteuid() == 0 else { return }
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var now = stat()
        try check("stat", on: path) { fstat(number, &now) }
        guard let above = try FileFacts(at: folder), now.st_uid == 0, above.owner != 0 else { return }
        try check("giving the lock to the folder's owner", on: path) {
            fchown(number, above.owner, above.group)
        }
    }

    /// What the one who has it has written.
    private static func holder(_ path: String) -> Int32? {
        do throws(SystemError) {
            let bytes = try ReadableFile.contents(of: path, limit: 16)
            guard bytes.last == UInt8(ascii: "\n") else { return nil }
            return Int32(String(decoding: bytes.dropLast(), as: UTF8.self))
        } catch {
            // That another process holds the lock matters more than its id.
            return nil
        }
    }
}

extension FileLock.Failure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .held(let pid, let path):
            let who = pid.map { "process \($0)" } ?? "another process"
            return "\(path): \(who) holds this lock; end that one, or give this one another --home"
        case .system(let error):
            return error.description
        }
    }
}
