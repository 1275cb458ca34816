import Basics
import HTTPServer
import ImageCache
import Posix
import TestSupport
import Testing
import WorldSupport

/// How long an image counts, by what RFC 9111 says of each header.
@Suite struct FreshnessTests {
    static let year = 31_536_000

    @Test(
        "an answer counts for as long as it says, and a year at most",
        arguments: [
            ("max-age=60", "", 60), ("public, Max-Age=\"60\"", "", 60), ("max-age=60, max-age=5", "", 60),
            ("max-age=60", "20", 40), ("max-age=99999999999999999999999", "", year), ("max-age=-1", "", 0),
            ("max-age=abc", "", 0), ("immutable", "", year),
            ("public, max-age=31536000, immutable", "", year),
            ("max-age=60, no-cache", "", 0), ("s-maxage=60", "", 0), ("private, max-age=10", "", 10),
            ("max-age=60", "-5", 60), ("max-age=60", "100", 0), ("", "", 0),
        ])
    func lifetimes(control: String, age: String, seconds: Int) async throws {
        let ground = try CacheGround()
        let headers =
            (control.isEmpty ? [] : [HTTPHeader("Cache-Control", control)])
            + (age.isEmpty ? [] : [HTTPHeader("Age", age)])
        ground.server.handle("a") { _ in ImageServer.answer([1, 2], headers) }
        let cache = ground.cache()
        _ = try await cache.image(ground.request("a"))
        if seconds > 0 {
            ground.clock.advance(by: .seconds(seconds) - .milliseconds(1))
            #expect(try await cache.image(ground.request("a")).source == .memory)
            ground.clock.advance(by: .milliseconds(1))
        }
        #expect(try await cache.image(ground.request("a")).source == .network)
    }

    @Test(
        "Expires counts where nothing else is said, by the gallery's own clock, which is months behind ours")
    func expires() async throws {
        let ground = try CacheGround()
        let end = SystemWallTime().wallNow + .seconds(600)
        ground.server.handle("a") { _ in ImageServer.answer([1], [HTTPHeader("Expires", end.httpDate)]) }
        let cache = ground.cache()
        _ = try await cache.image(ground.request("a"))
        // The server says its own date, and takes its time to say it.
        ground.clock.advance(by: .seconds(60))
        #expect(try await cache.image(ground.request("a")).source == .memory)
        ground.clock.advance(by: .seconds(541))
        #expect(try await cache.image(ground.request("a")).source == .network)
    }

    @Test("what may not be kept is handed out and kept nowhere")
    func noStore() async throws {
        let ground = try CacheGround()
        ground.server.cache("no-store")
        let cache = ground.cache()
        for _ in 0..<2 { #expect(try await cache.image(ground.request("a")).source == .network) }
        #expect(ground.files() == [] && cache.figures.imagesInMemory == 0 && ground.server.count == 2)
    }

    @Test(
        "what is old is asked for by its tag, or by its date, and the answer that nothing changed is enough",
        arguments: [
            ("ETag", "If-None-Match", "\"x\""),
            ("Last-Modified", "If-Modified-Since", "Sat, 21 Nov 2026 18:59:03 GMT"),
        ],
        [true, false])
    func revalidation(names: (String, String, String), isRestarted: Bool) async throws {
        let (given, asked, value) = names
        let ground = try CacheGround()
        ground.server.handle("a") { request in
            if request[asked] == value {
                return Response(status: 304, headers: [HTTPHeader("Cache-Control", "max-age=100")])
            }
            return ImageServer.answer(
                [7, 7], [HTTPHeader("Cache-Control", "max-age=60"), HTTPHeader(given, value)])
        }
        var cache = ground.cache()
        _ = try await cache.image(ground.request("a"))
        ground.clock.advance(by: .seconds(61))
        if isRestarted {
            await cache.end()
            cache = ground.cache()
        }
        let again = try await cache.image(ground.request("a"))
        #expect(again.bytes == [7, 7] && !again.isStale && again.source == .network)
        #expect(cache.figures.revalidated == 1 && cache.figures.bytesFetched == (isRestarted ? 0 : 2))
        ground.clock.advance(by: .seconds(99))
        #expect(try await cache.image(ground.request("a")).source != .network)
        await cache.end()
        #expect(try await ground.cache().image(ground.request("a")).source == .disk)
        #expect(ground.server.count == 2)
    }

    @Test("what has changed takes the old one's place")
    func changed() async throws {
        let ground = try CacheGround()
        let version = Shared(UInt8(1))
        ground.server.handle("a") { _ in
            ImageServer.answer(
                [version.value],
                [HTTPHeader("Cache-Control", "max-age=60"), HTTPHeader("ETag", "\"\(version.value)\"")])
        }
        let cache = ground.cache()
        #expect(try await cache.image(ground.request("a")).bytes == [1])
        version.change { $0 = 2 }
        #expect(try await cache.image(ground.request("a")).bytes == [1])
        ground.clock.advance(by: .seconds(60))
        #expect(try await cache.image(ground.request("a")).bytes == [2])
        await cache.end()
        #expect(try await ground.cache().image(ground.request("a")).bytes == [2])
    }

    @Test(
        "without an uplink an old image is shown and says so, unless that was forbidden",
        arguments: [
            ("max-age=60", true), ("", true), ("max-age=60, must-revalidate", false), ("no-cache", false),
        ], ["stops", "fails"])
    func offline(answer: (String, Bool), how: String) async throws {
        let ground = try CacheGround()
        ground.server.handle("a") { _ in ImageServer.answer([5], [HTTPHeader("Cache-Control", answer.0)]) }
        let cache = ground.cache()
        _ = try await cache.image(ground.request("a"))
        ground.clock.advance(by: .seconds(100))
        if how == "stops" {
            await ground.server.stop()
        } else {
            ground.server.handle("a") { _ in Response(status: 502) }
        }
        if answer.1 {
            let image = try await cache.image(ground.request("a"))
            #expect(image.isStale && image.bytes == [5])
        } else {
            #expect(await problem(cache, ground.request("a"))?.meaning == .unreachable)
        }
    }

    @Test("a calendar that was set back does not make an image count for years")
    func clocks() async throws {
        let ground = try CacheGround()
        let cache = ground.cache()
        _ = try await cache.image(ground.request("a"))
        ground.wall.set(by: .seconds(-Self.year * 2))
        #expect(try await cache.image(ground.request("a")).source == .network)
    }
}
