import Basics
import Bridge
import Console
import Hud
import ImageCache
import Posix
import Store
import Upload

/// The images of the event's gallery: what is kept of them, and how more are had.
///
/// The cache is there also where no page is served: photos are given its room when the disk is short of it.
struct GalleryImages: Sendable {
    private let cache: ImageCache
    /// Nothing where the event goes to no gallery.
    let place: Place?
    private let executor: ThreadExecutor

    struct Place: Sendable {
        /// The destination's address, as the ledger has it.
        let url: String
        let photos: GalleryPhotos
        let mayAsk: @Sendable () -> Bool
    }

    init(
        of builder: DestinationBuilder, _ event: BridgeEvent, _ command: RunCommand, _ uplink: Uplink,
        _ threads: Threads, time: any TimeSource
    ) throws {
        let (home, reserve) = (command.home, command.settings.reserve)
        let destination = builder.destinations.first { $0.kind == .gallery }
        place = try destination.map { destination in
            let place = try GalleryPlace(url: destination.url, ledgerEvent: event.id)
            let photos = GalleryPhotos(
                place, account: builder.account(at: place.address), file: CredentialsFile(folder: home.path))
            return Place(url: destination.url, photos: photos) { [id = destination.id] in
                // Where photos are not sent because bytes cost, pictures are not fetched.
                uplink.way(to: id).map { $0.path.isUp && $0.ceiling.slots > 0 } ?? true
            }
        }
        executor = threads.make("images")
        cache = ImageCache(
            ImageCache.Parts(
                folder: home.imageCache,
                transport: destination.map { uplink.transport(for: $0.id) } ?? uplink.client,
                time: time, wall: SystemWallTime(), reserve: { reserve.size(on: $0) }),
            access: Self.access(place?.photos), executor: executor)
    }

    private static func access(_ photos: GalleryPhotos?) -> ImageAccess {
        guard let photos else { return ImageAccess(account: "", events: []) }
        do {
            return GalleryPictures.access(of: try photos.account(), to: photos)
        } catch {
            // Deliveries say what is wrong with the file; it is read again before anything is shown.
            return GalleryPictures.access(of: nil, to: photos)
        }
    }

    func pictures(time: any TimeSource) -> GalleryPictures? {
        place.map {
            GalleryPictures(
                cache: cache, gallery: $0.photos, mayAsk: $0.mayAsk, time: time, wall: SystemWallTime(),
                executor: executor)
        }
    }

    /// Photos come first.
    func makeRoom(for wanted: UInt64) async { _ = await cache.giveWay(for: wanted) }

    func end() async { await cache.end() }

    /// For Prometheus.
    var figures: ProgramFigures.ImageCache {
        let now = cache.figures
        var figures = ProgramFigures.ImageCache()
        figures.fromMemory = Int(clamping: now.memoryHits)
        figures.fromDisk = Int(clamping: now.diskHits)
        figures.fromNetwork = Int(clamping: now.answered)
        figures.failed = Int(clamping: now.unanswered)
        figures.memoryBytes = UInt64(now.bytesInMemory)
        figures.diskBytes = now.bytesOnDisk
        return figures
    }
}
