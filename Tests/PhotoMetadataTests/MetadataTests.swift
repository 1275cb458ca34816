import Bridge
import Captions
import PhotoMetadata
import Posix
import TestSupport
import Testing

@Suite(.enabled(if: MetadataRig.hasJudges, "exiftool, exiv2, ImageMagick or sha256sum is not installed"))
struct MetadataTests {
    let rig: MetadataRig

    init() throws { rig = try MetadataRig() }

    /// Each field, by the names that exiftool has for it in XMP and in IPTC.
    static let tags: [(field: CaptionField, xmp: String, iptc: String?)] = [
        (.title, "XMP-dc:Title", "IPTC:ObjectName"), (.headline, "XMP-photoshop:Headline", "IPTC:Headline"),
        (.caption, "XMP-dc:Description", "IPTC:Caption-Abstract"),
        (.keywords, "XMP-dc:Subject", "IPTC:Keywords"), (.creator, "XMP-dc:Creator", "IPTC:By-line"),
        (.creatorTitle, "XMP-photoshop:AuthorsPosition", "IPTC:By-lineTitle"),
        (.credit, "XMP-photoshop:Credit", "IPTC:Credit"), (.source, "XMP-photoshop:Source", "IPTC:Source"),
        (.copyright, "XMP-dc:Rights", "IPTC:CopyrightNotice"),
        (.usageTerms, "XMP-xmpRights:UsageTerms", nil),
        (.instructions, "XMP-photoshop:Instructions", "IPTC:SpecialInstructions"),
        (.reference, "XMP-photoshop:TransmissionReference", "IPTC:OriginalTransmissionReference"),
        (.writer, "XMP-photoshop:CaptionWriter", "IPTC:Writer-Editor"),
        (.location, "XMP-iptcCore:Location", "IPTC:Sub-location"),
        (.city, "XMP-photoshop:City", "IPTC:City"), (.state, "XMP-photoshop:State", "IPTC:Province-State"),
        (.country, "XMP-photoshop:Country", "IPTC:Country-PrimaryLocationName"),
        (.countryCode, "XMP-iptcCore:CountryCode", "IPTC:Country-PrimaryLocationCode"),
    ]

    static func caption(_ texts: [CaptionField: [String]]) throws -> [MetadataEntry] {
        var book = CaptionBook()
        for (field, texts) in texts {
            book.fields[field] = try texts.map {
                try CaptionTemplate(
                    $0.replacing("{", with: "{{").replacing("}", with: "}}"), delimiter: "\u{1}")
            }
        }
        let facts = CaptionFacts(
            NameTemplate.Facts(
                event: "Final", date: "2026-11-21", time: "185903", camera: "Z 9", serial: "6",
                sequence: 1, name: "A.JPG"), clockAhead: 3_600)
        return book.caption(of: facts, CodeRoster()).entries
    }

    /// Texts that would be an instruction to exiv2, to XML or to a shell, and letters of every kind.
    static func texts(_ field: CaptionField) -> [String] {
        switch field {
        case .keywords: ["type=Bag a", "Fußball, Köln", "lang=de b"]
        case .countryCode: ["DEU"]
        case .caption: ["lang=x-default <b>\"&amp;'</b> \u{1F3C6} 日本\u{301} {a} $(x) ${y}"]
        case .headline: ["type=Alt Łódź"]
        default: ["\(field.rawValue) é & co"]
        }
    }

    static var everything: [MetadataEntry] {
        get throws {
            try caption(CaptionField.allCases.reduce(into: [:]) { $0[$1] = texts($1) })
        }
    }

