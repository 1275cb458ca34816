import Basics
import Posix
import Synchronization

/// Tells this node's listeners what any node has changed, and makes its caches forget.
///
/// A sign only says where to look: a node's own commits, what other nodes ring, and every few seconds a look at what was
/// noted of late, so that a sign that is lost loses nothing. What is told comes from the table, in its order, and is read
/// once: neither its own ring nor a later look makes a node read again what it has told.
final class ChangeFollower: Sendable {
    private struct State {
        /// Where something has changed since it was last looked at.
        var stirred: Set<String> = []
        /// To be rung for the others.
        var outgoing: Set<ChangeSign> = []
        /// What this node has rung itself and is still to hear, and how often.
        var rung: [String: Int] = [:]
        /// The last that was seen of each sign, so that a look at the table tells only what is new.
        var seen: [ChangeSign: Int64] = [:]
        var notifications: UInt64 = 0
    }

    private let state = Mutex(State())
    private let store: StorePool
    private let reader: ReaderPool
    private let dispatcher: ChangeDispatcher
    private let feeds: Feeds
    private let time: any TimeSource
    private let log: GalleryLog
    /// Fires for what is stirred, and for what is to be rung.
    private let stirring = Signal()
    private let ringing = Signal()

    private static let lookPause = Duration.seconds(3)
    /// A transaction may take that long between its note and its end.
    private static let lookBack = Duration.seconds(30)
    /// And that long where its COMMIT waits for a standby that is away: looked for at each twentieth look.
    private static let longLookBack = Duration.seconds(600)
    private static let wideLook = 20
    private static let retryPause = Duration.seconds(1)
    /// "The maximum length of a payload is 8000 bytes".
    private static let signsAtOnce = 200
    private static let mostRung = 1000

    init(
        store: StorePool, reader: ReaderPool, dispatcher: ChangeDispatcher, feeds: Feeds,
        time: any TimeSource, log: GalleryLog
    ) {
        self.store = store
        self.reader = reader
        self.dispatcher = dispatcher
        self.feeds = feeds
        self.time = time
        self.log = log
    }

    var notifications: UInt64 { state.withLock(\.notifications) }

    // MARK: Signs

    /// This node has committed it. Its own caches have forgotten already.
    func committed(_ changes: [GalleryChange]) {
        let signs = ChangeSign.signs(of: changes)
        guard !signs.isEmpty else { return }
        state.withLock { state in
            state.outgoing.formUnion(signs)
            state.stirred.formUnion(signs.map(\.event))
        }
        stirring.fire()
        ringing.fire()
    }

    /// A node rings. A text holds many signs.
    func hear(_ text: String) {
        let isOwn = state.withLock { state in
            state.notifications += 1
            guard let count = state.rung[text] else { return false }
            state.rung[text] = count > 1 ? count - 1 : nil
            return true
        }
        if isOwn { return }
        let signs = text.split(separator: " ").compactMap { ChangeSign($0) }
        for sign in signs { dispatcher.forget(sign) }
        look(at: signs.map(\.event))
    }

    /// No other node could be heard for a while: whatever is remembered may be as it was before.
    func heardNothing() {
        state.withLock { $0.rung = [:] }
        dispatcher.forgetEverything()
        look(at: feeds.events)
    }

    /// A feed has begun behind what was changed last.
    func look(at events: some Sequence<String>) {
        state.withLock { $0.stirred.formUnion(events) }
        stirring.fire()
    }

    // MARK: Work

    /// Until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.tell() }
            group.addTask { await self.ring() }
            group.addTask { await self.lookRegularly() }
        }
    }

    private func tell() async {
        while !Task.isCancelled {
            await settle()
            if state.withLock({ $0.stirred.isEmpty }) { await stirring.waitUnlessCancelled() }
        }
    }

    /// Tells all that is known to have changed.
    func settle() async {
        let events = state.withLock { state in
            defer { state.stirred = [] }
            return state.stirred
        }
        for event in events {
            do {
                try await catchUp(event)
            } catch {
                log.warning(
                    "what has changed in event \(event) cannot be read, which is tried again: \(error)")
                state.withLock { _ = $0.stirred.insert(event) }
                await stirring.wait(until: time.now + Self.retryPause, of: time)
            }
        }
    }

    /// Once for all of this node's listeners.
    private func catchUp(_ event: String) async throws {
        while let position = feeds.position(of: event) {
            let news = try await reader { try $0.news(of: event, after: Int64(clamping: position)) }
            for item in news.items { dispatcher.tell(item.change, at: item.stamp) }
            // Also what nothing is told of, or it would be read for ever.
            dispatcher.pass(event, at: news.last)
            guard news.isMore else { return }
        }
    }

    private func ring() async {
        while !Task.isCancelled {
            if await ringOnce() == nil { await ringing.waitUnlessCancelled() }
        }
    }

    /// What it has rung; nothing where there is nothing to be rung.
    func ringOnce() async -> String? {
        let signs = state.withLock { state in
            let signs = state.outgoing.prefix(Self.signsAtOnce)
            state.outgoing.subtract(signs)
            return Array(signs)
        }
        guard !signs.isEmpty else { return nil }
        let text = signs.map(\.text).joined(separator: " ")
        // It may be heard before the call returns. What was never heard again is forgotten some time.
        state.withLock { state in
            if state.rung.count >= Self.mostRung { state.rung = [:] }
            state.rung[text, default: 0] += 1
        }
        do {
            try await store { try $0.ring(PostgresGallery.channel, text) }
        } catch {
            state.withLock { $0.rung[text] = nil }
            // The others find it when they look.
            log.warning("the other nodes could not be told of a change, and find it when they look: \(error)")
        }
        return text
    }

    private func lookRegularly() async {
        var (looks, last) = (0, time.now)
        while !Task.isCancelled {
            do throws(CancellationError) {
                try await time.sleep(until: time.now + Self.lookPause)
            } catch {
                return
            }
            do {
                try await lookOnce(isWide: looks % Self.wideLook == 0)
                // A process that stood still has not looked at all for a while.
                if time.now - last > Self.lookBack / 2 { heardNothing() }
                (looks, last) = (looks + 1, time.now)
            } catch {
                log.warning("what other nodes have changed cannot be read, which is tried again: \(error)")
                heardNothing()
            }
        }
    }

    /// What was noted of late is forgotten here, and read where it was not told yet.
    func lookOnce(isWide: Bool) async throws {
        let signs = try await reader {
            try $0.recentSigns(within: isWide ? Self.longLookBack : Self.lookBack)
        }
        let new = new(among: signs, isAll: isWide)
        for sign in new { dispatcher.forget(sign) }
        look(at: new.filter { isUntold($0.event, at: signs[$0] ?? 0) }.map(\.event))
    }

    /// Where there is no feed, nothing is to be told.
    private func isUntold(_ event: String, at stamp: Int64) -> Bool {
        feeds.position(of: event).map { $0 < UInt64(clamping: stamp) } ?? false
    }

    /// Those that were not seen yet; all are, from now on.
    private func new(among signs: [ChangeSign: Int64], isAll: Bool) -> [ChangeSign] {
        state.withLock { state in
            let new = signs.filter { (state.seen[$0.key] ?? 0) < $0.value }
            if isAll { state.seen = signs } else { state.seen.merge(signs) { max($0, $1) } }
            return Array(new.keys)
        }
    }
}
