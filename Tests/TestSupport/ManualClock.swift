public import Basics
import Synchronization

/// A clock that only moves when a test says so.
public final class ManualClock: TimeSource {
    private struct Sleeper {
        let id: Int
        let deadline: Duration
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Watcher {
        let isSatisfied: @Sendable ([Duration]) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now: Duration = .zero
        var sleepers: [Sleeper] = []
        var nextID = 0
        var cancelled: Set<Int> = []
        /// Tests that wait until a task is really asleep.
        var watchers: [Watcher] = []
    }

    private let state = Mutex(State())

    public init() {}

    public var now: Duration { state.withLock { $0.now } }

    public func sleep(until deadline: Duration) async throws(CancellationError) {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let woke = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (known, watchers) = state.withLock {
                    state -> (Bool?, [CheckedContinuation<Void, Never>]) in
                    if state.cancelled.remove(id) != nil { return (false, []) }
                    if deadline <= state.now { return (true, []) }
                    state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
                    let deadlines = state.sleepers.map(\.deadline)
                    let ready = state.watchers.filter { $0.isSatisfied(deadlines) }
                    state.watchers.removeAll { $0.isSatisfied(deadlines) }
                    return (nil, ready.map(\.continuation))
                }
                if let known { continuation.resume(returning: known) }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(returning: false)
        }
        if !woke { throw CancellationError() }
    }

    public func advance(by duration: Duration) {
        let due = state.withLock { state -> [Sleeper] in
            state.now += duration
            let due = state.sleepers.filter { $0.deadline <= state.now }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due
        }
        for sleeper in due.sorted(by: { $0.deadline < $1.deadline }) {
            sleeper.continuation.resume(returning: true)
        }
    }

    /// Returns when so many are asleep: no guessing whether the code under test has got there.
    public func waitForSleepers(_ count: Int) async {
        await waitForDeadlines { $0.count >= count }
    }

    /// Returns when a task sleeps until that moment or longer.
    public func waitForSleeper(until deadline: Duration) async {
        await waitForDeadlines { $0.contains { $0 >= deadline } }
    }

    /// Returns when a task sleeps for no longer than that.
    public func waitForSleeper(within longest: Duration) async {
        let latest = now + longest
        await waitForDeadlines { $0.contains { $0 <= latest } }
    }

    private func waitForDeadlines(_ isSatisfied: @escaping @Sendable ([Duration]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if isSatisfied(state.sleepers.map(\.deadline)) { return true }
                state.watchers.append(Watcher(isSatisfied: isSatisfied, continuation: continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// The next moment that a task waits for.
    public var nextDeadline: Duration? { state.withLock { $0.sleepers.map(\.deadline).min() } }
}
