import Basics
import Postgres

/// Hears what other nodes ring, on a thread of its own.
actor BellKeeper {
    private nonisolated let executor: any SerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let bell: PostgresBell
    private let time: any TimeSource
    private let log: GalleryLog
    private var hasComplained = false

    /// So often it looks whether it is to end.
    private static let turn = Duration.seconds(1)
    private static let retryPause = Duration.seconds(1)

    init(_ gallery: PostgresGallery, executor: any SerialExecutor, time: any TimeSource, log: GalleryLog) {
        self.executor = executor
        self.time = time
        self.log = log
        bell = gallery.bell()
    }

    /// Until the task is cancelled.
    func run(_ follower: ChangeFollower) async {
        while !Task.isCancelled {
            do {
                // What was rung before it was connected was not heard.
                if try bell.connect() {
                    follower.heardNothing()
                    hasComplained = false
                }
                for text in try bell.hear(within: Self.turn) { follower.hear(text) }
            } catch {
                if !hasComplained {
                    log.warning(
                        "other nodes cannot be heard just now; this one looks every few seconds: \(error)")
                }
                hasComplained = true
                follower.heardNothing()
                do throws(CancellationError) {
                    try await time.sleep(until: time.now + Self.retryPause)
                } catch {
                    return
                }
            }
            await Task.yield()
        }
    }
}
