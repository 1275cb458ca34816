import Basics
import Posix
import TestSupport
import Testing

/// The kernel's answers, as we read them and as iproute2 does.
@Suite(.enabled(if: Tool.isThere("ip"), "iproute2 is not installed"))
struct NetlinkKernelTests {
    static func ip(_ arguments: String...) throws -> [JSONValue] {
        let output = try #require(Tool("ip")).run(["-j"] + arguments)
        if output.output.isEmpty { return [] }
        return try JSON5.parse(output.output).array ?? []
    }

    @Test("the same interfaces as iproute2 lists")
    func links() async throws {
        let reactor = try Reactor(name: "test")
        let ours = try await RouteNetlink(reactor).links()
        let theirs = try Self.ip("-d", "link", "show")
        #expect(!ours.isEmpty && ours.map(\.name) == theirs.map { $0["ifname"]?.string })
        for (link, judged) in zip(ours, theirs) {
            #expect(Int64(link.index) == judged["ifindex"]?.integer)
            let flags = judged["flags"]?.array?.compactMap(\.string) ?? []
            #expect((link.flags & NetworkLink.isTurnedOn != 0) == flags.contains("UP"))
            #expect((link.hasCarrier ?? true) == flags.contains("LOWER_UP") || !flags.contains("UP"))
            let states = ["UNKNOWN", "NOTPRESENT", "DOWN", "LOWERLAYERDOWN", "TESTING", "DORMANT", "UP"]
            #expect(states[Int(link.state)] == judged["operstate"]?.string)
            #expect(link.madeBy == judged["linkinfo"]?["info_kind"]?.string)
        }
    }

    @Test(
        "the same ways as iproute2 finds, IPv4 and IPv6, and none where it finds none",
        arguments: [
            "127.0.0.1", "127.3.4.5", "192.0.2.77", "198.51.100.7", "203.0.113.200", "10.1.2.3", "::1",
            "2001:db8::1", "240.0.0.1", "224.0.0.251",
        ])
    func routes(address: String) async throws {
        let reactor = try Reactor(name: "test")
        let netlink = RouteNetlink(reactor)
        let endpoint = try #require(IPEndpoint(numeric: address, port: 1))
        let ours = try await netlink.route(to: endpoint.address)
        let theirs = try Self.ip("route", "get", address).first
        let names = try await netlink.links().map { ($0.index, $0.name) }
        let name = ours.flatMap { route in names.first { $0.0 == route.interface }?.1 }
        #expect(name == theirs?["dev"]?.string)
        func numeric(_ text: String?) -> [UInt8]? {
            text.flatMap { IPEndpoint(numeric: $0, port: 1)?.address }
        }
        #expect(ours?.gateway == numeric(theirs?["gateway"]?.string))
        #expect(ours?.source == numeric(theirs?["prefsrc"]?.string))
    }

    @Test("a kernel without Wi-Fi, or an interface without, has no network's name")
    func noWireless() async throws {
        let reactor = try Reactor(name: "test")
        let links = try await RouteNetlink(reactor).links()
        let loopback = try #require(links.first { $0.name == "lo" })
        #expect(try await WirelessName.of(loopback.index, on: reactor) == nil)
        #expect(try await WirelessName.of(99_999, on: reactor) == nil)
    }

    @Test("waiting for a change ends when the task does")
    func cancelled() async throws {
        let reactor = try Reactor(name: "test")
        let changes = try NetworkChanges(reactor)
        let waiting = Task(executorPreference: reactor) { try await changes.next() }
        waiting.cancel()
        await #expect(throws: SystemError.self) { try await waiting.value }
    }
}
