import Basics
import Bridge
import HTTPClient
import Network
import Posix
import Store
import Synchronization
import Upload

/// What of a bridge reaches into networks: one client for all requests, and the way to each destination.
final class Uplink: Sendable {
    let client: CurlClient
    let privateCA: String?
    /// How far a gallery's clock is from ours, by the last answer of any of them.
    let galleryClock = GalleryClock()
    /// The same of stores.
    let storeClock = GalleryClock()
    /// Each has a thread of its own, ended with everything.
    private let fileServers = Mutex<[CurlFileServer]>([])
    private let watcher: NetworkPathMonitor
    private let time: any TimeSource
    private let settings: NetworkSettings
    /// Bytes a second that uploads by one network take together.
    private let rate: UInt64?
    private let ways = Mutex<[DestinationID: Way]>([:])

    /// The way to one destination, as it was seen last.
    struct Way: Equatable, Sendable {
        let path: NetworkPath
        let ceiling: PathUploadLimit

        /// The same for all destinations that are reached by the same network.
        var name: String {
            [path.carrier ?? "none", path.ssid ?? "", path.kind.rawValue].joined(separator: " ")
        }
        var isMetered: Bool { path.isMetered }
    }

    /// Of a host whose name could not be looked up.
    private static let untilNextLookup = Duration.seconds(5)

    init(_ settings: Settings, on reactor: Reactor) throws {
        time = reactor
        privateCA = settings.http.privateCA
        client = try CurlClient(settings.http)
        self.settings = settings.network
        rate = settings.rate
        watcher = NetworkPathMonitor(
            reactor, kernel: try RealKernel(reactor), manager: NetworkManager(reactor),
            settings: settings.network)
    }

    func keep(_ server: CurlFileServer) {
        for way in ways.withLock({ $0.values }) { server.setRate(bytesPerSecond: rate, forPath: way.name) }
        fileServers.withLock { $0.append(server) }
    }

    func shutDown() async {
        await client.shutDown()
        for server in fileServers.withLock({ $0 }) { await server.shutDown() }
    }

    func way(to destination: DestinationID) -> Way? { ways.withLock { $0[destination] } }

    /// For requests of one destination: they draw on the bytes of whatever network leads there now.
    func transport(for destination: DestinationID) -> any HTTPTransport {
        WayTransport(client: client) { [weak self] in self?.way(to: destination)?.name }
    }

    /// Tells who delivers of every way there is, and again whenever one may have changed. Until the task is cancelled.
    func follow(
        _ deliveries: any WayFollower,
        report: @escaping @Sendable (UploadEvent) -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.watcher.run() }
            group.addTask { await self.resolveDoubts() }
            group.addTask {
                await self.watcher.ready()
                let changes = self.watcher.changes()
                await self.look(deliveries, report)
                for await _ in changes { await self.look(deliveries, report) }
            }
        }
    }

    /// The kernel reports when a path changes, but not when a name can be looked up again.
    private func resolveDoubts() async {
        while true {
            do {
                try await time.sleep(until: time.now + Self.untilNextLookup)
            } catch {
                return
            }
            if ways.withLock({ $0.values.contains { $0.path.note != nil } }) { watcher.lookAgain() }
        }
    }

    /// A new uploader has begun: it is told of every way again.
    func tellAgain() {
        ways.withLock { $0 = [:] }
        watcher.lookAgain()
    }

    private func look(_ deliveries: any WayFollower, _ report: (UploadEvent) -> Void) async {
        var hasMoved = false
        for destination in deliveries.destinations {
            guard case .network(let host, let port) = destination.reach else { continue }
            let path = await watcher.path(to: host, port: port)
            let way = Way(path: path, ceiling: PathUploadLimit(of: path, settings: settings))
            let former = ways.withLock { $0.updateValue(way, forKey: destination.id) }
            guard former != way else { continue }
            report(.way(url: destination.url, way.ceiling.because))
            if let former, former.name != way.name { hasMoved = true }
            client.setRate(bytesPerSecond: rate, forPath: way.name)
            for server in fileServers.withLock({ $0 }) {
                server.setRate(bytesPerSecond: rate, forPath: way.name)
                if former != nil { server.forgetConnections() }
            }
            // The uploader may be a new one by now: a way is noted first and told then.
            deliveries.way(to: destination.id, by: way.name, ceiling: way.ceiling.slots, isUp: path.isUp)
        }
        // What is kept for later leads out by the old way.
        if hasMoved { client.forgetConnections() }
    }
}

/// Who delivers, and is told of the way to each destination.
protocol WayFollower: Sendable {
    var destinations: [any Destination] { get }
    func way(to id: DestinationID, by path: String, ceiling: Int, isUp: Bool)
}

/// Says of every request by which network it leaves.
private struct WayTransport: HTTPTransport {
    let client: CurlClient
    let path: @Sendable () -> String?

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        var request = request
        if request.path == nil { request.path = path() }
        return try await client.send(request)
    }

    func forgetConnections() {
        client.forgetConnections()
    }
}
