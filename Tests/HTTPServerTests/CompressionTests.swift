import Basics
import HTTPServer
import TestSupport
import Testing

@Suite struct CompressionTests {
    @Test(
        "gzip is sent to a client that names it, and to no other",
        arguments: [
            ("gzip", true), ("GZip", true), ("x-gzip", true), ("gzip, deflate, br, zstd", true),
            ("br;q=1.0, gzip;q=0.8, *;q=0.1", true), ("*", true), ("*;q=0.001", true), ("gzip;q=1.000", true),
            ("gzip ; q=0.5", true), ("deflate, gzip;q=1.0, identity; q=0.5", true),
            ("", false), ("identity", false), ("br", false), ("gzip;q=0", false), ("gzip;q=0.000", false),
            ("*;q=0", false), ("gzip;q=0, *", false), ("gzip;q=2", false), ("gzip;q=0.1234", false),
            ("gzip;q=-1", false), ("gzip;level=9", false), ("gzip;q=0.5, identity;q=0.9", false),
            ("gzipped", false), ("gzip;q=", false), ("gzip;q=1;x=y", false),
        ])
    func accepted(header: String, isWelcome: Bool) {
        let codings = AcceptedCodings([HTTPHeader("accept-encoding", header)])
        #expect(codings.takesGzip == isWelcome)
        #expect(!AcceptedCodings([HTTPHeader("Accept", header)]).takesGzip)
    }

    @Test("several lines are one list")
    func lines() {
        let headers = [HTTPHeader("Accept-Encoding", "br"), HTTPHeader("Accept-Encoding", "gzip;q=0.2")]
        #expect(AcceptedCodings(headers).takesGzip)
    }

    private static let text = String(repeating: "A wedding in autumn, and one photo more. ", count: 200)
    private static let tag = "\"one\""

    private static func answer(_ request: Request) -> Response {
        let type = request.query["type"] ?? "text/html; charset=utf-8"
        let size = request.query["size"].flatMap { Int($0) } ?? text.utf8.count
        var response = Response.text(
            request.query["status"].flatMap { Int($0) } ?? 200, String(text.prefix(size)), type: type,
            headers: [HTTPHeader("ETag", tag)])
        if request.query["secret"] != nil { response.compression = .never }
        if request.knows(tag) {
            return Response(status: 304, headers: [HTTPHeader("ETag", EntityTag.weak(tag))])
        }
        return response
    }

    private static func server() throws -> TestServer {
        let kept = KeptCompression()
        return try TestServer([
            Route("GET", "/quick", .quick(answer)),
            Route("GET", "/late", .whole(limit: 10) { answer($0) }),
            Route(
                "GET", "/kept",
                .quick { request in
                    var response = answer(request)
                    response.compression = .once(kept)
                    return response
                }),
        ])
    }

    private static let gzip = ["Accept-Encoding: gzip"]

    @Test("text goes out compressed, and other programs read it", arguments: ["/quick", "/late", "/kept"])
    func compressed(path: String) async throws {
        let server = try Self.server()
        for _ in 0..<2 {
            let answer = try await server.get(path, headers: Self.gzip)
            #expect(answer.status == 200 && answer["Content-Encoding"] == "gzip")
            #expect(answer["Vary"] == "Accept-Encoding" && answer["ETag"] == "W/\(Self.tag)")
            #expect(answer["Content-Length"] == "\(answer.body.count)")
            #expect(answer.body.count < Self.text.utf8.count / 10)
        }
        if Tool.isThere("gzip") {
            let answer = try await server.get(path, headers: Self.gzip)
            let judged = try #require(Tool("gzip")).run(["-dc"], input: answer.body)
            #expect(judged.code == 0 && judged.text == Self.text, "\(judged.errors)")
        }
        if Tool.isThere("curl") {
            let seen = try await server.curl(["--compressed", server.url + path])
            #expect(seen.text == Self.text, "\(seen.errors)")
        }
        #expect(try await server.get(path).text == Self.text)
    }

    @Test(
        "what is small, a picture, events, or has a secret beside what a client said goes as it is",
        arguments: [
            "size=1023", "type=image/jpeg", "type=text/event-stream", "type=application/octet-stream",
            "type=application/zip", "secret=1",
        ])
    func plain(query: String) async throws {
        let answer = try await Self.server().get("/quick?\(query)", headers: Self.gzip)
        #expect(answer.status == 200 && answer["Content-Encoding"] == nil && answer["Vary"] == nil)
        #expect(answer["ETag"] == Self.tag)
        #expect(Self.text.hasPrefix(answer.text) && !answer.body.isEmpty)
    }

    @Test(
        "all kinds of text are compressed, refusals too",
        arguments: [
            "type=application/json", "type=image/svg%2Bxml", "type=text/css",
            "type=application/manifest%2Bjson",
            "status=404", "status=503", "size=1024",
        ])
    func kinds(query: String) async throws {
        let answer = try await Self.server().get("/late?\(query)", headers: Self.gzip)
        #expect(answer["Content-Encoding"] == "gzip", "\(answer.headers)")
    }

    @Test("a client that does not take it is told what it depends on")
    func varies() async throws {
        let answer = try await Self.server().get("/quick", headers: ["Accept-Encoding: gzip;q=0"])
        #expect(answer["Content-Encoding"] == nil && answer["Vary"] == "Accept-Encoding")
        #expect(answer.text == Self.text && answer["ETag"] == "W/\(Self.tag)")
    }

    @Test("a browser that has it compressed is told so, by its tag in any list")
    func unmodified() async throws {
        let server = try Self.server()
        for known in ["W/\(Self.tag)", Self.tag, "\"other, one\", W/\(Self.tag)", "*"] {
            let answer = try await server.get("/quick", headers: Self.gzip + ["If-None-Match: \(known)"])
            #expect(answer.status == 304 && answer.body.isEmpty && answer["ETag"] == "W/\(Self.tag)")
            #expect(answer["Vary"] == "Accept-Encoding")
        }
        let other = try await server.get("/quick", headers: Self.gzip + ["If-None-Match: \"on\""])
        #expect(other.status == 200)
    }

    @Test("a look without the body says the length that the body would have")
    func head() async throws {
        let server = try Self.server()
        let whole = try await server.get("/quick", headers: Self.gzip)
        let head = try await server.get("/quick", method: "HEAD", headers: Self.gzip)
        #expect(head["Content-Length"] == whole["Content-Length"] && head["Content-Encoding"] == "gzip")
    }

    @Test("what cannot be made smaller is left as it is, and nothing is too")
    func incompressible() {
        var random = Seeded(7)
        let noise = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(Gzip.compressed(noise) == nil && Gzip.compressed([]) == nil)
    }
}
