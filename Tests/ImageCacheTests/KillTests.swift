import Basics
import Glibc
import HTTPServer
import ImageCache
import TestSupport
import Testing

/// The process ends in the middle of whatever it does.
@Suite struct KillTests {
    private static let keys = (0..<40).map { "k\($0)" }

    static func size(_ key: String) -> Int { 500 + key.utf8.reduce(0) { ($0 * 31 + Int($1)) % 30_000 } }

    /// Runs until it is killed: by the kernel, in the middle of writing a file that gets longer than `limit`; or by itself,
    /// from another thread, at the request of that number.
    private static func run(in path: String, fileLimit: UInt64?, request: Int?, seed: UInt64) async throws {
        var random = Seeded(seed)
        let ground = try CacheGround(TemporaryFolder(in: TemporaryFolder.memory), size: Self.size)
        // No parent of a test is to find a core of it.
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        if let fileLimit { await ground.endsAtFileLimit(of: fileLimit) }
        if let request {
            for key in keys {
                ground.server.handle(key) { _ in
                    if ground.server.count >= request { kill(getpid(), SIGKILL) }
                    return ImageServer.answer(
                        ImageServer.bytes(key, Self.size(key)), [HTTPHeader("Cache-Control", "max-age=86400")]
                    )
                }
            }
        }
        let cache = ground.cache(at: path) {
            $0.diskBytes = 200_000
            $0.memoryBytes = 0
        }
        for _ in 0..<2000 {
            let some = (0..<5).map { _ in keys[Int.random(in: keys.indices, using: &random)] }
            await withTaskGroup(of: Void.self) { group in
                for key in some { group.addTask { _ = await problem(cache, ground.request(key)) } }
            }
        }
    }

    private func check(_ folder: TemporaryFolder, _ note: String) async throws -> Int {
        let ground = try CacheGround(folder, size: Self.size)
        let cache = ground.cache { $0.diskBytes = 200_000 }
        await cache.tidy()
        #expect(cache.figures.problem == nil, "\(note)")
        let kept = ground.files()
        #expect(kept.isSubset(of: Set(Self.keys.map(CacheGround.name))), "\(note)")
        #expect(cache.figures.imagesOnDisk == kept.count && cache.figures.bytesOnDisk <= 200_000, "\(note)")
        for key in Self.keys {
            let image = try await cache.image(ground.request(key))
            #expect(image.bytes == ImageServer.bytes(key, Self.size(key)), "\(note), \(key)")
        }
        await cache.end()
        return kept.count
    }

    @Test(
        "killed in the middle of writing a file, the next start finds whole images and nothing else",
        arguments: 0..<Cases.kills)
    func midWrite(round: Int) async throws {
        var random = Seeded(UInt64(round))
        let folder = try TemporaryFolder(in: TemporaryFolder.memory)
        // A limit below most images cuts one of them; a larger one cuts the index's log.
        let limit = UInt64.random(in: round.isMultiple(of: 2) ? 1...14_000 : 40_000...400_000, using: &random)
        let (path, seed) = (folder.file("cache"), UInt64(round))
        await #expect(processExitsWith: .signal(SIGXFSZ)) {
            [path = path as String, limit = limit as UInt64, seed = seed as UInt64] in
            try await KillTests.run(in: path, fileLimit: limit, request: nil, seed: seed)
        }
        _ = try await check(folder, "round \(round), a limit of \(limit)")
    }

    @Test("killed at any request, the next start finds what was whole by then", arguments: 0..<Cases.kills)
    func anywhere(round: Int) async throws {
        var random = Seeded(UInt64(1000 + round))
        let folder = try TemporaryFolder(in: TemporaryFolder.memory)
        let request = Int.random(in: 1...150, using: &random)
        let (path, seed) = (folder.file("cache"), UInt64(round))
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, request = request as Int, seed = seed as UInt64] in
            try await KillTests.run(in: path, fileLimit: nil, request: request, seed: seed)
        }
        let kept = try await check(folder, "round \(round), at request \(request)")
        // A few are on their way at any moment; the limit holds some twelve.
        #expect(kept >= min(request - 10, 5))
    }
}
