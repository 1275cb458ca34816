import Glibc

/// A disk of a few megabytes in memory, mounted on a folder as long as this object lives.
public final class SmallDisk: Sendable {
    private let path: String

    /// Only root may, and not in every container.
    public static let canMount: Bool = {
        do {
            let folder = try TemporaryFolder()
            _ = try SmallDisk(at: folder.file("disk"), megabytes: 1)
            return true
        } catch {
            return false
        }
    }()

    public init(at path: String, megabytes: Int) throws {
        self.path = path
        mkdir(path, 0o755)
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m,mode=755") == 0 else {
            throw FileProblem(path: path, number: errno)
        }
    }

    /// Also while a process still has files open there.
    deinit {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }

    public func fill(_ name: String, megabytes: Int) throws {
        try fill(name, bytes: megabytes << 20)
    }

    /// Leaves so many bytes of room, or all of it.
    public func leave(_ bytes: Int?) throws {
        let name = "filler"
        unlink("\(path)/\(name)")
        guard let bytes else { return }
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { throw FileProblem(path: path, number: errno) }
        try fill(name, bytes: Int(facts.f_bavail) * Int(facts.f_frsize) - bytes)
    }

    public func fill(_ name: String, bytes: Int) throws {
        let file = "\(path)/\(name)"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileProblem(path: file, number: errno) }
        defer { close(descriptor) }
        let number = posix_fallocate(descriptor, 0, off_t(bytes))
        guard number == 0 else { throw FileProblem(path: file, number: number) }
    }

    public func makeReadOnly() throws {
        guard mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0 else {
            throw FileProblem(path: path, number: errno)
        }
    }
}
