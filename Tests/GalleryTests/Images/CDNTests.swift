import Basics
import Glibc
import HTTPServer
import Posix
import TestSupport
import Testing

@testable import Gallery

/// The real program behind a real cache.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(if: CachingProxy.isThere, "nginx is not installed; tools/setup does it"),
    .enabled(if: Tool.isThere("convert") && Tool.isThere("curl"), "ImageMagick or curl is not installed"))
struct CDNTests {
    private static func path(_ photo: JSONValue, _ name: String) throws -> String {
        "/images/\(try #require(photo[name]?.string))"
    }

    @Test(
        "a hidden photo is gone from a CDN that is told by the operator's program, and the others are still in it"
    )
    func command() async throws {
        try await aside {
            let cdn = try CachingProxy()
            let program = try GalleryProgram(["--images-url", cdn.url, "--purge-command", cdn.forgetting])
            try cdn.start(before: program.port)
            let event = try OpenEvent(at: program)
            let (kiss, cake) = (try event.upload("kiss.jpg"), try event.upload("cake.jpg"))
            let thumb = try Self.path(kiss, "thumbKey")
            #expect(try event.guests(of: kiss)["thumbUrl"]?.string == cdn.url + thumb)
            let page = try Wire(program.port).ask("GET", "/e/\(event.slug)")
            #expect(page.head.contains("img-src 'self' \(cdn.url);"), "\(page.head)")
            for expected in ["MISS", "HIT"] {
                for photo in [kiss, cake] {
                    let got = try cdn.get(Self.path(photo, "thumbKey"))
                    #expect(got.status == 200 && got.cache == expected)
                    #expect(got.cacheControl == "public, max-age=31536000, immutable")
                }
            }
            try event.hide(kiss)
            while try cdn.get(thumb).status == 200 { sched_yield() }
            #expect(try cdn.get(thumb).status == 404)
            #expect(try cdn.get(Self.path(cake, "thumbKey")).cache == "HIT")
            try event.hide(kiss, false)
            #expect(try cdn.get(thumb).status == 200)
        }
    }

    @Test("a CDN has nothing of an event any more once it has a PIN")
    func closing() async throws {
        try await aside {
            let cdn = try CachingProxy()
            let program = try GalleryProgram(["--images-url", cdn.url, "--purge-command", cdn.forgetting])
            try cdn.start(before: program.port)
            let event = try OpenEvent(at: program)
            let photos = [try event.upload("kiss.jpg"), try event.upload("cake.jpg")]
            let names = ["thumbKey", "screenKey", "originalKey"]
            let paths = try photos.flatMap { photo in try names.map { try Self.path(photo, $0) } }
            for path in paths { #expect(try cdn.get(path).status == 200) }
            for path in paths { #expect(try cdn.get(path).cache == "HIT") }
            let closed = try program.ask("PATCH", "/events/\(event.id)", #"{"pin":"24680"}"#)
            #expect(closed.status == 200, "\(closed.text)")
            for path in paths { while try cdn.get(path).status == 200 { sched_yield() } }
            // It notes an address after it has forgotten it.
            let wanted = Set(paths.map { cdn.url + $0 })
            while try !Set(cdn.forgotten).isSuperset(of: wanted) { sched_yield() }
            #expect(try Set(cdn.forgotten) == wanted)
        }
    }

    @Test("a cache that is not told keeps a photo for a minute at most: it is told so")
    func untold() async throws {
        try await aside {
            let cdn = try CachingProxy()
            let program = try GalleryProgram(["--images-url", cdn.url])
            try cdn.start(before: program.port)
            let event = try OpenEvent(at: program)
            let thumb = try Self.path(event.upload("kiss.jpg"), "thumbKey")
            for expected in ["MISS", "HIT"] {
                let got = try cdn.get(thumb)
                #expect(got.status == 200 && got.cache == expected)
                #expect(got.cacheControl == "public, s-maxage=60, max-age=31536000, immutable")
            }
        }
    }

    private struct Said: Sendable {
        let authorization: String?
        let body: String

        func urls() throws -> Set<String> {
            Set(try #require(try JSON5.parse(body)["urls"]?.array).compactMap(\.string))
        }
    }

    /// A webhook that is out of order for its first requests.
    private final class Webhook: Sendable {
        let web: WebServer
        let heard = Shared<[Said]>([])

        init(failing failures: Int) throws {
            let heard = heard
            web = try WebServer(
                ServerSettings(listen: .loopback(port: 0)),
                routes: [
                    Route(
                        "POST", "/purge",
                        .whole(limit: 1 << 20) { request in
                            let text = String(decoding: request.body, as: UTF8.self)
                            let count = heard.change { heard in
                                heard.append(Said(authorization: request["Authorization"], body: text))
                                return heard.count
                            }
                            return Response(status: count > failures ? 204 : 500)
                        })
                ], time: try Reactor(name: "webhook"), wall: SystemWallTime(), random: SystemRandomSource(),
                refusal: { status, message in .text(status, message) }, log: { _ in })
        }
    }

    @Test("a webhook that fails twice is asked until it has heard")
    func webhook() async throws {
        let hook = try Webhook(failing: 2)
        try await aside {
            let program = try GalleryProgram(
                [
                    "--images-url", "http://cdn.example/", "--purge-url",
                    "http://127.0.0.1:\(hook.web.port)/purge",
                ], environment: ["PURGE_AUTHORIZATION": "Bearer of-the-cdn"])
            let event = try OpenEvent(at: program)
            let kiss = try event.upload("kiss.jpg")
            try event.hide(kiss)
            try program.hear("could not be told to forget", and: "the purge URL answered 500")
            try program.hear("caches are told again", and: "forget")
            let names = ["thumbKey", "screenKey", "originalKey"]
            let wanted = Set(try names.map { "http://cdn.example" + (try Self.path(kiss, $0)) })
            #expect(hook.heard.value.count == 3)
            for said in hook.heard.value {
                #expect(try said.authorization == "Bearer of-the-cdn" && said.urls() == wanted)
            }
            let metrics = try Wire(program.port).ask("GET", "/metrics")
            #expect(metrics.text.contains("\ngallery_purges_waiting 0\n"))
            #expect(!program.log.contains { $0.contains("of-the-cdn") })
        }
        await hook.web.stop(within: .seconds(2))
    }
}
