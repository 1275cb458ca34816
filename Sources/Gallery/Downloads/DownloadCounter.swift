import Basics
import Posix
import Synchronization

/// Counts what guests take home in memory, and writes it down every few seconds: a download waits for no write. A node that ends
/// by itself writes what it has; one that is killed loses the last seconds.
final class DownloadCounter: Sendable {
    private let state = Mutex<[String: DownloadTally]>([:])
    /// Events that could not be written the last time.
    private let refused = Mutex<Set<String>>([])
    private let store: StorePool
    private let time: any TimeSource
    private let wall: any WallTime
    private let log: GalleryLog
    private let news = Signal()

    static let pause = Duration.seconds(5)
    /// Where a database is away for long, what more events' guests take is not counted.
    private static let mostEvents = 10_000

    init(store: StorePool, time: any TimeSource, wall: any WallTime, log: GalleryLog) {
        self.store = store
        self.time = time
        self.wall = wall
        self.log = log
    }

    /// It waits for nothing. `photos` are the sequences of those that were chosen one by one.
    func note(
        _ kind: DownloadTally.Kind, _ count: DownloadTally.Count, photos: [Int64] = [], in event: String,
        by taker: GuestDevices.Taker
    ) {
        let entry = DownloadTally.Entry(
            kind: kind, count: count, photos: photos, device: taker.device, author: taker.author,
            day: wall.wallNow.day)
        state.withLock { state in
            guard state[event] != nil || state.count < Self.mostEvents else { return }
            state[event, default: DownloadTally()].add(entry)
        }
        news.fire()
    }

    /// Until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await news.waitUnlessCancelled()
            do throws(CancellationError) {
                try await time.sleep(until: time.now + Self.pause)
            } catch {
                break
            }
            await write()
        }
        // A task of its own, which has not been cancelled.
        await Task { await write() }.value
    }

    /// Where one event cannot be written, the fault may be its own; where two cannot, it is probably the database's.
    private static let mostFailures = 2

    /// What could not be written is written the next time.
    func write() async {
        let noted = state.withLock { state in
            defer { state = [:] }
            return state
        }
        var left: [String: DownloadTally] = [:]
        // They come last, so that they keep no other from being written.
        var failed = refused.withLock { $0 }
        let inOrder = noted.filter { !failed.contains($0.key) } + noted.filter { failed.contains($0.key) }
        var failures = 0
        for (event, tally) in inOrder {
            guard failures < Self.mostFailures else {
                left[event] = tally
                continue
            }
            do {
                try await store { try $0.addDownloads(tally, to: event) }
                failed.remove(event)
            } catch {
                log.warning(
                    "what guests of event \(event) took home cannot be written now, which is tried again: \(error)"
                )
                left[event] = tally
                failed.insert(event)
                failures += 1
            }
        }
        refused.withLock { $0 = failed }
        guard !left.isEmpty else { return }
        state.withLock { state in
            for (event, tally) in left { state[event, default: DownloadTally()].add(tally) }
        }
        news.fire()
    }
}
