import Posix
import Synchronization

/// The folder of a destination itself. Where it is to lie on a disk that can be unplugged, nothing is put there while that
/// disk is away: it would fill this machine's own disk, out of sight.
final class FolderTop: Sendable {
    struct NoDisk: Error, Equatable, CustomStringConvertible {
        let path: String
        var description: String { "no disk is mounted at \(path); photos wait here until it is" }
    }

    let path: String
    private let disk: DiskPlace?
    /// A disk has been seen there: from then on it is missed when it is away.
    private let hasBeenMounted: Mutex<Bool>

    init(_ path: String, wasMounted: Bool, roots: [String]) {
        self.path = path
        disk = DiskPlace(of: path, below: roots)
        hasBeenMounted = Mutex(wasMounted)
    }

    /// The folder on the disk that is mounted; a plain folder only where no disk has ever been seen.
    func check() throws {
        guard let disk else { return }
        if disk.isMounted { return hasBeenMounted.withLock { $0 = true } }
        guard !hasBeenMounted.withLock({ $0 }), try FileFacts(at: path) != nil else {
            throw NoDisk(path: path)
        }
    }

    /// On a disk that is mounted it is made: that may be a new one.
    func open() throws -> Directory {
        try check()
        return try disk?.isMounted == true ? Directory.make(path: path) : Directory(path: path)
    }
}
