import Bridge
import Testing

@Suite struct MagicBytesTests {
    /// No format that says anything, as cameras give for raw files and films.
    static let undefined: UInt16 = 0x3000

    static let byFormat: [(UInt16, [UInt8])] = [
        (0x3801, [0xFF, 0xD8, 0xFF]), (0x3808, [0xFF, 0xD8, 0xFF]),
        (0x380D, Array("II*\0".utf8)), (0x380D, Array("MM\0*".utf8)),
        (0x380D, Array("II+\0".utf8)), (0x380D, Array("MM\0+".utf8)),
        (0x380B, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (0x3807, Array("GIF89a".utf8)), (0x3807, Array("GIF87a".utf8)), (0x3804, Array("BM".utf8)),
    ]

    static let byName: [(String, String)] =
        ["TIF", "TIFF", "NEF", "NRW", "ARW", "SR2", "DNG", "PEF", "SRW", "CR2"].flatMap {
            [($0, "II*\0"), ($0, "MM\0*")]
        }
        + ["CR3", "HEIC", "HEIF", "HIF", "MP4", "MOV"].map { ($0, "\0\0\0\u{18}ftyp") }
        + ["TIF", "TIFF", "DNG"].flatMap { [($0, "II+\0"), ($0, "MM\0+")] }
        + ["moov", "mdat", "wide", "free", "skip", "pnot", "uuid"].map { ("MOV", "\0\0\0\u{8}\($0)") }
        + [
            ("RAF", "FUJIFILMCCD-RAW"), ("ORF", "IIRO"), ("ORF", "IIRS"), ("ORF", "MMOR"), ("RW2", "IIU\0"),
            ("AVI", "RIFF"), ("WAV", "RIFF"),
        ]

    static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0x55, count: MagicBytes.length - bytes.count)
    }

    @Test("a file of a known format begins as it should, whatever its name", arguments: byFormat)
    func formats(format: UInt16, magic: [UInt8]) {
        for name in ["", "DSC_0001", "DSC_0001.NEF", "a.txt"] {
            #expect(MagicBytes.match(Self.padded(magic), format: format, name: name) == true)
            #expect(MagicBytes.match(magic, format: format, name: name) == true)
            #expect(MagicBytes.match(Array(magic.dropLast()), format: format, name: name) == false)
            #expect(MagicBytes.match([], format: format, name: name) == false)
            #expect(MagicBytes.match(Self.padded([]), format: format, name: name) == false)
        }
    }

    @Test("a file of an unknown format begins as its extension says, in either case", arguments: byName)
    func names(ending: String, magic: String) {
        let magic = Array(magic.utf8)
        for name in ["DSC_0001.\(ending)", "a.b.\(ending.lowercased())"] {
            #expect(MagicBytes.match(Self.padded(magic), format: Self.undefined, name: name) == true)
            #expect(MagicBytes.match(magic, format: Self.undefined, name: name) == true)
            #expect(MagicBytes.match(Array(magic.dropLast()), format: Self.undefined, name: name) == false)
            #expect(MagicBytes.match([], format: Self.undefined, name: name) == false)
            #expect(MagicBytes.match(Self.padded([0]), format: Self.undefined, name: name) == false)
        }
    }

    @Test("JPEG and PNG are known by their extensions too")
    func images() {
        #expect(MagicBytes.match([0xFF, 0xD8, 0xFF, 0xE1], format: Self.undefined, name: "a.jpg") == true)
        #expect(MagicBytes.match([0xFF, 0xD8], format: Self.undefined, name: "a.JPEG") == false)
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        #expect(MagicBytes.match(png, format: Self.undefined, name: "a.png") == true)
        #expect(MagicBytes.match([0xFF, 0xD8, 0xFF], format: Self.undefined, name: "a.png") == false)
    }

    @Test("where the format code and the extension differ, either may be right")
    func either() {
        for (name, magic) in [
            ("DSC_0001.NEF", "II*\0"), ("DSC_0001.MOV", "\0\0\0\u{8}wide"), ("a.HIF", "\0\0\0\u{18}ftyp"),
        ] {
            #expect(MagicBytes.match(Array(magic.utf8), format: 0x3801, name: name) == true)
            #expect(MagicBytes.match([0xFF, 0xD8, 0xFF, 0xE1], format: 0x3801, name: name) == true)
            #expect(MagicBytes.match(Array("GIF89a".utf8), format: 0x3801, name: name) == false)
        }
        #expect(MagicBytes.match(Array("II*\0".utf8), format: 0x3801, name: "DSC_0001.JPG") == false)
        #expect(MagicBytes.match(Array("II+\0".utf8), format: Self.undefined, name: "DSC_0001.NEF") == false)
    }

    @Test("a contradiction is half a sentence that names what is there and what should be")
    func contradictions() {
        func sentence(_ first: [UInt8], _ format: UInt16, _ name: String) -> String? {
            MagicBytes.contradiction(first, format: format, name: name)
        }
        let tiff = Self.padded(Array("II*\0".utf8))
        #expect(sentence(tiff, 0x3801, "a.JPG") == "begins like a TIFF, not like a JPEG")
        #expect(sentence(tiff, 0x3801, "a.MOV") == "begins like a TIFF, not like a JPEG or a QuickTime film")
        #expect(sentence(tiff, 0x3801, "a.NEF") == nil)
        #expect(sentence(tiff, Self.undefined, "a.txt") == nil)
        #expect(sentence([], 0x3801, "a.JPG") == "is empty")
        #expect(sentence([0, 0, 0, 0], 0x3801, "a.JPG") == "begins with zeros, not like a JPEG")
        #expect(sentence(Array("<html>".utf8), Self.undefined, "a.CR3") == "does not begin like a CR3")
    }

    static let kinds: [(String, FileKind)] = [
        ("II*\0", .tiff), ("MM\0+", .bigTIFF), ("IIRS", .olympusRaw), ("IIU\0", .panasonicRaw),
        ("FUJIFILMCCD-RAW ", .fujifilmRaw), ("\0\0\0\u{18}ftypcrx ", .canonRaw),
        ("\0\0\0\u{18}ftypmif1", .heif),
        ("\0\0\0\u{18}ftypqt  ", .quickTime), ("\0\0\0\u{18}ftypisom", .mp4), ("\0\0\0\u{18}ftyp", .mp4),
        ("\0\0\0\u{8}skip", .quickTime), ("GIF89a", .gif), ("BM", .bmp), ("RIFF\0\0\0\0AVI ", .avi),
        ("RIFF\0\0\0\0WAVE", .wav), ("RIFF\0\0\0\0WEBP", .riff), ("RIFF", .riff),
    ]

    @Test("the first bytes name the kind, where they say it", arguments: kinds)
    func kind(first: String, kind: FileKind) {
        #expect(FileKind(of: Array(first.utf8)) == kind)
        #expect(FileKind(of: Self.padded(Array(first.utf8))) == (first.hasSuffix("ftyp") ? .mp4 : kind))
        #expect(FileKind(of: []) == nil && FileKind(of: Self.padded([])) == nil)
    }

    @Test("the boxes that may begin a MOV do not begin an MP4")
    func boxes() {
        let first = Array("\0\0\0\u{8}wide".utf8)
        #expect(MagicBytes.match(first, format: Self.undefined, name: "a.MP4") == false)
    }

    @Test(
        "nothing is expected of other files", arguments: ["", "DSC_0001", "a.txt", "a.", "JPG", "a.jpg.xmp"])
    func unknown(name: String) {
        #expect(MagicBytes.match([1, 2, 3], format: Self.undefined, name: name) == nil)
        #expect(MagicBytes.match([], format: Self.undefined, name: name) == nil)
    }

    @Test("so many bytes are enough for every rule")
    func length() {
        let longest = (Self.byFormat.map(\.1.count) + Self.byName.map(\.1.utf8.count)).max()
        #expect(longest.map { $0 <= MagicBytes.length } == true)
    }
}
