import Basics
import HTTPServer
import TestSupport
import Testing

@Suite struct FileTests {
    /// Saturday, 21 November 2026, 18:59:03.500.
    private static let modified = Timestamp(milliseconds: 1_795_287_543_500)
    private static let content = Array("0123456789".utf8)

    private final class Served: Sendable {
        let folder: TemporaryFolder
        let server: TestServer

        init() throws {
            let folder = try TemporaryFolder()
            try folder.write(FileTests.content, to: "ten")
            try folder.write([], to: "empty")
            self.folder = folder
            server = try TestServer([
                Route(
                    "GET", "/files/{name}",
                    .quick { request in
                        let name = request.parameters["name"] ?? ""
                        return Response(
                            status: request.query["status"].flatMap { Int($0) } ?? 200,
                            headers: [HTTPHeader("Cache-Control", "immutable")],
                            body: .file(
                                ServedFile(
                                    path: folder.file(name), size: name == "empty" ? 0 : 10,
                                    type: "image/x-test",
                                    etag: "\"t,1\"", modified: FileTests.modified)))
                    })
            ])
        }
    }

    @Test(
        "a range is answered as the standard says",
        arguments: [
            ("bytes=0-3", 206, "0123", "bytes 0-3/10"), ("bytes=4-", 206, "456789", "bytes 4-9/10"),
            ("bytes=-3", 206, "789", "bytes 7-9/10"), ("bytes=-30", 206, "0123456789", "bytes 0-9/10"),
            ("bytes=9-9", 206, "9", "bytes 9-9/10"), ("bytes=5-99", 206, "56789", "bytes 5-9/10"),
            ("Bytes=0-0", 206, "0", "bytes 0-0/10"), ("bytes= 0-1", 206, "01", "bytes 0-1/10"),
            ("bytes=2-99999999999999999999999", 206, "23456789", "bytes 2-9/10"),
            ("bytes=10-", 416, nil, "bytes */10"), ("bytes=-0", 416, nil, "bytes */10"),
            ("bytes=99999999999999999999999-", 416, nil, "bytes */10"),
            ("bytes=3-2", 200, "0123456789", nil), ("bytes=-", 200, "0123456789", nil),
            ("bytes=a-b", 200, "0123456789", nil), ("bytes=1-2-3", 200, "0123456789", nil),
            ("bytes=0-1,3-4", 200, "0123456789", nil), ("lines=0-1", 200, "0123456789", nil),
            ("bytes", 200, "0123456789", nil), ("bytes=+1-2", 200, "0123456789", nil),
        ] as [(String, Int, String?, String?)])
    func ranges(range: String, status: Int, text: String?, place: String?) async throws {
        let served = try Served()
        let answer = try await served.server.get("/files/ten", headers: ["Range: \(range)"])
        #expect(answer.status == status)
        if let text { #expect(answer.text == text) }
        #expect(answer["Content-Range"] == place)
        #expect(answer["Accept-Ranges"] == "bytes")
    }

    @Test(
        "a condition decides before the range does",
        arguments: [
            (["If-None-Match: \"t,1\""], 304), (["If-None-Match: W/\"t,1\""], 304),
            (["If-None-Match: *"], 304),
            (["If-None-Match: \"a\" , \"t,1\""], 304), (["If-None-Match: \"t\", \"1\""], 200),
            (["If-None-Match: t,1"], 200),
            (["If-Modified-Since: Sat, 21 Nov 2026 18:59:03 GMT"], 304),
            (["If-Modified-Since: Sat, 21 Nov 2026 18:59:02 GMT"], 200),
            (["If-Modified-Since: yesterday"], 200),
            (["If-None-Match: \"a\"", "If-Modified-Since: Sat, 21 Nov 2026 18:59:03 GMT"], 200),
            (["If-None-Match: \"t,1\"", "Range: bytes=0-1"], 304),
            (["If-Range: \"t,1\"", "Range: bytes=0-1"], 206),
            (["If-Range: W/\"t,1\"", "Range: bytes=0-1"], 200),
            (["If-Range: \"other\"", "Range: bytes=0-1"], 200),
            (["If-Range: Sat, 21 Nov 2026 18:59:03 GMT", "Range: bytes=0-1"], 206),
            (["If-Range: Sat, 21 Nov 2026 18:59:04 GMT", "Range: bytes=0-1"], 200),
            (["If-Range: \"other\"", "Range: bytes=99-"], 200),
        ])
    func conditions(headers: [String], status: Int) async throws {
        let answer = try await Served().server.get("/files/ten", headers: headers)
        #expect(answer.status == status)
        #expect(answer["ETag"] == "\"t,1\"")
        #expect(answer["Last-Modified"] == "Sat, 21 Nov 2026 18:59:03 GMT")
        #expect(answer["Cache-Control"] == "immutable")
        if status == 304 {
            #expect(answer.body.isEmpty)
            #expect(answer["Content-Length"] == "10")
        }
    }

    @Test("HEAD says what GET would send, and ignores a range")
    func head() async throws {
        let answer = try await Served().server.get(
            "/files/ten", method: "HEAD", headers: ["Range: bytes=0-1"])
        #expect(answer.status == 200)
        #expect(answer["Content-Length"] == "10")
        #expect(answer["Content-Type"] == "image/x-test")
    }

    @Test("an empty file is an answer, and no range lies in it")
    func empty() async throws {
        let served = try Served()
        let answer = try await served.server.get("/files/empty")
        #expect(answer.status == 200)
        #expect(answer["Content-Length"] == "0")
        #expect(try await served.server.get("/files/empty", headers: ["Range: bytes=0-"]).status == 416)
        #expect(try await served.server.get("/files/empty", headers: ["Range: bytes=-5"]).status == 416)
    }

    @Test("a file that has gone, or has another size than was said, is an answer of its own")
    func gone() async throws {
        let served = try Served()
        let gone = try await served.server.get("/files/nothing")
        #expect(gone.status == 404)
        #expect(gone.text == "refused: the file is not there any more")
        #expect(gone["ETag"] == nil)
        try served.folder.write("123", to: "short")
        let short = try await served.server.get("/files/short")
        #expect(short.status == 500)
        served.folder.makeFolder("folder")
        #expect(try await served.server.get("/files/folder").status == 500)
    }

    @Test("with another status than 200 a file has no conditions and no ranges")
    func other() async throws {
        let answer = try await Served().server.get(
            "/files/ten?status=404", headers: ["Range: bytes=0-1", "If-None-Match: *"])
        #expect(answer.status == 404)
        #expect(answer.text == "0123456789")
    }

    @Test("what has once been served under an etag is served from then on")
    func kept() async throws {
        let served = try Served()
        #expect(try await served.server.get("/files/ten").text == "0123456789")
        served.folder.remove()
        #expect(try await served.server.get("/files/ten").text == "0123456789")
    }

    @Test("a large file arrives whole and in parts, by curl, also by TLS", arguments: [false, true])
    func large(secure: Bool) async throws {
        let folder = try TemporaryFolder()
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 4) }
        try folder.write(bytes, to: "large")
        let shop = secure ? try await aside { try CertificateShop() } : nil
        let pair = try await aside { try shop?.selfSigned("server") }
        let server = try TestServer([
            Route(
                "GET", "/large",
                .quick { _ in
                    Response(
                        status: 200,
                        body: .file(
                            ServedFile(
                                path: folder.file("large"), size: 3_000_000, type: "image/x-test",
                                etag: "\"l\"")))
                })
        ]) { settings in
            settings.tls = pair.map { ($0.certificate, $0.key) }
        }
        let scheme = secure ? "https" : "http"
        let url = "\(scheme)://127.0.0.1:\(server.port)/large"
        let whole = try await server.curl(["-k", url])
        #expect(whole.output == bytes)
        let part = try await server.curl(["-k", "-r", "1000000-1999999", "-w", "%{stderr}%{http_code}", url])
        #expect(part.output == Array(bytes[1_000_000..<2_000_000]))
        #expect(part.errors == "206")
        withExtendedLifetime(shop) {}
    }
}
