package import Basics
import Synchronization
import TestSupport

/// A disk in memory that forgets. Only what was synced is durable: the bytes of a file by a sync of the file, a name
/// (given, changed or taken away) by a sync of its folder, a folder's own name by a sync of the folder above.
package final class ForgetfulDisk: Sendable {
    /// A call that changes something.
    package enum Effect: String, Sendable {
        case makeFolder
        case create
        case write
        case truncate
        case preallocate
        case syncData
        case sync
        case makeReadOnly
        case setModified
        case move
        case remove
        case folderSync
    }

    /// Thrown by everything once the disk is dead.
    package static let death = DiskError(.other, "the disk died, as this test wants it to")

    package let options: Options
    private let state: Mutex<DiskState>

    package struct Options: Sendable {
        /// Syncs of folders do nothing: a disk that never writes names.
        package var forgetsFolderSync = false
        /// Goes through so many effects, and then nothing works any more.
        package var diesAfter: Int?
        /// This one effect, counted from 0, does nothing but fail.
        package var failure: (number: Int, meaning: DiskError.Meaning)?
        package var space = DiskSpace(free: 1 << 40, total: 1 << 41)
        /// So many bytes fit, and what has no name takes none; instead of `space`.
        package var capacity: UInt64?

        package init(
            forgetsFolderSync: Bool = false, diesAfter: Int? = nil,
            failure: (number: Int, meaning: DiskError.Meaning)? = nil
        ) {
            self.forgetsFolderSync = forgetsFolderSync
            self.diesAfter = diesAfter
            self.failure = failure
        }
    }

    package init(_ options: Options = Options()) {
        self.options = options
        state = Mutex(DiskState())
    }

    /// The folder at the top, whose own name is always durable; a new one after ``vanish()``.
    package func root() -> any DiskFolder {
        ForgetfulFolder(disk: self, node: state.withLock { $0.root }, path: "model")
    }

    package var effects: [Effect] { state.withLock { $0.log } }

    /// Everything is removed, as if by another process.
    package func vanish() {
        state.withLock { $0.vanish() }
    }

    package func isReadOnly(_ node: Int) -> Bool { state.withLock { $0.files[node]?.isReadOnly ?? false } }

    /// Back to what is durable. What was not synced is lost or partly there, as the seed has it. Gives the disk
    /// that the next boot finds.
    package func powerCut(seed: UInt64, _ options: Options = Options()) -> ForgetfulDisk {
        let next = ForgetfulDisk(options)
        let survived = state.withLock { state in
            var copy = state
            copy.cutPower(seed: seed)
            return copy
        }
        next.state.withLock { $0 = survived }
        return next
    }

    /// The same disk with everything that is on it, when only the program has ended.
    package func restarted(_ options: Options = Options()) -> ForgetfulDisk {
        let next = ForgetfulDisk(options)
        let survived = state.withLock { state in
            var copy = state
            copy.log = []
            copy.isDead = false
            return copy
        }
        next.state.withLock { $0 = survived }
        return next
    }

    func read<Result: Sendable>(
        _ body: (inout DiskState) throws(DiskError) -> Result
    ) throws(DiskError) -> Result {
        try state.withLock { state throws(DiskError) in
            if state.isDead { throw Self.death }
            return try body(&state)
        }
    }

    func change<Result: Sendable>(
        _ effect: Effect, _ body: (inout DiskState) throws(DiskError) -> Result
    ) throws(DiskError) -> Result {
        try read { state throws(DiskError) in
            if let limit = options.diesAfter, state.log.count >= limit {
                state.isDead = true
                throw Self.death
            }
            state.log.append(effect)
            if let failure = options.failure, failure.number == state.log.count - 1 {
                throw DiskError(failure.meaning, "the \(effect.rawValue) failed, as this test wants it to")
            }
            return try body(&state)
        }
    }
}

/// What is on the disk, and what of it would survive.
struct DiskState: Sendable {
    struct File: Sendable {
        var bytes: [UInt8] = []
        var durable: [UInt8] = []
        var isReadOnly = false
    }

    struct Folder: Sendable {
        var names: [String: Int] = [:]
        var durable: [String: Int] = [:]
    }

    var files: [Int: File] = [:]
    var folders: [Int: Folder] = [0: Folder()]
    var root = 0
    var log: [ForgetfulDisk.Effect] = []
    var isDead = false
    private var nextNode = 1

    mutating func newNode() -> Int {
        defer { nextNode += 1 }
        return nextNode
    }

    /// Bytes of files that have a name.
    var used: UInt64 {
        let nodes = Set(folders.values.flatMap(\.names.values))
        return nodes.reduce(0) { $0 + UInt64(files[$1]?.bytes.count ?? 0) }
    }

    mutating func vanish() {
        folders = [:]
        root = newNode()
        folders[root] = Folder()
    }

    func folder(_ node: Int) throws(DiskError) -> Folder {
        guard let folder = folders[node] else { throw DiskError(.missing, "the folder was removed") }
        return folder
    }

    func node(_ name: String, in node: Int) throws(DiskError) -> Int {
        guard let found = try folder(node).names[name] else {
            throw DiskError(.missing, "there is no \(name)")
        }
        return found
    }

    func file(_ node: Int) throws(DiskError) -> File {
        guard let file = files[node] else { throw DiskError(.other, "that is no file") }
        return file
    }

    mutating func cutPower(seed: UInt64) {
        var random = Seeded(seed)
        for node in folders.keys.sorted() {
            guard var folder = folders[node] else { continue }
            var survivors = folder.durable
            for name in Set(folder.names.keys).union(folder.durable.keys).sorted()
            where folder.names[name] != folder.durable[name] && random.chance(50) {
                // This change of a name came to the disk by itself.
                survivors[name] = folder.names[name]
            }
            folder.names = survivors
            folder.durable = survivors
            folders[node] = folder
        }
        for node in files.keys.sorted() {
            guard var file = files[node], file.bytes != file.durable else { continue }
            file.bytes = Self.partly(file, &random)
            file.durable = file.bytes
            files[node] = file
        }
        log = []
        isDead = false
    }

    /// What a power cut leaves of bytes that were not synced. Those that were do not change.
    private static func partly(_ file: File, _ random: inout Seeded) -> [UInt8] {
        let common = zip(file.bytes, file.durable).prefix { $0 == $1 }.count
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return file.durable
        case 1: return Array(file.bytes[..<Int.random(in: common...file.bytes.count, using: &random)])
        case 2:
            return Array(file.bytes[..<common])
                + [UInt8](repeating: 0, count: file.bytes.count - common)
        default: return Array(file.bytes[..<common])
        }
    }
}
