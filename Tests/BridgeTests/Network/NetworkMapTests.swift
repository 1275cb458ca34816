import Bridge
import Testing

/// Networks that people bring, as facts, and what is to be concluded from them.
@Suite struct NetworkMapTests {
    static func wired(_ index: Int, _ name: String) -> InterfaceFacts {
        var facts = InterfaceFacts(index: index, name: name)
        facts.hasDevice = true
        facts.state = .up
        facts.hasCarrier = true
        return facts
    }

    static func wifi(_ index: Int, _ name: String, ssid: String? = nil) -> InterfaceFacts {
        var facts = wired(index, name)
        facts.isWireless = true
        facts.deviceType = "wlan"
        facts.ssid = ssid
        return facts
    }

    static func cellular(_ index: Int, _ name: String) -> InterfaceFacts {
        var facts = wired(index, name)
        facts.hardware = InterfaceFacts.rawIP
        facts.deviceType = "wwan"
        facts.state = .unknown
        return facts
    }

    static func made(
        _ index: Int, _ name: String, by maker: String, hardware: UInt16 = InterfaceFacts.ethernet,
        on lower: [Int] = [], remote: Int? = nil
    ) -> InterfaceFacts {
        var facts = InterfaceFacts(index: index, name: name, hardware: hardware)
        facts.madeBy = maker
        facts.lower = lower
        facts.wayToRemote = remote
        return facts
    }

    static func off(_ facts: InterfaceFacts) -> InterfaceFacts {
        var facts = facts
        facts.hasCarrier = false
        facts.state = .down
        return facts
    }

    static let wireguard = made(9, "wg0", by: "wireguard", hardware: InterfaceFacts.nothing)

    static func path(
        _ interfaces: [InterfaceFacts], by index: Int, _ settings: NetworkSettings = NetworkSettings()
    ) -> NetworkPath {
        NetworkMap(interfaces, settings: settings).path(leavingBy: index)
    }

    @Test("each interface is what its driver says, and what makes us think so is said")
    func kinds() {
        var loopback = InterfaceFacts(index: 1, name: "lo", hardware: InterfaceFacts.loopback)
        loopback.hasCarrier = true
        var modem = Self.wired(2, "enx0c5b8f279a64")
        modem.managed = ManagedFacts(isModem: true)
        var bare = Self.wired(2, "mhi0")
        bare.hardware = InterfaceFacts.rawIP
        let table: [(InterfaceFacts, PathKind, String)] = [
            (loopback, .loopback, "it is the loopback"),
            (Self.wired(2, "eth0"), .wired, "it is Ethernet"),
            (Self.wifi(2, "wlp3s0"), .wifi, "it has a Wi-Fi radio"),
            (Self.cellular(2, "wwp0s20u4"), .cellular, "its driver says that it is a modem"),
            (Self.wired(2, "rmnet_data0"), .cellular, "it has a modem's name"),
            (modem, .cellular, "NetworkManager says that it is a modem"),
            (bare, .cellular, "it is hardware that takes bare IP packets: a modem"),
            (Self.made(2, "eth0", by: "veth"), .wired, "it is one end of a virtual cable"),
            (Self.made(2, "docker0", by: "bridge"), .wired, "it is a bridge with nothing below it"),
        ]
        for (facts, kind, because) in table {
            let path = Self.path([facts], by: facts.index)
            #expect(path.kind == kind && path.kindBecause == because, "\(path)")
            #expect(path.isUp && path.metered == nil && path.carriedBy.isEmpty, "\(path)")
        }
    }

