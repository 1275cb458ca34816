// example
import PTP

/// The packets in a stream, however the network cut it.
func packets(in chunks: [[UInt8]]) throws -> [Packet] {
    var decoder = PacketDecoder()
    var packets: [Packet] = []
    for chunk in chunks {
        decoder.append(chunk)
        while let output = try decoder.next() {
            if case .packet(let packet) = output { packets.append(packet) }
        }
    }
    return packets
}
// end
