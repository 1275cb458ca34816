import Basics
import Database
import Posix

/// Images on the disk: files and the index that tells what they are.
///
/// A file comes before its row and goes before it. So a crash leaves files without rows, which are swept at the next
/// opening, or rows without files, which are dropped then. No failure of the disk reaches those who ask for an image: it
/// is fetched instead, and ``problem`` says why.
final class DiskShelf {
    struct Open {
        let folder: ImageFolder
        let index: ImageIndex
    }

    enum State {
        case notOpened
        case open(Open)
        /// The disk did not let it open, and is tried again then.
        case unusable(until: Duration)
        case ended
    }

    let path: String
    let limits: ImageCacheLimits
    let time: any TimeSource
    private let wall: any WallTime
    let reserve: @Sendable (DiskSpace) -> UInt64
    /// What may be looked at: a disk that can be used again later has what was there before.
    var access: ImageAccess
    var state = State.notOpened
    /// Nothing is written before that: the disk was full.
    var writesAgain: Duration?
    var lastWriteOfUses: Duration?

    /// Why nothing is kept at the moment.
    var problem: String?
    var evicted: UInt64 = 0
    private(set) var rebuilt: UInt64 = 0
    /// Damage has shown while it was used: the next opening begins anew, whatever it finds.
    private var isDistrusted = false

    /// How long a disk that is full or fails is left alone.
    static let pause = Duration.seconds(30)
    /// Uses are written when so many have come together, or so much time has passed.
    static let mostPendingUses = 256
    static let longestPending = Duration.seconds(10)
    /// Files that go at a time to make room.
    static let batch = 256
    /// How long a row says that its object was deleted. After that the gallery is asked, which knows.
    static let deletionsKept = Duration.seconds(30 * 24 * 3600)

    init(
        _ parts: ImageCache.Parts, limits: ImageCacheLimits, access: ImageAccess
    ) {
        path = parts.folder
        time = parts.time
        wall = parts.wall
        reserve = parts.reserve
        self.limits = limits
        self.access = access
    }

    var now: Timestamp { wall.wallNow }

    var count: Int { if case .open(let open) = state { open.index.count } else { 0 } }
    var bytes: UInt64 { if case .open(let open) = state { open.index.bytes } else { 0 } }

    // MARK: Opening

    /// Nothing while the disk cannot be used.
    func opened() -> Open? {
        switch state {
        case .open(let open): return open
        case .ended: return nil
        case .unusable(let until) where time.now < until: return nil
        case .unusable, .notOpened: return reopened()
        }
    }

    private func reopened() -> Open? {
        state = .notOpened
        do {
            let folder = try ImageFolder(path: path)
            try folder.makeFile(ImageIndex.fileName)
            let open = try opened(folder)
            try dropForeign(open)
            state = .open(open)
            problem = nil
            return open
        } catch {
            give(up: error)
            return nil
        }
    }

    /// What is damaged, of another format or of a newer program is removed, and so are the files: nothing says any more
    /// what they are.
    private func opened(_ folder: ImageFolder) throws -> Open {
        let file = "\(folder.path)/\(ImageIndex.fileName)"
        do {
            if isDistrusted { throw DatabaseError(.corrupt, "it was found damaged", path: file) }
            return try compared(Open(folder: folder, index: ImageIndex(path: file)))
        } catch {
            switch DiskTrouble(error) {
            case .damaged:
                try removeIndex(folder)
                isDistrusted = false
                rebuilt += 1
            // The cache is the first thing that makes room.
            case .noRoom: try removeFiles(folder)
            case .other: throw error
            }
            return try compared(Open(folder: folder, index: ImageIndex(path: file)))
        }
    }

    private func removeIndex(_ folder: ImageFolder) throws {
        for suffix in ImageIndex.companions + [""] { try folder.remove(ImageIndex.fileName + suffix) }
        try removeFiles(folder)
    }

    func removeFiles(_ folder: ImageFolder) throws {
        for name in try folder.names() { try folder.remove(name) }
    }

    /// Rows without their file are dropped, files without a row swept. Every row is looked at once, so that damage shows
    /// here.
    private func compared(_ open: Open) throws -> Open {
        var orphans = Set(try open.folder.names())
        var lost: [String] = []
        try open.index.each { row in
            guard orphans.contains(row.cacheKey),
                try open.folder.size(of: row.cacheKey) == UInt64(row.size)
            else { return lost.append(row.cacheKey) }
            orphans.remove(row.cacheKey)
        }
        for name in orphans { try open.folder.remove(name) }
        try open.index.remove(lost)
        try makeRoom(open, files: 0, bytes: 0)
        return open
    }

    /// What has expired, and what may not be looked at.
    func dropForeign(_ open: Open) throws {
        var keys = Set(try open.index.keys(expiredAt: now))
        for owner in try open.index.owners() where !access.includes(owner) {
            keys.formUnion(try open.index.keys(of: owner))
        }
        try remove(open, Array(keys))
        try open.index.forgetDeletions(before: now + (.zero - Self.deletionsKept))
    }

    // MARK: Trouble

    @discardableResult
    func attempt<Result>(_ body: () throws -> Result) -> Result? {
        do {
            return try body()
        } catch {
            give(up: error)
            return nil
        }
    }

    private func give(up error: any Error) {
        switch DiskTrouble(error) {
        case .noRoom:
            problem = "the image cache keeps nothing new, because the disk is full: \(error)"
            writesAgain = time.now + Self.pause
            if case .notOpened = state { state = .unusable(until: time.now + Self.pause) }
        case .damaged where isOpen:
            isDistrusted = true
            state = .notOpened
        case .damaged, .other:
            problem = "the image cache keeps nothing on the disk: \(error)"
            state = .unusable(until: time.now + Self.pause)
        }
    }

    var isOpen: Bool { if case .open = state { true } else { false } }

    func rest(_ open: Open) {
        problem =
            "the image cache keeps nothing new: \(open.folder.path) has no room beside the reserve; make room, and it "
            + "goes on by itself"
        writesAgain = time.now + Self.pause
    }
}

/// What a failure means for a cache.
enum DiskTrouble: Equatable {
    case noRoom
    /// The index is not what this program wrote.
    case damaged
    case other

    init(_ error: any Error) {
        switch error {
        case let error as DatabaseError:
            self =
                switch error.code {
                case _ where error.failure == .noRoom: .noRoom
                case .busy, .readOnly, .inputOutput, .cannotOpen: .other
                default: .damaged
                }
        case is Refusal: self = .damaged
        case let error as SystemError: self = error.kind == .noRoom ? .noRoom : .other
        default: self = .other
        }
    }
}
