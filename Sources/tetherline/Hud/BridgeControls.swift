import Basics
import Bridge
import Console
import GalleryCopy
import Hud
import Posix
import Store

/// What the page may do with a bridge.
struct BridgeControls: HudBridge {
    let bridge: RunningBridge
    let marks: PhotoMarks

    func status() async throws -> BridgeStatus { try await bridge.board.status() }
    func metrics() async throws -> String { try await bridge.metrics() }
    func retry(_ jobs: [JobID]) async throws -> [JobID] { try await bridge.ledger.retry(jobs) }
    func cancel(_ jobs: [JobID]) async throws -> [JobID] { try await bridge.cancel(jobs) }
    func pause(_ isPaused: Bool) async throws { try await bridge.pause(isPaused) }
    func marks(of photo: CaptureID) async throws -> JSONValue { try await marks.json(of: photo) }

    func mark(_ photo: CaptureID, _ mark: HudMark) async throws {
        let request = PhotoEditRequest(
            photos: [.capture(try await marks.original(of: photo))], edit: mark.edit, album: mark.album?.name,
            takesOut: mark.album?.membership == .removed)
        do {
            _ = try await request.perform(in: bridge.copies.copy, bridge.command.home)
        } catch let refusal as CommandRouter.Refused {
            throw HudMarkRefused(description: refusal.description)
        }
    }

    func settle(_ edit: Int64, again: Bool) async throws -> Bool {
        let copy = bridge.copies.copy
        return again ? try await copy.makeAgain(EditID(edit)) != nil : try await copy.drop(EditID(edit))
    }
}

/// What is said of photos, read for the page on a thread that may wait for a file.
actor PhotoMarks {
    private nonisolated let executor: any SerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let home: Home
    /// Conflicts that are looked through for those of one photo, and albums that are offered.
    private static let mostConflicts = 1000
    private static let mostAlbums = 200

    init(home: Home, executor: any SerialExecutor) {
        self.home = home
        self.executor = executor
    }

    /// The same bytes once more are the same photo at a gallery.
    func original(of photo: CaptureID) throws -> CaptureID {
        try home.reader().capture(photo)?.duplicateOf ?? photo
    }

    func json(of photo: CaptureID) throws -> JSONValue {
        let reader = try home.reader()
        let id = try reader.capture(photo)?.duplicateOf ?? photo
        let places = try PhotoEditRequest.places(of: .capture(id), in: reader)
        let finder = try PhotoFinder(home, event: nil)
        let name = try reader.capture(id)?.name ?? "\(id)"
        let views = try finder.views(of: PhotoFinder.Photo(named: .capture(id), label: name))
        let copy = try home.readGalleryCopy()
        return [
            "galleries": .array(
                places.map { place in
                    // Before anything is said of it, here or there, there is nothing to show.
                    views.first { $0.server == place.server }?.json ?? ["server": .string(place.server)]
                }),
            "albums": .array(try copy.map { try Self.albums(in: $0, places) } ?? []),
            "conflicts": .array(try copy.map { try Self.conflicts(in: $0, reader, id, places) } ?? []),
        ]
    }

    private static func albums(
        in copy: CopyDatabase, _ places: [PhotoEditRequest.Place]
    ) throws -> [JSONValue] {
        var names: Set<String> = []
        for place in places {
            guard let known = try copy.place(place.server, event: place.event) else { continue }
            try copy.contents(.album, at: known.id) { _, content in
                if case .album(let album) = content { names.insert(album.name) }
            }
        }
        return names.sorted().prefix(mostAlbums).map(JSONValue.string)
    }

    private static func conflicts(
        in copy: CopyDatabase, _ reader: LedgerReader, _ id: CaptureID, _ places: [PhotoEditRequest.Place]
    ) throws -> [JSONValue] {
        let records = Set(places.compactMap(\.record))
        let report = SyncReport(copy, reader)
        return try copy.entries(at: nil, conflicts: true, limit: mostConflicts).filter { entry in
            entry.edit.capture == id || entry.edit.record.map(records.contains) == true
        }.map { ["edit": .integer($0.edit.id.number), "text": .string(try report.conflict($0))] }
    }
}
