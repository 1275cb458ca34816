/// Whether a file begins as its kind of file begins.
///
/// Cameras under stress have sent the right number of wrong bytes. The first few tell, without understanding
/// any format, and cost nothing.
public enum MagicBytes {
    /// As many first bytes as the longest rule needs, and some.
    public static let length = 16

    /// Nil when nothing is expected of such a file.
    ///
    /// The format code is asked first: it is the camera's own word, and a name may lack its extension. Raw
    /// files have no code of their own, so that their extension tells.
    public static func match(_ first: [UInt8], format: UInt16, name: String) -> Bool? {
        guard let expected = magics(format: format) ?? magics(ending: ending(of: name)) else { return nil }
        return expected.contains { $0.stands(in: first) }
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

    private static let jpeg = [Magic([0xFF, 0xD8, 0xFF])]
    private static let tiff = [Magic("II*\0"), Magic("MM\0*")]
    private static let png = [Magic([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])]
    private static let iso = [Magic("ftyp", at: 4)]
    /// QuickTime is older than "ftyp", and a file may begin with any of its boxes.
    private static let quickTime = iso + ["moov", "mdat", "wide", "free"].map { Magic($0, at: 4) }

    private static func magics(format: UInt16) -> [Magic]? {
        switch format {
        case 0x3801, 0x3808: jpeg
        case 0x380D: tiff
        case 0x380B: png
        case 0x3807: [Magic("GIF87a"), Magic("GIF89a")]
        case 0x3804: [Magic("BM")]
        default: nil
        }
    }

    private static func magics(ending: String) -> [Magic]? {
        switch ending {
        case "JPG", "JPEG": jpeg
        case "TIF", "TIFF", "NEF", "NRW", "ARW", "SR2", "DNG", "PEF", "SRW", "CR2": tiff
        case "CR3", "HEIC", "HEIF", "HIF", "MP4": iso
        case "MOV": quickTime
        case "RAF": [Magic("FUJIFILMCCD-RAW")]
        case "ORF": [Magic("IIRO"), Magic("IIRS"), Magic("MMOR")]
        case "RW2": [Magic("IIU\0")]
        case "AVI", "WAV": [Magic("RIFF")]
        case "PNG": png
        default: nil
        }
    }

    /// Upper-cased, without the dot; empty when there is none.
    private static func ending(of name: String) -> String {
        guard let dot = name.lastIndex(of: ".") else { return "" }
        return name[name.index(after: dot)...].uppercased()
    }
}
