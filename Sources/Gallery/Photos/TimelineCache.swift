import Basics
import HTTPServer
import Synchronization

/// Timelines that were asked for lately. The first request for one reads all photos of its event in pieces, and those that
/// come meanwhile wait for it; after a change the next request reads what has changed.
///
/// A stamp says which changes a timeline knows, so one node needs to hear nothing from another.
package final class TimelineCache: Sendable {
    struct Answer: Sendable {
        /// Up to there it is known to be so.
        let stamp: Int64
        /// That of its last change: others may have changed nothing of it.
        let version: Int64
        /// As it is sent: of a large event it is not to be written for each guest.
        let response: Response
    }

    /// An event, or one of its sections.
    private struct Subject: Hashable, Sendable {
        let event: String
        let album: String?
    }

    private struct Known: Sendable {
        var timeline: Timeline
        var answer: Answer
        var usedAt: UInt64
    }

    private struct State {
        var known: [Subject: Known] = [:]
        /// Those who wait for one that is being read.
        var waiting: [Subject: [CheckedContinuation<Void, any Error>]] = [:]
        var uses: UInt64 = 0
    }

    private let state = Mutex(State())
    private let reader: ReaderPool
    /// Of all timelines together; each takes some 40 bytes. What was used longest ago is forgotten first.
    private let mostPhotos: Int
    /// A timeline that is not what the database counts is read anew; as often as this, in case it changes meanwhile.
    private static let mostTries = 3

    init(reader: ReaderPool, mostPhotos: Int = 1_000_000) {
        self.reader = reader
        self.mostPhotos = mostPhotos
    }

    /// At `stamp` or later; nothing when there is no such event, or no such album in it.
    func answer(for event: String, in album: String? = nil, at stamp: Int64) async throws -> Answer? {
        let subject = Subject(event: event, album: album)
        while true {
            if let known = known(subject, at: stamp) { return known }
            if try await hasWaited(for: subject) { continue }
            do {
                let answer = try await renew(subject, at: stamp)
                finish(subject)
                return answer
            } catch {
                // Where the client has gone another reads it; where the database fails, it fails for all of them.
                finish(subject, error is CancellationError ? .success(()) : .failure(error))
                throw error
            }
        }
    }

    private func known(_ subject: Subject, at stamp: Int64) -> Answer? {
        state.withLock { state in
            guard let known = state.known[subject], known.answer.stamp >= stamp else { return nil }
            state.uses += 1
            state.known[subject]?.usedAt = state.uses
            return known.answer
        }
    }

    /// Whether another request was reading it. Where none was, this one is.
    private func hasWaited(for subject: Subject) async throws -> Bool {
        let isFirst = state.withLock { state in
            if state.waiting[subject] != nil { return false }
            state.waiting[subject] = []
            return true
        }
        if isFirst { return false }
        try await withCheckedThrowingContinuation { continuation in
            let isRead = state.withLock { state in
                state.waiting[subject]?.append(continuation)
                return state.waiting[subject] == nil
            }
            if isRead { continuation.resume() }
        }
        return true
    }

    private func finish(_ subject: Subject, _ outcome: Result<Void, any Error> = .success(())) {
        let waiting = state.withLock { $0.waiting.removeValue(forKey: subject) }
        for continuation in waiting ?? [] { continuation.resume(with: outcome) }
    }

    private func renew(_ subject: Subject, at stamp: Int64) async throws -> Answer? {
        let known = state.withLock { $0.known[subject] }
        // Another request may have been quicker.
        if let known, known.answer.stamp >= stamp { return known.answer }
        var (timeline, since) = (known?.timeline, known?.answer.stamp ?? 0)
        var answer: Answer?
        for _ in 0..<Self.mostTries {
            if timeline == nil {
                // What changes while it is read in pieces is read once more.
                since = try await reader { try $0.lastStamp(ofEvent: subject.event) }
                timeline = try await read(subject)
            }
            let news = try await reader { [since] in
                try $0.timelineNews(of: subject.event, in: subject.album, after: since)
            }
            guard let count = news.count else { return nil }
            guard var whole = timeline, let all = news.changes else {
                timeline = nil
                continue
            }
            // Of a section most changes are none.
            let changes = whole.affecting(all)
            if changes.isEmpty, let known, since == known.answer.stamp, whole.entries.count == count {
                // What has changed is none of this list's: a heart was given, or a photo came to another event.
                let same = Answer(
                    stamp: news.stamp, version: known.answer.version, response: known.answer.response)
                keep(subject, Known(timeline: whole, answer: same, usedAt: 0))
                return same
            }
            whole.apply(changes)
            var response = Response.data(whole.json(last: news.last))
            response.compression = .once(KeptCompression())
            let made = Answer(stamp: news.stamp, version: news.stamp, response: response)
            answer = made
            if whole.entries.count == count {
                keep(subject, Known(timeline: whole, answer: made, usedAt: 0))
                return made
            }
            timeline = nil
        }
        guard let answer else {
            throw APIError(
                .serviceUnavailable, "this event changes faster than it is read; try again in a moment",
                retryAfter: .seconds(2))
        }
        return answer
    }

    private func read(_ subject: Subject) async throws -> Timeline {
        var timeline = Timeline()
        while true {
            let last = timeline.entries.last
            let piece = try await reader { reader in
                guard let album = subject.album else {
                    return try reader.timelineEntries(of: subject.event, behind: last)
                }
                return try reader.timelineEntries(of: subject.event, in: album, behind: last)
            }
            timeline.append(piece.entries)
            if piece.isLast { return timeline }
        }
    }

    private func keep(_ subject: Subject, _ known: Known) {
        state.withLock { state in
            state.uses += 1
            state.known[subject] = known
            state.known[subject]?.usedAt = state.uses
            var photos = state.known.values.reduce(0) { $0 + $1.timeline.entries.count }
            for (other, old) in state.known.sorted(by: { $0.value.usedAt < $1.value.usedAt })
            where photos > mostPhotos && other != subject {
                state.known[other] = nil
                photos -= old.timeline.entries.count
            }
        }
    }
}
