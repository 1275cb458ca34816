import Glibc

/// How the kernel would send something to one address: its answer to `RTM_GETROUTE`, `linux/rtnetlink.h`.
package struct NetworkRoute: Equatable, Sendable {
    package var interface: Int
    /// Four or sixteen bytes; nothing for a neighbour.
    package var gateway: [UInt8]?
    package var source: [UInt8]?

    package init(interface: Int, gateway: [UInt8]? = nil, source: [UInt8]? = nil) {
        self.interface = interface
        self.gateway = gateway
        self.source = source
    }

    /// `struct rtmsg`: family, lengths of destination and source, service, table, protocol, scope, type, flags.
    static let fixedSize = 12

    private static let outgoing: UInt16 = 4
    private static let gateway: UInt16 = 5
    private static let preferredSource: UInt16 = 7
    /// A gateway of the other family.
    private static let via: UInt16 = 18

    /// Kinds of routes that drop what takes them: `RTN_BLACKHOLE`, `RTN_UNREACHABLE`, `RTN_PROHIBIT`, `RTN_THROW`.
    private static let dropping: Set<UInt8> = [6, 7, 8, 9]

    /// Nothing for a route that leads nowhere.
    package static func read(_ message: NetlinkMessage) throws(NetlinkMessage.Malformed) -> NetworkRoute? {
        let attributes = try message.attributes(behind: fixedSize)
        if dropping.contains(message.body.number(at: 7, UInt8.self)) { return nil }
        guard let index = attributes[outgoing]?.whole(Int32.self), index > 0 else { return nil }
        var route = NetworkRoute(interface: Int(index))
        route.gateway =
            attributes[gateway].flatMap(address) ?? attributes[via].flatMap { address($0.dropFirst(2)) }
        route.source = attributes[preferredSource].flatMap(address)
        return route
    }

    private static func address(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        bytes.count == 4 || bytes.count == 16 ? Array(bytes) : nil
    }

    /// `ip route get ADDRESS`
    package static func request(for address: [UInt8], sequence: UInt32) -> [UInt8] {
        let family = UInt8(address.count == 4 ? AF_INET : AF_INET6)
        var fixed = [UInt8](repeating: 0, count: fixedSize)
        fixed[0] = family
        fixed[1] = UInt8(address.count * 8)
        return NetlinkMessage.request(
            getRoute, flags: 0, sequence: sequence, fixed: fixed, [(type: 1, value: address)])
    }

    private static let getRoute: UInt16 = 26
    static let newRoute: UInt16 = 24
}
