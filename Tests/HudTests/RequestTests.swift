import Basics
import Hud
import TestSupport
import Testing

/// What is answered, and what it may cost.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang)), .enabled(if: Tool.isThere("curl"), "curl is not installed"))
struct RequestTests {
    @Test("changes reach the bridge as they are meant, and others do not")
    func changes() async throws {
        let ground = try await HudGround()
        let own = [ground.bearer, ground.origin]
        let wishes: [(String, String, Int)] = [
            ("/api/retry", #"{"jobs":[3,4]}"#, 200), ("/api/retry", #"{"failed":true}"#, 200),
            ("/api/retry", #"{"jobs":[]}"#, 400), ("/api/retry", "no JSON", 400), ("/api/retry", "[]", 400),
            ("/api/cancel", #"{"jobs":[5]}"#, 409), ("/api/cancel", #"{"jobs":[5],"confirmed":"yes"}"#, 409),
            ("/api/cancel", #"{"jobs":[5],"confirmed":true}"#, 200), ("/api/pause", #"{"paused":1}"#, 400),
            ("/api/pause", #"{"paused":false}"#, 200),
        ]
        for (path, body, status) in wishes {
            #expect(try await ground.ask(path, own, body: body).status == status, "\(path) \(body)")
        }
        #expect(ground.deeds == ["retry [3, 4]", "retry []", "cancel [5]", "pause false"])
        #expect(
            try await ground.ask("/api/pause", own + ["Expect:"], body: String(repeating: "x", count: 70_000))
                .status == 413)
        await ground.end()
    }

    @Test(
        "what is asked for and is not there is said so",
        arguments: [
            ("/api/photos/1", 404), ("/api/photos/0", 404), ("/api/photos/x", 404),
            ("/api/photos/99999999999999999999", 404),
            ("/pictures/1/0123456789abcdef/tile", 404), ("/pictures/1/a/huge", 404),
            ("/api/photos?show=all", 400),
            ("/api/photos?q=%25", 200), ("/assets/x/none.js", 404), ("/nothing", 404), ("/api/retry", 405),
        ])
    func missing(path: String, status: Int) async throws {
        let ground = try await HudGround()
        #expect(try await ground.ask(path, [ground.bearer]).status == status)
        await ground.end()
    }

    @Test("a program that has the token reads the figures as Prometheus wants them")
    func figures() async throws {
        let ground = try await HudGround()
        let words = ["-s", "-i", "-H", ground.bearer, "http://127.0.0.1:\(ground.port)/metrics"]
        let answer = try await aside { try Tool("curl")?.run(words).text ?? "" }
        #expect(answer.contains("Content-Type: text/plain; version=0.0.4") && answer.contains("up 1\n"))
        await ground.end()
    }

    @Test("a search has an end")
    func longSearches() async throws {
        let ground = try await HudGround()
        let long = String(repeating: "a", count: 101)
        #expect(try await ground.ask("/api/photos?q=\(long)", [ground.bearer]).status == 400)
        await ground.end()
    }

    @Test("the page lets a browser run nothing but our scripts, and says no name of the event")
    func policy() async throws {
        let ground = try await HudGround()
        let words = ["-s", "-D", "-", "-o", "/dev/null", "http://127.0.0.1:\(ground.port)/"]
        let head = try await aside { try Tool("curl")?.run(words).text.lowercased() ?? "" }
        let policy = head.split(separator: "\r\n").first { $0.hasPrefix("content-security-policy:") } ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"))
        #expect(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"))
        let page = try await ground.ask("/", [])
        // Neither a script nor a style stands in the page itself.
        #expect(
            !page.text.contains("<style") && !page.text.contains(" style=")
                && !page.text.contains(" onclick="))
        #expect(page.text.matches(of: /<script(?![^>]* src=)/).isEmpty)
        await ground.end()
    }

    @Test("so many listen, and others are told so, while the rest goes on")
    func listeners() async throws {
        let ground = try await HudGround()
        let curl = try #require(Tool("curl")).path
        let words = ["-sN", "-H", ground.bearer, "http://127.0.0.1:\(ground.port)/api/events"]
        let listening = try await aside {
            try (0..<24).map { _ in
                let listener = try Daemon(curl, words)
                try listener.wait(for: "retry:")
                return listener
            }
        }
        #expect(try await ground.ask("/api/events", [ground.bearer]).status == 503)
        #expect(try await ground.ask("/api/now", [ground.bearer]).status == 200)
        for listener in listening { listener.letGo() }
        await ground.end()
    }
}
