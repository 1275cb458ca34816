/// What a file is, as far as its first bytes say.
public enum FileKind: String, CaseIterable, Sendable {
    case jpeg
    case tiff
    case bigTIFF
    case olympusRaw
    case panasonicRaw
    case fujifilmRaw
    case canonRaw
    case heif
    case mp4
    case quickTime
    case png
    case gif
    case bmp
    case avi
    case wav
    case riff

    /// Nil for what is nothing that cameras make, or too short to say.
    public init?(of first: [UInt8]) {
        func has(_ text: String, at offset: Int = 0) -> Bool {
            first.dropFirst(offset).starts(with: text.utf8)
        }
        if first.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if has("II*\0") || has("MM\0*") {
            self = .tiff
        } else if has("II+\0") || has("MM\0+") {
            self = .bigTIFF
        } else if has("IIRO") || has("IIRS") || has("MMOR") {
            self = .olympusRaw
        } else if has("IIU\0") {
            self = .panasonicRaw
        } else if has("FUJIFILMCCD-RAW") {
            self = .fujifilmRaw
        } else if first.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if has("GIF87a") || has("GIF89a") {
            self = .gif
        } else if has("BM") {
            self = .bmp
        } else if has("RIFF") {
            self = has("AVI ", at: 8) ? .avi : has("WAVE", at: 8) ? .wav : .riff
        } else if has("ftyp", at: 4) {
            self = FileKind(brand: first.dropFirst(8).prefix(4))
        } else if FileKind.quickTimeBoxes.contains(where: { has($0, at: 4) }) {
            self = .quickTime
        } else {
            return nil
        }
    }

    /// QuickTime is older than "ftyp", and a film may begin with any of these boxes.
    static let quickTimeBoxes = ["moov", "mdat", "wide", "free", "skip", "pnot", "uuid"]

    private init(brand: ArraySlice<UInt8>) {
        switch String(decoding: brand, as: UTF8.self) {
        case "crx ": self = .canonRaw
        case "qt  ": self = .quickTime
        case "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1", "avif": self = .heif
        default: self = .mp4
        }
    }
}

extension FileKind: CustomStringConvertible {
    /// With its article, for a sentence.
    public var description: String {
        switch self {
        case .jpeg: "a JPEG"
        case .tiff: "a TIFF"
        case .bigTIFF: "a BigTIFF"
        case .olympusRaw: "an ORF"
        case .panasonicRaw: "an RW2"
        case .fujifilmRaw: "an RAF"
        case .canonRaw: "a CR3"
        case .heif: "an HEIF"
        case .mp4: "an MP4"
        case .quickTime: "a QuickTime film"
        case .png: "a PNG"
        case .gif: "a GIF"
        case .bmp: "a BMP"
        case .avi: "an AVI"
        case .wav: "a WAV"
        case .riff: "a RIFF file"
        }
    }
}
