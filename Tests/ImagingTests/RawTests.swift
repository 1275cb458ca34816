import Basics
import Imaging
import TestSupport
import Testing

@Suite(.enabled(if: Studio.hasTools, "\(Studio.reason)"))
struct RawTests {
    let studio: Studio
    /// A large one and a small one, as cameras embed them.
    let large: [UInt8]
    let small: [UInt8]

    init() throws {
        studio = try Studio()
        large = try readFile(studio.plasma("large.jpg", 900, 600))
        small = try readFile(studio.plasma("small.jpg", 160, 120))
    }

    func facts(_ bytes: [UInt8], _ type: String) throws -> PictureFacts {
        try studio.folder.write(bytes, to: "in.raw")
        return try studio.render(studio.folder.file("in.raw"), type)
    }

    @Test("the largest JPEG of a TIFF is what is shown, wherever it hangs", arguments: [true, false])
    func tiff(isLittle: Bool) throws {
        // As in TIFF/EP and DNG: the main directory has the small one, a directory below it the large one.
        var file = TIFFBytes(isLittle: isLittle)
        file.directory([
            .text(0x10F, "NIKON CORPORATION"), .text(0x110, "NIKON D7200"), .short(0x112, 8),
            .text(0x132, "2026:11:21 18:59:03"), .blob(0x111, 0x117, small), .below(0x14A),
        ])
        file.directory([.short(0x103, 7), .blob(0x111, 0x117, large)])
        for type in ["image/tiff", "image/x-nikon-nef", "image/x-adobe-dng", "image/x-sony-arw"] {
            let facts = try facts(file.bytes, type)
            #expect([facts.width, facts.height] == [600, 900])
            #expect(facts.exif.camera == "NIKON D7200")
            #expect(facts.exif.orientation == .leftBottom)
            // `date -ud '2026-11-21 18:59:03' +%s`
            #expect(facts.exif.time.clock?.seconds == 1_795_287_543)
        }
    }

    @Test("exiftool reads the same out of these files", arguments: [true, false])
    func judged(isLittle: Bool) throws {
        var file = TIFFBytes(isLittle: isLittle)
        file.directory([.text(0x110, "NIKON D7200"), .below(0x14A)])
        file.directory([.pair(0x201, 0x202, large)])
        try studio.folder.write(file.bytes, to: "in.nef")
        let tool = try #require(Tool("exiftool"))
        let found = try tool.run(["-b", "-JpgFromRaw", studio.folder.file("in.nef")]).output
        #expect(found == large)
        #expect(try facts(file.bytes, "image/x-nikon-nef").width == 900)
    }

    @Test("Panasonic's and Canon's second kind are known by their beginnings")
    func cousins() throws {
        var panasonic = TIFFBytes(isLittle: true, magic: 85)
        panasonic.directory([.blob(0x2E, nil, large)])
        #expect(try facts(panasonic.bytes, "image/x-panasonic-rw2").width == 900)
        var canon = TIFFBytes(isLittle: true, extra: Array("CR\u{2}\0".utf8) + [0, 0, 0, 0])
        canon.directory([.text(0x110, "Canon EOS 5D"), .blob(0x111, 0x117, large)])
        let facts = try facts(canon.bytes, "image/x-canon-cr2")
        #expect(facts.width == 900)
        #expect(facts.exif.camera == "Canon EOS 5D")
    }

    @Test("Fujifilm says in its header where the JPEG is")
    func fuji() throws {
        var bytes = Array("FUJIFILMCCD-RAW 0201FF389501X-T5".utf8)
        bytes += [UInt8](repeating: 0, count: 84 - bytes.count)
        bytes += big(148) + big(UInt32(large.count)) + [UInt8](repeating: 0, count: 56) + large
        #expect(try facts(bytes, "image/x-fuji-raf").width == 900)
        #expect(try studio.refusal(of: Array(bytes.dropLast(9)), "image/x-fuji-raf") == .truncated)
    }

