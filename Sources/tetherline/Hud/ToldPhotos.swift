import Basics
import Bridge
import GalleryCopy
import Posix

/// What the copy of a gallery hears of photos, on its way to the images that are kept of them.
final class ToldPhotos: Sendable {
    struct News: Sendable {
        let server: String
        let event: String
        let fates: [(id: String, GalleryPhoto.Fate)]
    }

    private let news = Mailbox<News>()
    private let signal = Signal()

    func note(_ place: CopyPlace, _ records: [GalleryRecord]) {
        note(place.server, place.event, records)
    }

    func note(_ server: String, _ event: String, _ records: [GalleryRecord]) {
        let fates = records.compactMap { record in
            record.kind == .photo ? (id: record.id, GalleryPhoto.Fate(record.content)) : nil
        }
        guard !fates.isEmpty else { return }
        news.post(News(server: server, event: event, fates: fates))
        signal.fire()
    }

    /// Until the task is cancelled.
    func hear(_ body: (News) async -> Void) async {
        while !Task.isCancelled {
            await signal.waitUnlessCancelled()
            for one in news.takeAll() { await body(one) }
        }
    }
}

extension GalleryPhoto.Fate {
    fileprivate init(_ content: GalleryRecord.Content?) {
        switch content {
        case .photo(let photo): self = photo.isHidden ? .hidden : .shown
        case .event, .album, nil: self = .deleted
        }
    }
}
