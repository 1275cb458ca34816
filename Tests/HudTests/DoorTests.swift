import Hud
import Posix
import TestSupport
import Testing

/// Who may look, and who may act.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang)), .enabled(if: Tool.isThere("curl"), "curl is not installed"))
struct DoorTests {
    static let looks = [
        "/api/now", "/api/photos", "/api/photos/1", "/api/events", "/pictures/1/0123456789abcdef/tile",
        "/metrics",
    ]
    static let deeds = [
        ("/api/retry", #"{"jobs":[1]}"#), ("/api/cancel", #"{"jobs":[1],"confirmed":true}"#),
        ("/api/pause", #"{"paused":true}"#),
    ]

    @Test("without the token of this run nothing is told and nothing is done")
    func tokens() async throws {
        let ground = try await HudGround()
        let wrong = "Authorization: Bearer \(String(repeating: "A", count: 43))"
        for headers in [
            [], [wrong], ["Cookie: hud-\(ground.port)=\(ground.token)"], ["Authorization: Bearer"],
        ] {
            for path in Self.looks {
                #expect(try await ground.ask(path, headers).status == 401, "\(path) \(headers)")
            }
            for (path, body) in Self.deeds {
                #expect(
                    try await ground.ask(path, headers + [ground.origin], body: body).status == 401, "\(path)"
                )
            }
        }
        #expect(ground.deeds == [])
        #expect(try await ground.ask("/api/now", [ground.bearer]).status == 200)
        // The page is for all, and has nothing in it.
        let page = try await ground.ask("/", [])
        #expect(page.status == 200 && !page.text.contains("Wedding") && !page.text.contains(ground.token))
        await ground.end()
    }

    @Test("the token is exchanged for a cookie that no script sees, by our own page alone")
    func exchange() async throws {
        let ground = try await HudGround()
        let body = "{\"token\":\"\(ground.token)\"}"
        #expect(try await ground.ask("/session", [ground.origin], body: #"{"token":"no"}"#).status == 401)
        #expect(try await ground.ask("/session", [], body: body).status == 403)
        #expect(try await ground.ask("/session", ["Origin: http://evil.example"], body: body).status == 403)
        let jar = ground.folder.file("jar")
        let words = [
            "-s", "-c", jar, "-H", ground.origin, "-d", body, "http://127.0.0.1:\(ground.port)/session",
        ]
        let entered = try await aside { try Tool("curl")?.run(words) }
        #expect(entered?.code == 0)
        let kept = String(decoding: try readFile(jar), as: UTF8.self)
        #expect(kept.contains("#HttpOnly_127.0.0.1") && !kept.contains(ground.token))
        let cookie = kept.split(whereSeparator: \.isWhitespace).suffix(2).joined(separator: "=")
        #expect(try await ground.ask("/api/now", ["Cookie: \(cookie)"]).status == 200)
        // A change that says no origin comes from no page of ours.
        #expect(
            try await ground.ask("/api/pause", ["Cookie: \(cookie)"], body: #"{"paused":true}"#).status == 403
        )
        #expect(
            try await ground.ask(
                "/api/pause", ["Cookie: \(cookie)", ground.origin], body: #"{"paused":true}"#
            ).status
                == 200)
        #expect(ground.deeds == ["pause true"])
        await ground.end()
    }

    @Test(
        "a name that a stranger makes lead here is refused, and so are pages of other sites, whatever they have"
    )
    func strangers() async throws {
        let ground = try await HudGround { $0.names = ["desk.local"] }
        let port = ground.port
        for host in [
            "evil.example", "evil.example:\(port)", "127.0.0.1.evil.example", "localhost.evil.example", "",
            "a b",
        ] {
            for path in Self.looks + ["/", "/session"] {
                let status = try await ground.ask(path, ["Host: \(host)", ground.bearer]).status
                #expect([400, 403].contains(status), "\(path) by the name '\(host)' is answered \(status)")
            }
        }
        for host in ["localhost:\(port)", "desk.local", "[::1]:\(port)", "192.168.1.20:\(port)"] {
            #expect(
                try await ground.ask("/api/now", ["Host: \(host)", ground.bearer]).status == 200, "\(host)")
        }
        let foreign = [
            "Origin: http://evil.example", "Origin: null", "Origin: https://127.0.0.1:\(port).evil.example",
            "Origin: http://127.0.0.1:\(port == 1 ? 2 : port - 1)", "Sec-Fetch-Site: cross-site",
            "Sec-Fetch-Site: same-site",
        ]
        for header in foreign {
            for (path, body) in Self.deeds {
                #expect(
                    try await ground.ask(path, [header, ground.bearer], body: body).status == 403,
                    "\(path) \(header)")
            }
            #expect(try await ground.ask("/api/now", [header, ground.bearer]).status == 403, "\(header)")
        }
        #expect(ground.deeds == [])
        await ground.end()
    }

    @Test(
        "over plain http in a network it shows, and does nothing until that is allowed",
        arguments: [false, true])
    func plain(isAllowed: Bool) async throws {
        let ground = try await HudGround {
            $0.listen = .init(address: [0, 0, 0, 0], port: $0.listen.port)
            $0.allowsPlainControl = isAllowed
        }
        #expect(try await ground.ask("/api/now", [ground.bearer]).status == 200)
        for (path, body) in Self.deeds {
            let status = try await ground.ask(path, [ground.bearer, ground.origin], body: body).status
            #expect(status == (isAllowed ? 200 : 403), "\(path) is answered \(status)")
        }
        #expect(ground.deeds.isEmpty != isAllowed)
        await ground.end()
    }

    @Test("each run has a token of its own, of 256 bits")
    func freshTokens() async throws {
        let (first, second) = (try await HudGround(), try await HudGround())
        #expect(first.token != second.token)
        // 32 bytes are 43 digits of base64url without padding (RFC 4648 §5).
        #expect(first.token.utf8.count == 43)
        #expect(try await second.ask("/api/now", [first.bearer]).status == 401)
        await first.end()
        await second.end()
    }
}
