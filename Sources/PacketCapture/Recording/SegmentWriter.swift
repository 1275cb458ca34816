import PTP
import Posix

/// Makes one direction's TCP segments: what they would have looked like on the wire.
struct SegmentWriter {
    private let source: IPEndpoint
    private let destination: IPEndpoint
    private(set) var sequence: UInt32
    private var identification: UInt16 = 0

    private static let timeToLive: UInt8 = 64
    private static let tcp: UInt8 = 6
    private static let window: UInt16 = 65535

    /// The longest payload that fits into one IP packet with room for both headers of either version.
    static let longestPayload = 32 << 10

    init(from source: IPEndpoint, to destination: IPEndpoint, initialSequence: UInt32) {
        self.source = source
        self.destination = destination
        sequence = initialSequence
    }

    /// One segment. With `captures` false the payload is only counted: the frame ends behind the TCP header, as if
    /// the capturing program had been told to keep no more.
    mutating func segment(
        _ flags: TCPSegment.Flags, acknowledging acknowledged: UInt32, payload: UnsafeRawBufferPointer,
        captures: Bool = true
    ) -> (frame: [UInt8], lengthOnWire: Int) {
        var tcp = ByteWriter(reserving: 20)
        tcp.append(bigEndian: source.port)
        tcp.append(bigEndian: destination.port)
        tcp.append(bigEndian: sequence)
        tcp.append(bigEndian: acknowledged)
        // Five words of header, no options.
        tcp.append(UInt8(5 << 4))
        tcp.append(flags.rawValue)
        tcp.append(bigEndian: Self.window)
        tcp.append(bigEndian: UInt16(0))
        tcp.append(bigEndian: UInt16(0))
        var header = tcp.bytes
        let length = header.count + payload.count
        var sum = Checksum(pseudoHeader(length: length))
        sum.add(header)
        sum.add(payload)
        (header[16], header[17]) = sum.bytes

        let takesNumber = flags.contains(.syn) || flags.contains(.fin)
        sequence &+= UInt32(payload.count) &+ (takesNumber ? 1 : 0)
        let network = networkHeader(length: length)
        var frame = network
        frame.reserveCapacity(network.count + length)
        frame += header
        if captures { frame += payload }
        return (frame, network.count + length)
    }

    private func pseudoHeader(length: Int) -> [UInt8] {
        var bytes = ByteWriter()
        bytes.append(contentsOf: source.address + destination.address)
        if source.isIPv6 {
            bytes.append(bigEndian: UInt32(length))
            bytes.append(contentsOf: [0, 0, 0, Self.tcp])
        } else {
            bytes.append(contentsOf: [0, Self.tcp])
            bytes.append(bigEndian: UInt16(length))
        }
        return bytes.bytes
    }

    private mutating func networkHeader(length: Int) -> [UInt8] {
        var header = ByteWriter(reserving: 40)
        if source.isIPv6 {
            header.append(bigEndian: UInt32(6 << 28))
            header.append(bigEndian: UInt16(length))
            header.append(contentsOf: [Self.tcp, Self.timeToLive])
            header.append(contentsOf: source.address + destination.address)
            return header.bytes
        }
        identification &+= 1
        header.append(contentsOf: [0x45, 0])
        header.append(bigEndian: UInt16(20 + length))
        header.append(bigEndian: identification)
        // "Don't fragment", as every TCP stack says.
        header.append(bigEndian: UInt16(0x4000))
        header.append(contentsOf: [Self.timeToLive, Self.tcp, 0, 0])
        header.append(contentsOf: source.address + destination.address)
        var bytes = header.bytes
        (bytes[10], bytes[11]) = Checksum(bytes).bytes
        return bytes
    }
}

/// The Internet checksum (RFC 1071).
private struct Checksum {
    private var sum: UInt64 = 0

    init(_ bytes: [UInt8]) {
        add(bytes)
    }

    mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { add($0) }
    }

    /// Every part but the last has an even length.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index + 1 < bytes.count {
            sum &+= UInt64(bytes[index]) << 8 | UInt64(bytes[index + 1])
            index += 2
        }
        if index < bytes.count { sum &+= UInt64(bytes[index]) << 8 }
    }

    var bytes: (UInt8, UInt8) {
        var folded = sum
        while folded > 0xFFFF { folded = (folded & 0xFFFF) + folded >> 16 }
        return (UInt8(~folded >> 8 & 0xFF), UInt8(~folded & 0xFF))
    }
}
