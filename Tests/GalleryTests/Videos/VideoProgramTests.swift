import Basics
import TestSupport
import Testing

@testable import Gallery

/// Videos at the real program, which works on them in processes of its own, and curl as a player that asks for parts.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(if: Tool.isThere("curl"), "curl is not installed"))
struct VideoProgramTests {
    private let program: GalleryProgram
    private let folder: TemporaryFolder

    init() throws {
        program = try GalleryProgram(["--ffmpeg", "none", "--max-video-size", "1MiB"])
        folder = try TemporaryFolder()
    }

    private struct Reply {
        let status: Int
        let headers: [String]
        let body: [UInt8]

        func header(_ name: String) -> String? {
            headers.first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
    }

    private func curl(_ path: String, _ arguments: [String]) throws -> Reply {
        let ended = try #require(Tool("curl")).run(
            [
                "-sS", "-D", folder.file("headers"), "-o", folder.file("body"), "-H",
                "Authorization: Bearer \(program.token)", "http://127.0.0.1:\(program.port)\(path)",
            ] + arguments)
        #expect(ended.code == 0, "\(ended.errors)")
        let head = String(decoding: try readFile(folder.file("headers")), as: UTF8.self)
        let lines = head.split { $0.isNewline }.map(String.init)
        let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return Reply(status: try #require(status), headers: lines, body: try readFile(folder.file("body")))
    }

    private func video() throws -> JSONValue {
        let list = try program.ask("GET", "/events/\(program.event)/photos")
        return try #require(list["photos"]?.array?.first { $0["kind"] == "video" }, "\(list.text)")
    }

    @Test("a player has the copy in the parts that it asks for")
    func ranges() throws {
        var file = VideoFile()
        file.extras = VideoFile.userData()
        let ended = try program.bring(file.bytes, VideoType.mp4)
        #expect(ended.status == "completed", "\(ended)")
        let path = "/images/\(try #require(try video()["streamKey"]?.string))"
        let whole = try curl(path, [])
        #expect(whole.status == 200 && whole.header("Content-Type") == "video/mp4")
        #expect(whole.header("Accept-Ranges") == "bytes" && whole.body.count == file.bytes.count)
        #expect(!whole.body.holds(VideoFile.place))
        let part = try curl(path, ["-r", "4-7"])
        #expect(part.status == 206 && part.body == Array("ftyp".utf8))
        #expect(part.header("Content-Range") == "bytes 4-7/\(file.bytes.count)")
        let last = try curl(path, ["-r", "-5"])
        #expect(last.status == 206 && last.body == Array(whole.body.suffix(5)))
        let beyond = try curl(path, ["-r", "\(file.bytes.count)-"])
        #expect(beyond.status == 416 && beyond.header("Content-Range") == "bytes */\(file.bytes.count)")
        let tag = try #require(whole.header("ETag"))
        #expect(try curl(path, ["-r", "4-7", "-H", "If-Range: \(tag)"]).status == 206)
        #expect(try curl(path, ["-r", "4-7", "-H", "If-Range: \"other\""]).body == whole.body)
        #expect(try curl(path, ["-H", "If-None-Match: \(tag)"]).status == 304)
        try program.expectWell()
    }

    @Test("files that are hostile fail one by one, and the program is as well as before")
    func hostile() throws {
        let file = VideoFile()
        var nest: [UInt8] = []
        for _ in 0..<1000 { nest = VideoFile.number(UInt32(nest.count + 8)) + Array("moov".utf8) + nest }
        let huge = [0, 0, 0, 1] + Array("moov".utf8) + [0x7F] + [UInt8](repeating: 0xFF, count: 7)
        for (bytes, code) in [
            (Array("no video".utf8), "NOT_A_VIDEO"), (Array(file.bytes.dropLast(30)), "TRUNCATED"),
            (file.ftyp + huge, "TRUNCATED"), (file.ftyp + file.data + nest, "TRUNCATED"),
            ([0xFF, 0xD8, 0xFF, 0xE0] + file.bytes, "NOT_A_VIDEO"),
        ] {
            let ended = try program.bring(bytes, VideoType.mp4)
            #expect(ended.status == "failed" && ended.code == code, "\(ended)")
        }
        let mismatched = try program.bring(file.bytes + [0], VideoType.quickTime)
        #expect(mismatched.code == "TYPE_MISMATCH")
        try program.expectWell()
    }

    @Test(
        "where there is ffmpeg, a frame is its picture",
        .enabled(if: Tool.isThere("ffmpeg"), "ffmpeg is not installed"))
    func poster() throws {
        let ffmpeg = try #require(Tool("ffmpeg"))
        let program = try GalleryProgram(["--ffmpeg", ffmpeg.path])
        let made = try ffmpeg.run([
            "-v", "error", "-f", "lavfi", "-i", "testsrc=size=640x360:rate=25:duration=3", "-c:v", "mpeg4",
            folder.file("a.mp4"),
        ])
        #expect(made.code == 0, "\(made.errors)")
        let ended = try program.bring(try readFile(folder.file("a.mp4")), VideoType.mp4)
        #expect(ended.status == "completed", "\(ended) \(program.log)")
        let list = try program.ask("GET", "/events/\(program.event)/photos")
        let video = try #require(list["photos"]?.array?.first)
        #expect(video["hasPoster"] == .bool(true), "\(program.log)")
        #expect(video["width"] == .integer(640) && video["height"] == .integer(360))
        #expect(video["tileKey"]?.string != nil, "its picture is larger than a thumb")
    }
}
