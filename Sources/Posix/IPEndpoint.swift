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
}
