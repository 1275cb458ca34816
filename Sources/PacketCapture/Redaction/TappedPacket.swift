import PTP

/// One packet as it was on the wire.
public struct TappedPacket: Equatable, Sendable {
    /// Counted from 1: the first one carries the commands, the second one the events.
    public var link: Int
    public var toCamera: Bool
    public var microseconds: Int64
    public var bytes: [UInt8]

    public init(link: Int, toCamera: Bool, microseconds: Int64, bytes: [UInt8]) {
        self.link = link
        self.toCamera = toCamera
        self.microseconds = microseconds
        self.bytes = bytes
    }

    var type: PacketType? { bytes.count < 8 ? nil : PacketType(rawValue: little(bytes, at: 4)) }
}

func little(_ bytes: [UInt8], at offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
}
