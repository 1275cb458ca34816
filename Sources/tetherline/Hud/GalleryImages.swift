import Basics
import Bridge
import Console
import GalleryCopy
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
    /// Nothing where the event goes to no gallery.
    let pictures: GalleryPictures?
    private let told: ToldPhotos

    struct Place: Sendable {
        /// The destination's address, as the ledger has it.
        let url: String
        let gallery: GalleryPlace
        let photos: GalleryPhotos
        let mayAsk: @Sendable () -> Bool
    }

    init(
        of builder: DestinationBuilder, _ event: BridgeEvent, _ home: Home, _ reserve: Spool.Reserve,
        _ uplink: Uplink, _ threads: Threads, time: any TimeSource, told: ToldPhotos = ToldPhotos()
    ) throws {
        let destination = builder.destinations.first { $0.kind == .gallery }
        place = try destination.map { destination in
            let place = try GalleryPlace(url: destination.url, ledgerEvent: event.id)
            let photos = GalleryPhotos(
                place, account: builder.account(at: place.address), file: CredentialsFile(folder: home.path))
            return Place(url: destination.url, gallery: place, photos: photos) { [id = destination.id] in
                // Where photos are not sent because bytes cost, pictures are not fetched.
                uplink.way(to: id).map { $0.path.isUp && $0.ceiling.slots > 0 } ?? true
            }
        }
        let executor = threads.make("images")
        let cache = ImageCache(
            ImageCache.Parts(
                folder: home.imageCache,
                transport: destination.map { uplink.transport(for: $0.id) } ?? uplink.client,
                time: time, wall: SystemWallTime(), reserve: { reserve.size(on: $0) }),
            access: Self.access(place?.photos), executor: executor)
        pictures = place.map {
            GalleryPictures(
                cache: cache, gallery: $0.photos, mayAsk: $0.mayAsk, time: time, wall: SystemWallTime(),
                executor: executor)
        }
        self.cache = cache
        self.told = told
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

    /// What is hidden or deleted leaves, whether a page is served or not. Until the task is cancelled.
    func run(_ copy: GalleryCopy, report: @Sendable (String) -> Void) async {
        guard let place, let pictures else { return }
        let (server, event) = ("\(place.gallery.address)", place.gallery.event)
        do {
            // Another command may have heard of it while no bridge ran.
            told.note(server, event, try await copy.withdrawn(server, event: event))
        } catch {
            report("images of photos hidden at \(server) are kept until it tells of them anew: \(error)")
        }
        await told.hear { news in
            if news.server == server, news.event == event { await pictures.take(news.fates) }
        }
    }

    /// Another account may be logged in.
    func lookAtAccount() async { await pictures?.lookAtAccount() }

    /// Photos come first.
    func makeRoom(for wanted: UInt64) async { _ = await cache.giveWay(for: wanted) }

    /// What mends photos of the spool, and has the room that images take.
    func repair(_ home: Home, _ reserve: Spool.Reserve, on thread: ThreadExecutor) -> SpoolRepair {
        SpoolRepair(
            executor: thread, reserve: reserve, makeRoom: { await makeRoom(for: $0) },
            openRoot: home.openSpool)
    }

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
