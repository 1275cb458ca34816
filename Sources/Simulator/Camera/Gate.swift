import Synchronization

/// Open or closed; any number may wait until it is open.
final class Gate: Sendable {
    private struct State {
        var isOpen = true
        var nextNumber = 0
        /// Those that wait, in the order in which they came.
        var waiters: [(number: Int, continuation: CheckedContinuation<Void, Never>)] = []
        /// Cancelled before they could begin to wait.
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Returns at once where the gate is open, and otherwise when it is opened or the task cancelled.
    func pass() async {
        let number: Int? = state.withLock { state in
            if state.isOpen { return nil }
            state.nextNumber += 1
            return state.nextNumber
        }
        guard let number else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayPass = state.withLock { state in
                    if state.cancelled.remove(number) != nil || state.isOpen { return true }
                    state.waiters.append((number, continuation))
                    return false
                }
                if mayPass { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.waiters.remove(at: index).continuation
            }
            waiter?.resume()
        }
    }

    func close() {
        state.withLock { $0.isOpen = false }
    }

    func open() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            state.isOpen = true
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume() }
    }
}
