import TestSupport
import Testing

/// The bridge's page in a real browser, with a camera, a bridge and a gallery behind it.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct HudPageTests {
    static let python = ".build/python/bin/playwright"

    /// The parts of `tools/hud.py` that cost seconds, for two browsers beside each other; `tools/prove hud` has all of them.
    static let parts = [["shooting", "names", "gone", "marks"], ["uplink", "retry", "doors"]]

    /// Bounds of speed are as wide as ``Cases/within(_:before:)`` makes them.
    static let beside = Cases.isFull ? [] : ["--beside"]

    @Test(
        "photos appear while they are shot, an uplink that is cut shows and recovers, what failed is begun again, strangers are refused",
        .enabled(if: Tool.isThere(python), "playwright is not installed"),
        .enabled(if: Tool.isThere("chromium"), "chromium is not installed"), arguments: parts)
    func page(of parts: [String]) async throws {
        let timeout = try #require(Tool("timeout"))
        let folder = Built.tetherline.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let run = try await aside {
            try timeout.run(
                ["-k", "10", "500", "tools/hud.py"] + Self.beside + ["--only"] + parts,
                environment: ["TETHERLINE_BIN": folder.joined(separator: "/")])
        }
        // In one line: a run of all tests shows no more of it.
        let said = (run.lines + run.errors.split(separator: "\n").map(String.init)).suffix(20)
        #expect(run.code == 0, "\(said.joined(separator: " | "))")
    }

    @Test("a page that cannot be served is told, and every photo arrives all the same")
    func taken() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "100KiB")
        let person = try Operator()
        // The camera listens there.
        let run = try person.runOnce([camera], "--hud", camera.address)
        #expect(run.code == 0 && run.errors.contains("without its page: \(camera.address)"), "\(run.errors)")
        #expect(try person.arrived().count == 2)
    }

    @Test(
        "options that cannot be meant are refused before anything begins",
        arguments: [
            (["--hud", "desk:8420"], "an address of this machine and a port"),
            (["--hud", "127.0.0.1:0", "--hud-file", "/"], "names a file"),
            (["--hud-control"], "are about --hud ADDRESS:PORT"),
        ])
    func refused(options: [String], sentence: String) throws {
        let person = try Operator()
        let run = try person.run(["run", "--camera", "127.0.0.1:1", "--event", "Wedding"] + options)
        #expect(run.code == 64 && run.errors.contains(sentence), "\(run.errors)")
        #expect(person.folder.contents().allSatisfy { !$0.hasSuffix(".sqlite") })
    }
}
