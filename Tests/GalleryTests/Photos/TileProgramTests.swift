import Basics
import TestSupport
import Testing

@testable import Gallery

/// Tiles as the real program makes them, judged by ImageMagick.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(
        if: Tool.isThere("convert") && Tool.isThere("identify") && Tool.isThere("curl"),
        "ImageMagick or curl is not installed"))
struct TileProgramTests {
    @Test(
        "a tile has 800 pixels on its longer side, or as many as the photo; pages and lists say how wide it is"
    )
    func sizes() async throws { try await aside { try make() } }

    private func make() throws {
        let program = try GalleryProgram()
        let opened = try program.ask("PATCH", "/events/\(program.event)", #"{"pin":null}"#)
        #expect(opened.status == 200, "\(opened.text)")
        let folder = try TemporaryFolder()
        let cases: [(size: String, tile: [Int]?)] = [
            ("1500x1000", [800, 533]), ("1000x1500", [533, 800]), ("700x500", [700, 500]), ("500x400", nil),
        ]
        for (number, (size, wanted)) in cases.enumerated() {
            let path = folder.file("\(size).jpg")
            let words = ["-size", size, "-seed", "\(number)", "plasma:", "-quality", "90", path]
            #expect(try #require(Tool("convert")).run(words).code == 0)
            #expect(try program.bring(try readFile(path)).status == "completed")
            let photos = try program.ask("GET", "/events/\(program.event)/photos")["photos"]?.array ?? []
            let photo = try #require(
                photos.max { ($0["sequence"]?.integer ?? 0) < ($1["sequence"]?.integer ?? 0) })
            let seen = try #require(
                try Wire(program.port).ask("GET", "/e/\(program.slug)/photos")["photos"]?.array?.first {
                    $0["id"] == photo["id"]
                })
            guard let wanted else {
                #expect(photo["tileKey"] == .null && seen["tileUrl"] == nil, "\(size)")
                continue
            }
            let url = try #require(seen["tileUrl"]?.string)
            #expect(photo["tileKey"]?.string.map { "/images/\($0)" } == url)
            let fetched = folder.file("fetched.jpg")
            let got = try #require(Tool("curl")).run(
                [
                    "-s", "-o", fetched, "-w", "%{http_code} %{content_type}",
                    "http://127.0.0.1:\(program.port)\(url)",
                ])
            #expect(got.text == "200 image/jpeg")
            let judged = try #require(Tool("identify")).run(["-format", "%m %w %h", fetched])
            #expect(judged.text == "JPEG \(wanted[0]) \(wanted[1])", "\(size): \(judged.text)")
            #expect(seen["tileWidth"]?.integer == Int64(wanted[0]))
            let page = try Wire(program.port).ask("GET", "/e/\(program.slug)").text
            #expect(page.contains(", \(url) \(wanted[0])w\""), "\(size)")
        }
        let check = try program.check()
        #expect(check.code == 0 && check.text.contains("4 photos, 15 objects, 0 of them"), "\(check.text)")
        try program.expectWell()
    }
}
