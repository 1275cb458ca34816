import TestSupport
import Testing

@testable import Gallery

/// What a program that serves does by itself, while no request makes it.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct UnaskedProgramTests {
    @Test(
        "a guest who only listens is sent away when the event ends",
        .enabled(if: Tool.isThere("curl"), "curl is the guest"))
    func ends() async throws {
        try await aside {
            let program = try GalleryProgram()
            let end = try #require(Tool("date")).run(["-u", "-d", "+10 seconds", "+%FT%TZ"]).text
            let soon = #"{"pin":null,"expiresAt":"\#(end.filter { !$0.isNewline })"}"#
            let changed = try program.ask("PATCH", "/events/\(program.event)", soon)
            #expect(changed.status == 200, "\(changed.text)")
            let listening = try #require(Tool("curl")).run([
                "--silent", "--no-buffer", "--max-time", "120", "--write-out", "%{http_code}",
                "http://127.0.0.1:\(program.port)/e/\(program.slug)/live",
            ])
            #expect(listening.code == 0 && listening.text.hasSuffix("200"), "\(listening)")
        }
    }

    @Test(
        "a node whose keys the store does not take says so in its log, though no balancer asks",
        .enabled(if: PostgresServer.isWanted, "of programs that share rows and a bucket"))
    func says() async throws {
        try await aside {
            let program = try GalleryProgram(environment: ["AWS_SECRET_ACCESS_KEY": "another"])
            try program.hear("this node is not ready", and: "the store cannot be used now")
        }
    }
}
