import Basics
import HTTPServer
import TestSupport
import Testing

@testable import Gallery

/// One request, followed through the log by its id.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct RequestLineTests {
    @Test("what goes wrong with a request is said under its id")
    func failures() {
        let lines = Shared<[String]>([])
        let log = GalleryLog { level, line in lines.change { $0.append("\(level.word) \(line)") } }
        let request = Request(id: "r-1", path: "/e/a\"b c", peer: "192.0.2.7")
        let problems: [any Error] = [
            StorageProblem(.unavailable, "the bucket is away"), Unavailable(cause: "it is away"),
            Surprise("it broke"), APIError(.forbidden, "this is nothing for the log"),
        ]
        let answers = problems.map { GalleryServer.refusal($0, request, log).status }
        #expect(answers == [503, 503, 500, 403])
        #expect(
            lines.value == [
                "warning request=r-1 the bucket is away",
                "warning request=r-1 the database does not take it now: it is away",
                "error request=r-1 method=GET path=\"/e/a?b?c\": it broke",
            ])
    }

    @Test("one id is in the line of a request, in what was done by it, and in its answer")
    func followed() async throws { try await aside { try following() } }

    private func following() throws {
        let program = try GalleryProgram(["--log-requests"])
        let door = "/e/\(program.slug)/access"
        let wrong = #"{"email":"host@example.org","password":"another"}"#
        let right = #"{"email":"host@example.org","password":"correct horse"}"#
        for (id, method, target, body, status, said) in [
            ("in-1", "POST", "/auth/login", right, 200, "login account=host@example.org"),
            ("in-2", "POST", "/auth/login", wrong, 401, "login-failed account=host@example.org"),
            ("in-3", "POST", door, #"{"pin":"\#(GalleryProgram.pin)"}"#, 200, "guest event=\(program.event)"),
            ("in-4", "POST", door, #"{"pin":"24680"}"#, 403, "pin-failed event=\(program.event)"),
            ("in-5", "DELETE", "/events/\(program.event)", nil, 204, "deleted event=\(program.event)"),
        ] as [(String, String, String, String?, Int, String)] {
            let answer = try Wire(program.port).ask(
                method, target, token: program.token, headers: [("X-Request-Id", id)], body: body)
            #expect(answer.status == status && answer.line("X-Request-Id") == id, "\(answer.all)")
            let line = try program.hear(said, and: "request=\(id)")
            #expect(line.hasSuffix(" request=\(id)"), "\(line)")
            try program.hear("request=\(id) method=\(method) path=\"\(target)\"", and: "status=\(status)")
        }
        let named = try #require(try Wire(program.port).ask("GET", "/health").line("X-Request-Id"))
        try program.hear("request=\(named) method=GET", and: "status=200")
        // The one that logged in before gave no name, and was given one.
        let first = try program.hear("login account=host@example.org", and: "device=new")
        #expect(first.contains(#/ request=[0-9a-z]+-[0-9]+$/#), "\(first)")
    }
}
