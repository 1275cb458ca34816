package import Basics
package import Posix
import Synchronization

/// Small objects of a bucket on this machine's disk, so that each node fetches an image that a hall of guests looks at once.
///
/// What lies under a key never changes, so a copy is good for as long as it is there. Whether a client may have it is decided
/// before it is asked for. Nothing of it has to survive: the folder is emptied when the gallery starts.
package final class NearCopies: Sendable {
    /// How much of a folder's disk is free, and how large that is.
    package typealias Space = @Sendable (Directory) throws(SystemError) -> (free: UInt64, total: UInt64)

    private let state = Mutex(State())
    private let folder: Directory
    private let most: UInt64
    private let threads = DiskThreads(count: 2)
    private let wall: any WallTime
    private let warn: @Sendable (String) -> Void
    private let space: Space
    private let given = NearCopy.Counter()

    /// `warn` is told once that nothing can be kept.
    package init(
        in path: String, most: UInt64, wall: any WallTime, warn: @escaping @Sendable (String) -> Void,
        space: @escaping Space = { folder throws(SystemError) in try folder.space() }
    ) throws(StorageProblem) {
        (self.most, self.wall, self.warn, self.space) = (most, wall, warn, space)
        do throws(SystemError) {
            folder = try Directory.make(path: Directory.absolute(path) ?? path, mode: 0o700)
            try Self.clear(folder)
        } catch {
            throw StorageProblem(error)
        }
    }

    /// What a run has left that kept copies, where this one keeps none.
    package static func clear(_ path: String) throws(SystemError) {
        let folder: Directory
        do throws(SystemError) {
            folder = try Directory(path: path)
        } catch {
            if error.kind == .missing { return }
            throw error
        }
        try clear(folder)
    }

    /// Whatever else an operator has put there stays.
    private static func clear(_ folder: Directory) throws(SystemError) {
        for name in try folder.names(limit: 1 << 20) where NearCopy.isName(name) { try folder.remove(name) }
    }

    // MARK: Giving out

    /// Nothing where it has to be fetched, also where something else has removed the file.
    func atHand(_ key: String, size: UInt64) -> ObjectContent? {
        guard let copy = state.withLock({ $0.copies[key] }), copy.size == size,
            copy.isThere(at: wall.wallNow)
        else { return nil }
        return .copy(copy)
    }

    /// What `fetch` brings, for all who ask for it meanwhile.
    func content(
        of key: String, size: UInt64,
        _ fetch: @escaping @Sendable () async throws(StorageProblem) -> [UInt8]
    ) async throws(StorageProblem) -> ObjectContent {
        let now = wall.wallNow
        // It may have come since the client was told that it is not at hand.
        if let content = atHand(key, size: size) { return content }
        let fetching = state.withLock { state -> State.Fetch in
            if let fetching = state.join(key, at: now) { return fetching }
            let number = state.number()
            let task = Task { [self] () -> Result<ObjectContent, StorageProblem> in
                do throws(StorageProblem) {
                    return .success(await keep(try await fetch(), of: key, number))
                } catch {
                    self.state.withLock { _ = $0.ended(key, number) }
                    return .failure(error)
                }
            }
            return state.begin(State.Fetch(number: number, task: task, began: now), of: key)
        }
        return try await withTaskCancellationHandler {
            await fetching.task.value
        } onCancel: {
            // The bucket is not asked for a client that has gone, unless others wait, too.
            if state.withLock({ $0.leave(key, fetching.number) }) { fetching.task.cancel() }
        }.get()
    }

    // MARK: Keeping

    /// As a copy where it can be kept, and else as it is.
    private func keep(_ bytes: [UInt8], of key: String, _ number: UInt64) async -> ObjectContent {
        let (size, name) = (UInt64(bytes.count), NearCopy.name(of: key, number))
        var (isWritten, trouble): (Bool, String?) = (false, nil)
        do throws(SystemError) {
            isWritten = try await threads.perform { () throws(SystemError) in
                guard size > 0, size <= most, try hasRoom() else { return false }
                try write(bytes, as: name)
                return true
            }
            if size <= most, !isWritten, size > 0 { trouble = "its disk is nearly full; make room" }
        } catch {
            trouble = "\(error)"
        }
        let copy = NearCopy(name, of: size, in: folder.path, at: wall.wallNow, given)
        let (isKept, gone) = state.withLock { state -> (Bool, [String]) in
            // Its object may have been deleted meanwhile, or be brought by another fetch.
            let isWanted = state.ended(key, number)
            guard isWritten else { return (false, []) }
            return isWanted ? (true, state.put(copy, of: key)) : (false, [name])
        }
        await remove(gone)
        tell(trouble)
        if state.withLock({ $0.beginsEviction(beyond: most) }) {
            // No client waits for it.
            Task { await makeRoom() }
        }
        return isKept ? .copy(copy) : .bytes(bytes)
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

    private func hasRoom() throws(SystemError) -> Bool {
        let space = try space(folder)
        return space.free >= min(CopyLimits.room, space.total / 8)
    }

    /// Once, until something was kept again.
    private func tell(_ trouble: String?) {
        let isNews = state.withLock { state in
            defer { state.isTroubled = trouble != nil }
            return trouble != nil && !state.isTroubled
        }
        guard isNews, let trouble else { return }
        warn(
            "\(folder.path) keeps no copies of the bucket's images, so each is fetched each time: \(trouble)")
    }

    private func makeRoom() async {
        let order = keysByUse()
        await remove(state.withLock { $0.evict(order, beyond: most) })
    }

    /// What was not asked for for longest comes first.
    private func keysByUse() -> [String] {
        let used = state.withLock { $0.copies.map { (key: $0.key, used: $0.value.lastUse) } }
        return used.sorted { $0.used < $1.used }.map(\.key)
    }

    // MARK: Forgetting

    /// Its object is deleted.
    func forget(_ key: String) async {
        await remove(state.withLock { $0.forget(key) })
    }

    /// Puts away what is over, and on a disk that is nearly full half of what there is, whose room is for photos in the making.
    func tidy() async {
        let now = wall.wallNow
        await remove(
            state.withLock { state in state.drop(state.copies.filter { $0.value.isOver(at: now) }.map(\.key))
            })
        var isShort = false
        do throws(SystemError) {
            isShort = try !hasRoom()
        } catch {
            tell("\(error)")
        }
        guard isShort else { return }
        // What was asked for last is on its way to clients.
        let order = keysByUse()
        await remove(state.withLock { $0.drop(order.prefix((order.count + 1) / 2)) })
    }

    private func remove(_ names: [String]) async {
        guard !names.isEmpty else { return }
        let trouble = await threads.perform { () -> String? in
            var trouble: String?
            for name in names {
                do throws(SystemError) {
                    try folder.remove(name)
                } catch {
                    // What something else has removed is gone all the same.
                    if error.kind != .missing { trouble = "\(error)" }
                }
            }
            return trouble
        }
        if let trouble { tell(trouble) }
    }

    /// Since the start: how often a copy was given out, and how often the bucket was asked; and how large all copies are.
    struct Figures: Equatable, Sendable {
        let given: UInt64
        let fetched: UInt64
        let bytes: UInt64
    }

    var figures: Figures {
        state.withLock { Figures(given: given.value, fetched: $0.fetched, bytes: $0.bytes) }
    }
}
