import Basics
import Posix
import Synchronization

/// Tells those who look how many hearts and comments photos have, a moment after they have changed: all that guests do within
/// that moment is one change of each event, one message to each listener and one question of each node to the database.
///
/// Counts themselves are written at once. Where a node ends before it has told, pages learn them with the next change of the
/// photo, or when they are opened anew.
final class ReactionTeller: Sendable {
    private let state = Mutex<[String: Set<String>]>([:])
    private let store: StorePool
    private let time: any TimeSource
    private let log: GalleryLog
    private let stirring = Signal()

    private static let pause = Duration.seconds(2)
    /// In one statement.
    private static let mostAtOnce = 500

    init(store: StorePool, time: any TimeSource, log: GalleryLog) {
        self.store = store
        self.time = time
        self.log = log
    }

    /// This node has changed them. It waits for nothing.
    func stir(_ photo: String, in event: String) {
        state.withLock { _ = $0[event, default: []].insert(photo) }
        stirring.fire()
    }

    /// Until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await stirring.waitUnlessCancelled()
            do throws(CancellationError) {
                try await time.sleep(until: time.now + Self.pause)
            } catch {
                return
            }
            await tell()
        }
    }

    /// What could not be told is told the next time.
    func tell() async {
        let stirred = state.withLock { state in
            defer { state = [:] }
            return state
        }
        for (event, photos) in stirred {
            let photos = photos.sorted()
            for start in stride(from: 0, to: photos.count, by: Self.mostAtOnce) {
                let some = Array(photos[start..<min(start + Self.mostAtOnce, photos.count)])
                do {
                    try await store { try $0.tellReactions(of: some, in: event) }
                } catch {
                    log.warning(
                        "hearts and comments of event \(event) cannot be told now, which is tried again: \(error)"
                    )
                    for photo in some { stir(photo, in: event) }
                }
            }
        }
    }
}
