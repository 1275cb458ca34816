import Basics
import Synchronization

/// Events that were asked for lately, for deciding who may listen: thousands of clients that come back at once cost one look
/// into the database.
///
/// What is here is some seconds old at the most, and is forgotten when it changes. That a change is forgotten before clients
/// are sent away is what lets one that has just begun to listen be checked here.
package final class EventDirectory: Sendable {
    private struct Known {
        let event: Event
        let readAt: Duration
        /// A request reads it anew.
        var isBeingRead = false
    }

    private struct State {
        var events: [String: Known] = [:]
        var ids: [String: String] = [:]
        /// How often something was forgotten: what was looked up before that may be as it was before.
        var forgotten = 0
    }

    private let state = Mutex(State())
    private let reader: ReaderPool
    private let time: any TimeSource

    /// From this age on one client looks, while the others are answered from here, up to the oldest.
    private static let old = Duration.seconds(3)
    private static let oldest = Duration.seconds(5)
    /// When there are more it begins anew.
    private static let most = 10_000

    init(reader: ReaderPool, time: any TimeSource) {
        self.reader = reader
        self.time = time
    }

    func event(slug: String) async throws -> Event? {
        if let id = state.withLock({ $0.ids[slug] }), let event = known(id), event.slug == slug {
            return event
        }
        return try await read { try $0.event(slug: slug) }
    }

    func event(_ id: String) async throws -> Event? {
        if let event = known(id) { return event }
        return try await read { try $0.event(id) }
    }

    private func known(_ id: String) -> Event? {
        let now = time.now
        return state.withLock { state in
            guard let known = state.events[id], now - known.readAt < Self.oldest else { return nil }
            if now - known.readAt >= Self.old, !known.isBeingRead {
                state.events[id]?.isBeingRead = true
                return nil
            }
            return known.event
        }
    }

    private func read(_ look: @escaping @Sendable (isolated GalleryReader) throws -> Event?) async throws
        -> Event?
    {
        let (forgotten, now) = (state.withLock { $0.forgotten }, time.now)
        guard let event = try await reader(look) else { return nil }
        state.withLock { state in
            guard state.forgotten == forgotten else { return }
            if state.events.count >= Self.most { (state.events, state.ids) = ([:], [:]) }
            if let old = state.events[event.id]?.event { state.ids[old.slug] = nil }
            state.events[event.id] = Known(event: event, readAt: now)
            state.ids[event.slug] = event.id
        }
        return event
    }

    /// All of them.
    func forget() {
        state.withLock { state in
            state.forgotten += 1
            (state.events, state.ids) = ([:], [:])
        }
    }

    /// Its door, its end or its address are others, or it is gone.
    func forget(_ id: String) {
        state.withLock { state in
            state.forgotten += 1
            if let old = state.events.removeValue(forKey: id) { state.ids[old.event.slug] = nil }
        }
    }
}
