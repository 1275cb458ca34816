import Synchronization

/// Lets one in at a time, in the order of a ``HashQueue``.
final class PriorityLock: Sendable {
    private struct State {
        var isTaken = false
        var line: HashQueue<CheckedContinuation<Bool, Never>>
    }

    private let state: Mutex<State>

    /// Besides the one who is in.
    init(mostWaiting: Int) {
        state = Mutex(State(line: HashQueue(most: mostWaiting)))
    }

    /// Including the one who is in.
    var count: Int { state.withLock { $0.line.count + ($0.isTaken ? 1 : 0) } }

    /// False where there was no room to wait, or is none any more. A caller that is let in has to ``leave()``.
    func enter(_ rank: HashPriority) async -> Bool {
        await withCheckedContinuation { continuation in
            let (turnedAway, isIn) = state.withLock { state -> (CheckedContinuation<Bool, Never>?, Bool) in
                guard state.isTaken else {
                    state.isTaken = true
                    return (nil, true)
                }
                return (state.line.join(continuation, rank), false)
            }
            if isIn { continuation.resume(returning: true) }
            turnedAway?.resume(returning: false)
        }
    }

    func leave() {
        let next = state.withLock { state in
            let next = state.line.next()
            state.isTaken = next != nil
            return next
        }
        next?.resume(returning: true)
    }
}
