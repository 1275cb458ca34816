import Basics
package import Bridge
package import Store

/// Looks into the ledger for those who look at the page, on a thread and over a connection of its own.
package actor HudDesk {
    package nonisolated let executor: any SerialExecutor & TaskExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package nonisolated let event: BridgeEvent
    private let openReader: @Sendable () throws -> LedgerReader
    /// Where the files of the event lie.
    private let folder: String
    /// The destination that pictures are had from where the local file has gone.
    private let gallery: String?
    private let openMarks: @Sendable () throws -> (any HudTileMarks)?
    private var opened: LedgerReader?
    private var openedMarks: (any HudTileMarks)?
    /// The tiles as they were, and when the ledger was so.
    private var seen: (marks: [Int64?], photos: [HudPhoto])?

    /// Tiles at once: some screens of a phone.
    static let tiles = 60
    static let longestSearch = 100
    /// Deliveries that one press begins again.
    static let mostJobs = 10_000

    package init(
        event: BridgeEvent, folder: String, gallery: String? = nil,
        executor: any SerialExecutor & TaskExecutor,
        openReader: @escaping @Sendable () throws -> LedgerReader,
        openMarks: @escaping @Sendable () throws -> (any HudTileMarks)? = { nil }
    ) {
        self.event = event
        self.folder = folder
        self.gallery = gallery
        self.executor = executor
        self.openReader = openReader
        self.openMarks = openMarks
    }

    private var reader: LedgerReader {
        get throws {
            if let opened { return opened }
            let reader = try openReader()
            opened = reader
            return reader
        }
    }

    /// Nothing as long as nothing was said of any photo.
    private var marks: (any HudTileMarks)? {
        get throws {
            if let openedMarks { return openedMarks }
            openedMarks = try openMarks()
            return openedMarks
        }
    }

    private func shown(_ entry: LedgerReader.Entry) throws -> HudPhoto {
        var photo = HudPhoto(entry: entry, gallery: gallery)
        // The same bytes once more are the same photo at a gallery.
        photo.mark = try marks?.mark(of: entry.duplicateOf ?? entry.id, atGallery: photo.atGallery)
        return photo
    }

    func latest() throws -> [HudPhoto] {
        let reader = try reader
        // Asked before: what changes while they are read is looked at the next time.
        let now = [try reader.changeMark(), try marks?.changeMark()]
        if let seen, seen.marks == now { return seen.photos }
        let photos = try reader.latestCaptures(of: event.id, limit: Self.tiles).map(shown)
        seen = (now, photos)
        return photos
    }

    /// By what is typed: part of a path, and all that `why` takes besides.
    func photos(_ selection: LedgerReader.Selection, matching text: String) throws -> [HudPhoto] {
        let reader = try reader
        guard !text.isEmpty else {
            return try reader.latestCaptures(of: event.id, selection, limit: Self.tiles).map(shown)
        }
        var found = try reader.latestCaptures(of: event.id, selection, matching: text, limit: Self.tiles)
        if selection == .latest {
            let known = Set(found.map(\.id))
            for id in try reader.photos(meant: text, in: event.id) where !known.contains(id) {
                if let entry = try reader.capture(id) { found.append(entry) }
            }
        }
        return try found.prefix(Self.tiles).map(shown)
    }

    func photo(_ id: CaptureID) throws -> HudPhoto? {
        guard let entry = try reader.capture(id), entry.event == event.id else { return nil }
        return try shown(entry)
    }

    func story(of id: CaptureID, in status: BridgeStatus) throws -> PhotoStory? {
        guard let history = try reader.history(of: id), history.event.id == event.id else { return nil }
        return PhotoStory(of: history, in: PhotoStory.Present(status))
    }

    /// What pictures are made of; nothing where there is nothing, or it holds other bytes by now.
    func pictured(_ id: CaptureID, key: String) throws -> PicturedPhoto? {
        guard let photo = try photo(id), photo.pictureKey == key else { return nil }
        return PicturedPhoto(
            key: key, path: photo.file.map { "\(folder)/\($0)" }, atGallery: photo.atGallery)
    }

    func failedJobs() throws -> [JobID] { try reader.failedJobs(of: event.id, limit: Self.mostJobs) }
}
