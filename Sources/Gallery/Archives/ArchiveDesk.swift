import Basics
import Synchronization

/// Knows what stands in archives. The list of a whole event is read once for all who ask for it at the time, in pieces, so
/// that pages are answered between them.
final class ArchiveDesk: Sendable {
    /// What is the same for all who ask.
    private struct Subject: Hashable {
        let event: String
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
        let stamp: Int64
        let reading: Task<Whole, any Error>
        let turn: Int
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
    func everything(of event: String, _ size: ArchiveWish.Size, showsHidden: Bool) async throws -> ArchiveWish
    {
        let whole = try await whole(Subject(event: event, size: size, showsHidden: showsHidden))
        return ArchiveWish(size, .everything(last: whole.last))
    }

    func layout(of event: String, _ wish: ArchiveWish, showsHidden: Bool) async throws -> ZipLayout {
        switch wish.selection {
        case .some(let sequences):
            let files = try await reader {
                try $0.files(of: event, wish.size, sequences, showsHidden: showsHidden)
            }
            return ZipLayout(files)
        case .everything(let last):
            let whole = try await whole(Subject(event: event, size: wish.size, showsHidden: showsHidden))
            // Names are given in the order of sequences, so that these are what they were.
            return whole.last <= last ? whole.layout : whole.layout.only { $0.sequence <= last }
        }
    }

    private func whole(_ subject: Subject) async throws -> Whole {
        let stamp = try await reader { try $0.lastStamp(ofEvent: subject.event) }
        let reading = state.withLock { state in
            state.turn += 1
            if let known = state.known[subject], known.stamp == stamp { return known.reading }
            let reading = Task { try await self.read(subject) }
            state.known[subject] = Known(stamp: stamp, reading: reading, turn: state.turn)
            if state.known.count > Self.mostKnown,
                let oldest = state.known.min(by: { $0.value.turn < $1.value.turn })
            {
                state.known[oldest.key] = nil
            }
            return reading
        }
        do {
            return try await reading.value
        } catch {
            // It may go better the next time.
            state.withLock { state in
                if state.known[subject]?.reading == reading { state.known[subject] = nil }
            }
            throw error
        }
    }

    private func read(_ subject: Subject) async throws -> Whole {
        let last = try await reader { try $0.lastSequence(of: subject.event) }
        var files: [ZipEntry] = []
        var place: PhotoCursor?
        while true {
            let piece = try await reader { [place] in
                try $0.files(
                    of: subject.event, subject.size, after: place, showsHidden: subject.showsHidden,
                    limit: Self.photosAtOnce)
            }
            files += piece.map(\.file).filter { $0.sequence <= last }
            guard piece.count == Self.photosAtOnce, let end = piece.last?.place else { break }
            place = end
        }
        return Whole(layout: ZipLayout(files), last: last)
    }
}
