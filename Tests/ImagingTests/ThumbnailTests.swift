import Imaging
import TestSupport
import Testing

/// The small picture that a camera has put into its file, held against what exiftool takes out of it.
@Suite(.enabled(if: Studio.hasTools, "\(Studio.reason)"))
struct ThumbnailTests {
    let studio: Studio

    init() throws {
        studio = try Studio()
    }

    private func photo(_ tags: [String]) throws -> [UInt8] {
        let path = try studio.plasma("in.jpg", 600, 400)
        _ = try studio.plasma("small.jpg", 160, 120)
        // A picture without a header of its own, as cameras write them.
        try studio.run("exiftool", ["-q", "-overwrite_original", "-all=", studio.folder.file("small.jpg")])
        try studio.run(
            "exiftool",
            ["-q", "-n", "-overwrite_original", "-ThumbnailImage<=\(studio.folder.file("small.jpg"))"] + tags
                + [path])
        return try readFile(path)
    }

    @Test("it is what exiftool finds, and is turned as the photo is", arguments: 1...8)
    func asExiftool(orientation: Int) throws {
        let found = try #require(EmbeddedThumbnail.jpeg(in: try photo(["-Orientation=\(orientation)"])))
        try studio.folder.write(found, to: "found.jpg")
        let path = studio.folder.file("found.jpg")
        #expect(
            try studio.run("exiftool", ["-s3", "-n", "-Orientation", "-ImageSize", "-validate", path]).split(
                separator: "\n"
            )
            .prefix(2).map(String.init) == ["\(orientation)", "160 120"])
        // The same pixels: two decoders of the same data differ in nothing.
        let other = try studio.run(
            "compare", ["-metric", "AE", path, studio.folder.file("small.jpg"), "null:"], codes: 0...1)
        #expect(other.hasPrefix("0"), "\(other)")
    }

    @Test("a file without one has none, nor has a part of one, nor what is no photo")
    func none() throws {
        #expect(EmbeddedThumbnail.jpeg(in: try readFile(try studio.plasma("bare.jpg", 300, 200))) == nil)
        #expect(
            EmbeddedThumbnail.jpeg(in: []) == nil && EmbeddedThumbnail.jpeg(in: [0xFF, 0xD8, 0xFF]) == nil)
        let whole = try photo([])
        let thumbnail = try #require(EmbeddedThumbnail.jpeg(in: whole))
        #expect(thumbnail.count < 64 << 10)
        for length in stride(from: 0, to: min(whole.count, 2000), by: 7) {
            #expect(EmbeddedThumbnail.jpeg(in: Array(whole.prefix(length))) == nil, "\(length) bytes")
        }
    }

    @Test("one that leads out of the file, or claims to be larger than any is, is not taken")
    func liars() throws {
        let whole = try photo([])
        var random = Seeded(7)
        for _ in 0..<500 {
            var bytes = whole
            // Somewhere in the directories, in front of the picture.
            for _ in 0..<4 {
                bytes[Int.random(in: 20..<400, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let found = EmbeddedThumbnail.jpeg(in: bytes) else { continue }
            #expect(found.count <= (64 << 10) + 40 && found.starts(with: [0xFF, 0xD8, 0xFF, 0xE1]))
        }
    }
}
