import Basics
import Synchronization

/// Knows what stands in archives. The list of a whole event is read once for all who ask for it at the time, in pieces, so
/// that pages are answered between them.
final class ArchiveDesk: Sendable {
    /// What is the same for all who ask.
    private struct Subject: Hashable {
        let event: String
        /// One section of it.
        var album: String?
        let size: ArchiveWish.Size
        let showsHidden: Bool
    }

    private struct Whole: Sendable {
        let layout: ZipLayout
        /// The sequence of the last photo that had come.
        let last: Int64
    }

    private struct Known {
        /// It is as the event was at this one of its changes.
        var stamp: Int64
        let reading: Task<Whole, any Error>
        /// Whether it is still being read.
        var isUnderWay = true
        /// Of the request that asked for it last.
        var turn: Int
    }

    private struct State {
        var known: [Subject: Known] = [:]
        var turn = 0
    }

    /// Some megabytes each, for events of many photos.
    private static let mostKnown = 4
    /// Read at once: a few milliseconds.
    static let photosAtOnce = 1000

    private let state = Mutex(State())
    private let reader: ReaderPool

    init(reader: ReaderPool) {
        self.reader = reader
    }

    /// Everything that there is now, as a wish that stays the same when more comes.
    /// Of one section, where one is named.
    func everything(
        of event: String, in album: String? = nil, _ size: ArchiveWish.Size, showsHidden: Bool
    ) async throws -> ArchiveWish {
        let whole = try await whole(Subject(event: event, album: album, size: size, showsHidden: showsHidden))
        return ArchiveWish(
            size, album.map { .section(album: $0, last: whole.last) } ?? .everything(last: whole.last))
    }

    func layout(of event: String, _ wish: ArchiveWish, showsHidden: Bool) async throws -> ZipLayout {
        switch wish.selection {
        case .some(let sequences):
            let files = try await reader {
                try $0.files(of: event, wish.size, sequences, showsHidden: showsHidden)
            }
            return ZipLayout(files)
        case .everything(let last), .section(_, let last):
            let whole = try await whole(
                Subject(event: event, album: wish.album, size: wish.size, showsHidden: showsHidden))
            // Names are given in the order of sequences, so that these are what they were.
            return whole.last <= last ? whole.layout : whole.layout.only { $0.sequence <= last }
        }
    }

    private func whole(_ subject: Subject) async throws -> Whole {
        let stamp = try await reader { try $0.lastStamp(ofEvent: subject.event) }
        try await keep(subject, upTo: stamp)
        while true {
            let known = known(subject, at: stamp)
            let outcome = await known.reading.result
            state.withLock { state in
                guard state.known[subject]?.reading == known.reading else { return }
                state.known[subject]?.isUnderWay = false
                // It may go better the next time.
                if case .failure = outcome { state.known[subject] = nil }
            }
            let whole = try outcome.get()
            if known.stamp >= stamp { return whole }
        }
    }

    /// What has changed since may be none of this list's: hearts, or another event.
    private func keep(_ subject: Subject, upTo stamp: Int64) async throws {
        let known = state.withLock { $0.known[subject] }
        guard let known, !known.isUnderWay, known.stamp < stamp else { return }
        let isChanged = try await reader { [since = known.stamp] in
            try $0.haveChanged(photosOf: subject.event, after: since)
        }
        if isChanged { return }
        state.withLock { state in
            guard state.known[subject]?.reading == known.reading else { return }
            state.known[subject]?.stamp = stamp
        }
    }

    /// At that stamp or later; or, where one of before is still being read, that one: a list is read once at a time, however
    /// often the event changes meanwhile.
    private func known(_ subject: Subject, at stamp: Int64) -> Known {
        state.withLock { state in
            state.turn += 1
            if var known = state.known[subject], known.stamp >= stamp || known.isUnderWay {
                known.turn = state.turn
                state.known[subject] = known
                return known
            }
            let known = Known(
                stamp: stamp, reading: Task { try await self.read(subject) }, turn: state.turn)
            state.known[subject] = known
            if state.known.count > Self.mostKnown,
                let oldest = state.known.min(by: { $0.value.turn < $1.value.turn })
            {
                state.known[oldest.key] = nil
            }
            return known
        }
    }

    private func read(_ subject: Subject) async throws -> Whole {
        let last = try await reader { try $0.lastSequence(of: subject.event) }
        var files: [(file: ZipEntry, place: PhotoCursor)] = []
        while true {
            // By what never changes: a photo whose time is corrected meanwhile is neither missed nor there twice.
            let known = files.last?.file.sequence ?? 0
            let piece = try await reader {
                try $0.files(
                    of: subject.event, in: subject.album, subject.size, behind: known, upTo: last,
                    showsHidden: subject.showsHidden, limit: Self.photosAtOnce)
            }
            files += piece
            if piece.count < Self.photosAtOnce { break }
        }
        files.sort { $0.place < $1.place }
        return Whole(layout: ZipLayout(files.map(\.file)), last: last)
    }
}
