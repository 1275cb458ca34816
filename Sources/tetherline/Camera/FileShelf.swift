import Bridge
import Camera
import Digest
import PTP
import Posix

/// The files of a download, on a thread of their own: every call here may block.
actor FileShelf {
    private nonisolated let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Names tried before somebody is told to tidy up.
    private static let mostNumbers = 9999

    /// Paths that this run has promised to a photo, whether they are written yet or not.
    private var promised: Set<String> = []

    init(executor: ThreadExecutor) {
        self.executor = executor
    }

    enum Place: Sendable {
        /// A file with this size and date has this name already.
        case present(path: String)
        case free(name: String)
    }

    func directory(for folders: [String], under top: Directory) throws(SystemError) -> Directory {
        var directory = top
        for folder in folders {
            directory = try directory.subdirectory(SafeName.component(folder, fallback: "folder"))
        }
        return directory
    }

    /// The name under which a photo goes into a folder: its own, or the first numbered one that is free.
    func place(
        _ name: String, in directory: Directory, size: UInt64?, date: Int64?
    ) throws(SystemError) -> Place {
        for number in 1...Self.mostNumbers {
            let candidate = SafeName.numbered(name, number)
            let path = "\(directory.path)/\(candidate)"
            if promised.contains(SafeName.collisionKey(path)) { continue }
            guard let facts = try directory.facts(of: candidate) else {
                promised.insert(SafeName.collisionKey(path))
                return .free(name: candidate)
            }
            // Only what has the photo's size and its date is the photo; a name alone says nothing.
            if facts.kind == .file, facts.size == size, date.map({ $0 == facts.modified }) ?? true {
                promised.insert(SafeName.collisionKey(path))
                return .present(path: path)
            }
        }
        throw SystemError("finding a free name for \(name)", 17, on: directory.path)
    }

    /// Opens the partial file and says how much of it can be gone on with.
    func open(
        _ partialName: String, in directory: Directory, size: UInt64?, mayResume: Bool
    ) throws(SystemError) -> (file: StagedFile, kept: UInt64) {
        let file = try StagedFile(in: directory, partialName: partialName)
        var kept = try file.size()
        if kept > 0, !mayResume || kept > (size ?? 0) {
            try file.truncate(to: 0)
            kept = 0
        }
        try file.preallocate(size ?? 0)
        return (file, kept)
    }

    /// What is kept from before goes through the hash first: the digest is of the file, not of what arrived.
    func hash(_ file: StagedFile, upTo length: UInt64, into hasher: SHA256) throws(SystemError) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { memory.deallocate() }
        var position: UInt64 = 0
        while position < length {
            let wanted = Int(min(UInt64(memory.count), length - position))
            let count = try file.read(
                into: UnsafeMutableRawBufferPointer(rebasing: memory[..<wanted]), at: position)
            guard count > 0 else { throw SystemError("reading back", 5, on: file.name) }
            hasher.update(UnsafeRawBufferPointer(rebasing: memory[..<count]))
            position += UInt64(count)
        }
    }

    /// Gives a whole file its name. Somebody else may have taken the one that was free.
    func publish(
        _ file: StagedFile, as name: String, date: Int64?, isDurable: Bool
    ) throws(SystemError) -> String {
        if let date { try file.setModified(date) }
        for number in 1...Self.mostNumbers {
            let candidate = SafeName.numbered(name, number)
            if try file.publish(as: candidate, isDurable: isDurable) == .published {
                return "\(file.directory.path)/\(candidate)"
            }
        }
        throw SystemError("finding a free name for \(name)", 17, on: file.directory.path)
    }

    func discard(_ file: StagedFile) throws(SystemError) {
        try file.discard()
    }
}

/// The end of a fetch: a partial file.
struct StagedSink: PayloadSink {
    let file: StagedFile

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws {
        try file.write(bytes, at: offset)
    }
}
