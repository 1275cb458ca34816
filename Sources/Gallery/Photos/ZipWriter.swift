/// The bytes of a ZIP archive around files that are stored as they are (APPNOTE.TXT 6.3.10 of PKWARE). Sizes are known
/// beforehand, the CRC when a file has passed: it follows in a data descriptor, and stands in the directory at the end.
struct ZipWriter {
    struct Entry {
        let name: [UInt8]
        let size: UInt64
        let dosTime: UInt32
        let offset: UInt64
        var crc: UInt32 = 0
    }

    private(set) var entries: [Entry] = []
    private var offset: UInt64 = 0

    /// Bit 3: sizes and CRC follow the data; bit 11: names are UTF-8.
    private static let flags: UInt16 = 1 << 3 | 1 << 11
    /// What "ZIP64" needs: version 4.5.
    private static let version: UInt16 = 45
    /// A 32-bit field that says "look into the ZIP64 field".
    private static let elsewhere: UInt32 = 0xFFFF_FFFF

    /// What one file adds besides its bytes: what stands before and after them, and its line in the directory.
    static func lengthAround(_ name: String) -> UInt64 {
        30 + 20 + 24 + 46 + 28 + 2 * UInt64(name.utf8.count)
    }
    /// What stands after the directory.
    static let lengthOfEnd: UInt64 = 56 + 20 + 22

    /// What stands before a file's bytes.
    mutating func begin(_ name: String, size: UInt64, dosTime: UInt32) -> [UInt8] {
        let entry = Entry(name: Array(name.utf8), size: size, dosTime: dosTime, offset: offset)
        entries.append(entry)
        var bytes: [UInt8] = []
        bytes.put(0x0403_4B50 as UInt32)
        bytes.put(Self.version)
        bytes.put(Self.flags)
        bytes.put(0 as UInt16)
        bytes.put(dosTime)
        bytes.put(0 as UInt32)
        bytes.put(Self.elsewhere)
        bytes.put(Self.elsewhere)
        bytes.put(UInt16(entry.name.count))
        bytes.put(20 as UInt16)
        bytes += entry.name
        // The ZIP64 field says that the descriptor's sizes have 64 bits.
        bytes.put(1 as UInt16)
        bytes.put(16 as UInt16)
        bytes.put(size)
        bytes.put(size)
        offset += UInt64(bytes.count) + size
        return bytes
    }

    /// What stands after a file's bytes.
    mutating func end(crc: UInt32) -> [UInt8] {
        entries[entries.count - 1].crc = crc
        var bytes: [UInt8] = []
        bytes.put(0x0807_4B50 as UInt32)
        bytes.put(crc)
        bytes.put(entries[entries.count - 1].size)
        bytes.put(entries[entries.count - 1].size)
        offset += UInt64(bytes.count)
        return bytes
    }

    /// What one entry's line in the directory looks like.
    static func line(_ entry: Entry) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.put(0x0201_4B50 as UInt32)
        // Made on a Unix, so that the mode below counts.
        bytes.put(3 << 8 | version)
        bytes.put(version)
        bytes.put(flags)
        bytes.put(0 as UInt16)
        bytes.put(entry.dosTime)
        bytes.put(entry.crc)
        bytes.put(elsewhere)
        bytes.put(elsewhere)
        bytes.put(UInt16(entry.name.count))
        bytes.put(28 as UInt16)
        bytes.put(0 as UInt16)
        bytes.put(0 as UInt16)
        bytes.put(0 as UInt16)
        bytes.put(0o100644 << 16 as UInt32)
        bytes.put(elsewhere)
        bytes += entry.name
        bytes.put(1 as UInt16)
        bytes.put(24 as UInt16)
        bytes.put(entry.size)
        bytes.put(entry.size)
        bytes.put(entry.offset)
        return bytes
    }

    /// What stands after the directory, which begins where the last file ended.
    func finish(directorySize: UInt64) -> [UInt8] {
        let count = UInt64(entries.count)
        var bytes: [UInt8] = []
        bytes.put(0x0606_4B50 as UInt32)
        bytes.put(44 as UInt64)
        bytes.put(3 << 8 | Self.version)
        bytes.put(Self.version)
        bytes.put(0 as UInt32)
        bytes.put(0 as UInt32)
        bytes.put(count)
        bytes.put(count)
        bytes.put(directorySize)
        bytes.put(offset)
        bytes.put(0x0706_4B50 as UInt32)
        bytes.put(0 as UInt32)
        bytes.put(offset + directorySize)
        bytes.put(1 as UInt32)
        bytes.put(0x0605_4B50 as UInt32)
        bytes.put(0 as UInt16)
        bytes.put(0 as UInt16)
        bytes.put(UInt16(clamping: count))
        bytes.put(UInt16(clamping: count))
        bytes.put(Self.elsewhere)
        bytes.put(Self.elsewhere)
        bytes.put(0 as UInt16)
        return bytes
    }
}

extension [UInt8] {
    /// Little-endian, as everything in a ZIP is.
    fileprivate mutating func put<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) {
        for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: number >> Number(shift)))
        }
    }
}

/// CRC-32 as ZIP and PNG have it (polynomial 0xEDB88320), eight bytes at a time.
struct CRC32 {
    private static let tables: [[UInt32]] = {
        var first: [UInt32] = []
        for index: UInt32 in 0..<256 {
            var crc = index
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
            first.append(crc)
        }
        var tables = [first]
        for _ in 1..<8 {
            let last = tables[tables.count - 1]
            tables.append(last.map { entry in (entry >> 8) ^ first[Int(entry & 0xFF)] })
        }
        return tables
    }()
    private static let flat: [UInt32] = tables.flatMap { $0 }

    private var state: UInt32 = 0xFFFF_FFFF

    var value: UInt32 { ~state }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var crc = state
        Self.flat.withUnsafeBufferPointer { table in
            var index = 0
            while index + 8 <= bytes.count {
                let low = bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self).littleEndian ^ crc
                let high = bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self).littleEndian
                crc = table[7 * 256 + Int(low & 0xFF)] ^ table[6 * 256 + Int((low >> 8) & 0xFF)]
                crc ^= table[5 * 256 + Int((low >> 16) & 0xFF)] ^ table[4 * 256 + Int(low >> 24)]
                crc ^= table[3 * 256 + Int(high & 0xFF)] ^ table[2 * 256 + Int((high >> 8) & 0xFF)]
                crc ^= table[256 + Int((high >> 16) & 0xFF)] ^ table[Int(high >> 24)]
                index += 8
            }
            while index < bytes.count {
                crc = (crc >> 8) ^ table[Int((crc ^ UInt32(bytes[index])) & 0xFF)]
                index += 1
            }
        }
        state = crc
    }
}
