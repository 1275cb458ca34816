import TestSupport
import Testing

/// An independent program reads the document and asks the real server whatever it allows, and what it does not.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct SchemathesisTests {
    static let program = ".build/python/bin/schemathesis"

    @Test(
        "whatever the document allows is answered as it says, and whatever it does not is refused",
        .enabled(if: Tool.isThere(program), "schemathesis is not installed"))
    func document() async throws { try await aside { try asking() } }

    private func asking() throws {
        let timeout = try #require(Tool("timeout"))
        let folder = Built.gallery.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let place = try ProgramPlace(
            storage: nil, environment: ["TETHERLINE_BIN": folder.joined(separator: "/")])
        // Its folder is the tool's own.
        let elsewhere = place.everything.dropFirst(2)
        // Always the same requests: tools/prove asks others each time. A node is asked each of them less often.
        let cases = PostgresServer.isWanted ? "100" : "300"
        let run = try timeout.run(
            ["-k", "10", "480", "tools/gallery_schema.py", cases, "1"] + elsewhere,
            environment: place.environment)
        #expect(run.code == 0, "\(run.text) \(run.errors)")
        #expect(run.text.contains("requests answered as the document says"), "\(run.text)")
        // Until here its database is there.
        withExtendedLifetime(place) {}
    }
}
