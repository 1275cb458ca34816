package import Basics
import Synchronization

/// Images of a gallery: in memory, on the disk, and only then over the network.
///
/// It answers ``image(_:)`` from what it has, and fetches each image once, however many ask for it. All of it runs on
/// the thread it was given, files and index included, so that it holds up none of the bridge's; requests run on the
/// transport's own. The caller holds the lock of the home: two caches never share a folder.
package actor ImageCache {
    package struct Parts: Sendable {
        /// `cache/` of the home.
        package let folder: String
        package let transport: any HTTPTransport
        package let time: any TimeSource
        package let wall: any WallTime
        /// What has to stay free on a disk, as the settings say it for the spool.
        package let reserve: @Sendable (DiskSpace) -> UInt64

        package init(
            folder: String, transport: any HTTPTransport, time: any TimeSource, wall: any WallTime,
            reserve: @escaping @Sendable (DiskSpace) -> UInt64
        ) {
            self.folder = folder
            self.transport = transport
            self.time = time
            self.wall = wall
            self.reserve = reserve
        }
    }

    private nonisolated let executor: any SerialExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let parts: Parts
    let limits: ImageCacheLimits
    var access: ImageAccess
    var memory: MemoryShelf
    let disk: DiskShelf
    var isEnded = false

    var flights: [Flight.Key: Flight] = [:]
    /// Those that wait for others to end, in the order they were asked for.
    var line: [Flight] = []
    var runningFetches = 0
    var askers = 0
    var lastAsker: UInt64 = 0

    var counts = ImageCacheFigures()
    private nonisolated let shown = Mutex(ImageCacheFigures())

    /// Nothing is opened before it is needed, on the executor's thread.
    package init(
        _ parts: Parts, limits: ImageCacheLimits = ImageCacheLimits(), access: ImageAccess,
        executor: any SerialExecutor
    ) {
        self.executor = executor
        self.parts = parts
        self.limits = limits
        self.access = access
        memory = MemoryShelf(capacity: limits.memoryBytes, largest: limits.largestInMemory)
        disk = DiskShelf(parts, limits: limits, access: access)
    }

    /// How it does; without waiting for its thread.
    package nonisolated var figures: ImageCacheFigures { shown.withLock { $0 } }

    // MARK: Asking

    /// The image, from wherever it is had soonest. Cancelling the task gives up waiting; the fetch ends when no other
    /// caller waits for it.
    package func image(_ request: ImageRequest) async throws(ImageProblem) -> CachedImage {
        defer { show() }
        try request.check()
        guard !isEnded else { throw request.problem(.cancelled) }
        guard access.includes(request.owner) else { throw request.problem(.foreign) }
        switch lookUp(request, at: parts.wall.wallNow) {
        case .here(let image): return image
        case .gone: throw request.problem(.gone)
        case .fetch(let known):
            counts.misses += 1
            let result = await fetch(request, known)
            if case .success = result { counts.answered += 1 } else { counts.unanswered += 1 }
            return try result.get()
        }
    }

    enum Finding {
        case here(CachedImage)
        case gone
        /// It has to be asked for; what is known of it may still be right.
        case fetch(ImageRow?)
    }

    func lookUp(_ request: ImageRequest, at now: Timestamp) -> Finding {
        let cacheKey = ImageRequest.cacheKey(of: request.key)
        if request.expiresAt.map({ $0 <= now }) ?? false {
            drop([cacheKey])
            return .gone
        }
        if let held = memory.find(cacheKey), held.row.answers(request) {
            return answer(held, request, .memory, at: now)
        }
        if disk.isDeleted(request.object) { return .gone }
        guard let row = disk.row(cacheKey), row.answers(request), let bytes = disk.bytes(of: row) else {
            return .fetch(nil)
        }
        let held = MemoryShelf.Held(row: row, bytes: bytes)
        memory.put(held)
        return answer(held, request, .disk, at: now)
    }

    private func answer(
        _ held: MemoryShelf.Held, _ request: ImageRequest, _ source: CachedImage.Source, at now: Timestamp
    ) -> Finding {
        var row = held.row
        if row.hasExpired(at: now) {
            drop([row.cacheKey])
            return .gone
        }
        disk.use(row.cacheKey)
        guard row.isFresh(at: now) else { return .fetch(row) }
        // The end of an event is moved.
        if row.expiresAt != request.expiresAt {
            row.expiresAt = request.expiresAt
            renew(row)
        }
        switch source {
        case .disk: counts.diskHits += 1
        default: counts.memoryHits += 1
        }
        return .here(CachedImage(row, held.bytes, source))
    }

    // MARK: Forgetting

    /// Removes the copies, in memory and on the disk, and those that are being fetched. They may be asked for again: what
    /// was hidden may be shown once more, and the gallery knows.
    package func forget(_ selection: ImageSelection) {
        defer { show() }
        memory.removeAll { selection.includes(key: $0.key, $0.object, $0.owner) }
        takeBack { selection.includes(key: $0.key, $0.object, $0.owner) }
        disk.drop(selection)
    }

    /// The object was deleted: its copies go, and requests for the images that were here are answered as gone, without
    /// asking the gallery.
    package func markDeleted(_ object: ImageObject) {
        defer { show() }
        memory.removeAll { $0.object == object }
        takeBack { $0.object == object }
        disk.markDeleted(object)
    }

    /// It is there again after all: another device's edit was newer.
    package func markRestored(_ object: ImageObject) {
        disk.forgetDeletion(of: object)
    }

    /// From now on that is looked at: what it does not include leaves memory and disk, and is given to no caller.
    package func allow(_ access: ImageAccess) {
        self.access = access
        defer { show() }
        memory.removeAll { !access.includes($0.owner) }
        takeBack { !access.includes($0.owner) }
        disk.allow(access)
    }

    /// What is done from time to time: what has expired leaves, what is known of uses is written.
    package func tidy() {
        let now = parts.wall.wallNow
        memory.removeAll { $0.hasExpired(at: now) }
        disk.tidy()
        show()
    }

    /// Photos need room on the disk: the cache is the first thing to go. Returns the bytes that it has given up.
    package func giveWay(for wanted: UInt64) -> UInt64 {
        defer { show() }
        return disk.giveWay(wanted)
    }

    /// Writes what is still to be written. What is being fetched is given up, and requests from now on are refused.
    package func end() {
        isEnded = true
        takeBack { _ in true }
        disk.end()
        memory.removeAll { _ in true }
        show()
    }

    func drop(_ keys: [String]) {
        for key in keys { memory.remove(key) }
        disk.drop(cacheKeys: keys)
    }

    func renew(_ row: ImageRow) {
        memory.renew(row)
        disk.renew(row)
    }

    func show() {
        counts.imagesInMemory = memory.count
        counts.bytesInMemory = memory.bytes
        counts.imagesOnDisk = disk.count
        counts.bytesOnDisk = disk.bytes
        counts.evicted = disk.evicted
        counts.rebuilt = disk.rebuilt
        counts.problem = disk.problem
        shown.withLock { $0 = counts }
    }
}

extension CachedImage {
    init(_ row: ImageRow, _ bytes: [UInt8], _ source: Source, isStale: Bool = false) {
        self.init(
            bytes: bytes, contentType: row.contentType, sha256: "\(row.sha256)", source: source,
            isStale: isStale)
    }
}
