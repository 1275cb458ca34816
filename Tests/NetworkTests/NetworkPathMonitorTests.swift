import Bridge
import Glibc
import Network
import Posix
import TestSupport
import Testing

/// Wi-Fi to the camera on interface 2, a modem on 3, a tunnel to 10.9.8.7 on 4.
struct Desk {
    let kernel = ModelKernel()
    let manager = ModelManager()
    let sysfs: TemporaryFolder
    let reactor: Reactor
    let watcher: NetworkPathMonitor

    init(_ settings: NetworkSettings = NetworkSettings()) throws {
        reactor = try Reactor(name: "test")
        sysfs = try TemporaryFolder()
        for folder in ["class", "class/net"] { sysfs.makeFolder(folder) }
        for (name, type) in [("wlan0", "wlan"), ("wwan0", "wwan")] {
            sysfs.makeFolder("class/net/\(name)")
            sysfs.makeFolder("class/net/\(name)/device")
            try sysfs.write("DEVTYPE=\(type)\n", to: "class/net/\(name)/uevent")
        }
        sysfs.makeFolder("class/net/wlan0/wireless")
        watcher = NetworkPathMonitor(
            reactor, kernel: kernel, manager: manager, sysfs: sysfs.path, settings: settings)
        var tunnel = NetworkLink(index: 4, name: "gre1", hardware: 778)
        tunnel.madeBy = "gre"
        tunnel.remote = [10, 9, 8, 7]
        let links = [NetworkLink(index: 2, name: "wlan0"), NetworkLink(index: 3, name: "wwan0"), tunnel]
        kernel.state.change { state in
            state.links = links
            // The camera's own network is the default route, as always.
            state.routes = [
                (prefix: [], interface: 2), (prefix: [198, 51, 100], interface: 3),
                (prefix: [10, 9], interface: 3), (prefix: [172, 16], interface: 4),
            ]
            state.wirelessNames = [2: "DIRECT-camera"]
        }
    }

    /// Runs the watcher beside the body.
    func run(_ body: (NetworkPathMonitor) async throws -> Void) async throws {
        let watcher = watcher
        let running = Task(executorPreference: reactor) { await watcher.run() }
        defer { running.cancel() }
        await watcher.ready()
        try await body(watcher)
        running.cancel()
        await running.value
    }
}

@Suite struct NetworkWatcherTests {
    @Test("the way to the destination counts, not the default route, which is the camera's")
    func byDestination() async throws {
        let desk = try Desk()
        let away = await desk.watcher.path(to: "198.51.100.7", port: 443)
        #expect(away.interface == "wwan0" && away.kind == .cellular && away.isUp)
        let camera = await desk.watcher.path(to: "192.168.1.1", port: 15740)
        #expect(camera.interface == "wlan0" && camera.kind == .wifi && camera.ssid == "DIRECT-camera")
        let tunnelled = await desk.watcher.path(to: "172.16.0.1", port: 443)
        #expect(tunnelled.interface == "gre1" && tunnelled.kind == .cellular)
        #expect(tunnelled.carriedBy == [.init("wwan0", .cellular)])
        #expect(await desk.watcher.pathToAnywhere().interface == "wlan0")
        #expect(try await desk.watcher.interfaces().map(\.interface) == ["wlan0", "wwan0", "gre1"])
    }

    @Test("a host that cannot be looked up takes the way to the internet, or where it was last, and says so")
    func unknownHost() async throws {
        let desk = try Desk()
        let path = await desk.watcher.path(to: "gallery.invalid", port: 443)
        #expect(path.interface == "wlan0")
        #expect(path.note?.hasPrefix("gallery.invalid cannot be looked up now (") == true)
        #expect(path.note?.hasSuffix("this is the way to the internet at large") == true)
    }

    @Test("no route, no interface, no answer: each is a path that is down, with its reason")
    func down() async throws {
        let desk = try Desk()
        desk.kernel.state.change { $0.routes = [(prefix: [198], interface: 77)] }
        let none = await desk.watcher.path(to: "203.0.113.9", port: 443)
        #expect(!none.isUp && none.downBecause == "no route leads to 203.0.113.9")
        let gone = await desk.watcher.path(to: "198.51.100.7", port: 443)
        #expect(!gone.isUp && gone.downBecause == "the interface with number 77 has just gone")
        desk.kernel.state.change { $0.failure = SystemError("asking over netlink", EPERM, on: "the kernel") }
        let blind = await desk.watcher.path(to: "198.51.100.7", port: 443)
        #expect(
            blind.downBecause?.hasPrefix("the way to 198.51.100.7 cannot be found out: the kernel") == true)
        #expect(PathUploadLimit(of: blind, settings: NetworkSettings()).slots == 0)
    }

    @Test("going from Wi-Fi to cellular is told, and the limit is the modem's from then on")
    func changes() async throws {
        let desk = try Desk()
        try await desk.run { watcher in
            var changes = watcher.changes().makeAsyncIterator()
            func ceiling() async -> Int {
                PathUploadLimit(
                    of: await watcher.path(to: "192.0.2.1", port: 443), settings: NetworkSettings()
                )
                .slots
            }
            #expect(await ceiling() == 3)
            desk.kernel.happen { $0.routes = [(prefix: [], interface: 3)] }
            await changes.next()
            #expect(await ceiling() == 2)
            desk.manager.say(["wwan0": ManagedFacts(metered: .yes)])
            await changes.next()
            #expect(await ceiling() == 0)
            desk.manager.say([:])
            await changes.next()
            desk.kernel.happen { $0.links[1].flags = 0 }
            await changes.next()
            #expect(await ceiling() == 0)
            var settings = NetworkSettings()
            settings.interfaces["wlan0"] = .init(limit: 1)
            await watcher.use(settings)
            await changes.next()
        }
    }

    @Test("a kernel that cannot be listened to for a while is listened to again, and what was missed is told")
    func listensAgain() async throws {
        let desk = try Desk()
        try await desk.run { watcher in
            var changes = watcher.changes().makeAsyncIterator()
            desk.kernel.happen { $0.failure = SystemError("reading netlink", EBADF, on: "the kernel") }
            await changes.next()
            desk.kernel.happen { $0.failure = nil }
            await changes.next()
            #expect(await watcher.path(to: "198.51.100.7", port: 443).isUp)
        }
    }

    @Test(
        "a listener that has stopped is not told any more, and one that begins late misses nothing afterwards"
    )
    func listeners() async throws {
        let desk = try Desk()
        try await desk.run { watcher in
            let first = Task { for await _ in watcher.changes() { return } }
            desk.kernel.happen { _ in }
            first.cancel()
            await first.value
            var second = watcher.changes().makeAsyncIterator()
            desk.kernel.happen { _ in }
            await second.next()
        }
    }

    @Test("this machine's own kernel: what leads to the loopback is the loopback")
    func real() async throws {
        let reactor = try Reactor(name: "test")
        let watcher = NetworkPathMonitor(reactor, kernel: try RealKernel(reactor), manager: ModelManager())
        for host in ["127.0.0.1", "localhost"] {
            let path = await watcher.path(to: host, port: 443)
            #expect(path.interface == "lo" && path.kind == .loopback && path.isUp && path.note == nil)
        }
        #expect(try await watcher.interfaces().contains { $0.interface == "lo" })
    }
}
