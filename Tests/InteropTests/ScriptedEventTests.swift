import TestSupport
import Testing

/// Scripts have nothing but JSON and exit codes; Python is the script.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang)), .enabled(if: Tool.isThere("python3")))
struct ScriptedEventTests {
    @Test(
        "a program drives a whole event, a lost destination and a broken photo included, by JSON and exit codes alone"
    )
    func event() async throws {
        let timeout = try #require(Tool("timeout"))
        let folder = Built.tetherline.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let run = try await aside {
            try timeout.run([
                "-k", "10", "240", "tools/scripted_event.py", "--bin", folder.joined(separator: "/"),
            ])
        }
        #expect(run.code == 0, "\(run.errors.split(separator: "\n").suffix(20).joined(separator: " | "))")
    }
}
