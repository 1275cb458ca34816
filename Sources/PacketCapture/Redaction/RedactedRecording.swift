import Posix
import Synchronization

extension Recorder {
    /// Writes packets into a pcap file of their own, as a conversation between two addresses for documentation, on the
    /// first of January 2000.
    public static func write(
        _ packets: [TappedPacket], to path: String, onFailure: @escaping @Sendable (String) -> Void
    ) throws(CannotRecord) {
        let now = Mutex<Int64>(0)
        let recorder = try Recorder(
            path: path, leavesOutPhotos: true,
            clock: {
                let time = now.withLock { $0 }
                return (time / 1_000_000, time % 1_000_000)
            }, onFailure: onFailure)
        defer { recorder.close() }
        guard let first = packets.first?.microseconds, let server = documentation(host: 1, port: 15740) else {
            return
        }
        var links: [Int: RecordedConnection] = [:]
        for packet in packets {
            now.withLock { $0 = newYear + max(0, packet.microseconds - first) }
            let link =
                links[packet.link]
                ?? documentation(host: 2, port: 50_000 + UInt16(clamping: packet.link % 1000))
                .map { recorder.connection(client: $0, server: server) }
            links[packet.link] = link
            packet.bytes.withUnsafeBytes { link?.moved($0, packet.toCamera ? .toServer : .toClient) }
        }
        for link in links.sorted(by: { $0.key < $1.key }) { link.value.closed(.toServer, isReset: false) }
    }

    private static let newYear: Int64 = 946_684_800 * 1_000_000

    /// "Documentation addresses" (RFC 5737).
    private static func documentation(host: Int, port: UInt16) -> IPEndpoint? {
        IPEndpoint(numeric: "192.0.2.\(host)", port: port)
    }
}
