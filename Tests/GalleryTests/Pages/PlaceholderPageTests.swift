import Basics
import Digest
import Imaging
import TestSupport
import Testing
import Web

@testable import Gallery

/// Pages show a blur of the pictures that are seen first, until these come.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(if: Tool.isThere("convert") && Tool.isThere("curl"), "ImageMagick or curl is not installed"))
struct PlaceholderPageTests {
    private static let head = "data:image/bmp;base64,"

    /// Red, green and blue of four by four pixels from the top row down, as ImageMagick reads the bitmap.
    private func colours(of url: some StringProtocol, in folder: TemporaryFolder) throws -> [[Int]] {
        let script =
            "import base64, sys; sys.stdout.buffer.write(base64.b64decode(sys.stdin.read(), validate=True))"
        let bytes = try #require(Tool("python3")).run(
            ["-c", script], input: Array(url.dropFirst(Self.head.count).utf8))
        #expect(url.hasPrefix(Self.head) && bytes.code == 0, "\(bytes.errors)")
        let path = folder.file("blur.bmp")
        try folder.write(bytes.output, to: "blur.bmp")
        let size = try #require(Tool("identify")).run(["-format", "%m %w %h", path])
        #expect(size.text.hasPrefix("BMP") && size.text.hasSuffix(" 4 4"), "\(size.text) \(size.errors)")
        let told = try #require(Tool("convert")).run([path, "-depth", "8", "-type", "TrueColor", "txt:-"])
        return told.text.matches(of: /#([0-9A-F]{2})([0-9A-F]{2})([0-9A-F]{2})/).map { match in
            [match.1, match.2, match.3].compactMap { Int($0, radix: 16) }
        }
    }

    @Test("the real program's page, its list and its script have the colours of a photo where they are in it")
    func program() async throws { try await aside { try show() } }

    private func show() throws {
        let program = try GalleryProgram()
        let opened = try program.ask("PATCH", "/events/\(program.event)", #"{"pin":null}"#)
        #expect(opened.status == 200, "\(opened.text)")
        let folder = try TemporaryFolder()
        let path = folder.file("quarters.jpg")
        let words =
            ["-size", "450x300", "(", "xc:#c82020", "xc:#20b040", "+append", ")"]
            + ["(", "xc:#2040d0", "xc:#a0a0a0", "+append", ")", "-append", "-quality", "92", path]
        #expect(try #require(Tool("convert")).run(words).code == 0)
        #expect(try program.bring(try readFile(path)).status == "completed")

        let address = "http://127.0.0.1:\(program.port)/e/\(program.slug)"
        let page = try #require(Tool("curl")).run(["-s", "-i", address]).text
        let url = try #require(page.firstMatch(of: /\.b0\{--b:url\(([^)]*)\)\}/)?.1)
        #expect(page.contains("<li class=\"a18 b0\" "))
        let found = try colours(of: url, in: folder)
        #expect(found.count == 16)
        for (index, pixel) in found.enumerated() {
            let isRight = index % 4 > 1
            let wanted =
                index < 8
                ? (isRight ? [0x20, 0xB0, 0x40] : [0xC8, 0x20, 0x20])
                : (isRight ? [0xA0, 0xA0, 0xA0] : [0x20, 0x40, 0xD0])
            // A pixel beside another colour has some of it.
            let isCorner = [0, 3, 12, 15].contains(index)
            let apart = zip(pixel, wanted).map { abs($0 - $1) }.max() ?? 255
            #expect(apart <= (isCorner ? 16 : 40), "pixel \(index) is \(pixel)")
        }
        let listed = try Wire(program.port).ask("GET", "/e/\(program.slug)/photos")["photos"]?.array?.first
        let text = try #require(listed?["placeholder"]?.string)
        #expect(url.hasSuffix(text) && text.count == 64)
        // The script puts the same before it.
        let script = try #require(BuiltInFile.text(of: "tile.js").firstMatch(of: /BITMAP\s=\s'([^']*)'/)?.1)
        #expect(url == script + text)
        let policy = try #require(page.firstMatch(of: /Content-Security-Policy:\s(.*)/)?.1)
        let sources = ["'self'"] + [program.imageSource].compactMap(\.self)
        #expect(policy.contains("img-src \(sources.joined(separator: " ")) data:;"))
        let sheets = page.matches(of: /<style>((?:.|\n)*?)<\/style>/).map(\.1)
        #expect(sheets.count == 2)
        for sheet in sheets {
            #expect(policy.contains("'sha256-\(Base64.text(SHA256.of(Array(sheet.utf8)).bytes))'"))
        }
        // No other page shows what stands in it.
        for other in ["http://127.0.0.1:\(program.port)/host", "\(address)/show"] {
            let answer = try #require(Tool("curl")).run(["-s", "-i", other]).text
            #expect(answer.contains("img-src \(sources.joined(separator: " "));"), "\(other)")
            #expect(!answer.contains("data:"), "\(other)")
        }
        try program.expectWell()
    }

    @Test("a page has blurs of its first photos only, and none of those that have no placeholder")
    func some() throws {
        let blur = try #require(Placeholder([UInt8](repeating: 90, count: Placeholder.size)))
        let photos = (0..<36).map { number in
            PagePhoto(
                id: TestIDs.id(number), sequence: 1, width: 3, height: 2, thumbWidth: 3, thumbHeight: 2,
                thumbKey: "a", screenKey: "b", placeholder: number % 5 == 3 ? nil : blur)
        }
        let event = PageEvent(name: "a", slug: "b", photos: 36, guestURL: "https://a.example/e/b")
        let html = GuestPage(event: event, photos: photos).html
        let ruled = html.matches(of: /\.(b\d+)\{--b:/).map { String($0.1) }
        let worn = html.matches(of: /<li\sclass="a18\s(b\d+)"/).map { String($0.1) }
        #expect(ruled == worn && ruled == (0..<11).filter { $0 % 5 != 3 }.map { "b\($0)" })
        let none = GuestPage(event: event, photos: photos.filter { $0.placeholder == nil })
        #expect(none.placeholders.sheet == nil && none.html.matches(of: /<style>/).count == 1)
    }
}
