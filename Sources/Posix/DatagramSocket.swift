import CLinux
import Glibc

/// A non-blocking UDP socket of one interface, for messages to a group and for their answers.
package final class DatagramSocket: Sendable {
    private let descriptor: OwnedDescriptor
    private let reactor: Reactor
    private let interface: String

    package struct Datagram: Equatable, Sendable {
        package let bytes: [UInt8]
        package let sender: IPEndpoint
    }

    /// More than any message of mDNS or SSDP has. Of a longer datagram only the beginning is there.
    package static let largest = 9001

    /// With a group it hears what is sent to that group, beside other programs that do; without one, what is sent to
    /// a port of its own. `hops` is the time to live of what it sends.
    package init(
        on interface: String, index: Int, group: IPEndpoint?, hops: Int32, _ reactor: Reactor
    ) throws(SystemError) {
        self.reactor = reactor
        self.interface = interface
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        descriptor = OwnedDescriptor(
            owning: try check("socket", on: interface) { socket(AF_INET, kind, 0) })
        let number = descriptor.number
        try check("binding to the interface", on: interface) { tl_bind_to_interface(number, interface) }
        try check("setting hops", on: interface) { tl_set_multicast_hops(number, hops) }
        guard let group else { return }
        try check("sharing the port", on: "\(group)") { tl_share_port(number) }
        try check("bind", on: "\(group)") { group.withSocketAddress { Glibc.bind(number, $0, $1) } }
        try check("joining \(group)", on: interface) {
            tl_join_group(number, group.address, Int32(truncatingIfNeeded: index))
        }
    }

    package func send(_ bytes: [UInt8], to endpoint: IPEndpoint) throws(SystemError) {
        try check("sending to \(endpoint)", on: interface) {
            endpoint.withSocketAddress { address, size in
                sendto(descriptor.number, bytes, bytes.count, 0, address, size)
            }
        }
    }

    /// Nothing when none is there.
    package func receive() throws(SystemError) -> Datagram? {
        var storage = sockaddr_storage()
        var bytes = [UInt8](repeating: 0, count: Self.largest)
        let count: Int
        do throws(SystemError) {
            count = try check("receiving", on: interface) {
                var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
                return withUnsafeMutablePointer(to: &storage) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        recvfrom(descriptor.number, &bytes, bytes.count, 0, $0, &size)
                    }
                }
            }
        } catch {
            if error.number == EAGAIN { return nil }
            throw error
        }
        guard let sender = IPEndpoint(storage) else { return nil }
        return Datagram(bytes: Array(bytes.prefix(count)), sender: sender)
    }

    /// False when the task was cancelled.
    package func waitReadable() async -> Bool {
        await reactor.waitReadable(descriptor.number, until: nil) == .ready
    }
}
