package import Bridge
import Posix
import Synchronization

/// One reader's news, in order, until the bridge ends. A reader that is too slow is told how much it missed.
package final class NewsSubscription: Sendable {
    private struct State {
        var waiting: [BridgeNews] = []
        var missed = 0
        var isFinished = false
    }

    /// Kept for a reader; what comes beyond it is left out.
    package static let limit = 10_000

    private let state = Mutex(State())
    private let signal = Signal()

    func put(_ news: BridgeNews) {
        state.withLock { state in
            if state.waiting.count < Self.limit { state.waiting.append(news) } else { state.missed += 1 }
        }
        signal.fire()
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        signal.fire()
    }

    /// Everything that has come, as soon as there is anything; nothing at the end.
    package func nextBatch() async -> [BridgeNews]? {
        while !Task.isCancelled {
            let (batch, isOver) = state.withLock { state -> ([BridgeNews], Bool) in
                var batch = state.waiting
                if state.missed > 0 { batch.append(.missed(state.missed)) }
                (state.waiting, state.missed) = ([], 0)
                return (batch, state.isFinished)
            }
            if !batch.isEmpty { return batch }
            if isOver { return nil }
            await signal.waitUnlessCancelled()
        }
        return nil
    }
}
