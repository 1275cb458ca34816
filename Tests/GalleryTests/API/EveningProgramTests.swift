import Basics
import TestSupport
import Testing
import Web

@testable import Gallery

/// The doors of the real program, as browsers, other programs and the operator meet them.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct EveningProgramTests {
    private static let browser = ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")

    @Test(
        "Python and gzip read what is sent compressed, and a page with a door and a search in it is not",
        .enabled(if: Tool.isThere("python3") && Tool.isThere("curl"), "python3 or curl is not installed"))
    func compressed() async throws { try await aside { try compression() } }

    private func compression() throws {
        let program = try GalleryProgram()
        let address = "http://127.0.0.1:\(program.port)"
        let cookie = try Self.pass(of: program)
        let script = """
            import gzip, sys, urllib.request
            def ask(path, **headers):
                request = urllib.request.Request(sys.argv[1] + path, headers=headers)
                with urllib.request.urlopen(request) as answer:
                    return answer.headers, answer.read()
            for path in sys.argv[4:]:
                plain = ask(path, Cookie=sys.argv[2])[1]
                head, body = ask(path, Cookie=sys.argv[2], **{"Accept-Encoding": "gzip, br"})
                packed = head["Content-Encoding"] == "gzip"
                whole = gzip.decompress(body) if packed else body
                # Figures are others each time.
                assert whole == plain or path == "/metrics" and sys.argv[3].encode() in whole, path
                print(path.partition("?")[0] if packed else "plain " + path.partition("?")[0])
            """
        let style = PageAssets.set.path("guest.css")
        let told = try #require(Tool("python3")).run([
            "-c", script, address, cookie, program.metric("gallery_photos", 0), "/e/\(program.slug)", style,
            "/openapi.json", "/metrics", "/host", "/e/\(program.slug)/qr.svg", "/e/\(program.slug)?q=secret",
            "/health",
        ])
        #expect(
            told.lines == [
                "/e/\(program.slug)", style, "/openapi.json", "/metrics", "/host",
                "/e/\(program.slug)/qr.svg",
                "plain /e/\(program.slug)", "plain /health",
            ], "\(told.errors)")
        let tag = try Wire(program.port).ask("GET", style, headers: [("Accept-Encoding", "gzip")]).line(
            "ETag")
        let same = try Wire(program.port).ask(
            "GET", style, headers: [("Accept-Encoding", "gzip"), ("If-None-Match", try #require(tag))])
        #expect(same.status == 304 && same.line("ETag") == tag && same.line("Vary") == "Accept-Encoding")
        let fetched = try #require(Tool("curl")).run(
            [
                "-s", "--noproxy", "*", "--compressed", "-o", "/dev/null", "-w",
                "%{size_download} %{http_code}", address + style,
            ])
        #expect(fetched.text.hasSuffix(" 200"), "\(fetched.text) \(fetched.errors)")
    }

    private static func pass(of program: GalleryProgram) throws -> String {
        let form = "pin=\(GalleryProgram.pin)"
        let answer = try Wire(program.port).exchange(
            Wire.head(
                "POST", "/e/\(program.slug)/access",
                [
                    ("Content-Type", "application/x-www-form-urlencoded"),
                    ("Content-Length", "\(form.utf8.count)"),
                ]) + form)
        let line = try #require(answer.line("Set-Cookie"), "\(answer.all)")
        return String(try #require(line.split(separator: ";").first))
    }

    @Test("a browser is led on or told in words, whatever was typed; the API's clients are told as ever")
    func typed() async throws { try await aside { try typing() } }

    private func typing() throws {
        let program = try GalleryProgram([
            "--public-url", "https://photos.example", "--trusted-proxy", "192.0.2.1",
        ])
        func ask(_ target: String, _ headers: [(String, String)] = [Self.browser]) throws -> Wire.Answer {
            try Wire(program.port).ask("GET", target, headers: headers)
        }
        let loud = program.slug.uppercased()
        for (target, place) in [
            ("/e/\(loud)/?k=a&b=%2F", "/e/\(program.slug)?k=a&b=%2F"),
            ("//e///\(program.slug)", "/e/\(program.slug)"),
            ("/E/\(program.slug)", "/e/\(program.slug)"), ("/\(program.slug)/", "/\(program.slug)"),
            ("/Host/", "/host"), ("//", "/"),
        ] {
            let answer = try ask(target)
            #expect(answer.status == 308 && answer.line("Location") == place, "\(target): \(answer.head)")
        }
        #expect(try ask("/\(program.slug)?k=a").line("Location") == "/e/\(program.slug)?k=a")
        // What may be a name is asked for as one, and its page says that there is none.
        #expect(try ask("/nothing").line("Location") == "/e/nothing")
        for target in ["/nothing/of/this", "/e/nothing", "/favicon.ico", "/images/none", "/e/none/live"] {
            let page = try ask(target)
            #expect(page.status == 404 && page.text.contains("<h1 dir=\"auto\">There is nothing here</h1>"))
            #expect(page.line("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
            if target == "/e/nothing" { continue }
            let answer = try ask(target, [])
            #expect(answer.status == 404 && answer.code == "NOT_FOUND", "\(answer.all)")
        }
        // Every answer of a gallery that guests come to by https says so, also those of the server itself.
        for target in ["/", "/health", "/nothing/of/this", "/e/\(program.slug)", "/events", "/%"] {
            #expect(try ask(target, []).line("Strict-Transport-Security") == "max-age=31536000", "\(target)")
        }
        let plain = try ask("/health", [("X-Forwarded-Proto", "http")])
        #expect(plain.line("Strict-Transport-Security") == nil)
        let large = try Wire(program.port).ask(
            "POST", "/e/\(program.slug)/access", headers: [Self.browser, ("Content-Length", "9999999")])
        #expect(large.status == 413 && large.text.contains("That was too much"), "\(large.all)")
        #expect(try ask("/metrics", [("X-Forwarded-For", "127.0.0.1")]).status == 403)
        #expect(try ask("/metrics", []).status == 200)
    }

    @Test("the log says by what an account was made, whatever else came along")
    func registering() async throws {
        try await aside {
            let program = try GalleryProgram(["--registration", "open"])
            let wish =
                #"{"email":"b@example.org","password":"another horse","displayName":"B","invite":"junk"}"#
            let made = try Wire(program.port).ask("POST", "/auth/register", body: wish)
            #expect(made.status == 201, "\(made.text)")
            try program.hear("registered account=b@example.org", and: "by=open")
        }
    }

    @Test("the log has times, says who came in and who did not, and no secret; a flood is a sum")
    func log() async throws { try await aside { try logging() } }

    private func logging() throws {
        let program = try GalleryProgram()
        try program.hear("login account=host@example.org", and: "from=127.0.0.1 by=password device=new")
        for (address, password) in [
            ("host@example.org", "my Secret 1"), ("secret-2", "x"), ("host@example.org", ""),
        ] {
            let answer = try Wire(program.port).ask(
                "POST", "/auth/login", body: #"{"email":"\#(address)","password":"\#(password)"}"#)
            #expect(answer.status == 401)
        }
        try program.hear("login-failed account=host@example.org", and: "because=wrong")
        try program.hear("login-failed account=unknown", and: "from=127.0.0.1")
        for number in 0..<40 {
            _ = try Wire(program.port).ask(
                "POST", "/e/\(program.slug)/access", body: #"{"pin":"9080\#(1000 + number)"}"#)
        }
        _ = try Self.pass(of: program)
        try program.hear("guest event=\(program.event)", and: "by=pin")
        try program.hear("pin-failed event=\(program.event)", and: "because=wrong")
        try program.hear("pin-failed more=", and: "seconds=10")
        #expect(program.log.filter { $0.contains("pin-failed event=") }.count <= 30)
        let failed = try program.bring([1, 2, 3])
        #expect(failed.status == "failed")
        try program.hear("upload-failed upload=", and: "event=\(program.event)")
        let link = try program.ask("POST", "/events/\(program.event)/zip-link")
        let url = try #require(link["url"]?.string, "\(link.text)")
        let start = try #require(url.firstRange(of: "/events/"))
        let zip = try Wire(program.port).ask("GET", String(url[start.lowerBound...]))
        // An archive of nothing is its end (APPNOTE 4.3.16).
        #expect(zip.status == 200 && zip.line("Content-Length") == "22")
        try program.hear("downloaded event=\(program.event)", and: "bytes=22 status=200")
        let said = program.log.joined(separator: "\n")
        for secret in ["my Secret 1", "secret-2", "9080", GalleryProgram.pin, "correct horse"] {
            #expect(!said.contains(secret), "\(secret)")
        }
        let line = try #require(program.log.first { $0.contains("login account=") })
        let parts = line.wholeMatch(
            of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info (?:node=(\S+) )?login .+/)
        #expect(try #require(parts, "\(line)").1.map(String.init) == program.node)
    }
}

extension Wire.Answer {
    /// A header's value.
    func line(_ name: String) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }
}
