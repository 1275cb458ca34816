import Basics
import HTTPServer
import ImageCache
import Posix
import TestSupport
import Testing

/// Many ask at once; some give up; some may not be given what was on its way to them.
@Suite struct FetchTests {
    /// Answers when the test says so.
    private final class Gate: Sendable {
        private let arrivals = Mailbox<String>()
        private let opening = Signal()
        private let isOpen = Shared(false)

        func pass(_ name: String) async {
            arrivals.post(name)
            while !isOpen.value { await opening.wait() }
            opening.fire()
        }

        func waitForArrivals(_ count: Int) async -> [String] {
            var names: [String] = []
            while names.count < count, let more = await arrivals.next() { names += more }
            return names
        }

        func open() {
            isOpen.change { $0 = true }
            opening.fire()
        }
    }

    private func hold(_ ground: CacheGround, _ keys: [String], _ gate: Gate) {
        for key in keys {
            ground.server.handle(key) { _ in
                await gate.pass(key)
                return ImageServer.answer(ImageServer.bytes(key), [HTTPHeader("Cache-Control", "max-age=60")])
            }
        }
    }

    /// Returns when so many have asked and wait.
    private func waitForMisses(_ cache: ImageCache, _ count: UInt64) async {
        while cache.figures.misses < count { await Task.yield() }
    }

