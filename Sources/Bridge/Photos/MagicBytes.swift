/// Whether a file begins as its kind of file begins.
///
/// Cameras under stress have sent the right number of wrong bytes. The first few tell, without understanding
/// any format, and cost nothing.
public enum MagicBytes {
    /// As many first bytes as the longest rule needs, and some.
    public static let length = 16

    /// Nil when nothing is expected of such a file.
    ///
    /// The format code is the camera's own word, and a name may lack its extension; raw files have no code of their own,
    /// so that their extension tells. Some cameras call every photo EXIF/JPEG, raw ones too: where the code and the
    /// extension differ, a file may begin as either says.
    public static func match(_ first: [UInt8], format: UInt16, name: String) -> Bool? {
        let expected = expectations(format: format, name: name)
        guard !expected.isEmpty else { return nil }
        return expected.contains { $0.isMet(by: first) }
    }

    /// What the file begins like, and what it should: "begins like a TIFF, not like a JPEG". Nil where it begins as
    /// expected, and where nothing is expected.
    public static func contradiction(_ first: [UInt8], format: UInt16, name: String) -> String? {
        guard match(first, format: format, name: name) == false else { return nil }
        guard !first.isEmpty else { return "is empty" }
        var names: [String] = []
        for expectation in expectations(format: format, name: name)
        where !names.contains(expectation.kind.description) {
            names.append(expectation.kind.description)
        }
        let expected = names.joined(separator: " or ")
        if first.allSatisfy({ $0 == 0 }) { return "begins with zeros, not like \(expected)" }
        guard let kind = FileKind(of: first) else { return "does not begin like \(expected)" }
        return "begins like \(kind), not like \(expected)"
    }

    private struct Magic {
        let offset: Int
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) {
            offset = 0
            self.bytes = bytes
        }

        init(_ text: String, at offset: Int = 0) {
            self.offset = offset
            bytes = Array(text.utf8)
        }

        func stands(in first: [UInt8]) -> Bool {
            first.dropFirst(offset).starts(with: bytes)
        }
    }

    private struct Expectation {
        let kind: FileKind
        let magics: [Magic]

        init(_ kind: FileKind, _ magics: [Magic]) {
            self.kind = kind
            self.magics = magics
        }

        func isMet(by first: [UInt8]) -> Bool {
            magics.contains { $0.stands(in: first) }
        }
    }

    private static let jpeg = [Magic([0xFF, 0xD8, 0xFF])]
    private static let tiff = [Magic("II*\0"), Magic("MM\0*")]
    /// DNG and TIFF may be of the kind that has room for more than 4 GiB.
    private static let anyTIFF = tiff + [Magic("II+\0"), Magic("MM\0+")]
    private static let png = [Magic([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])]
    private static let iso = [Magic("ftyp", at: 4)]
    private static let quickTime = iso + FileKind.quickTimeBoxes.map { Magic($0, at: 4) }

    private static func expectations(format: UInt16, name: String) -> [Expectation] {
        [expectation(format: format), expectation(ending: ending(of: name))].compactMap(\.self)
    }

    private static func expectation(format: UInt16) -> Expectation? {
        switch format {
        case 0x3801, 0x3808: Expectation(.jpeg, jpeg)
        case 0x380D: Expectation(.tiff, anyTIFF)
        case 0x380B: Expectation(.png, png)
        case 0x3807: Expectation(.gif, [Magic("GIF87a"), Magic("GIF89a")])
        case 0x3804: Expectation(.bmp, [Magic("BM")])
        default: nil
        }
    }

    private static func expectation(ending: String) -> Expectation? {
        switch ending {
        case "JPG", "JPEG": Expectation(.jpeg, jpeg)
        case "NEF", "NRW", "ARW", "SR2", "PEF", "SRW", "CR2": Expectation(.tiff, tiff)
        case "TIF", "TIFF", "DNG": Expectation(.tiff, anyTIFF)
        case "CR3": Expectation(.canonRaw, iso)
        case "HEIC", "HEIF", "HIF": Expectation(.heif, iso)
        case "MP4": Expectation(.mp4, iso)
        case "MOV": Expectation(.quickTime, quickTime)
        case "RAF": Expectation(.fujifilmRaw, [Magic("FUJIFILMCCD-RAW")])
        case "ORF": Expectation(.olympusRaw, [Magic("IIRO"), Magic("IIRS"), Magic("MMOR")])
        case "RW2": Expectation(.panasonicRaw, [Magic("IIU\0")])
        case "AVI": Expectation(.avi, [Magic("RIFF")])
        case "WAV": Expectation(.wav, [Magic("RIFF")])
        case "PNG": Expectation(.png, png)
        default: nil
        }
    }

    /// Upper-cased, without the dot; empty when there is none.
    private static func ending(of name: String) -> String {
        guard let dot = name.lastIndex(of: ".") else { return "" }
        return name[name.index(after: dot)...].uppercased()
    }
}