    @Test("what is said of a photo is what exiftool and exiv2 read in its copy", arguments: [false, true])
    func fields(isSidecar: Bool) async throws {
        let photo = try rig.photo("a.jpg")
        let name = isSidecar ? "a.xmp" : "copy.jpg"
        let made = try await rig.make(photo, try Self.everything, isSidecar ? .sidecar : .copy, as: name)
            .get()
        #expect(try readFile(rig.folder.file(name)).count == Int(made.size))
        #expect(try #require(Tool("sha256sum")).run([rig.folder.file(name)]).text.prefix(64) == made.sha256)
        let wanted = Self.tags.map { Self.texts($0.field).joined(separator: " | ") }
        #expect(try rig.exiftool(name, Self.tags.map(\.xmp)) == wanted)
        #expect(try rig.exiftool(name, ["XMP-photoshop:DateCreated"]) == ["2026:11:21 18:59:03+01:00"])
        let exiv2 = try #require(Tool("exiv2")).run([
            "-K", "Xmp.photoshop.City", "-Pv", rig.folder.file(name),
        ])
        #expect(exiv2.text.trimmingEnds == "city é & co", "\(exiv2.errors)")
        if !isSidecar {
            let inIPTC = Self.tags.compactMap { tag in tag.iptc.map { ($0, tag.field) } }
            #expect(
                try rig.exiftool(name, inIPTC.map(\.0))
                    == inIPTC.map { Self.texts($0.1).joined(separator: " | ") })
            #expect(
                try rig.exiftool(name, ["IPTC:DateCreated", "IPTC:TimeCreated", "IPTC:CodedCharacterSet"])
                    == ["2026:11:21", "18:59:03+01:00", "UTF8"])
            let checked = try #require(Tool("exiftool")).run([
                "-validate", "-warning", "-a", rig.folder.file(name),
            ])
            #expect(checked.text.contains(": OK"), "\(checked.text)")
        }
        await rig.stop()
    }

    @Test("every byte of the copy but XMP and IPTC is the camera's, and the original is not written to")
    func untouched() async throws {
        let photo = try rig.photo(
            "a.jpg", size: "800x600",
            exiftool: ["-Artist=Ann", "-Make=Canon", "-GPSLatitude=51", "-Comment=x", "-XMP:Rating=4"])
        let before = try readFile(photo)
        _ = try await rig.make(photo, try Self.everything, as: "copy.jpg").get()
        #expect(try readFile(photo) == before)
        // exiftool takes away what was put in; what is left of both is the same.
        let exiftool = try #require(Tool("exiftool"))
        for name in ["a.jpg", "copy.jpg"] {
            let bare = try exiftool.run(
                [
                    "-q", "-XMP:all=", "-IPTC:all=", "-Photoshop:all=", "-o", rig.folder.file("bare-\(name)"),
                    rig.folder.file(name),
                ])
            #expect(bare.code == 0, "\(bare.errors)")
        }
        #expect(
            try readFile(rig.folder.file("bare-a.jpg")) == (try readFile(rig.folder.file("bare-copy.jpg"))))
        // And the image itself, from its first scan on, without any other program.
        let image = try #require(before.firstRange(of: [0xFF, 0xDA] as [UInt8]))
        #expect(try readFile(rig.folder.file("copy.jpg")).suffix(from: 0).count > before.count)
        #expect(
            Array(try readFile(rig.folder.file("copy.jpg")).suffix(before.count - image.lowerBound))
                == Array(before[image.lowerBound...]))
        await rig.stop()
    }

    @Test("what the photo says that is not said anew stays; what was Latin-1 is UTF-8 then")
    func kept() async throws {
        let photo = try rig.photo(
            "a.jpg",
            exiftool: [
                "-charset", "iptc=Latin", "-XMP:Rating=4", "-IPTC:Province-State=Zürich",
                "-IPTC:Keywords=old",
                "-XMP-dc:Subject=old", "-IPTC:Headline=old",
            ])
        #expect(try rig.exiftool("a.jpg", ["IPTC:CodedCharacterSet"]) == ["-"])
        let entries = try Self.caption([.keywords: ["new"], .city: ["Köln"]])
        _ = try await rig.make(photo, entries, as: "copy.jpg").get()
        #expect(
            try rig.exiftool(
                "copy.jpg",
                [
                    "XMP:Rating", "IPTC:Province-State", "IPTC:Keywords", "XMP-dc:Subject", "IPTC:Headline",
                    "IPTC:City",
                ]) == ["4", "Zürich", "new", "new", "old", "Köln"])
        await rig.stop()
    }

    @Test(
        "the same photo and the same words give the same bytes, over what was left of an earlier try as well")
    func reproducible() async throws {
        let photo = try rig.photo("a.jpg", exiftool: ["-Artist=Ann"])
        for form in [MetadataJob.Form.copy, .sidecar] {
            let first = try await rig.make(photo, try Self.everything, form, as: "first").get()
            try rig.folder.write([UInt8](repeating: 7, count: 1_000_000), to: "second.part")
            let second = try await rig.make(photo, try Self.everything, form, as: "second").get()
            #expect(first == second)
            #expect(first == (try await rig.make(photo, try Self.everything, form, as: "first").get()))
            #expect(try readFile(rig.folder.file("first")) == (try readFile(rig.folder.file("second"))))
        }
        await rig.stop()
    }

    @Test("a JPEG with further images behind it keeps them, where it says that they are")
    func multiPicture() async throws {
        // CIPA DC-007, 5.2: offsets are counted from the MP header, in the APP2 segment behind "MPF\0".
        let photo = try rig.photo("a.jpg", exiftool: ["-Artist=Ann"])
        _ = try rig.photo("b.jpg", size: "16x16")
        let (first, second) = (try readFile(photo), try readFile(rig.folder.file("b.jpg")))
        try rig.folder.write(MultiPicture.file(first, second), to: "mpf.jpg")
        _ = try await rig.make(rig.folder.file("mpf.jpg"), try Self.everything, as: "copy.jpg").get()
        for name in ["mpf.jpg", "copy.jpg"] {
            let taken = try #require(Tool("exiftool")).run(["-b", "-PreviewImage", rig.folder.file(name)])
            #expect(taken.output == second, "\(name)")
        }
        // XMP behind it cannot grow without moving what is counted from there.
        try rig.folder.write(
            MultiPicture.file(
                first, second, behind: MultiPicture.segment(0xE1, "http://ns.adobe.com/xap/1.0/\0")),
            to: "behind.jpg")
        let refused = try await rig.make(rig.folder.file("behind.jpg"), try Self.everything, as: "no.jpg")
        #expect(throws: MetadataProblem.self) { try refused.get() }
        await rig.stop()
    }
}

extension String {
    var trimmingEnds: String { split(separator: "\n").joined(separator: "\n") }
}
