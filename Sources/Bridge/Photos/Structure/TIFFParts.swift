/// What is known of a TIFF while its directories are walked.
struct TIFFParts {
    /// TIFF 6.0, from the first tag of its list to those of JPEG compression.
    static let baseline: ClosedRange<UInt64> = 0x00FE...0x0214
    static let subDirectories: UInt64 = 0x014A
    static let exif: UInt64 = 0x8769
    static let gps: UInt64 = 0x8825
    static let stripCounts: UInt64 = 0x0117
    static let panasonicRawOffset: UInt64 = 0x0118
    /// Where the pictures' data are: tags of offsets and of counts.
    static let data: [(name: String, offsets: UInt64, counts: UInt64)] = [
        ("strip", 0x0111, stripCounts), ("tile", 0x0144, 0x0145), ("embedded JPEG", 0x0201, 0x0202),
    ]

    let isBigEndian: Bool
    /// RW2 gives some tags a meaning of its own.
    let isPanasonic: Bool
    /// BigTIFF.
    var has64Bits = false
    /// The last byte that something is said to be at, and one.
    private(set) var furthest: UInt64 = 8
    /// There is something that was not understood, so that it is not known where the file should end.
    private(set) var isDoubtful = false
    private var planned: [(offset: UInt64, isInChain: Bool)] = []
    private var known: Set<UInt64> = []

    init(isBigEndian: Bool, isPanasonic: Bool) {
        self.isBigEndian = isBigEndian
        self.isPanasonic = isPanasonic
    }

    var countSize: Int { has64Bits ? 8 : 2 }
    var entrySize: Int { has64Bits ? 20 : 12 }
    var linkSize: Int { has64Bits ? 8 : 4 }

    func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
        bytes.number(at: offset, count, isBigEndian: isBigEndian)
    }

    /// Each directory is looked at once, wherever it is pointed to from.
    mutating func plan(_ offset: UInt64, isInChain: Bool) {
        guard offset > 0, known.insert(offset).inserted else { return }
        planned.append((offset, isInChain))
    }

    mutating func next() -> (offset: UInt64, isInChain: Bool)? {
        planned.popLast()
    }

    mutating func reach(_ end: UInt64) { furthest = max(furthest, end) }
    mutating func doubt() { isDoubtful = true }

    struct Entry {
        let tag: UInt64
        /// Bytes of one value; nil for types that are not known.
        let width: UInt64?
        /// Whether its values are whole numbers without a sign that can be offsets.
        let isNumeric: Bool
        /// Bytes of all values.
        let size: UInt64?
        /// Where in the file its own value field is.
        let place: UInt64
        /// The number in that field: where the values are that do not fit into it.
        let value: UInt64
    }

    func entry(_ table: [UInt8], _ offset: Int, _ start: UInt64) -> Entry {
        let type = number(table, offset + 2, 2)
        let field = offset + entrySize - linkSize
        let width = Self.widths[type]
        let size = width.flatMap { width -> UInt64? in
            let (size, isTooMuch) = width.multipliedReportingOverflow(by: number(table, offset + 4, linkSize))
            return isTooMuch ? nil : size
        }
        return Entry(
            tag: number(table, offset, 2), width: width, isNumeric: [3, 4, 13, 16, 18].contains(type),
            size: size, place: start + UInt64(field), value: number(table, field, linkSize))
    }

    /// TIFF 6.0, section 2, and BigTIFF's.
    private static let widths: [UInt64: UInt64] = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8,
    ]
}
