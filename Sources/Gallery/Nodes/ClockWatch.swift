import Basics
import Synchronization

/// By how much this node's clock differs from the database's, which all nodes have: what one node signs for a time, another
/// would refuse too early, or as from the future.
final class ClockWatch: Sendable {
    private let state = Mutex<Duration?>(nil)
    private let store: StorePool
    private let time: any TimeSource
    private let log: GalleryLog

    private static let pause = Duration.seconds(60)
    /// Log-ins bear ten minutes (``AccessToken``), and stores about as much. Who is told of half a minute has time.
    private static let bearable = Duration.seconds(30)

    init(_ store: StorePool, time: any TimeSource, log: GalleryLog) {
        self.store = store
        self.time = time
        self.log = log
    }

    /// Nothing before the first look.
    var ahead: Duration? { state.withLock { $0 } }

    /// Until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await look()
            do throws(CancellationError) {
                try await time.sleep(until: time.now + Self.pause)
            } catch {
                return
            }
        }
    }

    func look() async {
        let ahead: Duration
        do {
            ahead = try await store { try $0.clockAhead() }
        } catch {
            // A database that does not answer is told of by others.
            return
        }
        let wasRight = state.withLock { state in
            defer { state = ahead }
            return Self.isRight(state ?? .zero)
        }
        guard Self.isRight(ahead) != wasRight else { return }
        if wasRight {
            let seconds = ahead.wholeMilliseconds / 1000
            log.warning(
                "this node's clock is \(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead of") the database's; set it by NTP, "
                    + "before nodes refuse each other's log-ins")
        } else {
            log.info("this node's clock agrees with the database's again")
        }
    }

    private static func isRight(_ ahead: Duration) -> Bool { ahead >= .zero - bearable && ahead <= bearable }
}
