import Basics
import Digest
import Glibc
import HTTPServer
import ImageCache
import TestSupport
import Testing

/// Where images come from, and what of an answer is believed.
@Suite struct AnswerTests {
    @Test("an image is had over the network once, then from memory, after a restart from the disk")
    func levels() async throws {
        let ground = try CacheGround()
        let first = ground.cache()
        let request = ground.request("a")
        let fetched = try await first.image(request)
        #expect(fetched.source == .network && fetched.bytes == ImageServer.bytes("a"))
        #expect(fetched.contentType == "image/jpeg")
        let again = try await first.image(request)
        #expect(again.source == .memory && again.bytes == fetched.bytes)
        await first.end()
        let second = ground.cache()
        let kept = try await second.image(request)
        #expect(kept.source == .disk && kept.bytes == fetched.bytes && kept.contentType == "image/jpeg")
        #expect(kept.etag == fetched.etag)
        #expect(ground.server.count == 1)
    }

    @Test("a file has the SHA-256 of the image's key as its name, in a folder that other users cannot read")
    func names() async throws {
        let ground = try CacheGround()
        let key = "../../a b/\u{202E}..%2f"
        _ = try await ground.cache().image(ground.request(key, path: "odd"))
        let sum = try #require(Tool("sha256sum")).run([], input: Array(key.utf8)).text.prefix(64)
        #expect(ground.files() == [String(sum)])
        var facts = stat()
        #expect(stat(ground.path, &facts) == 0 && facts.st_mode & 0o777 == 0o700)
        for name in [String(sum), "index.sqlite"] {
            #expect(stat("\(ground.path)/\(name)", &facts) == 0 && facts.st_mode & 0o777 == 0o600, "\(name)")
        }
    }

    @Test(
        "fifty photos that are scrolled after a restart need no network, in order or after a kill",
        arguments: [true, false])
    func fifty(endsInOrder: Bool) async throws {
        let ground = try CacheGround()
        let keys = (0..<50).map { "photo-\($0)" }
        // As a gallery answers a host: it is to be asked each time. Its contract says that a key's bytes never change.
        ground.server.cache("private, no-cache")
        let first = ground.cache()
        for key in keys { _ = try await first.image(ground.request(key, neverChanges: true)) }
        if endsInOrder { await first.end() }
        await ground.server.stop()
        let second = ground.cache()
        for key in keys {
            let image = try await second.image(ground.request(key, neverChanges: true))
            #expect(image.source == .disk && image.bytes == ImageServer.bytes(key), "\(key)")
        }
        #expect(second.figures.fetches == 0 && ground.server.count == 50)
        #expect(second.figures.hitRatio == 1 && second.figures.diskHits == 50)
    }

    @Test(
        "what is no image is given to no page and kept nowhere",
        arguments: [
            "text/html", "image/svg+xml", "image/", "image/jpeg<script>", "application/octet-stream", "",
        ])
    func types(type: String) async throws {
        let ground = try CacheGround()
        ground.server.handle("a") { _ in ImageServer.answer([1, 2, 3], [], type: type) }
        let cache = ground.cache()
        #expect(await problem(cache, ground.request("a"))?.meaning == .unusable)
        #expect(ground.files() == [] && cache.figures.bytesInMemory == 0)
    }

    @Test("an empty answer and one that is too large are none either")
    func sizes() async throws {
        let ground = try CacheGround()
        ground.server.handle("empty") { _ in ImageServer.answer([], []) }
        ground.server.handle("large") { _ in ImageServer.answer([UInt8](repeating: 1, count: 5001), []) }
        ground.server.handle("fits") { _ in ImageServer.answer([UInt8](repeating: 1, count: 5000), []) }
        let cache = ground.cache { $0.largestImage = 5000 }
        #expect(await problem(cache, ground.request("empty"))?.meaning == .unusable)
        #expect(await problem(cache, ground.request("large"))?.meaning == .unusable)
        #expect(await problem(cache, ground.request("fits")) == nil)
    }

    @Test("numbers and names from outside have limits")
    func limits() async throws {
        let ground = try CacheGround()
        let cache = ground.cache()
        for key in ["", String(repeating: "k", count: 201)] {
            #expect(await problem(cache, ground.request(key))?.meaning == .invalid)
        }
        #expect(ground.server.count == 0)
        ground.server.handle("tag") { _ in
            ImageServer.answer([1], [HTTPHeader("ETag", "\"\(String(repeating: "t", count: 2000))\"")])
        }
        _ = try await cache.image(ground.request("tag"))
        _ = try await cache.image(ground.request("tag"))
        #expect(ground.server.requests.value.allSatisfy { $0["If-None-Match"] == nil })
    }

    @Test(
        "a gallery that has it no more, or does not give it, is understood",
        arguments: [
            (404, ImageProblem.Meaning.gone), (410, .gone), (401, .refused(status: 401)),
            (403, .refused(status: 403)), (429, .unreachable), (503, .unreachable), (204, .unusable),
        ])
    func refusals(status: Int, meaning: ImageProblem.Meaning) async throws {
        let ground = try CacheGround()
        ground.server.handle("a") { _ in Response(status: status, headers: [HTTPHeader("Retry-After", "7")]) }
        let cache = ground.cache()
        let problem = try #require(await problem(cache, ground.request("a")))
        #expect(problem.meaning == meaning)
        #expect(problem.retryAfter == ([429, 503].contains(status) ? .seconds(7) : nil))
        #expect(!problem.description.contains(ground.server.url))
    }

    @Test("404 and 410 take an image out of memory and off the disk", arguments: [404, 410])
    func gone(status: Int) async throws {
        let ground = try CacheGround()
        ground.server.cache("max-age=60")
        let cache = ground.cache()
        for key in ["a", "b"] { _ = try await cache.image(ground.request(key)) }
        ground.clock.advance(by: .seconds(61))
        ground.server.handle("a") { _ in Response(status: status) }
        #expect(await problem(cache, ground.request("a"))?.meaning == .gone)
        #expect(ground.files() == [CacheGround.name("b")])
        #expect(cache.figures.imagesInMemory == 1 && cache.figures.imagesOnDisk == 1)
        await ground.server.stop()
        #expect(await problem(cache, ground.request("a"))?.meaning == .unreachable)
    }

    @Test("the same key at another address is another image")
    func addresses() async throws {
        let ground = try CacheGround()
        let other = try ImageServer()
        other.handle("a") { _ in ImageServer.answer([9], [HTTPHeader("Cache-Control", "max-age=60")]) }
        let cache = ground.cache()
        #expect(try await cache.image(ground.request("a")).bytes == ImageServer.bytes("a"))
        #expect(try await cache.image(ground.request("a", from: other.url)).bytes == [9])
        #expect(try await cache.image(ground.request("a")).bytes == ImageServer.bytes("a"))
        #expect(ground.files().count == 1)
    }

    @Test("an object has one image of each kind: a new one takes the place of the old")
    func kinds() async throws {
        let ground = try CacheGround()
        let cache = ground.cache()
        for (key, kind) in [("t1", "thumb"), ("s1", "screen"), ("t2", "thumb")] {
            _ = try await cache.image(ground.request(key, kind: kind, object: "one"))
        }
        #expect(ground.files() == [CacheGround.name("t2"), CacheGround.name("s1")])
    }
}
