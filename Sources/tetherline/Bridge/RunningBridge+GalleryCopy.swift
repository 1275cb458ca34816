import Basics
import Bridge
import GalleryCopy
import Posix
import Store
import Upload

/// The copies of the event's galleries, kept while the bridge runs.
extension RunningBridge {
    /// With what it hears of photos.
    static func makeCopy(_ home: Home, _ threads: Threads, _ report: RunReport) -> (GalleryCopy, ToldPhotos) {
        let told = ToldPhotos()
        let copy = home.galleryCopy(
            on: threads.make("copy"), report: { report.note($0) }, told: { told.note($0, $1) })
        return (copy, told)
    }

    static func copies(
        of builder: DestinationBuilder, _ event: BridgeEvent, _ home: Home, _ uplink: Uplink,
        time: any TimeSource, _ copy: GalleryCopy
    ) throws -> CopyKeeper {
        let file = CredentialsFile(folder: home.path)
        let galleries = builder.destinations.filter { $0.kind == .gallery }
        let places = try galleries.map { destination in
            let place = try GalleryPlace(url: destination.url, ledgerEvent: event.id)
            return CopyKeeper.Place(
                url: destination.url, server: "\(place.address)", event: place.event,
                sync: GallerySync(builder.account(at: place.address), file: file),
                obstacle: { [id = destination.id] in uplink.obstacle(to: id) })
        }
        return CopyKeeper(copy, places, database: home.database, time: time)
    }

    /// A run that ends by itself takes along what was said of its last photos.
    func sendLastEdits() async throws {
        let left = try await copies.finish(within: Self.longestLastExchange)
        guard left > 0 else { return }
        report.note(
            "\(left == 1 ? "1 edit is" : "\(left) edits are") not at the gallery yet: 'tetherline sync --now' sends "
                + "what waits, 'tetherline sync' says why")
    }

    private static let longestLastExchange = Duration.seconds(30)

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
