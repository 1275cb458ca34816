import Glibc
import Posix
import Synchronization

/// Files that were served lately: small ones in memory, larger ones kept open. What lies under an etag never changes, so
/// nothing is looked up again.
final class OpenFileCache: Sendable {
    /// One file, for as long as an answer needs it.
    final class OpenFile: Sendable {
        enum Content {
            case descriptor(Int32)
            /// A head and a body that both lie in memory leave in one call.
            case memory(FileBytes)
        }

        let content: Content
        /// What the file was last answered with as a whole, where that lies in memory.
        let kept = Mutex<KeptReply?>(nil)

        init(owning content: Content) {
            self.content = content
        }

        deinit {
            if case .descriptor(let descriptor) = content { Glibc.close(descriptor) }
        }

        /// What it takes up, together with the answer.
        fileprivate var size: Int {
            if case .memory(let file) = content { file.bytes.count + KeptReply.size } else { 0 }
        }
    }

    /// A small file in memory, for as long as an answer of it is on its way.
    final class FileBytes: Sendable {
        nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

        fileprivate init(_ memory: UnsafeMutableRawBufferPointer) {
            bytes = UnsafeRawBufferPointer(memory)
        }

        deinit {
            bytes.deallocate()
        }
    }

    private struct Key: Hashable {
        let path: String
        let etag: String
    }

    private struct State {
        var openFiles: [Key: (openFile: OpenFile, used: UInt64)] = [:]
        var turn: UInt64 = 0
        var descriptors = 0
        var bytes = 0

        mutating func count(_ openFile: OpenFile, _ difference: Int) {
            if case .descriptor = openFile.content { descriptors += difference }
            bytes += difference * openFile.size
        }
    }

    private let state = Mutex(State())
    private let mostDescriptors: Int
    private let mostBytes: Int

    /// A thumbnail has some 20 KB.
    private static let largestInMemory: UInt64 = 64 << 10
    /// Larger ones are opened each time: what is deleted takes up room for as long as it is open.
    private static let largestKept: UInt64 = 4 << 20

    init(mostDescriptors: Int = 256, mostBytes: Int = 32 << 20) {
        self.mostDescriptors = mostDescriptors
        self.mostBytes = mostBytes
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
        let forgotten = state.withLock { state in
            state.turn += 1
            state.count(openFile, 1)
            var forgotten = [state.openFiles.updateValue((openFile, state.turn), forKey: key)?.openFile]
                .compactMap(\.self)
            for openFile in forgotten { state.count(openFile, -1) }
            while let oldest = oldest(of: state),
                let openFile = state.openFiles.removeValue(forKey: oldest)?.openFile
            {
                state.count(openFile, -1)
                forgotten.append(openFile)
            }
            return forgotten
        }
        // They are closed outside of the lock.
        withExtendedLifetime(forgotten) {}
        return openFile
    }

    /// What was not served for longest, where there is more than may be kept.
    private func oldest(of state: State) -> Key? {
        guard state.descriptors > mostDescriptors || state.bytes > mostBytes else { return nil }
        return state.openFiles.min { $0.value.used < $1.value.used }?.key
    }

    private static func open(_ file: ServedFile) throws(SystemError) -> OpenFile {
        let descriptor = try check("opening", on: file.path) {
            Glibc.open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        }
        let openFile = OpenFile(owning: .descriptor(descriptor))
        var facts = stat()
        try check("fstat", on: file.path) { fstat(descriptor, &facts) }
        guard UInt64(facts.st_size) == file.size, facts.st_mode & S_IFMT == S_IFREG else {
            throw SystemError("comparing its size", EIO, on: file.path)
        }
        return file.size > 0 && file.size <= largestInMemory ? try read(file, descriptor) : openFile
    }

    private static func read(_ file: ServedFile, _ descriptor: Int32) throws(SystemError) -> OpenFile {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(file.size), alignment: 16)
        let openFile = OpenFile(owning: .memory(FileBytes(memory)))
        let count = try check("reading", on: file.path) {
            pread(descriptor, memory.baseAddress, memory.count, 0)
        }
        guard count == memory.count else { throw SystemError("reading", EIO, on: file.path) }
        return openFile
    }
}