    @Test("what stands on others is as the slowest of them that is up")
    func stacks() {
        let bond = Self.made(5, "bond0", by: "bond", on: [2, 3])
        let both = [Self.wired(2, "eth0"), Self.wifi(3, "wlan0", ssid: "Hall"), bond]
        #expect(Self.path(both, by: 5).kind == .wifi)
        #expect(Self.path(both, by: 5).ssid == "Hall")
        #expect(Self.path(both, by: 5).carriedBy == [.init("wlan0", .wifi)])
        let one = [Self.wired(2, "eth0"), Self.off(Self.wifi(3, "wlan0")), bond]
        #expect(Self.path(one, by: 5).kind == .wired && Self.path(one, by: 5).isUp)
        let none = [Self.off(Self.wired(2, "eth0")), Self.off(Self.wifi(3, "wlan0")), bond]
        #expect(!Self.path(none, by: 5).isUp)
        // A VPN over a VLAN on a bridge whose other member is a virtual machine's.
        let deep = [
            Self.wifi(2, "wlan0"), Self.made(3, "vnet0", by: "tun"),
            Self.made(4, "br0", by: "bridge", on: [3, 2]),
            Self.made(5, "br0.7", by: "vlan", on: [4]), Self.made(6, "gre1", by: "gre", remote: 5),
        ]
        let path = Self.path(deep, by: 6)
        #expect(path.kind == .wifi)
        #expect(path.carriedBy.map(\.interface) == ["br0.7", "br0", "wlan0"])
        #expect(
            path.kindBecause
                == "it is a GRE tunnel whose other end is reached by br0.7: it is a VLAN on br0: "
                + "it is a bridge on wlan0: it has a Wi-Fi radio")
    }

    @Test("a tunnel is seen through by its remote, by what it stands on, or when only one thing can carry it")
    func tunnels() {
        let wired = Self.wired(2, "eth0")
        let phone = Self.cellular(3, "wwan0")
        let byRemote = [wired, phone, Self.made(9, "gre1", by: "gre", remote: 3)]
        #expect(Self.path(byRemote, by: 9).kind == .cellular)
        #expect(Self.path([wired, phone, Self.made(9, "vx", by: "vxlan", on: [2])], by: 9).kind == .wired)
        let only = Self.path([wired, Self.off(phone), Self.wireguard], by: 9)
        #expect(only.kind == .wired && only.carriedBy == [.init("eth0", .wired)])
        #expect(
            only.kindBecause
                == "it is a WireGuard tunnel, and only eth0 is up to carry it: it is Ethernet")
        // A container's way out is a virtual cable; a member of a bridge leads nowhere by itself.
        var member = Self.made(4, "veth7", by: "veth")
        member.upper = 5
        let container = [Self.made(3, "eth0", by: "veth"), member, Self.wireguard]
        #expect(Self.path(container, by: 9).carriedBy.map(\.interface) == ["eth0"])
    }

    @Test("what carries a tunnel may be unknown, and then it says so")
    func unknownCarrier() {
        let interfaces = [Self.wired(2, "eth0"), Self.wifi(3, "wlan0"), Self.wireguard]
        let path = Self.path(interfaces, by: 9)
        #expect(path.kind == .tunnel && path.carriedBy.isEmpty && path.isUp)
        #expect(path.mayBeCarriedBy == [.init("eth0", .wired), .init("wlan0", .wifi)])
        #expect(
            path.kindBecause
                == "it is a WireGuard tunnel, and it cannot be known which of eth0, wlan0 carries it")
        let nothing = Self.path([Self.wireguard], by: 9)
        #expect(nothing.kind == .tunnel && nothing.mayBeCarriedBy.isEmpty)
        let dialled = InterfaceFacts(index: 4, name: "ppp0", hardware: InterfaceFacts.pointToPoint)
        #expect(Self.path([dialled], by: 4).kind == .cellular)
        #expect(Self.path([Self.wired(2, "eth0"), dialled], by: 4).kind == .wired)
    }

    @Test("tunnels that lead into each other are given up on, however many there are")
    func circles() {
        let two = [
            Self.made(1, "gre1", by: "gre", remote: 2), Self.made(2, "gre2", by: "gre", remote: 1),
        ]
        #expect(Self.path(two, by: 1).kind == .tunnel)
        #expect(Self.path([Self.made(1, "gre1", by: "gre", remote: 1)], by: 1).kind == .tunnel)
        #expect(Self.path([Self.made(1, "br0", by: "bridge", on: [1])], by: 1).kind == .tunnel)
        let many = (1...200).map { Self.made($0, "gre\($0)", by: "gre", remote: $0 + 1) }
        #expect(Self.path(many, by: 1).kind == .tunnel)
    }

    @Test("up is what is turned on, let in and connected, all the way down")
    func up() {
        var off = Self.wired(2, "eth0")
        off.isTurnedOn = false
        var dormant = Self.wifi(2, "eth0")
        dormant.state = .dormant
        var loose = Self.wired(2, "eth0")
        loose.hasCarrier = false
        let table: [(InterfaceFacts, String)] = [
            (off, "eth0 is turned off"), (dormant, "eth0 waits to be let in"),
            (loose, "eth0 is connected to nothing"), (Self.off(Self.wired(2, "eth0")), "eth0 is down"),
        ]
        for (facts, because) in table {
            #expect(Self.path([facts], by: 2).downBecause == because)
            let vlan = Self.path([facts, Self.made(7, "eth0.7", by: "vlan", on: [2])], by: 7)
            #expect(vlan.downBecause == because)
        }
        #expect(
            Self.path([], by: 12).downBecause == "the interface with number 12 has just gone")
    }

    @Test("metered is what NetworkManager says, unless the settings say otherwise")
    func metered() {
        func path(_ hint: ManagedFacts.Metered, _ settings: NetworkSettings = .init()) -> NetworkPath {
            var facts = Self.wifi(2, "wlan0")
            facts.managed = ManagedFacts(metered: hint, ssid: "Phone")
            return Self.path([facts, Self.made(9, "wlan0.5", by: "vlan", on: [2])], by: 9, settings)
        }
        #expect(path(.unknown).metered == nil)
        #expect(path(.yes).metered == .init(true, because: "wlan0 is metered, says NetworkManager"))
        #expect(path(.guessedYes).isMetered)
        #expect(!path(.no).isMetered && path(.no).metered != nil)
        #expect(!path(.guessedNo).isMetered)
        var settings = NetworkSettings()
        settings.interfaces["wlan0"] = .init(isMetered: false)
        #expect(!path(.yes, settings).isMetered)
        // The network's own name says more than the interface that joined it.
        settings.ssids["Phone"] = .init(isMetered: true)
        let word = path(.no, settings).metered
        #expect(word == .init(true, because: "the network 'Phone' is metered by the settings"))
        // And what is said of what the bytes leave by, before what is said of what carries it.
        settings.interfaces["wlan0.5"] = .init(isMetered: false)
        #expect(!path(.yes, settings).isMetered)
    }

    @Test("a tunnel that may run over something metered is taken to")
    func doubt() {
        var phone = Self.wifi(3, "wlan0")
        phone.managed = ManagedFacts(metered: .guessedYes)
        let path = Self.path([Self.wired(2, "eth0"), phone, Self.wireguard], by: 9)
        #expect(
            path.metered
                == .init(
                    true,
                    because: "it may be carried by wlan0, and wlan0 seems to be metered, says NetworkManager")
        )
        var settings = NetworkSettings()
        settings.interfaces["wg0"] = .init(isMetered: false)
        #expect(!Self.path([Self.wired(2, "eth0"), phone, Self.wireguard], by: 9, settings).isMetered)
    }

    @Test("the settings' word on a kind goes before everything")
    func kindBySettings() {
        var settings = NetworkSettings()
        settings.interfaces["usb0"] = .init(kind: .cellular)
        settings.ssids["Bus"] = .init(kind: .cellular)
        let tethered = Self.path([Self.wired(2, "usb0")], by: 2, settings)
        #expect(tethered.kind == .cellular)
        #expect(tethered.kindBecause == "the settings say so of usb0")
        #expect(Self.path([Self.wifi(2, "wlan0", ssid: "Bus")], by: 2, settings).kind == .cellular)
        #expect(Self.path([Self.wifi(2, "wlan0", ssid: "Hall")], by: 2, settings).kind == .wifi)
    }
}
