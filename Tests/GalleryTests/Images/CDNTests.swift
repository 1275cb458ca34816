import Basics
import Glibc
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
            let sources = [program.imageSource, cdn.url].compactMap(\.self).joined(separator: " ")
            #expect(page.head.contains("img-src 'self' \(sources) data:;"), "\(page.head)")
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
            let names = ["thumbKey", "tileKey", "screenKey", "originalKey"]
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

    /// A webhook that is out of order for its first requests: a program of its own, which waits for no thread of
    /// the tests.
    private final class Webhook: Sendable {
        let port: UInt16
        private let folder: TemporaryFolder
        private let daemon: Daemon

        init(failing failures: Int) throws {
            folder = try TemporaryFolder()
            port = try FreePort.next()
            try folder.write("", to: "heard")
            daemon = try Daemon(
                "/usr/bin/python3",
                ["-c", Self.script, String(port), String(failures), folder.file("heard")],
                isLeashed: true)
            try daemon.wait(for: "listening")
        }

        deinit {
            daemon.letGo()
        }

        /// What it was told, a request a line.
        func heard() throws -> [JSONValue] {
            let text = String(decoding: try readFile(folder.file("heard")), as: UTF8.self)
            return try text.split(separator: "\n").map { try JSON5.parse(String($0)) }
        }

        private static let script = """
            import http.server, json, sys
            count = 0
            class Hook(http.server.BaseHTTPRequestHandler):
                def do_POST(self):
                    global count
                    count += 1
                    body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                    told = {"authorization": self.headers["Authorization"], "body": json.loads(body)}
                    with open(sys.argv[3], "a") as heard:
                        print(json.dumps(told), file=heard)
                    self.send_response(204 if count > int(sys.argv[2]) else 500)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
            server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Hook)
            print("listening", file=sys.stderr, flush=True)
            server.serve_forever()
            """
    }

    @Test("a webhook that fails twice is asked until it has heard")
    func webhook() async throws {
        let hook = try Webhook(failing: 2)
        try await aside {
            let program = try GalleryProgram(
                [
                    "--images-url", "http://cdn.example/", "--purge-url",
                    "http://127.0.0.1:\(hook.port)/purge",
                ], environment: ["PURGE_AUTHORIZATION": "Bearer of-the-cdn"])
            let event = try OpenEvent(at: program)
            let kiss = try event.upload("kiss.jpg")
            try event.hide(kiss)
            try program.hear("could not be told to forget", and: "the purge URL answered 500")
            try program.hear("caches are told again", and: "forget")
            let names = ["thumbKey", "tileKey", "screenKey", "originalKey"]
            let wanted = Set(try names.map { "http://cdn.example" + (try Self.path(kiss, $0)) })
            let heard = try hook.heard()
            #expect(heard.count == 3)
            for said in heard {
                let urls = try #require(said["body"]?["urls"]?.array).compactMap(\.string)
                #expect(said["authorization"]?.string == "Bearer of-the-cdn" && Set(urls) == wanted)
            }
            let metrics = try Wire(program.port).ask("GET", "/metrics")
            #expect(metrics.text.contains("\n\(program.metric("gallery_purges_waiting", 0))\n"))
            #expect(!program.log.contains { $0.contains("of-the-cdn") })
        }
    }
}
