/// What a camera would know about one of its JPEGs, read from the file's first bytes.
///
/// The files are the user's and may be anything: every step stays inside the bytes, and what cannot be
/// understood is not known.
struct JPEGFacts: Equatable {
    var width = 0
    var height = 0
    /// `YYYY:MM:DD HH:MM:SS` from EXIF.
    var dateTimeOriginal: String?
    var thumbnail: Range<Int>?

    /// Where a picture's facts have to be found; EXIF cannot be longer than a segment.
    static let lookedAt = 256 << 10

    /// Nothing when the bytes are no JPEG.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return nil }
        var position = 2
        while position + 4 <= bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            let content = position + 4..<position + 2 + length
            guard length >= 2, content.upperBound <= bytes.count else { return }
            if marker == 0xE1 { readEXIF(bytes, content) }
            // Start of frame: every kind but the tables that share the range.
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker), content.count >= 5 {
                height = Int(bytes[content.lowerBound + 1]) << 8 | Int(bytes[content.lowerBound + 2])
                width = Int(bytes[content.lowerBound + 3]) << 8 | Int(bytes[content.lowerBound + 4])
                return
            }
            if marker == 0xDA { return }
            position = content.upperBound
        }
    }

    private mutating func readEXIF(_ bytes: [UInt8], _ segment: Range<Int>) {
        let marker = Array("Exif\0\0".utf8)
        guard segment.count > marker.count + 8, Array(bytes[segment.prefix(marker.count)]) == marker else {
            return
        }
        let start = segment.lowerBound + marker.count
        let tiff = TIFFReader(bytes: bytes[start..<segment.upperBound])
        guard let first = tiff.firstDirectory else { return }
        let main = tiff.directory(at: first)
        if let exif = main.entries[0x8769].map({ tiff.directory(at: Int($0.value)) }),
            let date = exif.entries[0x9003]
        {
            dateTimeOriginal = tiff.text(date)
        }
        guard let next = main.next else { return }
        let thumb = tiff.directory(at: next)
        guard let offset = thumb.entries[0x0201]?.value, let length = thumb.entries[0x0202]?.value else {
            return
        }
        let range = start + Int(offset)..<start + Int(offset) + Int(length)
        if range.upperBound <= segment.upperBound, !range.isEmpty { thumbnail = range }
    }
}

/// Just enough of TIFF to find a few tags.
private struct TIFFReader {
    struct Entry {
        let count: UInt32
        let value: UInt32
        /// Where the four bytes of the value stand.
        let at: Int
    }

    struct Listing {
        var entries: [UInt16: Entry] = [:]
        var next: Int?
    }

    let bytes: ArraySlice<UInt8>

    private var isLittleEndian: Bool { bytes.first == 0x49 }

    var firstDirectory: Int? { number(4, 4).map(Int.init) }

    /// Nothing outside the bytes.
    private func number(_ offset: Int, _ width: Int) -> UInt32? {
        guard offset >= 0, offset + width <= bytes.count else { return nil }
        let part = bytes[(bytes.startIndex + offset)..<(bytes.startIndex + offset + width)]
        return (isLittleEndian ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | UInt32($1) }
    }

    func directory(at offset: Int) -> Listing {
        var listing = Listing()
        guard let count = number(offset, 2) else { return listing }
        for index in 0..<Int(count) {
            let at = offset + 2 + 12 * index
            guard let tag = number(at, 2), let type = number(at + 2, 2), let count = number(at + 4, 4),
                let value = number(at + 8, type == 3 ? 2 : 4)
            else { return listing }
            listing.entries[UInt16(tag)] = Entry(count: count, value: value, at: at + 8)
        }
        if let next = number(offset + 2 + 12 * Int(count), 4), next != 0 { listing.next = Int(next) }
        return listing
    }

    func text(_ entry: Entry) -> String? {
        let offset = entry.count <= 4 ? entry.at : Int(entry.value)
        guard entry.count <= 64, offset + Int(entry.count) <= bytes.count else { return nil }
        let start = bytes.startIndex + offset
        return String(decoding: bytes[start..<start + Int(entry.count)].prefix { $0 != 0 }, as: UTF8.self)
    }
}
