package import Basics
import Synchronization

/// Lets one task wait until another task rings. A ring that comes first is remembered; several count as one.
package final class Doorbell: Sendable {
    private enum State {
        case silent
        case rung
        case waiting(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.silent)

    package init() {}

    package func ring() {
        let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
            switch state {
            case .silent, .rung:
                state = .rung
                return nil
            case .waiting(let waiter):
                state = .silent
                return waiter
            }
        }
        waiter?.resume()
    }

    /// Waits even in a cancelled task: for ends that are certain to come.
    package func wait() async {
        await withCheckedContinuation { continuation in
            let wasRung = state.withLock { state in
                switch state {
                case .rung:
                    state = .silent
                    return true
                case .silent:
                    state = .waiting(continuation)
                    return false
                case .waiting:
                    preconditionFailure("one task waits at a doorbell")
                }
            }
            if wasRung { continuation.resume() }
        }
    }

    /// Returns as soon as the task is cancelled, too. A caller that loops around this must look at that.
    package func waitUnlessCancelled() async {
        await withTaskCancellationHandler {
            await wait()
        } onCancel: {
            ring()
        }
    }

    /// Returns when another task rings, when the time has come, or as soon as the task is cancelled.
    package func wait(until deadline: Duration, of time: any TimeSource) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await time.sleep(until: deadline)
                    self.ring()
                } catch {
                    // Another task rang before.
                    return
                }
            }
            await waitUnlessCancelled()
            group.cancelAll()
        }
    }
}
