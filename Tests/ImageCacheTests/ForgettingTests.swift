import Basics
import HTTPServer
import ImageCache
import TestSupport
import Testing
import WorldSupport

/// What was deleted, hidden, has expired, or belongs to others.
@Suite struct ForgettingTests {
    private func fill(_ ground: CacheGround, _ cache: ImageCache) async throws {
        for (key, event) in [("a", "wedding"), ("b", "wedding"), ("c", "match")] {
            for kind in ["thumb", "screen"] {
                _ = try await cache.image(
                    ground.request("\(key)-\(kind)", event: event, kind: kind, object: key))
            }
        }
    }

    private func names(_ keys: String...) -> Set<String> {
        Set(keys.flatMap { key in ["thumb", "screen"].map { CacheGround.name("\(key)-\($0)") } })
    }

    @Test("what is forgotten leaves memory and disk, and may be asked for again", arguments: [0, 1, 2, 3])
    func forget(number: Int) async throws {
        let ground = try CacheGround()
        let cache = ground.cache()
        try await fill(ground, cache)
        let selections: [(ImageSelection, Set<String>)] = [
            (.image("a-thumb"), names("a", "b", "c").subtracting([CacheGround.name("a-thumb")])),
            (.object(.photo("a")), names("b", "c")), (.event("wedding"), names("c")), (.all, []),
        ]
        let (selection, left) = selections[number]
        await cache.forget(selection)
        #expect(ground.files() == left)
        #expect(cache.figures.imagesInMemory == left.count && cache.figures.imagesOnDisk == left.count)
        let count = ground.server.count
        #expect(
            try await cache.image(ground.request("a-thumb", kind: "thumb", object: "a")).source == .network)
        #expect(ground.server.count == count + 1)
    }

    @Test("what was deleted is answered as gone without asking, after a restart too, until it is there again")
    func deleted() async throws {
        let ground = try CacheGround()
        var cache = ground.cache()
        try await fill(ground, cache)
        await cache.markDeleted(.photo("a"))
        #expect(ground.files() == names("b", "c"))
        let count = ground.server.count
        for _ in 0..<2 {
            for key in ["a-thumb", "a-new"] {
                #expect(await problem(cache, ground.request(key, object: "a"))?.meaning == .gone)
            }
            await cache.end()
            cache = ground.cache()
        }
        #expect(ground.server.count == count)
        await cache.markRestored(.photo("a"))
        #expect(try await cache.image(ground.request("a-thumb", object: "a")).source == .network)
        #expect(cache.figures.imagesOnDisk == 5 && ground.files().count == 5)
    }

    @Test("after a month the gallery is asked again about what was deleted")
    func deletionsEnd() async throws {
        let ground = try CacheGround()
        let cache = ground.cache()
        try await fill(ground, cache)
        await cache.markDeleted(.photo("a"))
        ground.clock.advance(by: .seconds(29 * 24 * 3600))
        await cache.tidy()
        #expect(await problem(cache, ground.request("a-thumb", object: "a"))?.meaning == .gone)
        ground.clock.advance(by: .seconds(2 * 24 * 3600))
        await cache.tidy()
        #expect(await problem(cache, ground.request("a-thumb", object: "a")) == nil)
    }

    @Test(
        "what has expired is shown no more, and leaves at the next look, the next tidying or the next start",
        arguments: ["look", "tidy", "start"])
    func expired(how: String) async throws {
        let ground = try CacheGround()
        var cache = ground.cache()
        let end = ground.wall.wallNow + .seconds(100)
        _ = try await cache.image(ground.request("a", expiresAt: end))
        _ = try await cache.image(ground.request("b"))
        ground.clock.advance(by: .milliseconds(99_999))
        #expect(try await cache.image(ground.request("a", expiresAt: end)).source == .memory)
        ground.clock.advance(by: .milliseconds(1))
        switch how {
        case "look": #expect(await problem(cache, ground.request("a", expiresAt: end))?.meaning == .gone)
        case "tidy": await cache.tidy()
        default:
            await cache.end()
            cache = ground.cache()
            _ = try await cache.image(ground.request("b"))
        }
        #expect(ground.files() == [CacheGround.name("b")])
        #expect(cache.figures.imagesInMemory == 1)
        #expect(await problem(cache, ground.request("a", expiresAt: end))?.meaning == .gone)
        #expect(ground.server.count == 2)
    }

    @Test("an event whose end was moved is shown until then")
    func moved() async throws {
        let ground = try CacheGround()
        let cache = ground.cache()
        let end = ground.wall.wallNow + .seconds(100)
        _ = try await cache.image(ground.request("a", expiresAt: end))
        _ = try await cache.image(ground.request("a", expiresAt: end + .seconds(100)))
        ground.clock.advance(by: .seconds(150))
        await cache.tidy()
        #expect(try await cache.image(ground.request("a", expiresAt: end + .seconds(100))).source == .memory)
        #expect(ground.server.count == 1)
    }

    @Test(
        "another account or event finds nothing of what it may not see, neither now nor at the next start",
        arguments: [true, false])
    func access(isRestarted: Bool) async throws {
        let ground = try CacheGround()
        var cache = ground.cache()
        try await fill(ground, cache)
        func turn(to access: ImageAccess) async throws {
            if isRestarted {
                await cache.end()
                cache = ground.cache(access)
                await cache.tidy()
            } else {
                await cache.allow(access)
            }
        }
        try await turn(to: ImageAccess(account: "ann", events: ["match"]))
        #expect(ground.files() == names("c"))
        let count = ground.server.count
        #expect(await problem(cache, ground.request("a-thumb", object: "a"))?.meaning == .foreign)
        #expect(await problem(cache, ground.request("c-thumb", event: "match", object: "c")) == nil)
        try await turn(to: ImageAccess(account: "ben"))
        #expect(ground.files() == [] && cache.figures.imagesInMemory == 0)
        #expect(
            await problem(cache, ground.request("c-thumb", event: "match", object: "c"))?.meaning == .foreign)
        #expect(ground.server.count == count)
        let own = ground.request("c-thumb", event: "match", account: "ben", object: "c")
        #expect(try await cache.image(own).source == .network)
    }

    @Test("an image is fetched with the rights of its caller, which are written nowhere")
    func rights() async throws {
        let ground = try CacheGround()
        let cache = ground.cache(ImageAccess(account: "ann"))
        _ = try await cache.image(ground.request("a"))
        await cache.end()
        let other = ground.cache(ImageAccess(account: "ben"))
        var request = ground.request("a", account: "ben")
        request.headers = [HTTPHeader("Authorization", "Bearer ben")]
        #expect(try await other.image(request).source == .network)
        #expect(ground.server.requests.value.last?["Authorization"] == "Bearer ben")
        await other.end()
        let index = try readFile(ground.index)
        #expect(!String(decoding: index, as: UTF8.self).contains("Bearer"))
    }
}
