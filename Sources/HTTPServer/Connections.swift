import Glibc
import Synchronization

/// One connection, from its beginning to its end, over any number of requests.
final class Connection: Sendable {
    /// What the other side owes us just now.
    enum Debt {
        /// The headers of the next request, since then.
        case headers(since: Duration)
        /// A body, of which so many bytes had come when the time was last looked at.
        case body(since: Duration, count: UInt64)
        /// Nothing: it is our turn.
        case nothing
    }

    struct State {
        var debt: Debt
        var received: UInt64 = 0
        var exchange: Exchange?
    }

    let descriptor: Int32
    /// The address without its port.
    let peer: String
    let client: AddressGroup
    let state: Mutex<State>

    init(_ descriptor: Int32, peer: String, now: Duration) {
        self.descriptor = descriptor
        self.peer = peer
        client = AddressGroup(peer)
        state = Mutex(State(debt: .headers(since: now)))
    }

    /// The library takes a connection for dead when it can send nothing for the idle time. With a whole send buffer
    /// ahead of a slow guest (megabytes, of which a third has to be free before it hears of it) that is minutes, so no
    /// more than this waits there.
    private static let mostUnsent: Int32 = 128 << 10

    func keepSendingShort() {
        var count = Self.mostUnsent
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &count, socklen_t(MemoryLayout<Int32>.size))
    }

    func owes(_ debt: Debt) {
        state.withLock { $0.debt = debt }
    }
}

/// Every connection there is, and how many of them one address has.
final class Connections: Sendable {
    private let open = Mutex<[ObjectIdentifier: Connection]>([:])
    private let clients: ClientCounts
    private let most: Int
    private let proxies: Set<String>

    init(_ settings: ServerSettings) {
        clients = ClientCounts(most: settings.mostConnectionsPerAddress)
        most = settings.mostConnections
        proxies = settings.trustedProxies
    }

    /// Whether there is room for one more of that address.
    func hasRoom(for peer: String) -> Bool {
        count < most && (proxies.contains(peer) || clients.hasRoom(for: AddressGroup(peer)))
    }

    func add(_ connection: Connection) {
        open.withLock { $0[ObjectIdentifier(connection)] = connection }
        clients.add(connection.client)
    }

    /// Before its descriptor is closed.
    func remove(_ connection: Connection) {
        open.withLock { $0[ObjectIdentifier(connection)] = nil }
        clients.giveBack(connection.client)
    }

    var all: [Connection] { open.withLock { Array($0.values) } }
    var count: Int { open.withLock { $0.count } }

    /// The network's thread finds it ended. Inside the lock the descriptor is still that connection's.
    func cut(_ connection: Connection) {
        open.withLock { open in
            guard open[ObjectIdentifier(connection)] != nil else { return }
            shutdown(connection.descriptor, Int32(SHUT_RDWR))
        }
    }
}
