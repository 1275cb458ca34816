package import Basics
import Synchronization

/// Lets tasks wait until another one fires it. A signal that is fired while no task waits is remembered for the next one;
/// fired several times it counts once. It wakes all that wait.
package final class Signal: Sendable {
    private enum State {
        /// Nothing has happened since the last wait ended.
        case idle
        /// It was fired, and no task has waited for it yet.
        case fired
        /// At least one task waits. Left when it is fired.
        case awaited([CheckedContinuation<Void, Never>])
    }

    private let state = Mutex(State.idle)

    package init() {}

    package func fire() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard case .awaited(let waiters) = state else {
                state = .fired
                return []
            }
            state = .idle
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits even in a cancelled task: for ends that are certain to come.
    package func wait() async {
        await wait { false }
    }

    /// `isOver`: what a task that fires it for this wait alone has brought about. Another waiter may have taken that.
    private func wait(unless isOver: () -> Bool) async {
        await withCheckedContinuation { continuation in
            let wasFired = state.withLock { state in
                if isOver() { return true }
                switch state {
                case .fired:
                    state = .idle
                    return true
                case .idle:
                    state = .awaited([continuation])
                    return false
                case .awaited(let others):
                    state = .awaited(others + [continuation])
                    return false
                }
            }
            if wasFired { continuation.resume() }
        }
    }

    /// Returns as soon as the task is cancelled, too. A loop around this must look at that; others that wait are woken as
    /// well, and look at what they wait for.
    package func waitUnlessCancelled() async {
        await waitUnlessCancelled { false }
    }

    private func waitUnlessCancelled(or isOver: () -> Bool) async {
        await withTaskCancellationHandler {
            await wait { Task.isCancelled || isOver() }
        } onCancel: {
            fire()
        }
    }

    /// Returns when it is fired, when the time has come, or as soon as the task is cancelled.
    package func wait(until deadline: Duration, of time: any TimeSource) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await time.sleep(until: deadline)
                    self.fire()
                } catch {
                    // It was fired before.
                    return
                }
            }
            await waitUnlessCancelled { time.now >= deadline }
            group.cancelAll()
        }
    }
}
