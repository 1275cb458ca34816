/// Finds the TCP segment in a captured frame. Pure; every step stays inside the bytes.
package enum FrameDecoder {
    /// `originalLength` is how long the frame was on the wire; the capture may hold less.
    package static func decode(
        _ frame: ArraySlice<UInt8>, originalLength: Int, _ layer: LinkLayer
    ) throws(SkippedFrame) -> TCPSegment {
        let packet = try layer.networkPacket(in: frame)
        let lengthOnWire = originalLength - (frame.count - packet.count)
        switch try packet.number8(0) >> 4 {
        case 4: return try ipv4(packet, lengthOnWire)
        case 6: return try ipv6(packet, lengthOnWire)
        default: throw .notIP
        }
    }

    private static let tcp: UInt8 = 6

    private static func ipv4(_ packet: ArraySlice<UInt8>, _ lengthOnWire: Int) throws(SkippedFrame)
        -> TCPSegment
    {
        let headerLength = 4 * Int(try packet.number8(0) & 0x0F)
        guard headerLength >= 20 else { throw .malformed }
        // With segmentation left to the network card, frames are captured before their length is written.
        let written = Int(try packet.number16(2))
        let total = written == 0 ? lengthOnWire : written
        guard total >= headerLength else { throw .malformed }
        let fragment = try packet.number16(6)
        guard fragment & 0x3FFF == 0 else { throw .fragment }
        guard try packet.number8(9) == tcp else { throw .notTCP }
        let source = Array(try packet.after(12).taking(4))
        let destination = Array(try packet.after(16).taking(4))
        return try segment(packet.after(headerLength), total - headerLength, source, destination)
    }

    /// Extension headers that may stand before TCP; more of them than this are no honest packet.
    private static let mostExtensions = 8

    private static func ipv6(_ packet: ArraySlice<UInt8>, _ lengthOnWire: Int) throws(SkippedFrame)
        -> TCPSegment
    {
        let written = Int(try packet.number16(4))
        var left = written == 0 ? lengthOnWire - 40 : written
        var next = try packet.number8(6)
        let source = Array(try packet.after(8).taking(16))
        let destination = Array(try packet.after(24).taking(16))
        var rest = try packet.after(40)
        for _ in 0..<mostExtensions {
            switch next {
            case tcp:
                return try segment(rest, left, source, destination)
            // Hop-by-hop, routing, destination options: next header, then length in units of eight bytes.
            case 0, 43, 60:
                let length = 8 * (Int(try rest.number8(1)) + 1)
                next = try rest.number8(0)
                rest = try rest.after(length)
                left -= length
            case 44:
                // A fragment header on a whole packet is allowed and harmless.
                guard try rest.number16(2) & 0xFFF9 == 0 else { throw .fragment }
                next = try rest.number8(0)
                rest = try rest.after(8)
                left -= 8
            default:
                throw .notTCP
            }
        }
        throw .malformed
    }

    /// - Parameter length: of header and payload on the wire, as IP says.
    private static func segment(
        _ bytes: ArraySlice<UInt8>, _ length: Int, _ source: [UInt8], _ destination: [UInt8]
    ) throws(SkippedFrame) -> TCPSegment {
        let headerLength = 4 * Int(try bytes.number8(12) >> 4)
        guard headerLength >= 20, length >= headerLength else { throw .malformed }
        let payloadLength = length - headerLength
        // What lies behind the IP packet is the padding of a short Ethernet frame.
        let captured = bytes.count > headerLength ? bytes.dropFirst(headerLength).prefix(payloadLength) : []
        return TCPSegment(
            source: FlowEnd(address: source, port: try bytes.number16(0)),
            destination: FlowEnd(address: destination, port: try bytes.number16(2)),
            sequence: try bytes.number32(4), flags: TCPSegment.Flags(rawValue: try bytes.number8(13)),
            payload: captured, leftOut: payloadLength - captured.count)
    }
}

extension ArraySlice<UInt8> {
    fileprivate func taking(_ count: Int) throws(SkippedFrame) -> ArraySlice<UInt8> {
        guard count <= self.count else { throw .tooShort }
        return prefix(count)
    }
}
