import TestSupport
import Testing

/// A real browser looks at the real server's pages.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct BrowserTests {
    static let python = ".build/python/bin/playwright"

    /// The parts of `tools/pages.py`, for one to three browsers beside each other in each of four runs of `tools/test`.
    static let ofGuests = [
        ["guests", "blurred", "lightbox", "search", "share", "without_scripts", "pin", "show", "tiles"],
        ["picks", "sharing"],
    ]
    static let ofEvents = [
        ["hearts", "languages", "guest_uploads"], ["look", "export", "uploads"], ["sections", "sizes"],
    ]
    static let ofHosts = [
        ["host", "many", "reset", "times"], ["hosting"],
        ["tabs", "many_tabs", "sessions", "password", "offline", "bulk"],
    ]

    /// Bounds of speed are as wide as ``Cases/within(_:before:)`` makes them.
    static let beside = Cases.isFull ? [] : ["--beside"]

    @Test(
        "guests see photos as they come, find, pick, take home, share and say the PIN, with and without scripts",
        .enabled(if: Tool.isThere(python), "playwright is not installed"),
        .enabled(if: Tool.isThere("chromium"), "chromium is not installed"), arguments: ofGuests)
    func guests(of parts: [String]) async throws { try await aside { try looking(parts) } }

    @Test(
        "the wall of thousands of photos holds the tiles that are seen, wherever one scrolls, turns or comes back to",
        .enabled(if: Tool.isThere(python), "playwright is not installed"),
        .enabled(if: Tool.isThere("chromium"), "chromium is not installed"))
    func wall() async throws { try await aside { try looking(["wall"]) } }

    /// By its name in the run of the guests' parts, which has the fewest.
    @Test(
        "a video is told from photos, plays where it is opened, and leaves when its host hides it",
        .enabled(if: Tool.isThere(python), "playwright is not installed"),
        .enabled(if: Tool.isThere("chromium"), "chromium is not installed"),
        .enabled(if: Tool.isThere("ffmpeg"), "ffmpeg is not installed"))
    func guestsOfVideos() async throws { try await aside { try looking(["video"]) } }

    @Test(
        "an event has hearts and comments, sections, an end, languages, a look, photos that are dropped on it, and an export",
        .enabled(if: Tool.isThere(python), "playwright is not installed"),
        .enabled(if: Tool.isThere("chromium"), "chromium is not installed"), arguments: ofEvents)
    func events(of parts: [String]) async throws { try await aside { try looking(parts) } }

    @Test(
        "hosts look after photos and log-ins, and a browser without a connection says so",
        .enabled(if: Tool.isThere(python), "playwright is not installed"),
        .enabled(if: Tool.isThere("chromium"), "chromium is not installed"), arguments: ofHosts)
    func hosts(of parts: [String]) async throws { try await aside { try looking(parts) } }

    private func looking(_ parts: [String]) throws {
        let timeout = try #require(Tool("timeout"))
        let folder = Built.gallery.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let run = try timeout.run(
            ["-k", "10", "500", "tools/pages.py"] + Self.beside + ["--only"] + parts,
            environment: ["TETHERLINE_BIN": folder.joined(separator: "/")])
        // In one line: a run of all tests shows no more of it.
        let said = (run.lines + run.errors.split(separator: "\n").map(String.init)).suffix(20)
        #expect(run.code == 0, "\(said.joined(separator: " | "))")
    }
}
