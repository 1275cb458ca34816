/// The types of photos that galleries take, by a file's first bytes and its name.
///
/// A gallery holds the bytes against the type, so they have the first word. Raw files mostly look like TIFF; their
/// extension says whose they are.
enum GalleryContentType {
    /// As many first bytes as it takes.
    static let length = 16

    /// Nil for what no gallery takes: a video, a sound, an unknown raw.
    static func of(name: String, first: [UInt8]) -> String? {
        let ending = ending(of: name)
        func begins(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
            first.dropFirst(offset).starts(with: bytes)
        }
        if begins([0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if begins(Array("FUJIFILMCCD-RAW".utf8)) { return "image/x-fuji-raf" }
        if begins(Array("IIU\0".utf8)) { return "image/x-panasonic-rw2" }
        if begins(Array("ftyp".utf8), at: 4) { return brand(Array(first.dropFirst(8).prefix(4))) }
        if begins(Array("II*\0".utf8)) || begins(Array("MM\0*".utf8)) {
            // "The CR2 marker follows the TIFF header": byte 8.
            if begins(Array("CR".utf8), at: 8) { return "image/x-canon-cr2" }
            return tiffs[ending]
        }
        // Damaged, or a variety that is not known here: the gallery may know better.
        return others[ending] ?? tiffs[ending]
    }

    /// ISO 14496-12 §4.3: the major brand says what is inside.
    private static func brand(_ bytes: [UInt8]) -> String? {
        switch String(decoding: bytes, as: UTF8.self) {
        case "crx ": "image/x-canon-cr3"
        case "heic", "heix", "hevc", "hevx": "image/heic"
        case "mif1", "msf1", "heif", "heis", "heim": "image/heif"
        default: nil
        }
    }

    private static let tiffs = [
        "TIF": "image/tiff", "TIFF": "image/tiff", "NEF": "image/x-nikon-nef", "ARW": "image/x-sony-arw",
        "DNG": "image/x-adobe-dng", "CR2": "image/x-canon-cr2",
    ]
    private static let others = [
        "JPG": "image/jpeg", "JPEG": "image/jpeg", "PNG": "image/png", "HEIC": "image/heic",
        "HEIF": "image/heif", "HIF": "image/heif", "CR3": "image/x-canon-cr3", "RAF": "image/x-fuji-raf",
        "RW2": "image/x-panasonic-rw2",
    ]

    /// Upper-cased, without the dot; empty when there is none.
    private static func ending(of name: String) -> String {
        guard let dot = name.lastIndex(of: ".") else { return "" }
        return name[name.index(after: dot)...].uppercased()
    }
}
