package import Basics
import Posix
import Synchronization

/// Makes the blocks that changes do not make themselves: of what an older version of the program left, of what was changed in
/// great numbers, and of what another program wrote. And makes those anew whose texts an earlier program has folded otherwise;
/// until then a search may miss photos there.
package final class SearchIndexer: Sendable {
    private let store: StorePool
    private let time: any TimeSource
    private let log: @Sendable (String) -> Void
    private let signal = Signal()

    /// How far all blocks have been looked through for old ones.
    private enum Renewal {
        case underWay(BlockPlace)
        case over(until: Duration)
    }

    private let renewal = Mutex(Renewal.underWay(BlockPlace()))
    /// No photo has changed here since the last look.
    private let isQuiet = Mutex(false)

    private static let fewestOfMany = 32
    /// Others may have written.
    private static let pause = Duration.seconds(30)
    /// While nodes are replaced one by one, those of the version before go on making blocks.
    static let betweenRenewals = Duration.seconds(3600)

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
            case .photoAdded, .photoChanged, .photoDeleted: isQuiet.withLock { $0 = false }
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

    /// In steps, so that others get their turn. While photos come, the last few of them wait: each block is made once for
    /// many. When none has come for a while these are put into their blocks as well, since every search looks at them one by
    /// one.
    func indexAll() async throws {
        let wasQuiet = isQuiet.withLock { isQuiet in
            defer { isQuiet = true }
            return isQuiet
        }
        // Photos may begin to come meanwhile.
        while !Task.isCancelled,
            try await indexSome(fewest: wasQuiet && isQuiet.withLock(\.self) ? 1 : Self.fewestOfMany)
        {}
    }

    /// What waits comes first. Whether there is more to do.
    private func indexSome(fewest: Int) async throws -> Bool {
        if try await store({ try $0.indexWaiting(fewest: fewest) }) { return true }
        guard let place = placeToRenew else { return false }
        let next = try await store { try $0.renewBlocks(from: place) }
        renewal.withLock {
            $0 = next.map(Renewal.underWay) ?? .over(until: time.now + Self.betweenRenewals)
        }
        // Where another is at it, it is looked again after the pause.
        return next.map { $0 != place } ?? false
    }

    /// Nothing where no old block is left, as far as is known.
    private var placeToRenew: BlockPlace? {
        renewal.withLock { renewal in
            switch renewal {
            case .underWay(let place): return place
            case .over(let end):
                guard time.now >= end else { return nil }
                renewal = .underWay(BlockPlace())
                return BlockPlace()
            }
        }
    }
}
