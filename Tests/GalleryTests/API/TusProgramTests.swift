import Basics
import Digest
import TestSupport
import Testing

@testable import Gallery

/// The real program, asked by another client of the protocol, and with its photos in a real bucket.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(if: Tool.isThere("convert"), "ImageMagick makes the photos"))
struct TusProgramTests {
    static let python = ".build/python/bin/python"

    static let hasClient: Bool = {
        do {
            return try Tool(python)?.run(["-c", "import tusclient"]).code == 0
        } catch {
            return false
        }
    }()

    @Test(
        "tuspy brings photos in pieces, cut, resumed and with the server killed, each once, for hosts and for guests",
        .enabled(if: hasClient, "tuspy is not installed; tools/setup does it"), .inFolder)
    func tuspy() async throws {
        try await aside {
            let timeout = try #require(Tool("timeout"))
            let folder = Built.gallery.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            let run = try timeout.run(
                ["-k", "10", "300", Self.python, "tools/tus_judge.py"],
                environment: ["TETHERLINE_BIN": folder.joined(separator: "/")])
            #expect(run.code == 0, "\(run.text) \(run.errors.suffix(2000))")
        }
    }

    @Test(
        "pieces lie in a bucket until they are one object there, and nothing of them is left",
        .enabled(if: SeaweedFS.isThere, "SeaweedFS is not installed; tools/setup does it"))
    func bucket() async throws { try await aside { try bringing() } }

    private func bringing() throws {
        let store = try SeaweedFS.shared.get()
        let storage = "s3://\(try store.makeBucket())/weddings"
        let program = try GalleryProgram(["--storage", storage], environment: store.environment)
        let folder = try TemporaryFolder()
        let made = try #require(Tool("convert")).run(
            ["-size", "900x600", "-seed", "5", "plasma:", "-quality", "92", folder.file("a.jpg")])
        #expect(made.code == 0, "\(made.errors)")
        let bytes = try readFile(folder.file("a.jpg"))
        let pairs = [("event", program.event), ("filetype", "image/jpeg"), ("filename", "a.jpg")]
        let begun = try request(
            program, "POST", "/uploads/tus",
            [
                ("Upload-Length", "\(bytes.count)"),
                (
                    "Upload-Metadata",
                    pairs.map { "\($0.0) \(Base64.text(Array($0.1.utf8)))" }.joined(separator: ",")
                ),
            ])
        #expect(begun.status == 201, "\(begun.text)")
        let line = try #require(begun.head.split(separator: "\r\n").first { $0.hasPrefix("Location: ") })
        let upload = String(line.dropFirst(10))
        let piece = bytes.count / 3 + 1
        for start in stride(from: 0, to: bytes.count, by: piece) {
            let part = Array(bytes[start..<min(start + piece, bytes.count)])
            let sent = try request(
                program, "PATCH", upload,
                [
                    ("Upload-Offset", "\(start)"), ("Content-Type", "application/offset+octet-stream"),
                    ("Content-Length", "\(part.count)"),
                ], part)
            #expect(sent.status == 204, "\(sent.head) \(sent.text)")
        }
        let end = try program.ending(of: String(upload.dropFirst("/uploads/tus/".count)))
        #expect(end["status"] == "completed", "\(end)")
        let check = try program.check()
        #expect(check.code == 0 && check.text.contains(" 0 problems"), "\(check.text) \(check.errors)")
    }

    private func request(
        _ program: GalleryProgram, _ method: String, _ target: String, _ headers: [(String, String)],
        _ body: [UInt8] = []
    ) throws -> Wire.Answer {
        let all =
            [("Tus-Resumable", "1.0.0"), ("Authorization", "Bearer \(program.token)")] + headers
        return try Wire(program.port).exchange(Array(Wire.head(method, target, all).utf8) + body)
    }
}
