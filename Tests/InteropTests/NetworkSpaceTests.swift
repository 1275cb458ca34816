import Basics
import TestSupport
import Testing

/// Networks that iproute2 builds, and what is said of them, held against what iproute2 says.
@Suite(.enabled(if: NetworkSpace.isPossible, "network namespaces need root and iproute2"))
struct NetworkSpaceTests {
    /// Two cables, each with its other end in here, too.
    private static let cables = """
        link set lo up
        link add w0 type veth peer name w1
        link add x0 type veth peer name x1
        link set w0 up
        link set w1 up
        link set x0 up
        link set x1 up
        addr add 10.1.0.1/24 dev w0
        addr add 10.2.0.1/24 dev x0
        addr add fd00:1::1/64 dev w0 nodad
        """

    @Test("the same ways as iproute2 finds, through cables, bridges, VXLANs and programs' tunnels")
    func ways() throws {
        let space = try NetworkSpace()
        try space.ip(Self.cables)
        try space.ip(
            """
            link add br0 type bridge
            link add y0 type veth peer name y1
            link set y0 master br0
            link set y0 up
            link set y1 up
            link set br0 up
            addr add 10.3.0.1/24 dev br0
            link add vx0 type vxlan id 5 remote 10.2.0.9 dstport 4789
            link set vx0 up
            addr add 10.4.0.1/24 dev vx0
            link add link x0 name m0 type macvlan
            link set m0 up
            addr add 10.5.0.1/24 dev m0
            tuntap add dev tun0 mode tun
            link set tun0 up
            addr add 10.6.0.1/24 dev tun0
            route add default via 10.1.0.254
            route add blackhole 10.7.0.0/24
            route add unreachable 10.8.0.0/24
            """)
        let table: [(String, interface: String?, kind: String?, carriers: [String])] = [
            ("10.1.0.9", "w0", "wired", []), ("203.0.113.1", "w0", "wired", []),
            ("10.2.0.9", "x0", "wired", []),
            ("[fd00:1::9]", "w0", "wired", []), ("10.3.0.9", "br0", "wired", ["y0"]),
            ("10.4.0.9", "vx0", "wired", ["x0"]), ("10.5.0.9", "m0", "wired", ["x0"]),
            ("10.1.0.1", "lo", "loopback", []), ("10.7.0.1", nil, nil, []), ("10.8.0.1", nil, nil, []),
            ("[2001:db8::1]", nil, nil, []),
        ]
        for (address, interface, kind, carriers) in table {
            let way = try space.way(to: address)
            #expect(way["interface"]?.string == interface, "\(address)")
            #expect(try space.judgedWay(to: address.filter { !"[]".contains($0) }) == interface, "\(address)")
            #expect(way["kind"]?.string == kind, "\(address)")
            let hops = way["carriedBy"]?.array?.compactMap { $0["interface"]?.string }
            #expect(hops == carriers, "\(address): \(way.compact)")
        }
        // Nothing reads from it, so nothing is at its other end.
        let idle = try space.way(to: "10.6.0.9")
        #expect(idle["interface"]?.string == "tun0" && idle["limit"]?.integer == 0, "\(idle.compact)")
    }

    @Test("a rule or a second table that sends a destination elsewhere is seen, because the kernel decides")
    func rules() throws {
        let space = try NetworkSpace()
        try space.ip(Self.cables)
        try space.ip(
            """
            route add default via 10.1.0.254
            route add default via 10.2.0.254 table 7
            rule add to 198.51.100.0/24 lookup 7
            """)
        #expect(try space.way(to: "198.51.100.9")["interface"]?.string == "x0")
        #expect(try space.way(to: "203.0.113.9")["interface"]?.string == "w0")
    }

    @Test("a route that moves, a cable that is pulled, a device that goes: each is told at once")
    func changes() throws {
        let space = try NetworkSpace()
        try space.ip(Self.cables)
        try space.ip("route add 198.51.100.0/24 dev w0")
        let person = try Operator()
        let words = space.words([
            Built.tetherline, "network", "--json", "--follow", "--home", person.home, "--destination",
            "198.51.100.9",
        ])
        let daemon = try Daemon(try #require(Tool(words[0])).path, Array(words.dropFirst()))
        func wait(_ interface: String, _ end: String, times: Int = 1) throws {
            let beginning = #""host":"198.51.100.9","port":443,"interface":\#(interface)"#
            try daemon.wait(for: beginning, and: end, times: times)
        }
        try wait(#""w0""#, #""limit":6"#)
        try space.ip("route replace 198.51.100.0/24 dev x0")
        try wait(#""x0""#, #""limit":6"#)
        try space.ip("link set x1 down")
        try wait(#""x0""#, #""downBecause":"x0 is down""#)
        try space.ip("link set x1 up")
        try space.ip("link delete x0")
        try wait("null", #""downBecause":"no route leads to 198.51.100.9""#)
        try space.ip("route add default via 10.1.0.254")
        try wait(#""w0""#, #""limit":6"#, times: 2)
        #expect(daemon.stop() == 130)
    }
}
