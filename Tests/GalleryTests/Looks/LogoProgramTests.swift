import Basics
import TestSupport
import Testing

@testable import Gallery

/// Logos as they come from the world, sent to the real program, and what it made of them as others read it.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct LogoProgramTests {
    private static let hasTools =
        Tool.isThere("convert") && Tool.isThere("identify") && Tool.isThere("exiftool")
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(in: TemporaryFolder.memory)
    }

    private func run(_ program: String, _ arguments: [String]) throws -> String {
        let tool = try #require(Tool(program))
        let output = try tool.run(arguments, environment: ["MAGICK_THREAD_LIMIT": "1"])
        guard output.code == 0 else { throw Surprise("\(program) \(arguments): \(output.errors)") }
        return output.text
    }

    private func make(_ name: String, _ arguments: [String]) throws -> [UInt8] {
        _ = try run("convert", arguments + [folder.file(name)])
        return try readFile(folder.file(name))
    }

    private func put(_ bytes: [UInt8], _ type: String, to program: GalleryProgram) throws -> Wire.Answer {
        try Wire(program.port).put(
            "/events/\(program.event)/logo",
            [
                ("Authorization", "Bearer \(program.token)"), ("Content-Type", type),
                ("Content-Length", "\(bytes.count)"),
            ], bytes)
    }

    /// As a guest without a pass has it.
    private func logo(_ answer: Wire.Answer, of program: GalleryProgram) throws -> String {
        let url = try #require(answer["logo"]?["url"]?.string, "\(answer.text)")
        let path = "/e/" + url.split(separator: "/e/", maxSplits: 1)[1]
        let curl = try #require(Tool("curl"))
        let saved = folder.file("logo.png")
        let code = try curl.run([
            "-s", "--noproxy", "*", "-o", saved, "-w", "%{http_code} %{content_type}",
            "http://127.0.0.1:\(program.port)\(path)",
        ])
        #expect(code.text == "200 image/png")
        return saved
    }

    @Test(
        "a logo is made anew: smaller, upright, transparent where it was, and without what a camera wrote",
        .enabled(if: hasTools && Tool.isThere("curl"), "ImageMagick, exiftool or curl is not installed"))
    func good() async throws { try await aside { try making() } }

    private func making() throws {
        let program = try GalleryProgram.shared.get()
        let drawing = try make(
            "drawing.png",
            ["-size", "1200x700", "xc:none", "-fill", "red", "-draw", "rectangle 300,200 900,500"])
        let made = try put(drawing, "image/png", to: program)
        #expect(made.status == 200, "\(made.text)")
        #expect(made["logo"]?["width"]?.integer == 512 && made["logo"]?["height"]?.integer == 299)
        let file = try logo(made, of: program)
        #expect(try run("identify", ["-format", "%m %wx%h", file]) == "PNG 512x299")
        // How much is there at a corner; how red the middle is, and how much of that is there.
        let pixels = try run(
            "identify", ["-format", "%[fx:p{5,5}.a] %[fx:p{256,150}.r] %[fx:p{256,150}.a]", file])
        #expect(pixels == "0 1 1")

        _ = try make("photo.jpg", ["-size", "900x600", "-seed", "7", "plasma:", "-quality", "90"])
        _ = try run(
            "exiftool",
            [
                "-q", "-overwrite_original", "-n", "-EXIF:GPSLatitude=48.2", "-EXIF:GPSLatitudeRef=N",
                "-EXIF:GPSLongitude=16.37", "-EXIF:GPSLongitudeRef=E", "-EXIF:Make=SONY",
                "-EXIF:Orientation=6",
                "-XMP:Creator=Ann", "-IPTC:City=Vienna", folder.file("photo.jpg"),
            ])
        #expect(try run("exiftool", ["-s", folder.file("photo.jpg")]).contains("GPSLatitude"))
        let photo = try put(try readFile(folder.file("photo.jpg")), "image/jpeg", to: program)
        let upright = try logo(photo, of: program)
        #expect(try run("identify", ["-format", "%m %wx%h", upright]) == "PNG 341x512")
        let told = try run("exiftool", ["-s", "-G1", upright])
        for word in ["GPS", "EXIF", "IFD0", "XMP", "IPTC", "SONY", "Ann", "Vienna"] {
            #expect(!told.contains(word), "\(word): \(told)")
        }
        try program.expectWell()
    }

    @Test(
        "a logo that is cut, is something else, or promises too many pixels is refused with the reason",
        .enabled(if: hasTools, "ImageMagick or exiftool is not installed"))
    func hostile() async throws { try await aside { try refusing() } }

    private func refusing() throws {
        let program = try GalleryProgram.shared.get()
        let good = try make("good.png", ["-size", "600x400", "-seed", "3", "plasma:"])
        let jpeg = try make("good.jpg", ["-size", "600x400", "-seed", "3", "plasma:"])
        // As a header: 60,000 by 60,000 pixels, of which none come.
        var bomb = Array(good.prefix(16)) + [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60] + Array(good[24...])
        bomb.removeLast(good.count / 2)
        let wide = try make("wide.png", ["-size", "4097x2", "xc:red"])
        let wrongs: [(String, [UInt8], String, String)] = [
            ("cut", Array(good.prefix(good.count / 2)), "image/png", "ends before"),
            ("a cut JPEG", Array(jpeg.prefix(jpeg.count / 2)), "image/jpeg", "ends before"),
            ("a JPEG as a PNG", jpeg, "image/png", "is a JPEG"),
            ("a bomb", bomb, "image/png", "a side of more than 4096"),
            ("a pixel too wide", wide, "image/png", "a side of more than 4096"),
            (
                "a drawing of text", Array("<svg onload=alert(1)>".utf8), "image/png",
                "does not begin as any image"
            ),
        ]
        for (name, bytes, type, reason) in wrongs {
            let answer = try put(bytes, type, to: program)
            #expect(answer.status == 422 && answer.code == "UNPROCESSABLE", "\(name): \(answer.text)")
            #expect(answer.text.contains(reason), "\(name): \(answer.text)")
        }
        let widest = try put(try make("widest.png", ["-size", "4096x2", "xc:red"]), "image/png", to: program)
        #expect(widest.status == 200 && widest["logo"]?["width"]?.integer == 512, "\(widest.text)")
        try program.expectWell()
    }
}
