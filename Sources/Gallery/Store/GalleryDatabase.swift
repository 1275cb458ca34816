package import Basics
import Posix
import Postgres

/// A gallery's rows, wherever they are: the connections that write, those that read, and the threads of both.
package final class GalleryDatabase: Sendable {
    package enum Place: Sendable {
        /// A file of SQLite, for one machine.
        case file(path: String)
        /// A server of PostgreSQL, for any number of nodes, each with so many connections that write and as many that read.
        case server(PostgresGallery, Worker, connections: Int)
    }

    package let place: Place
    package let store: StorePool
    package let reader: ReaderPool
    /// Those that searches read by: in a folder one of their own, so that no page waits for them.
    package let searcher: ReaderPool
    package let searchesAtOnce: Int
    /// One connection that nothing but a look at how the database is waits for.
    let looker: ReaderPool
    private let threads: [ThreadExecutor]

    package static let usualConnections = 6

    package init(
        _ place: Place, time: any TimeSource, wall: any WallTime, random: any RandomSource,
        zones: TimeZones = .system, writing: (any SerialExecutor)? = nil
    ) throws {
        self.place = place
        var threads: [ThreadExecutor] = []
        func thread(_ name: String) -> ThreadExecutor {
            let thread = ThreadExecutor(name: name)
            threads.append(thread)
            return thread
        }
        let stores: [GalleryStore]
        let readers: [GalleryReader]
        let looking: GalleryReader
        var searchers: [GalleryReader]?
        switch place {
        case .file(let path):
            stores = [
                try GalleryStore(
                    path: path, executor: writing ?? thread("writing"), wall: wall, random: random,
                    zones: zones)
            ]
            readers = [try GalleryReader(path: path, executor: thread("looking"), zones: zones)]
            searchers = [
                try GalleryReader(executor: thread("searching"), zones: zones) {
                    try SQLiteGallery.openForSearching(path)
                }
            ]
            looking = try GalleryReader(path: path, executor: thread("health"), zones: zones)
            searchesAtOnce = 1
        case .server(let gallery, let worker, let connections):
            stores = try (0..<connections).map { number in
                try GalleryStore(
                    executor: thread("writing \(number)"), wall: wall, random: random, zones: zones,
                    worker: worker, open: { gallery.session() })
            }
            let blocks = KnownBlocks()
            readers = try (0..<connections).map { number in
                try GalleryReader(
                    executor: thread("looking \(number)"), zones: zones, blocks: blocks,
                    open: { gallery.session() })
            }
            looking = try GalleryReader(
                executor: thread("health"), zones: zones, open: { gallery.session(Self.shortly) })
            searchesAtOnce = max(1, connections / Self.partOfSearches)
        }
        store = StorePool(stores, time: time, random: random)
        reader = ReaderPool(readers, time: time, random: random)
        searcher = searchers.map { ReaderPool($0, time: time, random: random) } ?? reader
        looker = ReaderPool([looking], time: time, random: random)
        self.threads = threads
    }

    /// A look that hangs is over before the next but one is due, which then finds the server that is back.
    private static let shortly: PostgresSession.Patience = {
        var patience = PostgresSession.Patience()
        (patience.connecting, patience.statement) = (Look.patience, Look.patience)
        return patience
    }()

    /// Of the connections to a server that read, one in so many may be with a search.
    private static let partOfSearches = 3

    /// A file that nothing is written to, also beside a program that serves it.
    package init(reading path: String, time: any TimeSource, random: any RandomSource) throws {
        place = .file(path: path)
        let thread = ThreadExecutor(name: "looking")
        threads = [thread]
        store = StorePool([], time: time, random: random)
        reader = ReaderPool([try GalleryReader(path: path, executor: thread)], time: time, random: random)
        (searcher, searchesAtOnce, looker) = (reader, 1, reader)
    }

    /// At a server of PostgreSQL.
    package var server: PostgresGallery? {
        if case .server(let gallery, _, _) = place { gallery } else { nil }
    }

    package var worker: Worker? {
        if case .server(_, let worker, _) = place { worker } else { nil }
    }

    /// Nothing is done from now on, and callers are told why; or it is again.
    func close(because reason: String?) {
        store.close(because: reason)
        reader.close(because: reason)
        searcher.close(because: reason)
        looker.close(because: reason)
    }

    deinit { shutDown() }

    package func shutDown() { for thread in threads { thread.shutDown() } }
}
