import TestSupport
import Testing

/// A real browser looks at the real server's pages.
@Suite(.timeLimit(.minutes(4))) struct BrowserTests {
    static let python = ".build/python/bin/playwright"

    @Test(
        "guests see photos as they come, find, share and say the PIN, with and without scripts; hosts look after them",
        .enabled(if: Tool.isThere(python), "playwright is not installed"),
        .enabled(if: Tool.isThere("chromium"), "chromium is not installed"))
    func pages() async throws { try await aside { try looking() } }

    private func looking() throws {
        let timeout = try #require(Tool("timeout"))
        let folder = Built.gallery.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let run = try timeout.run(
            ["-k", "10", "180", "tools/pages.py"],
            environment: ["TETHERLINE_BIN": folder.joined(separator: "/")])
        #expect(run.code == 0, "\(run.text) \(run.errors)")
    }
}
