import Synchronization

/// What is on the card of a hostile camera; a test may shoot more while a client is connected.
final class HostileCard: Sendable {
    private let shot: Mutex<[HostileObject]>
    let mayGrow: Bool

    init(_ objects: [HostileObject], mayGrow: Bool = false) {
        shot = Mutex(objects)
        self.mayGrow = mayGrow
    }

    var objects: [HostileObject] { shot.withLock { $0 } }

    func shoot(_ object: HostileObject) {
        shot.withLock { $0.append(object) }
    }
}

/// An object on a card that a hostile camera makes up.
struct HostileObject: Sendable {
    var handle: UInt32
    var name: [UInt16]
    var content: [UInt8] = []
    var claimedSize: UInt32?
    var format: UInt16 = 0x3801
    var parent: UInt32 = 0
    var date = "20260620T143000"

    init(_ handle: UInt32, _ name: String, _ content: [UInt8] = []) {
        self.handle = handle
        self.name = Array(name.utf16)
        self.content = content
    }

    /// What GetPartialObject asks for: handle, offset, count.
    func part(_ request: HostilePeer.Request) -> [UInt8] {
        let offset = min(content.count, Int(request.parameters[1]))
        return Array(content[offset..<min(content.count, offset + Int(request.parameters[2]))])
    }

    var info: [UInt8] {
        Wire.u32(0x0001_0001) + Wire.u16(format) + Wire.u16(0)
            + Wire.u32(claimedSize ?? UInt32(content.count))
            + Wire.u16(0x3808) + [UInt8](repeating: 0, count: 24) + Wire.u32(parent)
            + Wire.u16(format == 0x3001 ? 1 : 0) + Wire.u32(0) + Wire.u32(0) + Wire.string(name)
            + Wire.string(Array(date.utf16)) + [0, 0]
    }
}

/// PTP/IP's layouts, written out once more: what judges a program may not come from it.
enum Wire {
    static func u16(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
    static func u32(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }
    static func u64(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(value >> (8 * $0) & 0xFF) } }
    static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    static func packet(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
        u32(UInt32(8 + body.count)) + u32(type) + body
    }
    static func startData(_ transaction: UInt32, _ total: UInt64) -> [UInt8] {
        packet(9, u32(transaction) + u64(total))
    }
    static func data(_ transaction: UInt32, _ bytes: [UInt8]) -> [UInt8] {
        packet(10, u32(transaction) + bytes)
    }
    static func endData(_ transaction: UInt32, _ bytes: [UInt8]) -> [UInt8] {
        packet(12, u32(transaction) + bytes)
    }
    static func response(_ code: UInt16, _ transaction: UInt32, _ parameters: [UInt32] = []) -> [UInt8] {
        packet(7, u16(code) + u32(transaction) + parameters.flatMap(u32))
    }
    static func event(_ code: UInt16, _ parameters: [UInt32]) -> [UInt8] {
        packet(8, u16(code) + u32(0xFFFF_FFFF) + parameters.flatMap(u32))
    }
    static let probe: [UInt8] = packet(13, [])

    /// A PTP string: how many units, with the NUL.
    static func string(_ units: [UInt16]) -> [UInt8] {
        units.isEmpty ? [0] : [UInt8(units.count + 1)] + units.flatMap(u16) + [0, 0]
    }

    static let initCommandAck = packet(
        2,
        u32(1) + [UInt8](repeating: 7, count: 16) + Array("bad".utf16).flatMap(u16) + [0, 0] + u32(0x1_0000))

    static func array(_ codes: [UInt16]) -> [UInt8] { u32(UInt32(codes.count)) + codes.flatMap(u16) }

    static let operations: [UInt16] = [
        0x1001, 0x1002, 0x1003, 0x1004, 0x1005, 0x1007, 0x1008, 0x1009, 0x100A, 0x101B,
    ]
    static let deviceInfo = deviceInfo(without: [])

    static func deviceInfo(
        without missing: Set<UInt16> = [], with more: [UInt16] = [], maker: String = "Evil",
        model: String = "One"
    ) -> [UInt8] {
        u16(100) + u32(0) + u16(100) + [0] + u16(0)
            + array(operations.filter { !missing.contains($0) } + more)
            + array([0x4002]) + array([]) + array([]) + array([0x3801]) + string(Array(maker.utf16))
            + string(Array(model.utf16)) + string(Array("1".utf16)) + string(Array("666".utf16))
    }
}
