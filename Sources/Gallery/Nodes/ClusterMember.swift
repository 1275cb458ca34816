import Basics
import Posix

/// What makes this program one of several nodes: it hears and tells changes, keeps the leases of its work, and does nothing
/// while the database's tables are none that it knows.
final class ClusterMember: Sendable {
    let follower: ChangeFollower
    let worker: Worker
    let commits: CommitWatch
    let clock: ClockWatch
    private let bell: BellKeeper
    private let servers: ServerWatcher
    private let gallery: PostgresGallery
    private let database: GalleryDatabase
    private let processor: Processor
    private let keys: KeyRing
    private let time: any TimeSource
    private let log: GalleryLog
    private let listening = ThreadExecutor(name: "listening")
    private let watching = ThreadExecutor(name: "servers")

    private static let versionPause = Duration.seconds(5)

    init(
        _ gallery: PostgresGallery, _ worker: Worker, _ database: GalleryDatabase,
        _ dispatcher: ChangeDispatcher, _ feeds: Feeds, _ processor: Processor, _ keys: KeyRing,
        time: any TimeSource, log: GalleryLog
    ) {
        self.gallery = gallery
        self.worker = worker
        self.database = database
        self.processor = processor
        self.keys = keys
        self.time = time
        self.log = log
        follower = ChangeFollower(
            store: database.store, reader: database.reader, dispatcher: dispatcher, feeds: feeds, time: time,
            log: log)
        commits = CommitWatch(database.store, time: time, log: log)
        clock = ClockWatch(database.store, time: time, log: log)
        bell = BellKeeper(gallery, executor: listening, time: time, log: log)
        servers = ServerWatcher(gallery, executor: watching, time: time)
    }

    deinit {
        listening.shutDown()
        watching.shutDown()
    }

    /// Until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.follower.run() }
            group.addTask { await self.bell.run(self.follower) }
            group.addTask { await self.servers.run() }
            group.addTask { await self.commits.run() }
            group.addTask { await self.clock.run() }
            group.addTask { await self.keepLeases() }
            group.addTask { await self.watchVersion() }
            group.addTask { await self.keys.keepReading(self.log) }
        }
    }

    /// The last thing that it does.
    func leave() async {
        do {
            try await database.store { try $0.giveLeasesBack() }
        } catch {
            log.warning("other nodes begin what this one has left when its leases have run out: \(error)")
        }
        listening.shutDown()
        watching.shutDown()
    }

    private func keepLeases() async {
        while await rest(worker.lease / 3) {
            do {
                let uploads = await processor.underWay
                try await database.store { try $0.renewLeases(of: uploads) }
            } catch {
                log.warning("the leases of work could not be renewed, which is tried again: \(error)")
            }
        }
    }

    /// Nodes are replaced one by one while the tables are brought to a newer version.
    private func watchVersion() async {
        var known: String?
        while await rest(Self.versionPause) {
            do {
                let refusal = try await database.reader.evenIfClosed { try $0.schemaRefusal() }
                if refusal != known {
                    database.close(because: refusal)
                    if let refusal { log.error("this node serves nothing: \(refusal)") }
                    if refusal == nil { log.warning("this node serves again") }
                }
                known = refusal
            } catch {
                log.warning("the version of the tables cannot be read, which is tried again: \(error)")
            }
        }
    }

    /// False when the task is cancelled.
    private func rest(_ span: Duration) async -> Bool {
        do throws(CancellationError) {
            try await time.sleep(until: time.now + span)
            return true
        } catch {
            return false
        }
    }
}
