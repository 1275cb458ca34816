import Posix
import Synchronization

/// What a camera tells by itself, in order, for one reader; it can tell faster than that reads.
///
/// Beyond ``limit`` the newest are dropped, and the reader gets `loss` after what was kept.
final class BoundedEventQueue<Told: Equatable & Sendable>: Sendable {
    static var limit: Int { 1024 }

    private struct Waiting {
        var kept: [Told] = []
        var head = 0
        var hasLost = false
        var isFinished = false
    }

    private let loss: Told
    private let waiting = Mutex(Waiting())
    private let signal = Signal()

    init(whenLost loss: Told) {
        self.loss = loss
    }

    /// From any thread.
    func push(_ told: Told) {
        waiting.withLock { waiting in
            // The same twice in a row says nothing new.
            if waiting.kept.count > waiting.head, waiting.kept.last == told { return }
            if waiting.kept.count - waiting.head < Self.limit {
                waiting.kept.append(told)
            } else {
                waiting.hasLost = true
            }
        }
        signal.fire()
    }

    /// Nothing more will come.
    func finish() {
        waiting.withLock { $0.isFinished = true }
        signal.fire()
    }

    /// Nothing once it is finished and everything was read.
    func next() async -> Told? {
        while !Task.isCancelled {
            let (told, isOver) = take()
            if told != nil || isOver { return told }
            await signal.waitUnlessCancelled()
        }
        return nil
    }

    private func take() -> (Told?, isOver: Bool) {
        waiting.withLock { waiting in
            if waiting.head < waiting.kept.count {
                let told = waiting.kept[waiting.head]
                waiting.head += 1
                if waiting.head == waiting.kept.count {
                    waiting.kept.removeAll(keepingCapacity: true)
                    waiting.head = 0
                }
                return (told, false)
            }
            if waiting.hasLost {
                waiting.hasLost = false
                return (loss, false)
            }
            return (nil, waiting.isFinished)
        }
    }
}
