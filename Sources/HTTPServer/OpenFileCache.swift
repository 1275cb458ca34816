import Glibc
import Posix
import Synchronization

/// Files that were served lately, kept open. What lies under an etag never changes, so nothing is looked up again.
final class OpenFileCache: Sendable {
    /// One file, open for as long as an answer needs it.
    final class OpenFile: Sendable {
        let descriptor: Int32

        init(owning descriptor: Int32) {
            self.descriptor = descriptor
        }

        deinit {
            Glibc.close(descriptor)
        }
    }

    private struct Key: Hashable {
        let path: String
        let etag: String
    }

    private struct State {
        var openFiles: [Key: (openFile: OpenFile, used: UInt64)] = [:]
        var turn: UInt64 = 0
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// Larger ones are opened each time: what is deleted takes up room for as long as it is open.
    private static let largestKept: UInt64 = 4 << 20

    init(capacity: Int = 256) {
        self.capacity = capacity
    }

    func openFile(of file: ServedFile) throws(SystemError) -> OpenFile {
        if file.size > Self.largestKept { return try Self.open(file) }
        let key = Key(path: file.path, etag: file.etag)
        let known = state.withLock { state -> OpenFile? in
            guard let index = state.openFiles.index(forKey: key) else { return nil }
            state.turn += 1
            state.openFiles.values[index].used = state.turn
            return state.openFiles.values[index].openFile
        }
        if let known { return known }
        let openFile = try Self.open(file)
        state.withLock { state in
            if state.openFiles.count >= capacity,
                let oldest = state.openFiles.min(by: { $0.value.used < $1.value.used })?.key
            {
                state.openFiles[oldest] = nil
            }
            state.turn += 1
            state.openFiles[key] = (openFile, state.turn)
        }
        return openFile
    }

    private static func open(_ file: ServedFile) throws(SystemError) -> OpenFile {
        let descriptor = try check("opening", on: file.path) {
            Glibc.open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        }
        let openFile = OpenFile(owning: descriptor)
        var facts = stat()
        try check("fstat", on: file.path) { fstat(descriptor, &facts) }
        guard UInt64(facts.st_size) == file.size, facts.st_mode & S_IFMT == S_IFREG else {
            throw SystemError("comparing its size", EIO, on: file.path)
        }
        return openFile
    }
}