    @Test("fifty readers that ask at once for what is nowhere make one request, and all get it")
    func race() async throws {
        let ground = try CacheGround()
        let gate = Gate()
        hold(ground, ["a"], gate)
        let cache = ground.cache()
        let readers = (0..<50).map { _ in
            Task { try await cache.image(ground.request("a")) }
        }
        _ = await gate.waitForArrivals(1)
        await waitForMisses(cache, 50)
        gate.open()
        for reader in readers { #expect(try await reader.value.bytes == ImageServer.bytes("a")) }
        #expect(ground.server.count == 1)
        #expect(cache.figures.fetches == 1 && cache.figures.shared == 49)
    }

    @Test("fifty readers of fifty images make fifty requests, a few at a time, in their order")
    func several() async throws {
        let ground = try CacheGround()
        let gate = Gate()
        let keys = (0..<50).map { "k\($0)" }
        hold(ground, keys, gate)
        let cache = ground.cache { $0.mostFetches = 3 }
        var readers: [Task<CachedImage, any Error>] = []
        for (number, key) in keys.enumerated() {
            readers.append(Task { try await cache.image(ground.request(key)) })
            await waitForMisses(cache, UInt64(number) + 1)
        }
        #expect(Set(await gate.waitForArrivals(3)) == ["k0", "k1", "k2"])
        #expect(cache.figures.fetches == 3 && ground.server.count == 3)
        gate.open()
        for (key, reader) in zip(keys, readers) {
            #expect(try await reader.value.bytes == ImageServer.bytes(key))
        }
        #expect(ground.server.count == 50)
    }

    @Test("a fetch that the last asker has given up is ended, and not before")
    func cancelled() async throws {
        let arrived = Signal()
        let left = Signal()
        let peer = try HTTPPeer { request in
            arrived.fire()
            await request.body.waitUntilGone()
            left.fire()
            return .nothing(then: .closes)
        }
        let ground = try CacheGround()
        let cache = ground.cache()
        let readers = (0..<3).map { _ in
            Task { await problem(cache, ground.request("a", from: peer.url)) }
        }
        await arrived.wait()
        await waitForMisses(cache, 3)
        for reader in readers.dropLast() {
            reader.cancel()
            #expect(await reader.value?.meaning == .cancelled)
        }
        #expect(peer.connectionCount == 1 && cache.figures.fetches == 1)
        readers[2].cancel()
        #expect(await readers[2].value?.meaning == .cancelled)
        // The connection ends: nothing else fires this.
        await left.wait()
        #expect(ground.files() == [])
    }

    @Test("readers that stay get the image although others gave up")
    func stays() async throws {
        let ground = try CacheGround()
        let gate = Gate()
        hold(ground, ["a"], gate)
        let cache = ground.cache()
        let first = Task { await problem(cache, ground.request("a")) }
        _ = await gate.waitForArrivals(1)
        let second = Task { try await cache.image(ground.request("a")) }
        await waitForMisses(cache, 2)
        first.cancel()
        #expect(await first.value?.meaning == .cancelled)
        gate.open()
        #expect(try await second.value.bytes == ImageServer.bytes("a"))
        #expect(ground.server.count == 1)
    }

    @Test("a reader that gives up while it stands in line costs no request")
    func line() async throws {
        let ground = try CacheGround()
        let gate = Gate()
        hold(ground, ["a", "b"], gate)
        let cache = ground.cache { $0.mostFetches = 1 }
        let first = Task { await problem(cache, ground.request("a")) }
        _ = await gate.waitForArrivals(1)
        let second = Task { await problem(cache, ground.request("b")) }
        await waitForMisses(cache, 2)
        second.cancel()
        #expect(await second.value?.meaning == .cancelled)
        gate.open()
        #expect(await first.value == nil)
        #expect(ground.server.count == 1)
    }

    @Test("more askers than are kept waiting are told so")
    func busy() async throws {
        let ground = try CacheGround()
        let gate = Gate()
        hold(ground, ["a"], gate)
        let cache = ground.cache { $0.mostAskers = 2 }
        let readers = (0..<2).map { _ in Task { await problem(cache, ground.request("a")) } }
        _ = await gate.waitForArrivals(1)
        await waitForMisses(cache, 2)
        #expect(await problem(cache, ground.request("a"))?.meaning == .busy)
        gate.open()
        for reader in readers { #expect(await reader.value == nil) }
        #expect(await problem(cache, ground.request("a")) == nil)
    }

    enum Order: CaseIterable {
        case forgetImage
        case forgetObject
        case forgetEvent
        case forgetAll
        case delete
        case otherEvent
        case otherAccount
        case end
    }

    @Test(
        "what is taken back while it is on its way is given to no reader and kept nowhere",
        arguments: Order.allCases)
    func takenBack(order: Order) async throws {
        let ground = try CacheGround()
        let gate = Gate()
        hold(ground, ["a"], gate)
        let cache = ground.cache()
        let reader = Task { await problem(cache, ground.request("a")) }
        _ = await gate.waitForArrivals(1)
        switch order {
        case .forgetImage: await cache.forget(.image("a"))
        case .forgetObject: await cache.forget(.object(.photo("photo-a")))
        case .forgetEvent: await cache.forget(.event("wedding"))
        case .forgetAll: await cache.forget(.all)
        case .delete: await cache.markDeleted(.photo("photo-a"))
        case .otherEvent: await cache.allow(ImageAccess(account: "ann", events: ["match"]))
        case .otherAccount: await cache.allow(ImageAccess(account: "ben"))
        case .end: await cache.end()
        }
        let meaning: ImageProblem.Meaning =
            switch order {
            case .otherEvent, .otherAccount: .foreign
            case .end: .cancelled
            default: .gone
            }
        #expect(await reader.value?.meaning == meaning)
        gate.open()
        await ground.server.stop()
        #expect(ground.files() == [] && cache.figures.imagesInMemory == 0)
    }

    @Test("what is asked for after it was taken back is fetched anew, and the late answer does not count")
    func anew() async throws {
        let ground = try CacheGround()
        let gate = Gate()
        hold(ground, ["a"], gate)
        let cache = ground.cache()
        let reader = Task { await problem(cache, ground.request("a")) }
        _ = await gate.waitForArrivals(1)
        await cache.forget(.object(.photo("photo-a")))
        #expect(await reader.value?.meaning == .gone)
        ground.server.handle("a") { _ in ImageServer.answer([42], [HTTPHeader("Cache-Control", "max-age=60")])
        }
        #expect(try await cache.image(ground.request("a")).bytes == [42])
        gate.open()
        await ground.server.stop()
        #expect(try await cache.image(ground.request("a")).bytes == [42])
    }
}
