/// The bytes of a ZIP archive around files that are stored as they are (APPNOTE.TXT 6.3.10 of PKWARE).
///
/// Sizes and CRCs stand before each file, so that programs which read an archive from its beginning need no directory. What
/// "ZIP64" adds is there only for numbers that do not fit without, because not every program on a phone reads it.
enum ZipBytes {
    /// Bit 11: names are UTF-8.
    private static let flags: UInt16 = 1 << 11
    /// A field of 32 bits that says "look into the ZIP64 field", and so can hold no such number itself.
    private static let elsewhere: UInt32 = 0xFFFF_FFFF
    private static let manyFiles: UInt16 = 0xFFFF
    private static let unix: UInt16 = 3 << 8

    /// What is needed to unpack it: 4.5 for ZIP64, 2.0 otherwise.
    private static func version(_ isLarge: Bool) -> UInt16 { isLarge ? 45 : 20 }

    private static func isLarge(_ number: UInt64) -> Bool { number >= UInt64(elsewhere) }

    private static func short(_ number: UInt64) -> UInt32 {
        isLarge(number) ? elsewhere : UInt32(number)
    }

    // MARK: Before a file's bytes

    static func headerLength(_ file: ZipEntry) -> UInt64 {
        30 + UInt64(file.name.utf8.count) + (isLarge(file.size) ? 20 : 0)
    }

    static func header(_ file: ZipEntry, crc: UInt32) -> [UInt8] {
        let isLarge = isLarge(file.size)
        var bytes: [UInt8] = []
        bytes.put(0x0403_4B50 as UInt32)
        bytes.put(version(isLarge))
        bytes.put(flags)
        bytes.put(0 as UInt16)
        bytes.put(file.dosTime)
        bytes.put(crc)
        bytes.put(short(file.size))
        bytes.put(short(file.size))
        bytes.put(UInt16(file.name.utf8.count))
        bytes.put(isLarge ? 20 : 0 as UInt16)
        bytes += file.name.utf8
        if isLarge {
            bytes.put(1 as UInt16)
            bytes.put(16 as UInt16)
            bytes.put(file.size)
            bytes.put(file.size)
        }
        return bytes
    }

    // MARK: A file's line in the directory

    static func lineLength(_ file: ZipEntry, at offset: UInt64) -> UInt64 {
        46 + UInt64(file.name.utf8.count) + UInt64(extra(file, offset).count)
    }

    static func line(_ file: ZipEntry, at offset: UInt64, crc: UInt32) -> [UInt8] {
        let extra = extra(file, offset)
        var bytes: [UInt8] = []
        bytes.put(0x0201_4B50 as UInt32)
        // Made on a Unix, so that the mode below counts.
        bytes.put(unix | version(!extra.isEmpty))
        bytes.put(version(!extra.isEmpty))
        bytes.put(flags)
        bytes.put(0 as UInt16)
        bytes.put(file.dosTime)
        bytes.put(crc)
        bytes.put(short(file.size))
        bytes.put(short(file.size))
        bytes.put(UInt16(file.name.utf8.count))
        bytes.put(UInt16(extra.count))
        bytes.put(0 as UInt16)
        bytes.put(0 as UInt16)
        bytes.put(0 as UInt16)
        bytes.put(0o100644 << 16 as UInt32)
        bytes.put(short(offset))
        bytes += file.name.utf8
        return bytes + extra
    }

    /// "The fields MUST only appear if the corresponding Local or Central directory record field is set to 0xFFFF or
    /// 0xFFFFFFFF" (§4.5.3).
    private static func extra(_ file: ZipEntry, _ offset: UInt64) -> [UInt8] {
        var fields: [UInt8] = []
        if isLarge(file.size) {
            fields.put(file.size)
            fields.put(file.size)
        }
        if isLarge(offset) { fields.put(offset) }
        if fields.isEmpty { return [] }
        var bytes: [UInt8] = []
        bytes.put(1 as UInt16)
        bytes.put(UInt16(fields.count))
        return bytes + fields
    }

    // MARK: After the directory

    static func end(files: Int, directory: Range<UInt64>) -> [UInt8] {
        let size = directory.upperBound - directory.lowerBound
        let count = UInt64(files)
        let isLarge = count >= UInt64(manyFiles) || isLarge(size) || isLarge(directory.lowerBound)
        var bytes: [UInt8] = []
        if isLarge {
            bytes.put(0x0606_4B50 as UInt32)
            bytes.put(44 as UInt64)
            bytes.put(unix | version(true))
            bytes.put(version(true))
            bytes.put(0 as UInt32)
            bytes.put(0 as UInt32)
            bytes.put(count)
            bytes.put(count)
            bytes.put(size)
            bytes.put(directory.lowerBound)
            bytes.put(0x0706_4B50 as UInt32)
            bytes.put(0 as UInt32)
            bytes.put(directory.upperBound)
            bytes.put(1 as UInt32)
        }
        bytes.put(0x0605_4B50 as UInt32)
        bytes.put(0 as UInt16)
        bytes.put(0 as UInt16)
        bytes.put(UInt16(clamping: count))
        bytes.put(UInt16(clamping: count))
        bytes.put(short(size))
        bytes.put(short(directory.lowerBound))
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
