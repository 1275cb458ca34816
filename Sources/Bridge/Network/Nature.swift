/// What one interface is, by its own facts alone.
enum Nature: Equatable {
    case known(PathKind, String)
    /// It stands on others that decide: with the words for it.
    case stacked(String)
    /// It runs through another one, which may or may not be known.
    case tunnel(String)

    init(_ facts: InterfaceFacts) {
        let what = facts.madeBy ?? facts.deviceType ?? ""
        if facts.hardware == InterfaceFacts.loopback {
            self = .known(.loopback, "it is the loopback")
        } else if facts.isWireless || facts.deviceType == "wlan" {
            self = .known(.wifi, "it has a Wi-Fi radio")
        } else if facts.managed?.isModem == true {
            self = .known(.cellular, "NetworkManager says that it is a modem")
        } else if facts.deviceType == "wwan" || what == "wwan" || what == "rmnet" {
            self = .known(.cellular, "its driver says that it is a modem")
        } else if ["wwan", "rmnet"].contains(where: { facts.name.hasPrefix($0) }) {
            self = .known(.cellular, "it has a modem's name")
        } else if let words = Self.stacks[what] {
            self = .stacked(words)
        } else if let words = Self.tunnels[what] {
            self = .tunnel(words)
        } else if facts.hardware == InterfaceFacts.pointToPoint {
            self = .tunnel("a dialled connection")
        } else if InterfaceFacts.tunnels.contains(facts.hardware) {
            self = .tunnel("a tunnel")
        } else if facts.hardware == InterfaceFacts.nothing, !facts.hasDevice {
            self = .tunnel("a tunnel")
        } else if facts.hardware == InterfaceFacts.rawIP, facts.hasDevice {
            self = .known(.cellular, "it is hardware that takes bare IP packets: a modem")
        } else {
            self = .known(.wired, what == "veth" ? "it is one end of a virtual cable" : "it is Ethernet")
        }
    }

    var isRadio: Bool {
        if case .known(let kind, _) = self { kind == .wifi || kind == .cellular } else { false }
    }

    private static let stacks = [
        "bridge": "a bridge", "bond": "a bond", "team": "a team", "vlan": "a VLAN", "macvlan": "a MACVLAN",
        "macvtap": "a MACVTAP", "ipvlan": "an IPVLAN", "macsec": "MACsec", "hsr": "a ring", "vrf": "a VRF",
        "batadv": "a mesh", "openvswitch": "a switch",
    ]

    private static let tunnels = [
        "tun": "a tunnel of a program", "wireguard": "a WireGuard tunnel", "gre": "a GRE tunnel",
        "gretap": "a GRE tunnel", "ip6gre": "a GRE tunnel", "ip6gretap": "a GRE tunnel",
        "erspan": "a GRE tunnel", "ip6erspan": "a GRE tunnel", "ipip": "an IP-in-IP tunnel",
        "sit": "an IPv6-in-IPv4 tunnel", "ip6tnl": "an IPv6 tunnel", "vti": "an IPsec tunnel",
        "vti6": "an IPsec tunnel", "xfrm": "an IPsec tunnel", "vxlan": "a VXLAN tunnel",
        "geneve": "a GENEVE tunnel", "l2tpeth": "an L2TP tunnel", "bareudp": "a UDP tunnel",
        "ppp": "a dialled connection", "ovpn": "an OpenVPN tunnel",
    ]
}
