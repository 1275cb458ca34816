import Bridge
import Network
import Posix
import TestSupport
import Testing

/// Against the NetworkManager of python-dbusmock on a bus of its own.
@Suite(.enabled(if: PrivateBus.isPossible, "dbus-daemon, dbus-send or python3-dbusmock is not installed"))
struct NetworkManagerTests {
    /// Waits for what it is to know.
    private static func wait(
        _ manager: NetworkManager, _ signal: Signal, on reactor: Reactor,
        until isKnown: ([String: ManagedFacts]) -> Bool
    ) async -> [String: ManagedFacts] {
        let deadline = reactor.now + .seconds(10)
        while true {
            let facts = await manager.facts()
            if isKnown(facts) || reactor.now > deadline { return facts }
            await signal.wait(until: deadline, of: reactor)
        }
    }

    private static func withManager(
        _ address: String, _ body: (NetworkManager, Signal, Reactor) async throws -> Void
    ) async throws {
        let reactor = try Reactor(name: "test")
        let manager = NetworkManager(reactor, address: address)
        let signal = Signal()
        let running = Task(executorPreference: reactor) { await manager.run { signal.fire() } }
        defer { running.cancel() }
        try await body(manager, signal, reactor)
        running.cancel()
        await running.value
    }

    @Test("what is metered is known, and a change of it comes by itself")
    func metered() async throws {
        let bus = try PrivateBus()
        let wired = try bus.addDevice("Ethernet", "eth0")
        _ = try bus.addDevice("WiFi", "wlan0")
        try await Self.withManager(bus.address) { manager, signal, reactor in
            let first = await Self.wait(manager, signal, on: reactor) { $0.count == 2 }
            #expect(first["eth0"] == ManagedFacts() && first["wlan0"] == ManagedFacts())
            for (number, metered) in [
                (3, ManagedFacts.Metered.guessedYes), (2, .no), (1, .yes), (4, .guessedNo),
            ] {
                try bus.set(wired, "Device", "Metered", "uint32:\(number)")
                let facts = await Self.wait(manager, signal, on: reactor) { $0["eth0"]?.metered == metered }
                #expect(facts["eth0"]?.metered == metered && facts["wlan0"]?.metered == .unknown)
            }
        }
    }

    @Test("the name of the network that Wi-Fi is in, also after it went to another one")
    func ssid() async throws {
        let bus = try PrivateBus()
        let device = try bus.addDevice("WiFi", "wlp3s0")
        func point(_ name: String) throws -> String {
            try bus.send(
                "org.freedesktop.DBus.Mock.AddAccessPoint", "string:\(device)", "string:\(name)",
                "string:\(name) net", "string:00:11:22:33:44:55", "uint32:2", "uint32:2425", "uint32:5400",
                "byte:82", "uint32:0x100"
            ).filter { !$0.isWhitespace }
        }
        let hall = try point("hall")
        let phone = try point("phone")
        try bus.send(
            at: device, "org.freedesktop.DBus.Mock.AddProperty",
            "string:org.freedesktop.NetworkManager.Device.Wireless", "string:ActiveAccessPoint",
            "variant:objpath:\(hall)")
        try await Self.withManager(bus.address) { manager, signal, reactor in
            let first = await Self.wait(manager, signal, on: reactor) { $0["wlp3s0"]?.ssid != nil }
            #expect(first["wlp3s0"]?.ssid == "hall net")
            try bus.set(device, "Device.Wireless", "ActiveAccessPoint", "objpath:\(phone)")
            let second = await Self.wait(manager, signal, on: reactor) { $0["wlp3s0"]?.ssid == "phone net" }
            #expect(second["wlp3s0"]?.ssid == "phone net")
        }
    }

    @Test("a modem's packets leave by an interface of another name than its own")
    func modem() async throws {
        let bus = try PrivateBus()
        let device = try bus.addDevice("Ethernet", "cdc-wdm0")
        try bus.set(device, "Device", "DeviceType", "uint32:8")
        try bus.set(device, "Device", "IpInterface", "string:wwp0s20u4")
        try await Self.withManager(bus.address) { manager, signal, reactor in
            let facts = await Self.wait(manager, signal, on: reactor) { $0["wwp0s20u4"] != nil }
            #expect(facts["wwp0s20u4"] == ManagedFacts(isModem: true))
            #expect(facts["cdc-wdm0"]?.isModem == true)
        }
    }

    @Test("NetworkManager may come late and go early, and is never started by us")
    func comesAndGoes() async throws {
        let bus = try PrivateBus()
        try await Self.withManager(bus.address) { manager, signal, reactor in
            // The first news is that no NetworkManager is there.
            await signal.wait(until: reactor.now + .seconds(10), of: reactor)
            #expect(await manager.facts().isEmpty)
            let owners = try bus.send(
                to: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", "org.freedesktop.DBus.ListNames")
            #expect(!owners.contains("NetworkManager"))
            let device = try bus.addDevice("Ethernet", "eth0")
            try bus.set(device, "Device", "Metered", "uint32:1")
            let there = await Self.wait(manager, signal, on: reactor) { $0["eth0"]?.metered == .yes }
            #expect(there["eth0"]?.metered == .yes)
            try bus.stopManager()
            let gone = await Self.wait(manager, signal, on: reactor) { $0.isEmpty }
            #expect(gone.isEmpty)
        }
    }

    @Test(
        "without a bus nothing is known, and that is said at once",
        arguments: ["unix:path=/nowhere/at/all", "nonsense", ""])
    func noBus(address: String) async throws {
        try await Self.withManager(address) { manager, signal, reactor in
            let start = reactor.now
            await signal.wait(until: start + .seconds(10), of: reactor)
            #expect(reactor.now - start < .seconds(5))
            #expect(await manager.facts().isEmpty)
        }
    }
}
