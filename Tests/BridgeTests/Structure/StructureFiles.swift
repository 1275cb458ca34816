import Bridge
import TestSupport
import Testing

/// Small files of every kind that is judged, written by hand from the standards. Each ends where its structure ends.
enum StructureFiles {
    static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    static func little(_ value: Int, _ count: Int) -> [UInt8] { big(value, count).reversed() }

    static let all: [(name: String, bytes: [UInt8])] = [
        ("JPEG", jpeg()), ("progressive JPEG", progressive), ("JPEG with a thumbnail", jpegWithThumbnail),
        ("Multi-Picture JPEG", MultiPictureFile.of(jpeg(), jpegWithThumbnail)),
        ("TIFF, directory first", TIFFDraft().file(dataLast: true)),
        ("TIFF, directory last", TIFFDraft(isBigEndian: true).file(dataLast: false)),
        ("BigTIFF", TIFFDraft(has64Bits: true).file(dataLast: true)),
        ("BigTIFF, directory last", TIFFDraft(isBigEndian: true, has64Bits: true).file(dataLast: false)),
        ("ORF", TIFFDraft(magic: "RO").file(dataLast: true)),
        ("PNG", png), ("AVI", riff("AVI ", 301)), ("WAV", riff("WAVE", 40)), ("RAF", raf),
        ("MP4", box("ftyp", "isom") + box("moov", "m") + box("mdat", "data")),
        ("MOV", box("wide") + box("mdat", "data") + box("moov", "index")),
        ("HEIC", box("ftyp", "heic") + box("meta", "m") + longBox("mdat", "data")),
        ("CR3", box("ftyp", "crx ") + box("moov", "m") + box("uuid", "0123456789abcdef") + box("mdat", "d")),
    ]

    // MARK: JPEG

    static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xFF, marker] + big(payload.count + 2, 2) + payload
    }

    /// Data of a scan: stuffed, with a restart marker.
    static let scan: [UInt8] =
        segment(0xDA, [1, 1, 0, 0, 63, 0]) + [0x12, 0xFF, 0x00, 0x34, 0xFF, 0xD0, 0x56, 0xFF, 0x00, 0x78]
    static let frame: [UInt8] = segment(0xC0, [8, 0, 8, 0, 8, 1, 1, 0x11, 0])
    static let tables: [UInt8] =
        segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        + segment(0xC4, [0, 1] + [UInt8](repeating: 0, count: 15) + [0])

    static func jpeg(_ segments: [UInt8] = []) -> [UInt8] {
        [0xFF, 0xD8] + segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 0, 0, 1, 0, 1, 0, 0]) + segments + tables
            + frame + scan + [0xFF, 0xD9]
    }

    /// Fill bytes in front of a marker, tables between two scans.
    static let progressive: [UInt8] =
        [0xFF, 0xD8] + tables + [0xFF, 0xFF] + frame + scan + tables + scan + [0xFF, 0xD9]

    /// A whole JPEG with its own end marker inside a segment.
    static let jpegWithThumbnail = jpeg(segment(0xE1, Array("Exif\0\0".utf8) + jpeg()))

    // MARK: Chunks and boxes

    static func chunk(_ name: String, _ count: Int) -> [UInt8] {
        big(count, 4) + Array(name.utf8) + [UInt8](repeating: 7, count: count) + [1, 2, 3, 4]
    }

    static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    static let png =
        pngSignature + chunk("IHDR", 13) + chunk("IDAT", 50) + chunk("tEXt", 0) + chunk("IEND", 0)

    static func riff(_ form: String, _ count: Int) -> [UInt8] {
        Array("RIFF".utf8) + little(count + 4, 4) + Array(form.utf8) + [UInt8](repeating: 7, count: count)
    }

    static let raf: [UInt8] = {
        let start = Array("FUJIFILMCCD-RAW 0201FF393101".utf8)
        let head = start + [UInt8](repeating: 1, count: 84 - start.count)
        let places = [(108, 30), (138, 20), (158, 70)].flatMap { big($0.0, 4) + big($0.1, 4) }
        return head + places + [UInt8](repeating: 9, count: 120)
    }()

    static func box(_ type: String, _ payload: String = "") -> [UInt8] {
        big(payload.utf8.count + 8, 4) + Array(type.utf8) + Array(payload.utf8)
    }

    /// With a size of 64 bits.
    static func longBox(_ type: String, _ payload: String) -> [UInt8] {
        big(1, 4) + Array(type.utf8) + big(payload.utf8.count + 16, 8) + Array(payload.utf8)
    }
}

/// A TIFF with a preview, a directory below it with strips, one with tiles in the chain, and EXIF.
struct TIFFDraft {
    var isBigEndian = false
    var has64Bits = false
    var magic: String?

    struct Entry {
        let tag: Int
        let type: Int
        let values: [Int]

