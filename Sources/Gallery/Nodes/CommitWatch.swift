import Basics
import Synchronization

/// Whether what this node writes becomes durable: a commit of its own every few seconds. While a standby that commits wait for
/// is away, a database answers whatever is only read, and takes nothing.
final class CommitWatch: Sendable {
    private struct State {
        /// Of the first commit since the last that succeeded.
        var waitingSince: Duration?
        var problem: String?
    }

    private let state = Mutex(State())
    private let store: StorePool
    private let time: any TimeSource
    private let log: GalleryLog
    private let pause: Duration

    static let usualPause = Duration.seconds(5)
    /// A standby that is taken over, or a disk that has much to do, lets commits wait for a while.
    private static let bearable = Duration.seconds(10)

    init(_ store: StorePool, time: any TimeSource, log: GalleryLog, pause: Duration = CommitWatch.usualPause)
    {
        self.store = store
        self.time = time
        self.log = log
        self.pause = pause
    }

    /// For how long none has succeeded that was begun.
    var waiting: Duration { state.withLock(\.waitingSince).map { time.now - $0 } ?? .zero }

    /// Nothing where commits succeed, or wait for no longer than happens.
    var problem: String? {
        let waiting = waiting
        guard waiting > Self.bearable else { return nil }
        let seconds = waiting.wholeMilliseconds / 1000
        let reason = state.withLock(\.problem).map { ": \($0)" } ?? "; is the standby there?"
        return "no commit of this node has succeeded for \(seconds) s\(reason)"
    }

    /// Until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await look()
            do throws(CancellationError) {
                try await time.sleep(until: time.now + pause)
            } catch {
                return
            }
        }
    }

    private func look() async {
        state.withLock { $0.waitingSince = $0.waitingSince ?? time.now }
        do {
            try await store { try $0.commitMark() }
            state.withLock { $0 = State() }
        } catch {
            // This node ends, whatever becomes of it.
            guard !Task.isCancelled else { return }
            let isFirst = state.withLock { state in
                defer { state.problem = "\(error)" }
                return state.problem == nil
            }
            if isFirst {
                log.warning("what this node writes does not become durable just now: \(error)")
            }
        }
    }
}

extension GalleryStore {
    /// A transaction that leaves nothing but its mark.
    fileprivate func commitMark() throws { try write {} }
}
