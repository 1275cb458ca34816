import PTP

/// Directories of TIFF tags (TIFF 6.0), as EXIF and DNG are made of them. Little-endian.
struct TIFFWriter {
    enum Value {
        case ascii(String)
        case bytes([UInt8])
        /// Bytes that are no numbers to TIFF.
        case undefined([UInt8])
        case short(UInt16)
        case long(UInt32)
        case rational(UInt32, UInt32)
        /// A directory of its own, written behind this one.
        case directory([Tag])
        /// Bytes that are written behind everything; the tag's value is where they are.
        case blob([UInt8])
    }

    struct Tag {
        let number: UInt16
        let value: Value

        init(_ number: UInt16, _ value: Value) {
            self.number = number
            self.value = value
        }
    }

    /// Everything from the byte-order mark on. Each directory names the next as its successor.
    static func encode(_ directories: [[Tag]]) -> [UInt8] {
        var file = ByteWriter()
        file.append(contentsOf: [0x49, 0x49, 42, 0])
        file.append(UInt32(8))
        for (index, directory) in directories.enumerated() {
            append(directory, isLast: index == directories.count - 1, to: &file)
        }
        return file.bytes
    }

    /// The entries, the offset of the next directory, then whatever did not fit into an entry.
    private static func append(_ tags: [Tag], isLast: Bool, to file: inout ByteWriter) {
        let start = file.bytes.count
        let end = start + 2 + 12 * tags.count + 4
        var entries = ByteWriter()
        var behind = ByteWriter()
        entries.append(UInt16(tags.count))
        // "sorted in ascending order by tag" (TIFF 6.0 §2).
        for tag in tags.sorted(by: { $0.number < $1.number }) {
            let at = UInt32(end + behind.bytes.count)
            entries.append(tag.number)
            let (type, count, inline) = encode(tag.value, at: at, &behind)
            entries.append(type)
            entries.append(count)
            entries.append(contentsOf: inline + [UInt8](repeating: 0, count: 4 - inline.count))
            if !behind.bytes.count.isMultiple(of: 2) { behind.append(UInt8(0)) }
        }
        entries.append(isLast ? UInt32(0) : UInt32(end + behind.bytes.count))
        file.append(contentsOf: entries.bytes)
        file.append(contentsOf: behind.bytes)
    }

    /// Type, count, and the four bytes of the entry: the value itself or where it is.
    private static func encode(
        _ value: Value, at offset: UInt32, _ behind: inout ByteWriter
    ) -> (type: UInt16, count: UInt32, inline: [UInt8]) {
        func place(_ type: UInt16, _ count: Int, _ bytes: [UInt8]) -> (UInt16, UInt32, [UInt8]) {
            if bytes.count <= 4 { return (type, UInt32(count), bytes) }
            behind.append(contentsOf: bytes)
            return (type, UInt32(count), littleEndian(offset))
        }
        switch value {
        case .ascii(let text):
            let bytes = Array(text.utf8) + [0]
            return place(2, bytes.count, bytes)
        case .bytes(let bytes):
            return place(1, bytes.count, bytes)
        case .undefined(let bytes):
            return place(7, bytes.count, bytes)
        case .short(let number):
            return (3, 1, littleEndian(number))
        case .long(let number):
            return (4, 1, littleEndian(number))
        case .rational(let numerator, let denominator):
            return place(5, 1, littleEndian(numerator) + littleEndian(denominator))
        case .directory(let tags):
            var nested = ByteWriter()
            // Written as if it began at `offset`: pad in front, encode, cut the pad off.
            nested.append(contentsOf: [UInt8](repeating: 0, count: Int(offset)))
            append(tags, isLast: true, to: &nested)
            behind.append(contentsOf: nested.bytes[Int(offset)...])
            return (4, 1, littleEndian(offset))
        case .blob(let bytes):
            behind.append(contentsOf: bytes)
            return (4, 1, littleEndian(offset))
        }
    }

    private static func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(value)
        return writer.bytes
    }
}
