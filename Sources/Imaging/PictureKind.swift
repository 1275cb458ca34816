/// What kind of file it is, by its first bytes.
package enum PictureKind: Equatable, Sendable {
    case jpeg
    case png
    case heif
    /// TIFF, and all raw files that are TIFF inside.
    case tiff
    case canon2
    case canon3
    case fuji
    case panasonic

    /// As many first bytes as are looked at.
    package static let length = 32

    package init?(_ first: some Collection<UInt8>) {
        let first = Array(first.prefix(Self.length))
        func has(_ text: String, at offset: Int = 0) -> Bool {
            first.dropFirst(offset).starts(with: text.utf8)
        }
        if first.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if first.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if has("II*\0") {
            self = has("CR", at: 8) ? .canon2 : .tiff
        } else if has("MM\0*") {
            self = .tiff
        } else if has("IIU\0") {
            self = .panasonic
        } else if has("FUJIFILMCCD-RAW") {
            self = .fuji
        } else if has("ftypcrx ", at: 4) {
            self = .canon3
        } else if has("ftyp", at: 4), Self.heifBrands.contains(where: { has($0, at: 8) }) {
            self = .heif
        } else {
            return nil
        }
    }

    /// "heic", "heix" and others of ISO/IEC 23008-12 annex B, and the general ones.
    private static let heifBrands = ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"]

    /// Whether a client that sends this may declare it so.
    package func matches(_ declared: String) -> Bool {
        switch declared {
        case "image/jpeg": self == .jpeg
        case "image/png": self == .png
        case "image/heic", "image/heif": self == .heif
        case "image/x-canon-cr2": self == .canon2
        case "image/x-canon-cr3": self == .canon3
        case "image/x-fuji-raf": self == .fuji
        case "image/x-panasonic-rw2": self == .panasonic
        case "image/tiff", "image/x-adobe-dng", "image/x-nikon-nef", "image/x-sony-arw": self == .tiff
        default: false
        }
    }

    /// A type that it may be declared by.
    package var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .heif: "image/heif"
        case .tiff: "image/tiff"
        case .canon2: "image/x-canon-cr2"
        case .canon3: "image/x-canon-cr3"
        case .fuji: "image/x-fuji-raf"
        case .panasonic: "image/x-panasonic-rw2"
        }
    }

    /// For sentences.
    var name: String {
        switch self {
        case .jpeg: "a JPEG"
        case .png: "a PNG"
        case .heif: "a HEIF"
        case .tiff: "a TIFF or a raw file that is one inside"
        case .canon2: "a CR2"
        case .canon3: "a CR3"
        case .fuji: "a RAF"
        case .panasonic: "an RW2"
        }
    }
}
