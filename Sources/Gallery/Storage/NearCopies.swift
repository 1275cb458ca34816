package import Basics
import Posix
import Synchronization

/// Small objects of a bucket on this machine's disk, so that each node fetches an image that a hall of guests looks at once.
///
/// What lies under a key never changes, so a copy is good for as long as it is there. Whether a client may have it is decided
/// before it is asked for. Nothing of it has to survive: the folder is emptied when the gallery starts.
package final class NearCopies: Sendable {
    private struct Copy {
        let name: String
        let size: UInt64
        let end: Timestamp
        /// The turn in which it was given out last.
        var used: UInt64
    }

    private typealias Fetch = Task<Swift.Result<ObjectContent, StorageProblem>, Never>

    private struct State {
        var copies: [String: Copy] = [:]
        var bytes: UInt64 = 0
        var turn: UInt64 = 0
        /// How often a key was forgotten: what was fetched meanwhile may be of one that is gone.
        var forgotten: UInt64 = 0
        /// Clients that ask for the same object wait for one answer.
        var fetches: [String: Fetch] = [:]
        /// That nothing can be kept was said, and is not said again until something was.
        var isTroubled = false

        /// It is the one that was asked for last from now on.
        mutating func copy(of key: String, at now: Timestamp) -> Copy? {
            guard let index = copies.index(forKey: key), copies.values[index].end > now else { return nil }
            turn += 1
            copies.values[index].used = turn
            return copies.values[index]
        }

        mutating func drop(_ keys: some Sequence<String>) -> [String] {
            keys.compactMap { key in
                guard let copy = copies.removeValue(forKey: key) else { return nil }
                bytes -= copy.size
                return copy.name
            }
        }
    }

    private let state = Mutex(State())
    private let folder: Directory
    private let most: UInt64
    private let threads = DiskThreads(count: 2)
    private let wall: any WallTime
    private let warn: @Sendable (String) -> Void

    package static let usualSize: UInt64 = 1 << 30
    /// What a page of an event needs at least, with some hundred tiles.
    package static let leastSize: UInt64 = 16 << 20
    /// Of files in one folder.
    private static let mostCopies = 100_000
    /// What was deleted in the bucket by another node lies here no longer.
    static let life = Duration.seconds(3600)
    /// So much of the disk stays free, or an eighth of a small one.
    static let room: UInt64 = 1 << 30

    /// In a folder that no other program uses. `warn` is told once that nothing can be kept.
    package init(
        in path: String, most: UInt64 = NearCopies.usualSize, wall: any WallTime,
        warn: @escaping @Sendable (String) -> Void
    ) throws(StorageProblem) {
        (self.most, self.wall, self.warn) = (most, wall, warn)
        do throws(SystemError) {
            folder = try Directory.make(path: Directory.absolute(path) ?? path, mode: 0o700)
            for name in try folder.names(limit: 1 << 20) { try folder.remove(name) }
        } catch {
            throw StorageProblem(error)
        }
    }

    // MARK: Giving out

    /// Nothing where it has to be fetched.
    func atHand(_ key: String, size: UInt64) -> ObjectContent? {
        let now = wall.wallNow
        guard let copy = state.withLock({ $0.copy(of: key, at: now) }), copy.size == size else { return nil }
        return content(copy)
    }

    private func content(_ copy: Copy) -> ObjectContent {
        .copy(path: "\(folder.path)/\(copy.name)", size: copy.size)
    }

    private enum Way {
        case known(Copy)
        case running(Fetch)
    }

    /// What `fetch` brings, for all who ask for it meanwhile.
    func content(
        of key: String, _ fetch: @escaping @Sendable () async throws(StorageProblem) -> [UInt8]
    ) async throws(StorageProblem) -> ObjectContent {
        let now = wall.wallNow
        let way = state.withLock { state -> Way in
            if let running = state.fetches[key] { return .running(running) }
            // It may have come since the client was told that it is not at hand.
            if let copy = state.copy(of: key, at: now) { return .known(copy) }
            state.turn += 1
            let (forgotten, name) = (state.forgotten, "\(key).\(state.turn)")
            let running = Fetch {
                do throws(StorageProblem) {
                    return .success(await self.keep(try await fetch(), of: key, named: name, forgotten))
                } catch {
                    self.state.withLock { $0.fetches[key] = nil }
                    return .failure(error)
                }
            }
            state.fetches[key] = running
            return .running(running)
        }
        switch way {
        case .known(let copy): return content(copy)
        case .running(let running): return try await running.value.get()
        }
    }

    // MARK: Keeping

    /// As a copy where it can be kept, and else as it is.
    private func keep(
        _ bytes: [UInt8], of key: String, named name: String, _ forgotten: UInt64
    ) async -> ObjectContent {
        let size = UInt64(bytes.count)
        var content = ObjectContent.bytes(bytes)
        do throws(SystemError) {
            let isKept = try await threads.perform { () throws(SystemError) in
                guard size > 0, size <= most, try hasRoom(for: size) else { return false }
                try write(bytes, as: name)
                let copy = Copy(name: name, size: size, end: wall.wallNow + Self.life, used: 0)
                return try put(copy, of: key, forgotten)
            }
            if isKept { content = .copy(path: "\(folder.path)/\(name)", size: size) }
        } catch {
            let isNews = state.withLock { state in
                defer { state.isTroubled = true }
                return !state.isTroubled
            }
            if isNews {
                warn("images of the bucket are not kept here, so each is fetched each time: \(error)")
            }
        }
        state.withLock { $0.fetches[key] = nil }
        return content
    }

    private func write(_ bytes: [UInt8], as name: String) throws(SystemError) {
        let file = try StagedFile(in: folder, partialName: name, mode: 0o600)
        do throws(SystemError) {
            try file.write(bytes, at: 0)
        } catch {
            try file.discard()
            throw error
        }
    }

    /// Whether it is one of the copies from now on. Those that were not asked for for longest make room for it.
    private func put(_ copy: Copy, of key: String, _ forgotten: UInt64) throws(SystemError) -> Bool {
        let (isKept, gone) = state.withLock { state -> (Bool, [String]) in
            guard state.forgotten == forgotten else { return (false, [copy.name]) }
            state.isTroubled = false
            let gone = state.drop([key])
            state.turn += 1
            state.copies[key] = copy
            state.copies[key]?.used = state.turn
            state.bytes += copy.size
            return (true, gone + Self.surplus(of: &state, most))
        }
        for name in gone { try folder.remove(name) }
        return isKept
    }

    /// A tenth more than there has to be, so that not each new one looks through all of them.
    private static func surplus(of state: inout State, _ most: UInt64) -> [String] {
        guard state.bytes > most || state.copies.count > mostCopies else { return [] }
        var gone: [String] = []
        for (key, _) in state.copies.sorted(by: { $0.value.used < $1.value.used }) {
            guard state.bytes > most / 10 * 9 || state.copies.count > mostCopies / 10 * 9 else { break }
            gone += state.drop([key])
        }
        return gone
    }

    /// A disk that is nearly full is for photos in the making, and all that is kept here leaves it.
    private func hasRoom(for size: UInt64) throws(SystemError) -> Bool {
        let space = try folder.space()
        if space.free >= min(Self.room, space.total / 8) + size { return true }
        let gone = state.withLock { state in state.drop(Array(state.copies.keys)) }
        for name in gone { try folder.remove(name) }
        return false
    }

    // MARK: Forgetting

    /// Its object is deleted.
    func forget(_ key: String) async throws(StorageProblem) {
        let gone = state.withLock { state in
            state.forgotten += 1
            return state.drop([key])
        }
        try await remove(gone)
    }

    /// What is over, also where nothing new comes.
    func tidy() async throws(StorageProblem) {
        let now = wall.wallNow
        try await remove(
            state.withLock { state in state.drop(state.copies.filter { $0.value.end <= now }.map(\.key)) })
    }

    private func remove(_ names: [String]) async throws(StorageProblem) {
        guard !names.isEmpty else { return }
        try await threads.store { () throws(SystemError) in
            for name in names { try folder.remove(name) }
        }
    }
}
