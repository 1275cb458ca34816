import Basics
import Posix
import Synchronization

/// What was found when this node was last asked whether it is ready. A change is said in the log.
final class ReadinessRecord: Sendable {
    private struct Finding {
        let problem: Unreadiness?
        let time: Duration
    }

    private struct State {
        var last: Finding?
        var isStoreClosed = false
    }

    /// The store is not asked more often for figures, or for the log.
    static let life = Duration.seconds(10)

    private let state = Mutex(State())
    private let log: GalleryLog

    init(log: GalleryLog) { self.log = log }

    func note(_ problem: Unreadiness?, at now: Duration) {
        let before = state.withLock { state in
            defer { state.last = Finding(problem: problem, time: now) }
            return state.last?.problem
        }
        // Details of one reason are others each time: for how long it has been so.
        guard before?.word != problem?.word else { return }
        if let problem {
            log.warning("this node is not ready: \(problem.details)")
        } else {
            log.info("this node is ready again")
        }
    }

    /// One that is only slow is worked with: all nodes see that, and would stand still together.
    func note(store look: Look) {
        state.withLock { $0.isStoreClosed = look.problem != nil && look != Look.late }
    }

    /// Nothing where that was not looked at lately.
    func isReady(at now: Duration) -> Bool? {
        guard let last = state.withLock(\.last), now - last.time < Self.life else { return nil }
        return last.problem == nil
    }

    /// Whether what is made here can be kept: on the disk of that folder, and in the store, as of the last look at it.
    func takesWork(in workshop: String) -> Bool {
        if state.withLock(\.isStoreClosed) { return false }
        do throws(SystemError) {
            return try !GalleryServer.isDiskFull(nil, workshop)
        } catch {
            // The next look says what is wrong with it.
            return false
        }
    }
}
