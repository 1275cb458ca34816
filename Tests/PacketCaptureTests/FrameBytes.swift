/// Frames built by hand from the RFCs, so that what is decoded does not come from our own recorder.
struct FrameBytes {
    var source: [UInt8] = [10, 0, 0, 1]
    var destination: [UInt8] = [10, 0, 0, 2]
    var sourcePort: UInt16 = 50_000
    var destinationPort: UInt16 = 15_740
    var sequence: UInt32 = 1000
    var flags: UInt8 = 0x18
    var tcpOptions: [UInt8] = []
    var ipOptions: [UInt8] = []
    var payload: [UInt8] = []
    var fragment: UInt16 = 0x4000
    var protocolNumber: UInt8 = 6

    static func big(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }
    static func big(_ value: UInt32) -> [UInt8] { big(UInt16(value >> 16)) + big(UInt16(value & 0xFFFF)) }

    var tcp: [UInt8] {
        var bytes =
            Self.big(sourcePort) + Self.big(destinationPort) + Self.big(sequence) + Self.big(UInt32(0))
        bytes += [UInt8((5 + tcpOptions.count / 4) << 4), flags] + Self.big(UInt16(1024)) + [0, 0, 0, 0]
        return bytes + tcpOptions + payload
    }

    func ipv4(totalLength: UInt16? = nil) -> [UInt8] {
        let header = 20 + ipOptions.count
        var bytes: [UInt8] = [0x40 | UInt8(header / 4), 0]
        bytes += Self.big(totalLength ?? UInt16(header + tcp.count)) + [0, 1] + Self.big(fragment)
        bytes += [64, protocolNumber, 0, 0] + source + destination + ipOptions
        return bytes + tcp
    }

    /// With extension headers as given: their own bytes, and the number of each that the one before it names.
    func ipv6(extensions: [(number: UInt8, bytes: [UInt8])] = []) -> [UInt8] {
        let chain = extensions.map(\.number) + [protocolNumber]
        var body: [UInt8] = []
        for (index, header) in extensions.enumerated() {
            body += [chain[index + 1]] + header.bytes.dropFirst()
        }
        var bytes: [UInt8] = [0x60, 0, 0, 0] + Self.big(UInt16(body.count + tcp.count)) + [chain[0], 64]
        bytes += [UInt8](repeating: 1, count: 16) + [UInt8](repeating: 2, count: 16)
        return bytes + body + tcp
    }
}
