import Basics
import Postgres

/// Looks, on a thread of its own, which of the database's servers is the newest primary.
actor ServerWatcher {
    private nonisolated let executor: any SerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let watch: ServerWatch
    private let time: any TimeSource

    private static let pause = Duration.seconds(1)

    init(_ gallery: PostgresGallery, executor: any SerialExecutor, time: any TimeSource) {
        self.executor = executor
        self.time = time
        watch = gallery.watch()
    }

    /// Until the task is cancelled.
    func run() async {
        guard watch.isNeeded else { return }
        while !Task.isCancelled {
            watch.look()
            do throws(CancellationError) {
                try await time.sleep(until: time.now + Self.pause)
            } catch {
                return
            }
        }
    }
}
