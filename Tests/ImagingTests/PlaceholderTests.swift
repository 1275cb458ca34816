import Imaging
import TestSupport
import Testing

/// What stands for a picture until it comes, held against what ImageMagick makes of the same file.
@Suite(.enabled(if: Studio.hasTools, "\(Studio.reason)")) struct PlaceholderTests {
    /// Red, green and blue of four by four pixels from the top row down, as ImageMagick writes them.
    private func judged(_ path: String, in studio: Studio) throws -> [[Int]] {
        let words = [
            "-auto-orient", "-colorspace", "sRGB", "-filter", "Catrom", "-resize", "4x4!", "-depth", "8",
        ]
        let text = try studio.run("convert", [path] + words + ["-type", "TrueColor", "txt:-"])
        return text.matches(of: /#([0-9A-F]{2})([0-9A-F]{2})([0-9A-F]{2})/).map { match in
            [match.1, match.2, match.3].compactMap { Int($0, radix: 16) }
        }
    }

    private func made(_ path: String, type: String, in studio: Studio) throws -> [[Int]] {
        let wanted = RenditionRequest(path: studio.folder.file("thumb.jpg"), edge: 400)
        let facts = try Picture.render(file: path, declaredType: type, renditions: [wanted])
        let bytes = try #require(facts.placeholder?.pixels)
        #expect(bytes.count == 48)
        // From the bottom row up, blue first.
        return (0..<16).map { index in
            let first = 3 * (index % 4 + 4 * (3 - index / 4))
            return [2, 1, 0].map { Int(bytes[first + $0]) }
        }
    }

    private func expectAlike(_ made: [[Int]], _ judged: [[Int]], _ what: String) {
        #expect(made.count == 16 && judged.count == 16, "\(what)")
        for (index, (one, other)) in zip(made, judged).enumerated() {
            let apart = zip(one, other).map { abs($0 - $1) }.max() ?? 255
            #expect(apart <= 8, "\(what): pixel \(index) is \(one), and ImageMagick has \(other)")
        }
    }

    @Test(
        "a placeholder has the colours of its picture, whatever its size and its kind",
        arguments: [
            ("in.jpg", "image/jpeg", 1201, 801, []), ("in.jpg", "image/jpeg", 300, 900, []),
            ("in.jpg", "image/jpeg", 901, 601, ["-sampling-factor", "2x2"]),
            ("in.jpg", "image/jpeg", 640, 480, ["-colorspace", "Gray"]),
            ("in.png", "image/png", 500, 333, []),
        ] as [(String, String, Int, Int, [String])])
    func colours(name: String, type: String, width: Int, height: Int, options: [String]) throws {
        let studio = try Studio()
        let path = try studio.plasma(name, width, height, ["-quality", "95"] + options)
        try expectAlike(made(path, type: type, in: studio), judged(path, in: studio), "\(width)×\(height)")
    }

    @Test("a placeholder is upright, as its picture is looked at", arguments: 1...8)
    func upright(orientation: Int) throws {
        let studio = try Studio()
        let path = try studio.plasma("in.jpg", 900, 600, ["-quality", "95"])
        try studio.run("exiftool", ["-q", "-n", "-overwrite_original", "-Orientation=\(orientation)", path])
        try expectAlike(
            made(path, type: "image/jpeg", in: studio), judged(path, in: studio), "orientation \(orientation)"
        )
    }

    @Test("of a picture with fewer pixels there is one, too", arguments: [(1, 1), (2, 3), (3, 1)])
    func small(width: Int, height: Int) throws {
        let studio = try Studio()
        let size = "\(width)x\(height)"
        let path = try studio.make("in.png", ["-size", size, "xc:#c86432", "-depth", "8"])
        for pixel in try made(path, type: "image/png", in: studio) {
            #expect(zip(pixel, [0xC8, 0x64, 0x32]).allSatisfy { abs($0 - $1) <= 3 }, "\(pixel)")
        }
    }
}
