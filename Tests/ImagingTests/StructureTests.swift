import Bridge
import TestSupport
import Testing

/// Files that other people's programs have made: whole ones are found whole, and cut ones are not.
@Suite struct StructureTests {
    let studio: Studio
    let base: String

    init() throws {
        studio = try Studio()
        base = try studio.make(
            "base.miff", ["-size", "240x180", "-seed", "7", "plasma:fractal", "+noise", "Gaussian"])
    }

    func verdict(_ bytes: ArraySlice<UInt8>) -> StructureVerdict {
        FileStructure.verdict(length: UInt64(bytes.count)) { offset, count in
            Array(bytes.dropFirst(Int(offset)).prefix(count))
        }
    }

    func judge(_ path: String, isJPEG: Bool = false) throws {
        let bytes = try readFile(path)
        #expect(verdict(bytes[...]) == .whole, "\(path)")
        for count in [bytes.count - 1, bytes.count - bytes.count / 10, bytes.count / 2] {
            let verdict = verdict(bytes[..<count])
            #expect(verdict != .whole, "\(count) bytes of \(path)")
            if isJPEG, case .cutShort = verdict { continue }
            #expect(!isJPEG, "\(count) bytes of \(path): \(verdict)")
        }
    }

    @Test(
        "ImageMagick's JPEGs, one scan or many, and with what exiftool writes into them",
        .enabled(if: Studio.hasTools, "\(Studio.reason)"))
    func jpeg() throws {
        let small = try studio.make("small.jpg", [base, "-resize", "160x120"])
        for options in [[], ["-interlace", "Plane"]] {
            let path = try studio.make("a.jpg", [base, "-quality", "97"] + options)
            try judge(path, isJPEG: true)
            try studio.run(
                "exiftool",
                [
                    "-q", "-overwrite_original", "-EXIF:Model=Z 9", "-XMP:Title=Wedding", "-IPTC:Keywords=a",
                    "-EXIF:ThumbnailImage<=\(small)", path,
                ])
            try judge(path, isJPEG: true)
        }
    }

    @Test(
        "a picture with another one behind it, which exiftool finds there",
        .enabled(if: Studio.hasTools, "\(Studio.reason)"))
    func multiPicture() throws {
        let first = try readFile(studio.make("first.jpg", [base, "-quality", "97"]))
        let second = try readFile(studio.make("second.jpg", [base, "-resize", "160x120"]))
        for isBigEndian in [false, true] {
            let file = MultiPictureFile.of(first, second, isBigEndian: isBigEndian)
            try studio.folder.write(file, to: "both.jpg")
            let both = studio.folder.file("both.jpg")
            let found = try #require(Tool("exiftool")).run(["-b", "-PreviewImage", both])
            let isSame = found.output == second
            #expect(isSame, "\(found.output.count) bytes of \(second.count): \(found.errors)")
            try judge(both, isJPEG: true)
        }
    }

    static let formats: [(name: String, options: [String])] = [
        ("none.tif", ["-compress", "None"]), ("lzw.tif", ["-compress", "LZW", "-endian", "MSB"]),
        ("strips.tif", ["-compress", "JPEG", "-define", "tiff:rows-per-strip=8"]),
        ("tiles.tif", ["-compress", "Zip", "-define", "tiff:tile-geometry=64x64"]),
        ("pages.tif", ["(", "+clone", "-negate", ")", "(", "+clone", "-flip", ")"]),
        ("plain.png", []), ("interlaced.png", ["-interlace", "PNG"]),
    ]

    @Test(
        "ImageMagick's TIFFs, strips, tiles and pages, and its PNGs",
        .enabled(if: Studio.hasTools, "\(Studio.reason)"))
    func others() throws {
        for (name, options) in Self.formats { try judge(try studio.make(name, [base] + options)) }
    }

    @Test("libtiff's BigTIFF", .enabled(if: Studio.hasTools, "\(Studio.reason)"))
    func bigTIFF() throws {
        let path = studio.folder.file("a.btf")
        try studio.run("convert", [base, "tiff64:\(path)"])
        #expect(FileKind(of: Array(try readFile(path).prefix(16))) == .bigTIFF)
        try judge(path)
    }

    @Test("a HEIC", .enabled(if: Studio.makesHEIF, "ImageMagick has no HEIC encoder here"))
    func heic() throws {
        try judge(try studio.make("a.heic", [base]))
    }
}