        init(_ tag: Int, _ type: Int, _ values: [Int]) {
            (self.tag, self.type, self.values) = (tag, type, values)
        }
    }

    func number(_ value: Int, _ count: Int) -> [UInt8] {
        isBigEndian ? StructureFiles.big(value, count) : StructureFiles.little(value, count)
    }

    var pointer: Int { has64Bits ? 8 : 4 }
    var pointerType: Int { has64Bits ? 16 : 4 }

    func head(_ first: Int) -> [UInt8] {
        let start = Array((isBigEndian ? "MM" : "II").utf8)
        if has64Bits { return start + number(43, 2) + number(8, 2) + number(0, 2) + number(first, 8) }
        return start + (magic.map { Array($0.utf8) } ?? number(42, 2)) + number(first, 4)
    }

    var headLength: Int { has64Bits ? 16 : 8 }

    /// A directory and, behind it, the values that do not fit into its entries.
    func directory(at place: Int, _ entries: [Entry], next: Int) -> [UInt8] {
        let widths = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 13: 4, 16: 8, 18: 8]
        var table = number(entries.count, has64Bits ? 8 : 2)
        var values: [UInt8] = []
        let end = place + table.count + entries.count * (4 + 2 * pointer) + pointer
        for entry in entries {
            let own = entry.values.flatMap { number($0, widths[entry.type] ?? 1) }
            table += number(entry.tag, 2) + number(entry.type, 2) + number(entry.values.count, pointer)
            if own.count <= pointer {
                table += own + [UInt8](repeating: 0, count: pointer - own.count)
            } else {
                table += number(end + values.count, pointer)
                values += own
            }
        }
        return table + number(next, pointer) + values
    }

    func file(dataLast: Bool) -> [UInt8] {
        let data = [UInt8](repeating: 0x5A, count: 100)
        func directories(_ start: Int, data: Int) -> [UInt8] {
            let exif = { place in
                directory(
                    at: place, [Entry(0x829A, 5, [1]), Entry(0x9286, 7, [1, 2, 3, 4, 5, 6, 7, 8, 9])], next: 0
                )
            }
            let below = { place in
                directory(
                    at: place,
                    [
                        Entry(0x0100, 3, [8]), Entry(0x0111, pointerType, [data + 20, data + 40, data + 60]),
                        Entry(0x0117, 3, [20, 20, 20]),
                    ], next: 0)
            }
            let second = { place in
                directory(
                    at: place,
                    [Entry(0x0144, pointerType, [data + 80, data + 90]), Entry(0x0145, 3, [10, 10])],
                    next: 0)
            }
            let places = { (first: Int) in
                let exifPlace = start + first
                let belowPlace = exifPlace + exif(0).count
                return (exifPlace, belowPlace, belowPlace + below(0).count)
            }
            let first = { (exif: Int, below: Int, second: Int) in
                directory(
                    at: start,
                    [
                        Entry(0x010F, 2, Array("Maker\0".utf8).map(Int.init)),
                        Entry(0x014A, pointerType, [below]),
                        Entry(0x0201, pointerType, [data]), Entry(0x0202, 4, [20]), Entry(0x8769, 4, [exif]),
                    ], next: second)
            }
            let (exifPlace, belowPlace, secondPlace) = places(first(0, 0, 0).count)
            return first(exifPlace, belowPlace, secondPlace) + exif(exifPlace) + below(belowPlace)
                + second(secondPlace)
        }
        if dataLast {
            let length = directories(headLength, data: 0).count
            return head(headLength) + directories(headLength, data: headLength + length) + data
        }
        let start = headLength + data.count
        return head(start) + data + directories(start, data: headLength)
    }
}

/// Judges, and sees to it that no more is read than the limits say, and nothing that is not there.
func judge(
    _ bytes: [UInt8], length: UInt64? = nil, sourceLocation: SourceLocation = #_sourceLocation
) -> StructureVerdict {
    var (total, pieces) = (0, 0)
    let length = length ?? UInt64(bytes.count)
    let verdict = FileStructure.verdict(length: length) { offset, count in
        #expect(
            count > 0 && offset <= length && UInt64(count) <= length - offset, sourceLocation: sourceLocation)
        total += count
        pieces += 1
        guard offset < UInt64(bytes.count) else { return [] }
        return Array(bytes[Int(offset)...].prefix(count))
    }
    #expect(
        total <= FileStructure.Limit.bytes + FileStructure.Limit.tail, sourceLocation: sourceLocation)
    #expect(pieces <= 3 * FileStructure.Limit.segments, sourceLocation: sourceLocation)
    return verdict
}

extension StructureVerdict {
    var isCutShort: Bool {
        if case .cutShort = self { true } else { false }
    }

    var reason: String? {
        if case .cutShort(let reason) = self { reason } else { nil }
    }
}
