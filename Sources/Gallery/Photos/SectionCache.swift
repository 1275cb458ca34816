import Basics
import Synchronization

/// The sections of events that were asked for lately. To count their photos takes some milliseconds where there are tens of
/// thousands, and is done once after a change of photos or albums, however many guests ask.
final class SectionCache: Sendable {
    struct Known: Sendable {
        /// Up to there they are known to be so.
        var stamp: Int64
        /// That of the change since which they are so.
        let version: Int64
        let sections: [Section]

        func has(_ album: String) -> Bool { sections.contains { $0.id == album } }
    }

    private let state = Mutex<[String: Known]>([:])
    private let reader: ReaderPool
    /// When there are more events it begins anew.
    private static let most = 1000

    init(reader: ReaderPool) {
        self.reader = reader
    }

    /// As they were at `stamp` or later.
    func sections(of event: String, at stamp: Int64) async throws -> Known {
        if let known = known(event, at: stamp) { return known }
        return try await reader { [self] reader in
            // Those who waited for the connection meanwhile need not count once more.
            if let known = known(event, at: stamp) { return known }
            let old = state.withLock { $0[event] }
            let news = try reader.sectionNews(of: event, after: old?.stamp)
            var found = Known(stamp: news.stamp, version: news.stamp, sections: news.sections ?? [])
            if let old, news.sections == nil {
                found = old
                found.stamp = news.stamp
            }
            state.withLock { state in
                if state.count >= Self.most { state = [:] }
                state[event] = found
            }
            return found
        }
    }

    private func known(_ event: String, at stamp: Int64) -> Known? {
        state.withLock { state in state[event].flatMap { $0.stamp >= stamp ? $0 : nil } }
    }
}
