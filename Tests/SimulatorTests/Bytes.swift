/// PTP/IP's layouts, written out by hand: what judges the camera may not come from it.
enum Bytes {
    static func u16(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
    static func u32(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }
    static func u64(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(value >> (8 * $0) & 0xFF) } }

    static func number(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    static func packet(_ type: UInt32, _ content: [UInt8] = []) -> [UInt8] {
        u32(UInt32(8 + content.count)) + u32(type) + content
    }

    static func name(_ text: String) -> [UInt8] { text.utf16.flatMap(u16) + [0, 0] }

    static let initCommandRequest = packet(
        1, [UInt8](repeating: 9, count: 16) + name("hand") + u32(0x0001_0000))

    static func request(_ code: UInt16, _ transaction: UInt32, _ parameters: [UInt32]) -> [UInt8] {
        packet(6, u32(1) + u16(code) + u32(transaction) + parameters.flatMap(u32))
    }

    static func response(_ code: UInt16, _ transaction: UInt32, _ parameters: [UInt32] = []) -> [UInt8] {
        packet(7, u16(code) + u32(transaction) + parameters.flatMap(u32))
    }

    static func event(_ code: UInt16, _ parameters: [UInt32]) -> [UInt8] {
        packet(8, u16(code) + u32(0xFFFF_FFFF) + parameters.flatMap(u32))
    }
}
