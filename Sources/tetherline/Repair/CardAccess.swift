import Bridge
import Camera
import Posix
import Store
import Synchronization
import Transfer

/// Cameras that a bridge has: each is lent for one photo after the other, so that what is shot meanwhile comes in between.
struct TetheredCards: CardAccess {
    let cameras: [CameraTransfer]

    func visit(_ restorer: PhotoRestorer) async -> [String] {
        var problems: [String] = []
        for camera in cameras where !restorer.open.isEmpty {
            do {
                try await visit(camera, restorer)
            } catch {
                problems.append("\(error)")
            }
        }
        return problems
    }

    private func visit(_ camera: CameraTransfer, _ restorer: PhotoRestorer) async throws {
        let found = Mutex<[(SpooledCapture, Offer)]>([])
        try await camera.lend { driver in
            let offers = try await restorer.find(on: driver)
            found.withLock { $0 = offers }
        }
        for (photo, offer) in found.withLock({ $0 }) {
            try await camera.lend { driver in try await restorer.bring(photo, offer, from: driver) }
        }
    }
}

/// Cameras that no bridge has: one connection to each.
struct ReachedCards: CardAccess {
    let hosts: [(host: HostPort, known: KnownBody?)]
    let home: Home
    let client: ConnectionOptions.Client
    let reactor: Reactor

    /// `hosts`: as the operator named them; where the event's cameras were last, where none is named.
    init(
        _ named: [HostPort], of event: BridgeEvent, _ client: ConnectionOptions.Client,
        _ home: Home, _ reader: LedgerReader,
        on reactor: Reactor
    ) throws {
        var hosts = named
        if hosts.isEmpty {
            hosts = try reader.cameras(of: event.id).map {
                try HostPort($0.address, defaultPort: TCPLinks.usualPort)
            }
        }
        var seen: Set<String> = []
        self.hosts = try hosts.filter { seen.insert("\($0)").inserted }.map {
            ($0, try reader.body(at: "\($0)"))
        }
        (self.home, self.client) = (home, client)
        self.reactor = reactor
    }

    func visit(_ restorer: PhotoRestorer) async -> [String] {
        var problems: [String] = []
        for (host, known) in hosts where !restorer.open.isEmpty {
            do {
                try await client.connector(to: host, on: reactor).looking(
                    knowing: known, recalling: home.memory(of: host), onStep: { _ in },
                    { camera, wish in
                        for (photo, offer) in try await restorer.find(on: camera, wish) {
                            try await restorer.bring(photo, offer, from: camera)
                        }
                    })
            } catch {
                problems.append("\(host): \(error)")
            }
        }
        return problems
    }
}
