import Basics
import Glibc
import Posix

/// Answers searches for a computer, each from the address by which the one that asks is reached.
actor HostAnswers {
    private let host: HostDescription
    private let reactor: Reactor
    private var doors: [CameraAddress: (door: HostDoor, task: Task<Void, Never>)] = [:]
    private var windowEnd = Duration.zero
    private var answered = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    /// A computer has fewer networks.
    private static let mostDoors = 8
    /// Whose address a datagram bears is not proved: no host is flooded with answers that it did not ask for.
    private static let mostAnswers = 20
    private static let window = Duration.seconds(1)

    init(_ host: HostDescription, _ reactor: Reactor) {
        self.host = host
        self.reactor = reactor
    }

    /// Nothing for what cannot be answered now.
    func answer(to sender: IPEndpoint) async -> [UInt8]? {
        if reactor.now >= windowEnd {
            windowEnd = reactor.now + Self.window
            answered = 0
        }
        guard answered < Self.mostAnswers else { return nil }
        answered += 1
        do throws(SystemError) {
            guard let source = try await RouteNetlink(reactor).route(to: sender.address)?.source,
                let own = CameraAddress(bytes: source)
            else { return nil }
            return host.answer(at: try door(at: own).place)
        } catch {
            // The network is going, and the camera asks again.
            return nil
        }
    }

    private func door(at own: CameraAddress) throws(SystemError) -> HostDoor {
        if let open = doors[own] { return open.door }
        guard doors.count < Self.mostDoors else {
            throw SystemError("describing this computer", EMFILE, on: "\(own)")
        }
        let door = try HostDoor(host, at: own, reactor)
        doors[own] = (door, Task(executorPreference: reactor) { await door.serve() })
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
