import Basics
import Bridge
import GalleryCopy
import Posix
import Store
import Upload

/// The copies of the event's galleries, kept while the bridge runs.
extension RunningBridge {
    static func copies(
        of builder: DestinationBuilder, _ event: BridgeEvent, _ home: Home, _ uplink: Uplink,
        time: any TimeSource, _ threads: Threads, _ report: RunReport
    ) throws -> CopyKeeper {
        let file = CredentialsFile(folder: home.path)
        let galleries = builder.destinations.filter { $0.kind == .gallery }
        let places = try galleries.map { destination in
            let place = try GalleryPlace(url: destination.url, ledgerEvent: event.id)
            return CopyKeeper.Place(
                server: "\(place.address)", event: place.event,
                sync: GallerySync(builder.account(at: place.address), file: file),
                obstacle: { [id = destination.id] in uplink.obstacle(to: id) })
        }
        let copy = home.galleryCopy(on: threads.make("copy")) { report.note($0) }
        return CopyKeeper(copy, places, database: home.database, time: time)
    }

    func endCopies() async {
        do {
            try await copies.copy.end()
        } catch {
            report.note("the copy of the gallery was not closed in order: \(error)")
        }
    }

    func editPhotos(_ request: JSONValue) async throws -> JSONValue {
        try await PhotoEditRequest(request).perform(in: copies.copy, command.home)
    }

    func sync(_ request: JSONValue) async throws -> JSONValue {
        let wish = SyncWish(request)
        let answer = try await wish.perform(in: copies.copy)
        if wish.isNow { try await copies.exchangeNow() }
        return answer
    }
}

extension Uplink {
    /// Why nothing may be sent to a destination at the moment, as uploads are held for it; nothing where something may.
    func obstacle(to destination: DestinationID) -> String? {
        guard let way = way(to: destination) else { return nil }
        guard way.path.isUp, way.ceiling.slots > 0 else { return way.ceiling.because }
        return nil
    }
}
