import Bridge
import Camera
import Posix
import Store
import Synchronization
import Transfer

/// Makes what tethers a camera, with threads of its own. Those of a camera that has been left are another one's then: a
/// camera that changes its address all evening takes no more of them.
final class CameraMaker: Sendable {
    private struct Room {
        let place: String
        let reactor: Reactor
        let spool: ThreadExecutor
        let workers: PhotoWorkers
    }

    private let command: RunCommand
    private let session: TransferSession
    private let services: BackgroundServices
    private let images: GalleryImages
    private let threads: Threads
    private let cameras: TetheredCameras
    private let rooms = Mutex<[Room]>([])

    init(
        command: RunCommand, session: TransferSession, services: BackgroundServices, images: GalleryImages,
        threads: Threads, cameras: TetheredCameras
    ) {
        self.cameras = cameras
        self.command = command
        self.session = session
        self.services = services
        self.images = images
        self.threads = threads
    }

    /// `known`: which camera of the home it is, where that is known before it has said so.
    func make(
        _ host: HostPort, known: HomeCamera? = nil, expecting expected: ExpectedBody = .asKnownThere
    ) throws -> CameraTransfer {
        let room = try room(for: "\(host)")
        let home = command.home
        let retention = services.retention
        let spool = Spool(
            event: session.event.id, boot: session.boot,
            reserve: command.settings.reserve, executor: room.spool,
            makeRoom: { [images] wanted in
                await images.makeRoom(for: wanted)
                await retention.makeRoom(for: wanted)
            }, openRoot: home.openSpool)
        return CameraTransfer(
            session, connector: command.client.connector(to: host, known: known?.expected, on: room.reactor),
            shelf: spool,
            workers: room.workers, executor: room.reactor, time: room.reactor, expecting: expected)
    }

    private func room(for place: String) throws -> Room {
        let used = cameras.all.map(\.place)
        return try rooms.withLock { rooms in
            let free = rooms.firstIndex { !used.contains($0.place) }
            let old = free.map { rooms.remove(at: $0) }
            let room = Room(
                place: place, reactor: try old?.reactor ?? threads.makeReactor("camera"),
                spool: old?.spool ?? threads.make("spool"), workers: old?.workers ?? threads.makeWorkers())
            rooms.append(room)
            return room
        }
    }

    static func settings(of command: RunCommand) -> TransferSession.Settings {
        var settings = command.settings.transfer
        settings.adviceOnNewBodies =
            command.settings.run.searches
            ? ", or, if that is the camera you mean, say 'tetherline camera add' with its address"
            : ", or say --new-body once if that is the camera you mean"
        return settings
    }
}

/// What happens with cameras, for a search that is made after them.
final class CameraSearchLine: Sendable {
    private let search = Mutex<CameraSearch?>(nil)

    func leads(to other: CameraSearch?) { search.withLock { $0 = other } }
    func tell(_ news: CameraNews) { search.withLock { $0 }?.hear(.camera(news)) }
}
