package import Bridge
package import Posix
import Synchronization

/// Which network leads to a destination, what it is, and when that may have changed.
///
/// It keeps nothing in mind but the addresses of hosts: each question is answered from what kernel, sysfs and
/// NetworkManager say at that moment, and what is concluded from it is ``NetworkMap``'s business.
package actor NetworkPathMonitor {
    private let reactor: Reactor
    private let kernel: any NetworkKernel
    private let manager: any ManagedNetworks
    private let sysfs: String
    private var settings: NetworkSettings
    /// The last addresses of hosts, for when the name server is not to be reached.
    private var addresses: [String: [IPEndpoint]] = [:]
    private let listeners = Mutex(Listeners())
    private let managerHasSpoken = Signal()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    /// For a name to be resolved. Uploads wait for that, and a resolver without network takes its time.
    private static let timeout = Duration.seconds(3)
    /// For NetworkManager's first word, which comes at once where it runs.
    private static let managerTimeout = Duration.seconds(1)
    /// After the kernel could not be listened to.
    private static let untilNextTry = Duration.seconds(1)
    private static let mostHosts = 256
    /// "TEST-NET-3" (RFC 5737) and the documentation prefix (RFC 3849): addresses of no host, so whatever way leads there
    /// leads to the internet at large.
    private static let anywhere = [
        IPEndpoint(address: [203, 0, 113, 1], port: 443),
        IPEndpoint(address: [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1], port: 443),
    ]

    package init(
        _ reactor: Reactor, kernel: any NetworkKernel, manager: any ManagedNetworks, sysfs: String = "/sys",
        settings: NetworkSettings = NetworkSettings()
    ) {
        self.reactor = reactor
        self.kernel = kernel
        self.manager = manager
        self.sysfs = sysfs
        self.settings = settings
    }

    // MARK: Changes

    /// Listens until the task is cancelled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.listenToKernel() }
            group.addTask {
                await self.manager.run {
                    self.managerHasSpoken.fire()
                    self.announce()
                }
            }
        }
    }

    /// Returns when NetworkManager has said what it knows, or does not answer. Called once, after ``run()`` has begun.
    package func ready() async {
        await managerHasSpoken.wait(until: reactor.now + Self.managerTimeout, of: reactor)
    }

    private func listenToKernel() async {
        while !Task.isCancelled {
            do throws(SystemError) {
                try await kernel.change()
            } catch {
                if Task.isCancelled { return }
                do {
                    try await reactor.sleep(until: reactor.now + Self.untilNextTry)
                } catch {
                    return
                }
            }
            announce()
        }
    }

    /// An element each time that a path may have changed; several changes before it is read are one.
    package nonisolated func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = listeners.withLock { $0.add(continuation) }
        continuation.onTermination = { [weak self] _ in self?.listeners.withLock { $0.remove(number) } }
        return stream
    }

    /// Listeners are to look again, though nothing is known to have changed: a name could not be looked up before.
    package nonisolated func lookAgain() {
        announce()
    }

    private nonisolated func announce() {
        for listener in listeners.withLock({ $0.all }) { listener.yield() }
    }

    /// Settings have changed: so may have every path.
    package func use(_ settings: NetworkSettings) {
        self.settings = settings
        announce()
    }

    // MARK: Questions

    /// Every interface of this machine.
    package func interfaces() async throws(SystemError) -> [NetworkPath] { try await map().paths }

    /// The way to a host, which may be a name or a number. What cannot be found out is no error: the answer says it.
    package func path(to host: String, port: UInt16) async -> NetworkPath {
        var note: String?
        var endpoints: [IPEndpoint]
        do throws(Resolver.Failure) {
            endpoints = try await Resolver.resolve(
                HostPort(host: host, port: port), until: reactor.now + Self.timeout, on: reactor)
            remember(endpoints, of: host)
        } catch {
            if let known = addresses[host] {
                endpoints = known
                note =
                    "\(host) cannot be looked up now (\(error.reason)): this is the way to where it was last"
            } else {
                endpoints = Self.anywhere
                note =
                    "\(host) cannot be looked up now (\(error.reason)): this is the way to the internet at large"
            }
        }
        return await path(to: endpoints, named: host, note)
    }

    /// The way to whatever no nearer route leads to.
    package func pathToAnywhere() async -> NetworkPath {
        await path(to: Self.anywhere, named: "the internet", nil)
    }

    private func path(to endpoints: [IPEndpoint], named host: String, _ note: String?) async -> NetworkPath {
        do throws(SystemError) {
            let map = try await map()
            var first: NetworkPath?
            for endpoint in endpoints {
                guard let route = try await kernel.route(to: endpoint.address) else { continue }
                var path = map.path(leavingBy: route.interface)
                path.note = note
                if path.isUp { return path }
                if first == nil { first = path }
            }
            var path = first ?? .none(because: "no route leads to \(host)")
            path.note = note
            return path
        } catch {
            return .none(because: "the way to \(host) cannot be found out: \(error)")
        }
    }

    private func remember(_ endpoints: [IPEndpoint], of host: String) {
        if addresses.count >= Self.mostHosts { addresses = [:] }
        addresses[host] = endpoints
    }

    private func map() async throws(SystemError) -> NetworkMap {
        let links = try await kernel.links()
        let managed = await manager.facts()
        var interfaces: [InterfaceFacts] = []
        for link in links {
            var facts = InterfaceFacts(link, try InterfaceFolder(of: link.name, root: sysfs))
            facts.managed = managed[link.name]
            facts.lower += links.filter { $0.upper == link.index }.map(\.index)
            if let remote = link.remote {
                facts.wayToRemote = try await kernel.route(to: remote)?.interface
            }
            if facts.isWireless, facts.managed?.ssid == nil {
                facts.ssid = try await kernel.wirelessName(of: link.index)
            }
            interfaces.append(facts)
        }
        return NetworkMap(interfaces, settings: settings)
    }
}

/// The listeners for changes.
private struct Listeners {
    private var continuations: [Int: AsyncStream<Void>.Continuation] = [:]
    private var next = 0

    var all: [AsyncStream<Void>.Continuation] { Array(continuations.values) }

    mutating func add(_ continuation: AsyncStream<Void>.Continuation) -> Int {
        next += 1
        continuations[next] = continuation
        return next
    }

    mutating func remove(_ number: Int) {
        continuations[number] = nil
    }
}

extension InterfaceFacts {
    init(_ link: NetworkLink, _ folder: InterfaceFolder) {
        self.init(index: link.index, name: link.name, hardware: link.hardware)
        madeBy = link.madeBy ?? (folder.isTunnelOfProgram ? "tun" : nil)
        deviceType = folder.deviceType
        isWireless = folder.isWireless
        hasDevice = folder.hasDevice
        isTurnedOn = link.flags & NetworkLink.isTurnedOn != 0
        state = OperatingState(rawValue: link.state) ?? .unknown
        hasCarrier = link.hasCarrier
        lower = link.lower.map { [$0] } ?? []
        upper = link.upper
    }
}
