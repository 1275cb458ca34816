/// Writes datasets from the standard's tables, so that what is decoded does not come from our own encoder.
struct DatasetBytes {
    private(set) var bytes: [UInt8] = []

    mutating func u8(_ value: UInt8) { bytes.append(value) }

    mutating func u16(_ value: UInt16) { bytes += [UInt8(value & 0xFF), UInt8(value >> 8)] }

    mutating func u32(_ value: UInt32) {
        u16(UInt16(value & 0xFFFF))
        u16(UInt16(value >> 16))
    }

    mutating func u64(_ value: UInt64) {
        u32(UInt32(value & 0xFFFF_FFFF))
        u32(UInt32(value >> 32))
    }

    /// A count that includes the NUL, then UTF-16.
    mutating func string(_ text: String) {
        if text.isEmpty { return u8(0) }
        u8(UInt8(text.utf16.count + 1))
        for unit in text.utf16 { u16(unit) }
        u16(0)
    }

    mutating func codes(_ codes: [UInt16]) {
        u32(UInt32(codes.count))
        for code in codes { u16(code) }
    }
}
