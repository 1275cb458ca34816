import Basics
import Glibc
import Posix

/// Answers searches for a computer, each from the address by which the one that asks is reached.
actor HostAnswers {
    enum Answer: Sendable {
        /// Too many ask, or there is no way to the one that does.
        case none
        case said([UInt8])
        case impossible(SystemError)
    }

    private struct Open {
        let door: HostDoor
        let task: Task<Void, Never>
        var lastUsed: Duration
    }

    private let host: HostDescription
    private let reactor: Reactor
    private var doors: [CameraAddress: Open] = [:]
    private var windowEnd = Duration.zero
    private var answered = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    /// A computer has fewer networks at one time. Of more addresses, one after another, those are served that were asked
    /// for last.
    private static let mostDoors = 8
    /// Whose address a datagram bears is not proved: no host is flooded with answers that it did not ask for.
    private static let mostAnswers = 20
    private static let window = Duration.seconds(1)

    init(_ host: HostDescription, _ reactor: Reactor) {
        self.host = host
        self.reactor = reactor
    }

    func answer(to sender: IPEndpoint) async -> Answer {
        if reactor.now >= windowEnd {
            windowEnd = reactor.now + Self.window
            answered = 0
        }
        guard answered < Self.mostAnswers else { return .none }
        answered += 1
        let own: CameraAddress
        do throws(SystemError) {
            guard let source = try await RouteNetlink(reactor).route(to: sender.address)?.source,
                let address = CameraAddress(bytes: source)
            else { return .none }
            own = address
        } catch {
            // The network is going, and the camera asks again.
            return .none
        }
        do throws(SystemError) {
            return .said(host.answer(at: try await door(at: own).place))
        } catch {
            return .impossible(error)
        }
    }

    private func door(at own: CameraAddress) async throws(SystemError) -> HostDoor {
        while doors[own] == nil, doors.count >= Self.mostDoors,
            let oldest = doors.min(by: { $0.value.lastUsed < $1.value.lastUsed })
        {
            doors[oldest.key] = nil
            oldest.value.task.cancel()
            await oldest.value.task.value
        }
        if let open = doors[own] {
            doors[own]?.lastUsed = reactor.now
            return open.door
        }
        let door = try HostDoor(host, at: own, reactor)
        let task = Task(executorPreference: reactor) { await door.serve() }
        doors[own] = Open(door: door, task: task, lastUsed: reactor.now)
        return door
    }

    /// No description is served any more.
    func end() async {
        let open = doors.values.map(\.task)
        doors = [:]
        for task in open { task.cancel() }
        for task in open { await task.value }
    }
}
