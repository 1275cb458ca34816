import Camera
import Posix
import Synchronization

/// The threads of a bridge, ended together.
final class Threads: Sendable {
    private let ends = Mutex<[@Sendable () -> Void]>([])
    private let buffers = BufferBudget()

    func make(_ name: String) -> ThreadExecutor {
        let executor = ThreadExecutor(name: name)
        ends.withLock { $0.append { executor.shutDown() } }
        return executor
    }

    func makeReactor(_ name: String) throws -> Reactor {
        let reactor = try Reactor(name: name)
        ends.withLock { $0.append { reactor.shutDown() } }
        return reactor
    }

    func makeWorkers() -> PhotoWorkers {
        let workers = PhotoWorkers.start(sharing: buffers)
        ends.withLock { $0.append { workers.shutDown() } }
        return workers
    }

    func shutDown() {
        for end in ends.withLock({ $0.reversed() }) { end() }
    }
}
