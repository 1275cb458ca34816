import Basics
import HTTPServer

/// What of an archive was taken home. Hosts' own downloads are not counted.
extension ArchiveEndpoints {
    /// Told, when a part of it has ended, where that began and how much of it was sent. An archive counts once, with its
    /// beginning; its bytes and its photos count with the part that they are in.
    func counting(
        _ request: Request, _ layout: ZipLayout, _ wish: ArchiveWish, of event: Event
    ) -> @Sendable (_ begin: UInt64, _ sent: UInt64) -> Void {
        let taker = devices.taker(of: request, at: event.id, gives: false)
        return { [downloads, event = event.id] begin, sent in
            guard sent > 0 else { return }
            let files = layout.files(begunIn: begin..<begin + sent)
            let count = DownloadTally.Count(
                times: begin == 0 ? 1 : 0, photos: Int64(files.count), bytes: Int64(clamping: sent))
            var chosen: [Int64] = []
            if case .some = wish.selection { chosen = files.map(\.sequence) }
            downloads.note(
                DownloadTally.Kind(wish.size, isArchive: true), count, photos: chosen, in: event, by: taker)
        }
    }
}
