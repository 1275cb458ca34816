/// Two JPEGs in one file, as cameras put a preview behind a picture (CIPA DC-007).
public enum MultiPictureFile {
    /// An index of both pictures in a segment of the first, and the second one behind it.
    public static func of(_ first: [UInt8], _ second: [UInt8], isBigEndian: Bool = false) -> [UInt8] {
        let size = first.count + segment(0, 0, 0, isBigEndian).count
        // Offsets count from the index's own head, which stands behind the start marker, the segment's marker and length,
        // and its name.
        return Array(first[..<2]) + segment(size, second.count, size - 2 - 8, isBigEndian) + first[2...]
            + second
    }

    private static func segment(
        _ firstSize: Int, _ secondSize: Int, _ offset: Int, _ isBigEndian: Bool
    ) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
            return isBigEndian ? bytes.reversed() : bytes
        }
        let head = Array(isBigEndian ? "MM\0*".utf8 : "II*\0".utf8) + number(8, 4)
        let version = number(0xB000, 2) + number(7, 2) + number(4, 4) + Array("0100".utf8)
        let count = number(0xB001, 2) + number(4, 2) + number(1, 4) + number(2, 4)
        // The list stands behind the directory: a count, three entries and the next directory's offset.
        let list = number(0xB002, 2) + number(7, 2) + number(32, 4) + number(8 + 2 + 3 * 12 + 4, 4)
        let first = number(0x0003_0000, 4) + number(firstSize, 4) + number(0, 4) + number(0, 4)
        let second = number(0x0001_0002, 4) + number(secondSize, 4) + number(offset, 4) + number(0, 4)
        let index =
            Array("MPF\0".utf8) + head + number(3, 2) + version + count + list + number(0, 4) + first + second
        return [0xFF, 0xE2, 0, UInt8(index.count + 2)] + index
    }
}
