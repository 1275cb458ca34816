public import Bridge
import Posix
import Synchronization

/// What a camera tells by itself, in order, for one reader.
///
/// A camera can tell more than anybody reads. Beyond ``limit`` the newest are dropped, and the reader is told that
/// cards may have changed: everything has to be listed again, which is what both kinds of loss mean.
public struct CameraChanges: AsyncSequence, Sendable {
    public static let limit = 1024

    private let state: ChangeState

    public init() {
        state = ChangeState()
    }

    /// From any thread.
    public func push(_ change: CameraChange) { state.push(change) }

    /// Nothing more will come.
    public func finish() { state.finish() }

    public func makeAsyncIterator() -> Iterator { Iterator(state: state) }

    public struct Iterator: AsyncIteratorProtocol {
        let state: ChangeState

        /// Nothing once the connection is over and everything was read.
        public func next() async -> CameraChange? { await state.next() }
    }
}

final class ChangeState: Sendable {
    private struct Waiting {
        var kept: [CameraChange] = []
        var head = 0
        var hasLost = false
        var isFinished = false
    }

    private let waiting = Mutex(Waiting())
    private let bell = Doorbell()

    func push(_ change: CameraChange) {
        waiting.withLock { waiting in
            // The same twice in a row says nothing new.
            if waiting.kept.count > waiting.head, waiting.kept.last == change { return }
            if waiting.kept.count - waiting.head < CameraChanges.limit {
                waiting.kept.append(change)
            } else {
                waiting.hasLost = true
            }
        }
        bell.ring()
    }

    func finish() {
        waiting.withLock { $0.isFinished = true }
        bell.ring()
    }

    func next() async -> CameraChange? {
        while !Task.isCancelled {
            let (change, isOver) = waiting.withLock { waiting in Self.take(&waiting) }
            if change != nil || isOver { return change }
            await bell.waitUnlessCancelled()
        }
        return nil
    }

    private static func take(_ waiting: inout Waiting) -> (CameraChange?, isOver: Bool) {
        if waiting.head < waiting.kept.count {
            let change = waiting.kept[waiting.head]
            waiting.head += 1
            if waiting.head == waiting.kept.count {
                waiting.kept.removeAll(keepingCapacity: true)
                waiting.head = 0
            }
            return (change, false)
        }
        if waiting.hasLost {
            waiting.hasLost = false
            return (.cardsChanged, false)
        }
        return (nil, waiting.isFinished)
    }
}
