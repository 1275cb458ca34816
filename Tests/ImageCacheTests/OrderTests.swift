import Basics
import ImageCache
import TestSupport
import Testing
import WorldSupport

/// Which images are where, held against a model that is as simple as can be.
@Suite struct OrderTests {
    /// The most recently used is last.
    struct Level {
        let capacity: Int
        let largest: Int
        var images: [(key: String, size: Int)] = []

        func has(_ key: String) -> Bool { images.contains { $0.key == key } }

        mutating func use(_ key: String) {
            guard let place = images.firstIndex(where: { $0.key == key }) else { return }
            images.append(images.remove(at: place))
        }

        mutating func put(_ key: String, _ size: Int) {
            images.removeAll { $0.key == key }
            guard size <= largest else { return }
            while images.reduce(size, { $0 + $1.size }) > capacity { images.removeFirst() }
            images.append((key, size))
        }

        mutating func remove(_ key: String) { images.removeAll { $0.key == key } }
    }

    struct Model {
        var memory: Level
        var disk: Level

        mutating func ask(_ key: String, _ size: Int) -> CachedImage.Source {
            if memory.has(key) {
                memory.use(key)
                disk.use(key)
                return .memory
            }
            let source: CachedImage.Source = disk.has(key) ? .disk : .network
            memory.put(key, size)
            if source == .disk { disk.use(key) } else { disk.put(key, size) }
            return source
        }
    }

    static func size(_ key: String) -> Int { 100 + key.utf8.reduce(0) { ($0 * 31 + Int($1)) % 900 } }

    @Test(
        "the image that was asked for longest ago goes first, in memory and on the disk",
        arguments: Cases.seeds(full: 100))
    func model(seed: UInt64) async throws {
        var random = Seeded(seed)
        let ground = try CacheGround(size: Self.size)
        let memory = Int.random(in: 1000...8000, using: &random)
        let disk = Int.random(in: 2000...15_000, using: &random)
        func cache() -> ImageCache {
            ground.cache {
                $0.memoryBytes = memory
                $0.diskBytes = UInt64(disk)
            }
        }
        func empty() -> Level { Level(capacity: memory, largest: memory / 4) }
        var current = cache()
        var model = Model(memory: empty(), disk: Level(capacity: disk, largest: disk))
        for step in 0..<300 {
            let key = "k\(Int.random(in: 0..<30, using: &random))"
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<3:
                await current.end()
                current = cache()
                model.memory = empty()
            case 3..<6:
                await current.forget(.image(key))
                model.memory.remove(key)
                model.disk.remove(key)
            case 6..<10: ground.clock.advance(by: .milliseconds(Int64.random(in: 0...20_000, using: &random)))
            // Clocks are set; the order is of uses.
            case 10..<13: ground.wall.set(by: .seconds(Int64.random(in: -5000...5000, using: &random)))
            default:
                let expected = model.ask(key, Self.size(key))
                let image = try await current.image(ground.request(key))
                #expect(image.source == expected, "seed \(seed), step \(step), \(key)")
                #expect(image.bytes == ImageServer.bytes(key, Self.size(key)))
            }
            #expect(
                ground.files() == Set(model.disk.images.map { CacheGround.name($0.key) }),
                "seed \(seed), step \(step)")
        }
        await current.tidy()
        let figures = current.figures
        #expect(figures.bytesOnDisk == UInt64(model.disk.images.reduce(0) { $0 + $1.size }))
        #expect(figures.bytesInMemory == model.memory.images.reduce(0) { $0 + $1.size })
    }

    @Test("a smaller limit at the next start makes the oldest go")
    func shrinks() async throws {
        let ground = try CacheGround()
        let first = ground.cache()
        for number in 0..<20 { _ = try await first.image(ground.request("k\(number)")) }
        _ = try await first.image(ground.request("k0"))
        await first.end()
        for (change, left) in [(5, ["k0", "k16", "k17", "k18", "k19"]), (2, ["k0", "k19"])] {
            let next = ground.cache { if change == 5 { $0.mostImages = 5 } else { $0.diskBytes = 6000 } }
            await next.tidy()
            #expect(ground.files() == Set(left.map(CacheGround.name)))
            await next.end()
        }
    }

    @Test(
        "ten thousand images (a tenth of them where not everything is tried) are kept within the limit and found again"
    )
    func many() async throws {
        let count = Cases.isFull ? 10_000 : 1000
        let size = 2000
        let ground = try CacheGround(size: { _ in size })
        let limit = UInt64(count * size * 3 / 4)
        var cache = ground.cache { $0.diskBytes = limit }
        for number in 0..<count { _ = try await cache.image(ground.request("k\(number)")) }
        #expect(cache.figures.bytesOnDisk == limit && ground.files().count == count * 3 / 4)
        #expect(cache.figures.evicted == UInt64(count / 4))
        await cache.end()
        cache = ground.cache { $0.diskBytes = limit }
        for number in (count / 4)..<count {
            let key = "k\(number)"
            let image = try await cache.image(ground.request(key))
            #expect(image.source == .disk && image.bytes == ImageServer.bytes(key, size))
        }
        #expect(ground.server.count == count && cache.figures.fetches == 0)
    }
}
