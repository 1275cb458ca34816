import Bridge
import Posix
import Store
import Upload

/// An event's ledger and destinations for a command that works where no bridge runs. It holds the home's lock.
final class StandaloneSession {
    let event: BridgeEvent
    let home: Home
    let ledger: Ledger
    let destinations: [any Destination]
    /// Those in whose place others are by now.
    let former: [any Destination]
    let uplink: Uplink
    let reactor: Reactor
    /// What has left for each destination.
    let moved: [DestinationID: Tally]
    let settings: Settings
    let captions: CaptionDesk?
    private let images: GalleryImages
    private let threads: Threads
    private let lock: FileLock

    private init(
        _ event: BridgeEvent, _ home: Home, _ ledger: Ledger, _ builder: DestinationBuilder,
        _ uplink: Uplink, _ settings: Settings, _ threads: Threads, _ lock: FileLock, _ reactor: Reactor,
        _ images: GalleryImages
    ) {
        captions = builder.captions
        self.images = images
        self.event = event
        self.home = home
        self.ledger = ledger
        destinations = builder.destinations
        former = builder.former
        moved = builder.moved
        self.settings = settings
        self.reactor = reactor
        self.uplink = uplink
        self.threads = threads
        self.lock = lock
    }

    /// `event`: its id or name; the latest where nothing is said.
    static func open(_ event: String?, in home: Home, on reactor: Reactor) async throws -> StandaloneSession {
        let lock = try home.lock()
        let reader = try home.reader()
        let event = try reader.requireChosenEvent(event)
        let threads = Threads()
        let settings = try Settings.read(from: home)
        let ledger: Ledger
        let uplink: Uplink
        do {
            ledger = try Ledger(
                path: home.database, executor: threads.make("ledger"), wall: SystemWallTime(),
                random: SystemRandomSource())
            uplink = try Uplink(settings, on: try threads.makeReactor("network"))
        } catch {
            threads.shutDown()
            throw error
        }
        await ledger.use(settings.jobs, listeners: settings.notifications.listeners)
        let builder = try DestinationBuilder(
            event, home, ledger, uplink, time: reactor, threads, captions: settings.captions, nil)
        let problem = await builder.problem(ledger)
        let images = try GalleryImages(
            of: builder, event, home, settings.reserve, uplink, threads, time: reactor)
        let session = StandaloneSession(
            event, home, ledger, builder, uplink, settings, threads, lock, reactor, images)
        guard let problem else { return session }
        try await session.close()
        throw problem
    }

    func mending(_ reader: LedgerReader, _ cards: any CardAccess) -> RepairService {
        RepairService(
            ledger: ledger, reader: reader, destinations: destinations, former: former,
            repair: images.repair(home, settings.reserve, on: threads.make("mend")),
            workers: threads.makeWorkers(), cards: cards, deliveries: nil)
    }

    /// For one piece of work; closed when that has ended, however it did.
    func lend<Value>(to work: (StandaloneSession) async throws -> Value) async throws -> Value {
        let result: Result<Value, any Error>
        do {
            result = .success(try await work(self))
        } catch {
            result = .failure(error)
        }
        try await close()
        return try result.get()
    }

    func close() async throws {
        await images.end()
        await uplink.shutDown()
        try await ledger.end()
        threads.shutDown()
        withExtendedLifetime(lock) {}
    }
}

extension DestinationBuilder {
    /// Builds all of them; why that did not work, if it did not.
    fileprivate func problem(_ ledger: Ledger) async -> (any Error)? {
        do {
            // No bridge runs, so a job that is claimed was left by a crash.
            _ = try await ledger.rescueJobs()
            try await build()
            return nil
        } catch {
            return error
        }
    }
}
