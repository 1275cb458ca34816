import Glibc

/// An address and a port, as values. Four bytes of address for IPv4, sixteen for IPv6, in network order.
public struct IPEndpoint: Hashable, Sendable {
    public let address: [UInt8]
    public let port: UInt16

    public init(address: [UInt8], port: UInt16) {
        precondition(address.count == 4 || address.count == 16, "an address has 4 or 16 bytes")
        self.address = address
        self.port = port
    }

    public var isIPv6: Bool { address.count == 16 }

    /// A numeric address; nothing for a name.
    public init?(numeric host: String, port: UInt16) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, host, &bytes) == 1 {
            self.init(address: Array(bytes.prefix(4)), port: port)
        } else if inet_pton(AF_INET6, host, &bytes) == 1 {
            self.init(address: bytes, port: port)
        } else {
            return nil
        }
    }

    /// Where an operator wants to listen: a numeric address or "localhost", with a port or without; nothing for another name.
    package static func listening(
        _ text: String, defaultPort: UInt16
    ) throws(HostPort.Unreadable) -> IPEndpoint? {
        let place = try HostPort(text, defaultPort: defaultPort)
        return IPEndpoint(numeric: place.host == "localhost" ? "127.0.0.1" : place.host, port: place.port)
    }

    public static func loopback(port: UInt16) -> IPEndpoint {
        IPEndpoint(address: [127, 0, 0, 1], port: port)
    }
}

extension IPEndpoint: CustomStringConvertible {
    /// `192.168.1.1:15740`, `[fe80::1]:15740`.
    public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The address alone: `192.168.1.1`, `fe80::1`.
    package var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(isIPv6 ? AF_INET6 : AF_INET, address, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

// MARK: The system's form

extension IPEndpoint {
    /// Calls `body` with the address as the socket calls want it.
    func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        if isIPv6 {
            var system = sockaddr_in6()
            system.sin6_family = sa_family_t(AF_INET6)
            system.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &system.sin6_addr) { $0.copyBytes(from: address) }
            return Self.rebound(&system, body)
        }
        var system = sockaddr_in()
        system.sin_family = sa_family_t(AF_INET)
        system.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &system.sin_addr) { $0.copyBytes(from: address) }
        return Self.rebound(&system, body)
    }

    private static func rebound<System, Result>(
        _ system: inout System, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: &system) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<System>.size))
            }
        }
    }

    /// Nothing for an address that is neither IPv4 nor IPv6.
    init?(_ storage: sockaddr_storage) {
        var storage = storage
        let family = Int32(storage.ss_family)
        guard family == AF_INET || family == AF_INET6 else { return nil }
        self = withUnsafeBytes(of: &storage) { bytes in
            // The port stands behind the family in both; the address behind the port, or behind the flow label.
            let port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
            let address = family == AF_INET ? bytes[4..<8] : bytes[8..<24]
            return IPEndpoint(address: Array(address), port: port)
        }
    }
}