    @Test("Canon's third kind has boxes in boxes")
    func canon3() throws {
        func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
            big(UInt32(content.count + 8)) + Array(name.utf8) + content
        }
        var exif = TIFFBytes(isLittle: true)
        exif.directory([.text(0x110, "Canon EOS R5"), .short(0x112, 6), .text(0x132, "2027:01:01 00:00:00")])
        // The directories of EXIF and of the place lie beside the main one here, each in a TIFF of its own.
        var more = TIFFBytes(isLittle: true)
        more.directory([
            .text(0x9003, "2026:11:21 18:59:03"), .text(0x9011, "+01:00"), .short(0xA001, 2),
            .text(0xA431, "0123"),
        ])
        let ids: [[UInt8]] = [
            hex("85c0b687820f11e08111f4ce462b6a48"), hex("eaf42b5e1c984b88b9fbb7dc406e4d16"),
        ]
        let type = box("ftyp", Array("crx \0\0\0\u{1}crx isom".utf8))
        let preview = box(
            "uuid", ids[1] + big(0) + big(1) + box("PRVW", [UInt8](repeating: 0, count: 16) + small))
        func moov(_ offset: Int) -> [UInt8] {
            let sizes = box("stsz", big(0) + big(UInt32(large.count)) + big(1))
            let places = box("co64", big(0) + big(1) + big(0) + big(UInt32(offset)))
            let track = box("trak", box("mdia", box("minf", box("stbl", sizes + places))))
            return box(
                "moov", box("uuid", ids[0] + box("CMT1", exif.bytes) + box("CMT2", more.bytes)) + track)
        }
        let offset = type.count + moov(0).count + preview.count + 8
        let file = type + moov(offset) + preview + box("mdat", large)
        let facts = try facts(file, "image/x-canon-cr3")
        #expect([facts.width, facts.height] == [600, 900])
        #expect(facts.exif.camera == "Canon EOS R5" && facts.exif.serial == "0123")
        #expect(facts.colours == ColourFacts(isConverted: true), "its EXIF says Adobe RGB")
        #expect(facts.exif.time == ExifTime(clock: Timestamp(milliseconds: 1_795_287_543_000), offset: 60))
        let withoutTrack = type + preview + box("mdat", [0])
        #expect(try self.facts(withoutTrack, "image/x-canon-cr3").width == 160)
        #expect(try studio.refusal(of: Array(file.dropLast(9)), "image/x-canon-cr3") == .truncated)
    }

    @Test("a raw file without a JPEG is not developed here, and one that lost its end is refused")
    func refusals() throws {
        var file = TIFFBytes(isLittle: true)
        file.directory([.short(0x112, 1), .blob(0x111, 0x117, [1, 2, 3, 4])])
        #expect(try studio.refusal(of: file.bytes, "image/tiff") == .unsupported)
        var whole = TIFFBytes(isLittle: true)
        whole.directory([.blob(0x111, 0x117, small)])
        #expect(try studio.refusal(of: whole.bytes, "image/tiff") == nil)
        for lost in [1, 100, small.count - 1, small.count] {
            #expect(try studio.refusal(of: Array(whole.bytes.dropLast(lost)), "image/tiff") == .truncated)
        }
        let plain = try readFile(studio.plasma("plain.tif", 60, 40, ["-compress", "none"]))
        #expect(try studio.refusal(of: plain, "image/tiff") == .unsupported)
    }

    @Test("directories that lead to each other, out of the file, or on for ever end all the same")
    func loops() throws {
        let names = ["itself", "its own next", "far away", "a chain", "entries"]
        for (name, bytes) in zip(names, TIFFBytes.mazes()) {
            #expect(try studio.refusal(of: bytes, "image/tiff") != nil, "\(name)")
            // The same as the EXIF of a picture that is whole beside it.
            let exif = Array("Exif\0\0".utf8) + bytes.prefix(60_000)
            let segment = [0xFF, 0xE1, UInt8((exif.count + 2) >> 8), UInt8((exif.count + 2) & 255)] + exif
            let jpeg = Array(small.prefix(2)) + segment + small.dropFirst(2)
            #expect(try studio.refusal(of: jpeg) == nil, "\(name)")
        }
    }

    func big(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }
}
