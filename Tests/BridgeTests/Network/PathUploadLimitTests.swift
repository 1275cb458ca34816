import Basics
import Bridge
import Testing

@Suite struct PathCeilingTests {
    typealias Facts = NetworkMapTests

    static func ceiling(
        _ interfaces: [InterfaceFacts], by index: Int, _ settings: NetworkSettings = NetworkSettings()
    ) -> PathUploadLimit {
        PathUploadLimit(of: Facts.path(interfaces, by: index, settings), settings: settings)
    }

    @Test("each kind has its limit, and why is said in a sentence")
    func limits() {
        let loopback = InterfaceFacts(index: 2, name: "lo", hardware: InterfaceFacts.loopback)
        let table: [(InterfaceFacts, Int, String)] = [
            (Facts.wifi(2, "wlan0"), 3, "wlan0 is Wi-Fi: 3 at a time"),
            (Facts.cellular(2, "wwan0"), 2, "wwan0 is cellular: 2 at a time"),
            (Facts.wired(2, "eth0"), 6, "eth0 is wired: 6 at a time"),
            (loopback, 8, "lo is this machine itself: 8 at a time"),
            (Facts.off(Facts.wired(2, "eth0")), 0, "eth0 is down: 0"),
        ]
        for (facts, slots, because) in table {
            let ceiling = Self.ceiling([facts], by: 2)
            #expect(ceiling.slots == slots && ceiling.because == because, "\(ceiling)")
        }
        let none = PathUploadLimit(of: .none(because: "no way leads to it"), settings: NetworkSettings())
        #expect(none.slots == 0 && none.because == "no way leads to it: 0")
    }

    @Test("of a tunnel what carries it counts, and where that is unknown the slowest that it can be")
    func tunnels() {
        let over = Self.ceiling([Facts.wifi(2, "wlan0"), Facts.wireguard], by: 9)
        #expect(over.slots == 3 && over.because == "wg0 runs over wlan0, which is Wi-Fi: 3 at a time")
        let wires = [Facts.wired(2, "eth0"), Facts.wired(3, "eth1"), Facts.wireguard]
        #expect(Self.ceiling(wires, by: 9).slots == 6)
        let mixed = Self.ceiling(
            [Facts.wired(2, "eth0"), Facts.cellular(3, "wwan0"), Facts.wireguard], by: 9)
        #expect(mixed.slots == 2)
        #expect(
            mixed.because
                == "wg0 is a tunnel over eth0 or wwan0, and the slowest of them counts: 2 at a time")
        let blind = Self.ceiling([Facts.wireguard], by: 9)
        #expect(blind.slots == 2)
        #expect(
            blind.because == "wg0 is a tunnel and nothing is known of what carries it: 2 at a time")
    }

    @Test("nothing where it costs by the byte, unless the operator allows it")
    func metered() {
        var phone = Facts.cellular(2, "wwan0")
        phone.managed = ManagedFacts(metered: .yes)
        var settings = NetworkSettings()
        let none = Self.ceiling([phone], by: 2, settings)
        #expect(none.slots == 0)
        #expect(
            none.because
                == "wwan0 is metered, says NetworkManager, and uploads on metered networks are not allowed: 0"
        )
        settings.interfaces["wwan0"] = .init(limit: 5)
        #expect(Self.ceiling([phone], by: 2, settings).slots == 0)
        settings.allowsMetered = true
        let some = Self.ceiling([phone], by: 2, settings)
        #expect(some.slots == 5 && some.because == "the settings say so of wwan0: 5 at a time")
        settings.interfaces = [:]
        #expect(Self.ceiling([phone], by: 2, settings).slots == 2)
    }

    @Test("the settings' limits: of kinds, of interfaces, of networks by name, and of what carries a tunnel")
    func settings() {
        var settings = NetworkSettings()
        settings.wifi = 1
        settings.ssids["Hall"] = .init(limit: 4)
        settings.interfaces["eth0"] = .init(limit: 0)
        #expect(Self.ceiling([Facts.wifi(2, "wlan0")], by: 2, settings).slots == 1)
        let hall = Self.ceiling([Facts.wifi(2, "wlan0", ssid: "Hall")], by: 2, settings)
        #expect(hall.slots == 4 && hall.because == "the settings say so of the network 'Hall': 4 at a time")
        let wired = Self.ceiling([Facts.wired(2, "eth0")], by: 2, settings)
        #expect(wired.slots == 0 && wired.because == "the settings say so of eth0: 0")
        #expect(Self.ceiling([Facts.wired(2, "eth0"), Facts.wireguard], by: 9, settings).slots == 0)
    }

    @Test("a tunnel and what carries it share one network; another network's name is another network")
    func sameNetwork() {
        let desk = [Facts.wifi(2, "wlan0", ssid: "Hall"), Facts.wireguard]
        let direct = Facts.path(desk, by: 2)
        let tunnelled = Facts.path(desk, by: 9)
        #expect(tunnelled.carrier == "wlan0" && direct.carrier == "wlan0")
        #expect(tunnelled.isSameNetwork(as: direct))
        #expect(!direct.isSameNetwork(as: Facts.path([Facts.wifi(2, "wlan0", ssid: "Phone")], by: 2)))
        #expect(!direct.isSameNetwork(as: .none(because: "no")))
    }

    @Test("a path as JSON holds what a script needs, and null for what is unknown")
    func json() {
        var path = Facts.path([Facts.wifi(2, "wlan0", ssid: "A\"B"), Facts.wireguard], by: 9)
        path.metered = .init(false, because: "x")
        #expect(
            path.json.compact
                == #"{"interface":"wg0","kind":"wifi","kindBecause":"it is a WireGuard tunnel, and only wlan0 is up "#
                + #"to carry it: it has a Wi-Fi radio","carriedBy":[{"interface":"wlan0","kind":"wifi"}],"#
                + #""mayBeCarriedBy":[],"isUp":true,"downBecause":null,"isMetered":false,"meteredBecause":"x","#
                + #""ssid":"A\"B","note":null}"#)
        let none = NetworkPath.none(because: "no")
        #expect(
            none.json.compact
                == #"{"interface":null,"kind":null,"kindBecause":"no","carriedBy":[],"mayBeCarriedBy":[],"#
                + #""isUp":false,"downBecause":"no","isMetered":false,"meteredBecause":null,"ssid":null,"note":null}"#
        )
    }
}
