import Basics
import Bridge
import Posix
import Store
import Upload

/// Makes the destinations of an event out of what the ledger says of them.
final class DestinationBuilder {
    private let event: BridgeEvent
    private let home: Home
    private let ledger: Ledger
    private let uplink: Uplink
    private let time: any TimeSource
    private let threads: Threads
    private var direct: DirectDestinations
    /// Nothing where nothing is said about photos.
    let captions: CaptionDesk?
    /// Where captions for galleries are said; nothing where no gallery is talked to.
    private let galleries: GalleryCaptions?
    private var accounts: [GalleryAddress: GalleryAccount] = [:]
    /// What has left for each destination.
    private(set) var moved: [DestinationID: Tally] = [:]
    let underWay = PhotosUnderWay()
    private(set) var destinations: [any Destination] = []
    /// Those that others stand in the place of. They are looked at, and get nothing.
    private(set) var former: [any Destination] = []

    init(
        _ event: BridgeEvent, _ home: Home, _ ledger: Ledger, _ uplink: Uplink, time: any TimeSource,
        _ threads: Threads, captions: CaptionSettings, _ galleries: GalleryCaptions?
    ) throws {
        self.event = event
        self.captions = try captions.desk(for: event, in: home, threads)
        self.galleries = galleries
        self.home = home
        self.ledger = ledger
        self.uplink = uplink
        self.time = time
        self.threads = threads
        direct = DirectDestinations(
            spool: "\(home.spool)/\(event.id)", uplink: uplink, notes: ledger, time: time, threads: threads,
            underWay: underWay)
    }

    /// What the event has now; those that it had before stay the same.
    func build() async throws {
        let (known, used) = (destinations + former, try await ledger.destinations(of: event))
        for destination in used where destination.kind == .direct {
            try await noteDisk(of: DestinationAddress(destination.url))
        }
        let replaced = try LedgerReader(path: home.database).formerDestinations(of: event.id)
        destinations = try used.map { try make($0.id, $0.url, $0.kind, known) }
        former = try replaced.map { try make($0.id, $0.url, $0.kind, known) }
    }

    /// A disk that is mounted now is missed whenever it is not, also after this run.
    private func noteDisk(of address: DestinationAddress) async throws {
        guard case .folder(let folder, _) = address, let disk = DiskPlace(of: folder.path) else { return }
        let key = DestinationChange.diskKey(folder.path)
        if disk.isMounted { try await ledger.remember(key, "yes") }
        if try await ledger.recall(key) != nil { direct.disks.insert(folder.path) }
    }

    private func make(
        _ id: DestinationID, _ url: String, _ kind: DestinationKind, _ known: [any Destination]
    ) throws -> any Destination {
        if let known = known.first(where: { $0.id == id }) { return known }
        let moved = self.moved[id] ?? Tally()
        self.moved[id] = moved
        switch kind {
        case .gallery: return try gallery(id, url, moved)
        case .direct:
            let address = try DestinationAddress(url)
            let destination = direct.make(id, address, moved)
            guard let captions, address.writesCaptions else { return destination }
            return CaptionedDestination(destination, captions)
        }
    }

    private func gallery(_ id: DestinationID, _ url: String, _ moved: Tally) throws -> any Destination {
        let place = try GalleryPlace(url: url, ledgerEvent: event.id)
        return GalleryDestination(
            id: id, place, account: account(at: place.address), means: direct.means(id, moved),
            executor: threads.make("read"),
            way: { [uplink] in
                let way = uplink.way(to: id)
                return UploadWay(path: way?.name, isMetered: way?.isMetered ?? false)
            },
            prepare: { [captions, galleries] job in
                guard let captions, let galleries else { return }
                await galleries.say(await captions.caption(of: job), of: job, at: place)
            })
    }

    /// Of every gallery that something is delivered to.
    var galleryAccounts: [GalleryAccount] {
        accounts.values.sorted { "\($0.api.address)" < "\($1.api.address)" }
    }

    /// One for each gallery: its tokens are renewed once for all who need them.
    func account(at address: GalleryAddress) -> GalleryAccount {
        if let account = accounts[address] { return account }
        let account = GalleryAccount(
            api: GalleryAPI(
                address, http: uplink.client, wall: SystemWallTime(), clock: uplink.galleryClock),
            file: CredentialsFile(folder: home.path), time: time, executor: threads.make("account"),
            mayRefresh: true)
        accounts[address] = account
        return account
    }
}

/// Destinations of one step: made of nothing but an address.
struct DirectDestinations: Sendable {
    /// The folder of the whole files.
    let spool: String
    let uplink: Uplink
    let notes: any JobNotes
    let time: any TimeSource
    let threads: Threads
    /// How far each photo is.
    var underWay = PhotosUnderWay()
    /// Folders where a disk has been seen mounted.
    var disks: Set<String> = []

    /// What destinations look up: the names that every S3 tool knows, and our own.
    static var environment: [String: String] {
        [
            "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE",
            "AWS_DEFAULT_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL",
            "AWS_ENDPOINT_URL_S3", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE",
            "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "HOME", "TETHERLINE_WEBDAV_USER",
            "TETHERLINE_WEBDAV_PASSWORD", "TETHERLINE_SFTP_PASSWORD", "TETHERLINE_FTP_PASSWORD",
        ].reduce(into: [:]) { $0[$1] = Program.environment($1) }
    }

    func means(_ id: DestinationID, _ moved: Tally) -> DeliveryMeans {
        DeliveryMeans(
            spool: spool, http: uplink.transport(for: id), time: time, wall: SystemWallTime(),
            random: SystemRandomSource(), storeClock: uplink.storeClock,
            onMoved: { [underWay] job, count in
                moved.add(count)
                underWay.moved(count, of: job)
            })
    }

    func make(
        _ id: DestinationID, _ address: DestinationAddress, _ moved: Tally
    ) -> any TestableDestination {
        let environment = Self.environment
        switch address {
        case .folder(let address, let url):
            return FolderDestination(
                id: id, url: url, address, spool: spool,
                executors: [threads.make("deliver"), threads.make("deliver")],
                wasMounted: disks.contains(address.path),
                onMoved: { [underWay] job, count in
                    moved.add(count)
                    underWay.moved(count, of: job)
                })
        case .bucket(let address, let url):
            return S3Destination(
                id: id, url: url, address, environment: environment, means: means(id, moved), notes: notes,
                thread: threads.make("read"))
        case .webDAV(let address):
            return ServerDestination(
                id: id, address, environment: environment, means: means(id, moved),
                thread: threads.make("read"))
        case .files(let address): return files(id, address, moved)
        }
    }

    private func files(
        _ id: DestinationID, _ address: FilesAddress, _ moved: Tally
    ) -> any TestableDestination {
        ServerDestination(
            id: id, address, means: means(id, moved), thread: threads.make("read"),
            share: { [uplink] in uplink.way(to: id)?.name },
            connect: { [uplink, environment = Self.environment] () throws(AddressProblem) in
                try uplink.fileServer(address, environment)
            })
    }
}
