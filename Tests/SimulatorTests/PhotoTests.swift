import PTP
import Simulator
import TestSupport
import Testing

@Suite struct PhotoTests {
    static let noise: Noise = Noise(seed: 1)

    static func description(_ number: Int, seed: UInt64 = 1) -> PhotoDescription {
        PhotoDescription(
            make: "Tetherline", model: "Generic", serial: "0042", number: number,
            date: DateTime(secondsSince1970: 1_790_000_000), seed: seed)
    }

    static func jpeg(_ size: UInt64, number: Int = 1) -> GeneratedPhoto {
        GeneratedPhoto(jpeg: description(number), size: size, noise: noise)
    }

    static let triedSizes: [UInt64] =
        [1024, 1025, 1500, 2047, 5000, 20_000, 40_000, 65_536, 100_000, 131_073, 300_001]
        // Every remainder that the last segments have to share.
        + (0...8).map { 1_000_000 + $0 }

    @Test(
        "a photo has exactly the size asked for, and djpeg reads it", .enabled(if: Tool.isThere("djpeg")),
        arguments: triedSizes)
    func exactSize(size: UInt64) throws {
        let photo = Self.jpeg(size)
        #expect(photo.length == size)
        let bytes = try photo.bytes(0..<size)
        #expect(UInt64(bytes.count) == size)
        let picture = try #require(Tool("djpeg")).run([], input: bytes)
        #expect(picture.code == 0 && picture.errors.isEmpty, "\(picture.errors)")
        // A PPM: its header names the picture's size.
        #expect(picture.output.starts(with: Array("P6\n\(photo.width) \(photo.height)\n".utf8)))
    }

    @Test("exiftool finds what a camera writes", .enabled(if: Tool.isThere("exiftool")))
    func exif() throws {
        let folder = try TemporaryFolder()
        let photo = Self.jpeg(200_000)
        try folder.write(try photo.bytes(0..<200_000), to: "a.jpg")
        let tool = try #require(Tool("exiftool"))
        let tags = try tool.run([
            "-s3", "-Make", "-Model", "-SerialNumber", "-DateTimeOriginal", "-ISO", folder.file("a.jpg"),
        ])
        #expect(tags.lines == ["Tetherline", "Generic", "0042", "2026:09:21 14:13:20", "400"])
        let warnings = try tool.run(["-warning", "-error", "-validate", folder.file("a.jpg")])
        #expect(!warnings.text.contains("Error"), "\(warnings.text)")
        let thumbnail = try tool.run(["-b", "-ThumbnailImage", folder.file("a.jpg")])
        #expect(thumbnail.output == photo.thumbnail)
    }

    @Test(
        "a raw file is one that exiftool takes for a DNG, with a preview",
        .enabled(if: Tool.isThere("exiftool")))
    func raw() throws {
        let folder = try TemporaryFolder()
        let photo = GeneratedPhoto(raw: Self.description(1), size: 100_001, noise: Self.noise)
        try folder.write(try photo.bytes(0..<100_001), to: "a.dng")
        let tool = try #require(Tool("exiftool"))
        let tags = try tool.run(["-s3", "-FileType", "-Make", "-DNGVersion", folder.file("a.dng")])
        #expect(tags.lines == ["DNG", "Tetherline", "1.4.0.0"])
    }

    @Test("any part of a photo is the same as that part of the whole")
    func randomAccess() throws {
        for (photo, seed) in [
            (Self.jpeg(700_003), 1 as UInt64),
            (GeneratedPhoto(raw: Self.description(2), size: 300_007, noise: Self.noise), 2),
        ] {
            let whole = try photo.bytes(0..<photo.length)
            var random = Seeded(seed)
            for _ in 0..<300 {
                let start = UInt64.random(in: 0..<photo.length, using: &random)
                let end = min(photo.length, start + UInt64.random(in: 1...200_000, using: &random))
                #expect(try photo.bytes(start..<end) == Array(whole[Int(start)..<Int(end)]))
            }
        }
    }

    @Test("a photo of 5 GiB can be read anywhere and ends as a JPEG does")
    func huge() throws {
        let photo = Self.jpeg(5 << 30)
        #expect(try photo.bytes(0..<2) == [0xFF, 0xD8])
        #expect(try photo.bytes(photo.length - 2..<photo.length) == [0xFF, 0xD9])
        // Far into it there are still segments, one after another.
        let length = UInt64(64 << 10)
        let at = try #require(try marker(in: photo, near: 4 << 30))
        #expect(try photo.bytes(at + length..<at + length + 2) == [0xFF, 0xEB])
    }

    private func marker(in photo: GeneratedPhoto, near offset: UInt64) throws -> UInt64? {
        let bytes = try photo.bytes(offset..<offset + (130 << 10))
        func isMarker(_ index: Int) -> Bool { bytes[index] == 0xFF && bytes[index + 1] == 0xEB }
        for index in 0..<65_536 where isMarker(index) && isMarker(index + 65_536) {
            return offset + UInt64(index)
        }
        return nil
    }

    @Test("no two photos have the same bytes, and the same photo always has")
    func distinct() throws {
        let digests = try Set((1...50).map { try Self.jpeg(70_000, number: $0).bytes(30_000..<70_000) })
        #expect(digests.count == 50)
        #expect(try Self.jpeg(70_000).bytes(0..<70_000) == (try Self.jpeg(70_000).bytes(0..<70_000)))
    }
}
