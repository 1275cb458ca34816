package import Basics
import Posix

/// Tells caches outside what to forget: each image that guests may not see any more, until they have heard it, and once more a
/// minute later. What this server was about to answer when the image was taken back may reach a cache after the first time.
///
/// Any number of nodes do this for one database; each takes what no other has.
package final class Purger: Sendable {
    private let store: StorePool
    private let caches: any OutsideCaches
    /// What stands before the path of an image in the addresses that caches know.
    private let base: String
    private let time: any TimeSource
    private let log: GalleryLog
    private let news = Signal()

    /// So many addresses are told at a time.
    package static let atOnce = 100
    /// How often it is looked for what no message has said: what another node has left.
    private static let lookPause = Duration.seconds(5)
    private static let backoff = Backoff(first: .seconds(1), longest: .seconds(60))

    package init(
        store: StorePool, caches: any OutsideCaches, base: String, time: any TimeSource, log: GalleryLog
    ) {
        self.store = store
        self.caches = caches
        self.base = base
        self.time = time
        self.log = log
    }

    /// There may be something to tell.
    func lookAgain() { news.fire() }

    enum Turn: Equatable, Sendable {
        /// Nothing was due.
        case nothing
        case told(Int)
        case failed(String)
    }

    /// Until the task is cancelled. What is under way then is told by the next start, or by another node.
    package func run() async {
        var failures = 0
        while !Task.isCancelled {
            switch await turn() {
            case .told:
                if failures > 0 { log.info("caches are told again what to forget") }
                failures = 0
            case .nothing:
                await news.wait(until: time.now + Self.lookPause, of: time)
            case .failed(let problem):
                guard !Task.isCancelled else { return }
                failures += 1
                if failures == 1 || failures.isMultiple(of: 10) {
                    log.warning(
                        "caches could not be told to forget images that were taken back, which is tried again until they "
                            + "are: \(problem)")
                }
                do {
                    // What comes meanwhile does not make it go better.
                    try await time.sleep(until: time.now + Self.backoff.ceiling(afterFailures: failures))
                } catch {
                    return
                }
            }
        }
    }

    /// Tells once what is due, as much as goes at a time.
    func turn() async -> Turn {
        do {
            let due = try await store { store in
                try store.wantPurges()
                return try store.takePurges(limit: Self.atOnce)
            }
            guard !due.isEmpty else { return .nothing }
            do {
                try await caches.forget(due.map { base + ImageAddresses.path($0.key) })
            } catch {
                try await store { try $0.giveBack(due) }
                throw error
            }
            try await store { try $0.told(due) }
            return .told(due.count)
        } catch {
            return .failed("\(error)")
        }
    }
}
