import Basics
import Glibc
import ImageCache
import TestSupport
import Testing

/// Photos come first: the cache gives up its room, and never takes what is kept free for them.
@Suite(.enabled(if: SmallDisk.canMount, "mounting a small disk takes root and a kernel that allows it"))
struct FullDiskTests {
    private static let size = 40_000

    private let folder: TemporaryFolder
    private let disk: SmallDisk
    private let ground: CacheGround

    init() throws {
        folder = try TemporaryFolder()
        disk = try SmallDisk(at: folder.file("disk"), megabytes: 4)
        ground = try CacheGround(folder, size: { _ in Self.size })
    }

    private var path: String { folder.file("disk/cache") }

    private func files() -> [String] {
        folder.contents().filter { $0.hasPrefix("disk/cache/") && !$0.contains("index.sqlite") }
    }

    private func free() -> UInt64 {
        var facts = statvfs()
        statvfs(folder.file("disk"), &facts)
        return UInt64(facts.f_bavail) * UInt64(facts.f_frsize)
    }

    private func ask(_ cache: ImageCache, _ numbers: Range<Int>) async throws {
        for number in numbers {
            let key = "k\(number)"
            #expect(
                try await cache.image(ground.request(key)).bytes == ImageServer.bytes(key, Self.size),
                "\(key)")
        }
    }

    @Test("the cache stops at the reserve and goes on in its own room, whatever its limit is")
    func reserve() async throws {
        let cache = ground.cache(reserve: 1 << 20, at: path)
        try await ask(cache, 0..<150)
        #expect(free() >= 1 << 20)
        #expect(files().count > 30 && files().contains("disk/cache/\(CacheGround.name("k149"))"))
        #expect(cache.figures.evicted > 0 && cache.figures.problem == nil)
    }

    @Test(
        "when others fill the disk the cache empties itself, serves on, says so, and comes back when there is room"
    )
    func emptied() async throws {
        let cache = ground.cache(reserve: 1 << 20, at: path) { $0.memoryBytes = 0 }
        try await ask(cache, 0..<20)
        #expect(files().count == 20)
        try disk.leave(100_000)
        try await ask(cache, 20..<25)
        #expect(files() == [])
        #expect(cache.figures.imagesOnDisk == 0)
        let problem = try #require(cache.figures.problem)
        #expect(problem.contains("make room") && problem.contains(path))
        try disk.leave(nil)
        try await ask(cache, 25..<26)
        #expect(files() == [], "it rests for half a minute")
        ground.clock.advance(by: .seconds(30))
        try await ask(cache, 26..<30)
        #expect(files().count == 4 && cache.figures.problem == nil)
    }

    @Test(
        "a disk that is full to its last byte harms no image, and leaves nothing half",
        arguments: [0, 5000, 30_000, 60_000])
    func full(left: Int) async throws {
        let cache = ground.cache(at: path) { $0.memoryBytes = 0 }
        try await ask(cache, 0..<3)
        try disk.leave(left)
        try await ask(cache, 3..<60)
        #expect(!files().contains { $0.hasSuffix(".part") })
        await cache.forget(.object(.photo("photo-k59")))
        try await ask(cache, 0..<10)
        try disk.leave(nil)
        ground.clock.advance(by: .seconds(31))
        try await ask(cache, 60..<70)
        await cache.end()
        let next = ground.cache(at: path)
        let before = ground.server.count
        try await ask(next, 60..<70)
        #expect(ground.server.count == before && next.figures.problem == nil)
    }

    @Test("a full disk at the start is no obstacle, and the cache's own files are the first to go")
    func start() async throws {
        let first = ground.cache(at: path)
        try await ask(first, 0..<20)
        await first.end()
        try disk.leave(0)
        let next = ground.cache(reserve: 200_000, at: path) { $0.memoryBytes = 0 }
        try await ask(next, 20..<40)
        #expect(free() >= 200_000, "\(next.figures.problem ?? "no problem")")
    }

    @Test("the spool gets the room that it asks for, as far as the cache has it")
    func givesWay() async throws {
        let cache = ground.cache(reserve: 1 << 20, at: path)
        try await ask(cache, 0..<40)
        let had = files().count
        let wanted = free() - (1 << 20) + 400_000
        let given = await cache.giveWay(for: wanted)
        #expect(given >= 400_000 && free() >= wanted + (1 << 20))
        #expect(files().count < had && files().contains("disk/cache/\(CacheGround.name("k39"))"))
        _ = await cache.giveWay(for: 100 << 20)
        #expect(files() == [])
        #expect(await cache.giveWay(for: 100 << 20) == 0)
    }

    @Test("a disk that has turned read-only is left alone, and images come from the network")
    func readOnly() async throws {
        let first = ground.cache(at: path)
        try await ask(first, 0..<5)
        await first.end()
        try disk.makeReadOnly()
        let next = ground.cache(at: path)
        try await ask(next, 0..<10)
        #expect(try #require(next.figures.problem).contains(path))
        #expect(files().count == 5)
    }
}
