/// An interface as the kernel describes it over rtnetlink: `RTM_NEWLINK`, `linux/if_link.h`.
package struct NetworkLink: Equatable, Sendable {
    package var index: Int
    package var name: String
    /// `ARPHRD_…`
    package var hardware: UInt16
    package var flags: UInt32
    /// `IF_OPER_…`
    package var state: UInt8 = 0
    package var hasCarrier: Bool?
    /// The interface that it stands on, when that is one of this machine (and of this network namespace).
    package var lower: Int?
    /// The bridge or bond that it is a member of.
    package var upper: Int?
    /// What made it: `bridge`, `vlan`, `gre`.
    package var madeBy: String?
    /// The other end of a tunnel that has one: four or sixteen bytes.
    package var remote: [UInt8]?

    package static let isTurnedOn: UInt32 = 0x1

    package init(index: Int, name: String, hardware: UInt16 = 1, flags: UInt32 = 1) {
        self.index = index
        self.name = name
        self.hardware = hardware
        self.flags = flags
    }

    /// `struct ifinfomsg`: family and padding, type, index, flags, change.
    private static let fixedSize = 16

    package init(_ message: NetlinkMessage) throws(NetlinkMessage.Malformed) {
        let attributes = try message.attributes(behind: Self.fixedSize)
        guard let name = attributes[IFLA.name]?.text, !name.isEmpty else {
            throw NetlinkMessage.Malformed("an interface without a name")
        }
        let body = message.body
        self.init(
            index: Int(body.number(at: 4, Int32.self)), name: name, hardware: body.number(at: 2, UInt16.self),
            flags: body.number(at: 8, UInt32.self))
        state = attributes[IFLA.operatingState]?.whole(UInt8.self) ?? 0
        hasCarrier = attributes[IFLA.carrier]?.whole(UInt8.self).map { $0 != 0 }
        upper = Self.index(attributes[IFLA.upper])
        if let info = attributes[IFLA.info] { try readInfo(info) }
        // A number of another network namespace would be another interface; and the other end of a virtual
        // cable is not what it stands on.
        if attributes[IFLA.otherNamespace] == nil, madeBy != "veth", lower == nil {
            lower = Self.index(attributes[IFLA.lower])
        }
        if lower == index { lower = nil }
    }

    private mutating func readInfo(_ info: ArraySlice<UInt8>) throws(NetlinkMessage.Malformed) {
        let attributes = try NetlinkMessage.attributes(of: info)
        madeBy = attributes[IFLA.infoKind]?.text
        guard let madeBy, let tunnel = TunnelAttributes.of[madeBy], let data = attributes[IFLA.infoData]
        else { return }
        let values = try NetlinkMessage.attributes(of: data)
        lower = tunnel.link.flatMap { Self.index(values[$0]) }
        remote = tunnel.remotes.compactMap { values[$0] }.map { Array($0) }.first {
            // Nothing but zeros is a tunnel that takes any other end.
            ($0.count == 4 || $0.count == 16) && $0.contains { $0 != 0 }
        }
    }

    private static func index(_ value: ArraySlice<UInt8>?) -> Int? {
        guard let index = value?.whole(Int32.self), index > 0 else { return nil }
        return Int(index)
    }
}

private enum IFLA {
    static let name: UInt16 = 3
    static let lower: UInt16 = 5
    static let upper: UInt16 = 10
    static let operatingState: UInt16 = 16
    static let info: UInt16 = 18
    static let carrier: UInt16 = 33
    static let otherNamespace: UInt16 = 37
    static let infoKind: UInt16 = 1
    static let infoData: UInt16 = 2
}

/// Where the kinds of tunnels say which interface they use and who is at the other end
/// (`linux/if_tunnel.h`, `linux/if_link.h`).
private struct TunnelAttributes {
    let link: UInt16?
    let remotes: [UInt16]

    private static let gre = TunnelAttributes(link: 1, remotes: [7])
    private static let inIP = TunnelAttributes(link: 1, remotes: [3])
    private static let vti = TunnelAttributes(link: 1, remotes: [5])

    static let of: [String: TunnelAttributes] = [
        "gre": gre, "gretap": gre, "ip6gre": gre, "ip6gretap": gre, "erspan": gre, "ip6erspan": gre,
        "ipip": inIP, "sit": inIP, "ip6tnl": inIP, "vti": vti, "vti6": vti,
        "vxlan": TunnelAttributes(link: 3, remotes: [2, 16]),
        "geneve": TunnelAttributes(link: nil, remotes: [2, 7]),
        "xfrm": TunnelAttributes(link: 1, remotes: []),
    ]
}
