import Posix
import Synchronization

/// Writes event streams, on a thread of its own: a client that listens costs its socket and its place in a feed.
final class StreamWriter: FeedReader, Sendable {
    /// What other threads want of this one.
    private struct Orders {
        var newcomers: [StreamConnection] = []
        var feeds: [ObjectIdentifier: EventFeed] = [:]
        var beatAt: Duration?
        var isEnding = false
        var isStopping = false
        /// Whether the thread has been woken for what is here.
        var isCalled = false
    }

    private let orders = Mutex(Orders())
    let places: StreamPlaces
    private let set: DescriptorSet
    let endedSocket: EndedSocket
    let comingBack: ComingBack
    private let thread = ThreadExecutor(name: "streams")

    init(most: Int, comingBack: ComingBack) throws(SystemError) {
        places = StreamPlaces(most: most)
        self.comingBack = comingBack
        set = try DescriptorSet()
        endedSocket = try EndedSocket()
    }

    /// Once, before anything else. The task ends after ``stop()``.
    func start() -> Task<Void, Never> {
        Task(executorPreference: thread) { [self] in
            serve()
            thread.shutDown()
        }
    }

    // MARK: Orders

    /// A place has been taken for it, and only this writer touches it from now on.
    func add(_ connection: StreamConnection) { order { $0.newcomers.append(connection) } }

    func look(at feed: EventFeed) { order { $0.feeds[ObjectIdentifier(feed)] = feed } }

    /// Once a second.
    func beat(at now: Duration) { order { $0.beatAt = now } }

    /// Streams end with what has been published; new ones end at once.
    func endStreams() { order { $0.isEnding = true } }

    /// Cuts what has not ended, and ends the thread.
    func stop() { order { $0.isStopping = true } }

    private func order(_ give: (inout Orders) -> Void) {
        let isFirst = orders.withLock { orders in
            give(&orders)
            defer { orders.isCalled = true }
            return !orders.isCalled
        }
        if isFirst { set.wake() }
    }

    // MARK: The thread

    private func serve() {
        let table = StreamTable(set, comingBack)
        while true {
            do throws(SystemError) {
                for event in try set.wait() { table.take(event) }
            } catch {
                // The kernel gives no reason to try again; clients come back to a server that can wait.
                table.cutAll()
                return
            }
            let orders = orders.withLock { orders in
                defer {
                    (orders.newcomers, orders.feeds, orders.beatAt, orders.isCalled) = ([], [:], nil, false)
                }
                return orders
            }
            for connection in orders.newcomers { table.add(connection) }
            for feed in orders.feeds.keys { table.send(newsIn: feed) }
            if let now = orders.beatAt { table.beat(at: now) }
            if orders.isEnding { table.endAll() }
            if orders.isStopping {
                table.cutAll()
                return
            }
        }
    }
}
