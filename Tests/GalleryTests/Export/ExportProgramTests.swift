import Basics
import Glibc
import TestSupport
import Testing

@testable import Gallery

/// `gallery export` as an operator runs it, beside the server.
@Suite(
    .enabled(if: ExportGround.judges && Tool.isThere("convert") && Tool.isThere("exiftool")),
    .timeLimit(.minutes(Cases.minutesOfHang)))
struct ExportProgramTests {
    private let folder: TemporaryFolder
    private var out: String { folder.file("out") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func export(_ program: GalleryProgram, _ words: [String]) throws -> Tool.Output {
        try program.run(
            ["export"] + words + (words.contains("--storage") ? program.rows : program.everything))
    }

    /// A picture that says where it was taken.
    private func picture() throws -> [UInt8] {
        let path = folder.file("a.jpg")
        let made = try #require(Tool("convert")).run(
            ["-size", "900x600", "-seed", "3", "plasma:", "-quality", "90", path])
        #expect(made.code == 0, "\(made.errors)")
        let placed = try #require(Tool("exiftool")).run(
            ["-q", "-overwrite_original", "-GPSLatitude=48.2", "-GPSLatitudeRef=N", path])
        #expect(placed.code == 0, "\(placed.errors)")
        return try readFile(path)
    }

    @Test("an event is exported while it is served, and a place is only in originals")
    func beside() async throws { try await aside { try export() } }

    private func export() throws {
        let program = try GalleryProgram()
        #expect(try program.bring(picture()).status == "completed")
        let run = try export(program, ["Wedding", "--to", out, "--originals"])
        #expect(
            run.code == 0 && run.text.contains("1 photos on 1 pages are in \(out): 4 files copied"),
            "\(run.errors)")
        let sums = try #require(Tool("sha256sum")).run(["-c", "--quiet", "SHA256SUMS"], in: out)
        #expect(sums.code == 0, "\(sums.text)")
        for (name, isThere) in [("originals", true), ("screens", false), ("tiles", false), ("thumbs", false)]
        {
            let place = try #require(Tool("exiftool")).run([
                "-q", "-s3", "-GPSLatitude", "-r", "\(out)/\(name)",
            ])
            #expect(place.text.isEmpty != isThere, "\(name): \(place.text)")
        }
        let again = try export(program, [program.event, "--to", out, "--originals"])
        #expect(
            again.code == 0 && again.text.contains("0 files copied") && again.text.contains("4 there already")
        )
        let without = try export(program, [program.slug, "--to", out])
        #expect(without.code == 0 && without.text.contains("1 removed"), "\(without.text)")

        let list = try program.ask("GET", "/events/\(program.event)/photos")
        let key = try #require(list["photos"]?.array?.first?["screenKey"]?.string, "\(list.text)")
        try program.lose(key)
        let fresh = folder.file("fresh")
        let damaged = try export(program, ["Wedding", "--to", fresh])
        #expect(
            damaged.code == 1 && damaged.errors.contains("its screen is missing in the store"),
            "\(damaged.errors)")
        #expect(access("\(fresh)/index.html", R_OK) == 0)
        #expect(try program.ask("GET", "/events/\(program.event)").status == 200)
    }

    @Test("what cannot be exported is told in a sentence")
    func mistakes() async throws { try await aside { try refusals() } }

    private func refusals() throws {
        let program = try GalleryProgram.shared.get()
        folder.makeFolder("full")
        try folder.write("x", to: "full/letter.txt")
        let cases: [([String], Int32, String)] = [
            (["Wedding"], 64, "--to"), (["--to", out], 64, "EVENT"),
            (["Wedding", "--to", out, "--originals", "--no-originals"], 64, "originals"),
            (["No such party", "--to", out], 66, "there is no event 'No such party'"),
            (["Wedding", "--to", folder.file("full")], 73, "'letter.txt' is in it"),
            (["Wedding", "--to", "/proc/out"], 74, "/proc/out"),
            (["Wedding", "--to", out, "--storage", "ftp://x"], 64, "--storage"),
            (["Wedding", "--to", out, "--language", "xx"], 64, "none of en, de, fr, es, it, pt, th, ja"),
        ]
        for (words, code, sentence) in cases {
            let said = try export(program, words)
            #expect(
                said.code == code && said.errors.contains(sentence), "\(words): \(said.code) \(said.errors)")
        }
    }
}
