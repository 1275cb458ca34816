import Arguments
import Basics
import Bridge
import Camera
import Posix
import Store
import Synchronization
import Transfer
import Upload

/// How a command that mends reaches the bridge that runs in its home, or works by itself where none does.
struct RepairChannel {
    let home: Home
    let event: String?
    private let cameras: [HostPort]
    private let invocation: Invocation

    /// The longest that nothing may be found out: one large video over a thin line.
    private static let timeout = Duration.seconds(3600)

    init(_ invocation: Invocation, event: String?) throws {
        self.invocation = invocation
        home = Home(invocation.value("home"))
        self.event = event
        cameras = try invocation.all("camera").map { try HostPort($0, defaultPort: TCPLinks.usualPort) }
    }

    /// Nothing while a bridge runs here.
    func sessionWithoutBridge(on reactor: Reactor) async throws -> StandaloneSession? {
        let request: [(key: String, value: JSONValue)] = [(key: "command", value: "cameras")]
        if try await CommandRouter.ask(request, in: home, on: reactor) != nil { return nil }
        return try await StandaloneSession.open(event, in: home, on: reactor)
    }

    func ask(
        _ request: [(key: String, value: JSONValue)], on reactor: Reactor
    ) async throws -> [JSONValue] {
        let lines = Mailbox<JSONValue>()
        let whole = request + (event.map { [(key: "event", value: .string($0))] } ?? [])
        let isAnswered = try await BridgeAnswer.ask(whole, in: home, on: reactor, timeout: Self.timeout) {
            lines.post($0)
        }
        guard isAnswered else { throw BridgeEnded() }
        return lines.takeAll()
    }

    func mending(at session: StandaloneSession) throws -> RepairService {
        let reader = try home.reader()
        let client = try ConnectionOptions.Client(invocation, in: home)
        return session.mending(
            reader, try ReachedCards(cameras, of: session.event, client, home, reader, on: session.reactor))
    }
}

/// Where mending is done.
enum RepairTarget {
    case bridge(RepairChannel, Reactor)
    case session(StandaloneSession, RepairService)

    var reactor: Reactor {
        switch self {
        case .bridge(_, let reactor): reactor
        case .session(let session, _): session.reactor
        }
    }

    /// What the destination has of these photos, or of all.
    func look(at url: String, _ photos: [String], _ tell: (JSONValue) throws -> Void) async throws {
        switch self {
        case .bridge(let channel, let reactor):
            let request: [(key: String, value: JSONValue)] = [
                (key: "command", value: "readBack"), (key: "destination", value: .string(url)),
                (key: "photos", value: .array(photos.map { .string($0) })),
            ]
            for line in try await channel.ask(request, on: reactor) { try tell(line) }
        case .session(_, let mending):
            var readBack = ReadBack(
                reader: mending.reader,
                destinations: [try RepairService.destination(url, of: mending.destinations)],
                former: mending.former, sample: nil, random: SystemRandomSource())
            readBack.photos = photos
            try await readBack.run { try tell($0) }
        }
    }

    func redeliver(
        _ entries: [RedeliveryList.Entry], to url: String, _ tell: (JSONValue) throws -> Void
    ) async throws {
        switch self {
        case .bridge(let channel, let reactor):
            for request in RedeliveryRequest.requests(for: entries.map { ($0.job, $0.why) }, to: url) {
                for line in try await channel.ask(request.members, on: reactor) { try tell(line) }
            }
        case .session(_, let mending):
            try await mending.redeliver(
                entries.map { ($0.job, $0.why) },
                to: try RepairService.destination(url, of: mending.destinations)
            ) { try tell($0) }
        }
    }

    /// A bridge that runs delivers them itself; where none runs, this does.
    func deliver(_ jobs: [JobID], to url: String) async throws -> StandaloneDelivery.End {
        switch self {
        case .bridge: return .begun
        case .session(let session, let mending):
            return try await session.deliver(
                jobs, to: try RepairService.destination(url, of: mending.destinations))
        }
    }
}
