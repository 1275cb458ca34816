package import Basics
import Posix

/// Makes the blocks that changes do not make themselves: of what an older version of the program left, of what was changed in
/// great numbers, and of what another program wrote.
package final class SearchIndexer: Sendable {
    private let store: StorePool
    private let time: any TimeSource
    private let log: @Sendable (String) -> Void
    private let signal = Signal()

    /// Others may have written.
    private static let pause = Duration.seconds(30)

    package init(store: StorePool, time: any TimeSource, log: @escaping @Sendable (String) -> Void) {
        self.store = store
        self.time = time
        self.log = log
    }

    /// After each commit; waits for nothing.
    func heard(_ changes: [GalleryChange]) {
        for change in changes {
            switch change {
            case .photosMoved, .eventDeleted: signal.fire()
            default: break
            }
        }
    }

    /// Until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            do {
                try await indexAll()
            } catch {
                log("photos could not be made ready to be searched, which is tried again: \(error)")
            }
            await signal.wait(until: time.now + Self.pause, of: time)
        }
    }

    /// In steps, so that others get their turn.
    func indexAll() async throws {
        while !Task.isCancelled, try await store({ try $0.indexWaiting() }) {}
    }
}
