import Basics
import HTTPServer
import ImageCache
import TestSupport
import Testing
import WorldSupport

/// What is here of an object, asked for without its key.
@Suite struct KeptTests {
    private let owner = ImageOwner(account: "ann", event: "wedding")

    private func kept(
        _ cache: ImageCache, _ id: String, kind: String = "thumb", expiresAt: Timestamp?? = nil
    ) async throws -> CachedImage? {
        try await cache.kept(.photo(id), kind: kind, of: owner, expiresAt: expiresAt)
    }

    @Test("after a restart an image is found by its photo, without its key and without a request")
    func found() async throws {
        let ground = try CacheGround()
        var cache = ground.cache()
        _ = try await cache.image(ground.request("a", neverChanges: true))
        await cache.end()
        cache = ground.cache()
        let image = try await kept(cache, "photo-a")
        #expect(image?.bytes == ImageServer.bytes("a") && image?.source == .disk)
        #expect(try await kept(cache, "photo-a")?.source == .memory)
        #expect(try await kept(cache, "photo-a", kind: "screen") == nil)
        #expect(try await kept(cache, "photo-b") == nil)
        #expect(ground.server.count == 1 && cache.figures.memoryHits == 1 && cache.figures.diskHits == 1)
        #expect(cache.figures.misses == 0)
    }

    @Test("a disk that cannot be used does not hide what memory has")
    func memory() async throws {
        let ground = try CacheGround()
        try ground.folder.write("no folder", to: "cache")
        let cache = ground.cache()
        _ = try await cache.image(ground.request("a"))
        #expect(try await kept(cache, "photo-a")?.source == .memory)
    }

    @Test("what was deleted is gone, and another account's is refused")
    func refused() async throws {
        let ground = try CacheGround()
        let cache = ground.cache()
        _ = try await cache.image(ground.request("a"))
        await cache.markDeleted(.photo("photo-a"))
        await #expect(performing: { try await kept(cache, "photo-a") }, throws: { Self.means($0, .gone) })
        await cache.allow(ImageAccess(account: "bob"))
        await #expect(performing: { try await kept(cache, "photo-b") }, throws: { Self.means($0, .foreign) })
        await cache.end()
        await #expect(
            performing: { try await kept(cache, "photo-b") }, throws: { Self.means($0, .cancelled) })
    }

    private static func means(_ error: any Error, _ meaning: ImageProblem.Meaning) -> Bool {
        (error as? ImageProblem)?.meaning == meaning
    }

    @Test("the end of its event counts as it was said last, also where it is not said again")
    func expiry() async throws {
        let ground = try CacheGround()
        let cache = ground.cache()
        let end = ground.wall.wallNow + .seconds(60)
        for key in ["a", "b", "c"] { _ = try await cache.image(ground.request(key, expiresAt: end)) }
        #expect(try await kept(cache, "photo-a", expiresAt: .some(end + .seconds(60))) != nil)
        #expect(try await kept(cache, "photo-b", expiresAt: .some(nil)) != nil)
        ground.clock.advance(by: .seconds(61))
        #expect(try await kept(cache, "photo-a") != nil)
        #expect(try await kept(cache, "photo-b") != nil)
        await #expect(performing: { try await kept(cache, "photo-c") }, throws: { Self.means($0, .gone) })
        #expect(ground.files() == [CacheGround.name("a"), CacheGround.name("b")])
    }

    @Test("objects are listed a few at a time, each once, and another event's are not")
    func listed() async throws {
        let ground = try CacheGround()
        let cache = ground.cache()
        for number in 0..<7 {
            _ = try await cache.image(ground.request("t\(number)", object: "p\(number)"))
            _ = try await cache.image(ground.request("s\(number)", kind: "screen", object: "p\(number)"))
        }
        _ = try await cache.image(ground.request("x", event: "match", object: "p9"))
        await cache.markDeleted(.photo("p5"))
        var found: [String] = []
        var last: ImageObject?
        repeat {
            let page = await cache.objects(of: owner, after: last, limit: 4)
            found += page.map(\.id)
            last = page.last
        } while last != nil
        #expect(found == ["p0", "p1", "p2", "p3", "p4", "p6"])
    }

    @Test("a cache that was never used gives no room, and takes none")
    func unused() async throws {
        let ground = try CacheGround()
        #expect(await ground.cache(reserve: .max).giveWay(for: 1 << 30) == 0)
        #expect(ground.folder.contents() == [])
        _ = try await ground.cache().image(ground.request("a"))
        #expect(await ground.cache(reserve: .max).giveWay(for: 1) == 3000)
        #expect(ground.files() == [])
    }

    @Test("who gets an image from the gallery, who shares its fetch and who gets none are counted once each")
    func counted() async throws {
        let ground = try CacheGround()
        let cache = ground.cache()
        ground.server.handle("none") { _ in .text(404, "no") }
        let requests = ["a", "a", "a", "none", "none"].map { ground.request($0) }
        await withTaskGroup(of: Void.self) { group in
            for request in requests { group.addTask { _ = await problem(cache, request) } }
        }
        _ = try await cache.image(requests[0])
        let figures = cache.figures
        // A request may come when an earlier one has brought it already.
        #expect(figures.answered + figures.memoryHits + figures.unanswered == 6)
        #expect(figures.unanswered == 2 && figures.misses == figures.answered + 2)
        #expect(figures.answered >= 1 && figures.memoryHits >= 1)
    }
}
