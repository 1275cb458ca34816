import Glibc
import TestSupport
import Testing

/// A disk of a few megabytes in memory, mounted on a folder as long as this object lives.
final class SmallDisk {
    private let path: String

    /// Only root may, and not in every container.
    static let canMount: Bool = {
        do {
            let folder = try TemporaryFolder()
            _ = try SmallDisk(at: folder.file("disk"), megabytes: 1)
            return true
        } catch {
            return false
        }
    }()

    init(at path: String, megabytes: Int) throws {
        self.path = path
        mkdir(path, 0o755)
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m") == 0 else {
            throw FileProblem(path: path, number: errno)
        }
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }

    func fill(_ name: String, megabytes: Int) throws {
        let made = try #require(Tool("fallocate")).run(["-l", "\(megabytes)MiB", "\(path)/\(name)"])
        #expect(made.code == 0, "\(made.errors)")
    }

    func makeReadOnly() throws {
        guard mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0 else {
            throw FileProblem(path: path, number: errno)
        }
    }
}
