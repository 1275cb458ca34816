package import Basics
import HTTPServer
import Posix
import Synchronization

/// The parts of a gallery, put together: everything that is answered, and everything that goes on by itself.
package final class GalleryServer: Sendable {
    package let store: StorePool
    package let accounts: Accounts
    package let door: GuestDoor
    package let feeds: Feeds
    package let metrics = Metrics()
    let rowFigures = SharedReading<RowFigures>()
    let databaseLook = SharedReading<Look>(keeping: Look.life)
    let storeLook = SharedReading<Look>(keeping: Look.life)
    let readiness: ReadinessRecord
    private let dispatcher: ChangeDispatcher
    let reader: ReaderPool
    let lists: PhotoLists
    let storage: any ObjectStorage
    let renderer: any Renderer
    let videos: VideoStudio
    let images: ImageAccessCache
    let directory: EventDirectory
    let timelines: TimelineCache
    let sections: SectionCache
    let devices: GuestDevices
    let guestUploadLimits: LimitCounter<GuestUploadLimits>
    let downloads: DownloadCounter
    let teller: ReactionTeller
    let settings: GallerySettings
    let reserve: DiskReserve?
    package let processor: Processor
    package let sweeper: Sweeper
    let indexer: SearchIndexer
    package let tusKeeper: TusKeeper
    let sync: SyncEndpoint
    let time: any TimeSource
    let log: GalleryLog
    let activity: ActivityLog
    let started: Timestamp
    let imageSources: [String]
    private let purger: Purger?
    private let reminder: HostReminder?
    private nonisolated let threads: [ThreadExecutor]
    /// Where several nodes share a database.
    let cluster: ClusterMember?
    let database: GalleryDatabase
    private let draining = Mutex(false)

    /// How often what was left is put away.
    private static let sweepPause = Duration.seconds(30)
    private static let endPause = Duration.seconds(5)
    /// One of several nodes does it for all, and another when that one has been silent for so long.
    private static let sweepDuty = Duration.seconds(90)

    package struct Parts: Sendable {
        package let database: GalleryDatabase
        package let accounts: Accounts
        package let door: GuestDoor
        package let storage: any ObjectStorage
        package let renderer: any Renderer
        package let videos: VideoStudio
        package let settings: GallerySettings
        /// Where images are redirected to besides here.
        package let imageSources: [String]
        /// Caches between here and guests that are told what to forget.
        package let caches: (any OutsideCaches)?
        /// How hosts are told that events end.
        package let reminders: (any ReminderWay)?
        /// Where the database is a file of this machine.
        package let reserve: DiskReserve?
        package let time: any TimeSource
        package let wall: any WallTime
        package let log: GalleryLog
        package let activity: ActivityLog

        package init(
            database: GalleryDatabase, accounts: Accounts, door: GuestDoor,
            storage: any ObjectStorage, renderer: any Renderer,
            videos: VideoStudio, settings: GallerySettings,
            imageSources: [String] = [], caches: (any OutsideCaches)? = nil,
            reminders: (any ReminderWay)? = nil, reserve: DiskReserve? = nil,
            time: any TimeSource, wall: any WallTime, log: GalleryLog, activity: ActivityLog? = nil
        ) {
            self.activity = activity ?? ActivityLog(log, time: time)
            self.database = database
            self.accounts = accounts
            self.door = door
            self.storage = storage
            self.renderer = renderer
            self.videos = videos
            self.settings = settings
            self.imageSources = imageSources
            self.caches = caches
            self.reminders = reminders
            self.reserve = reserve
            self.time = time
            self.wall = wall
            self.log = log
        }
    }

    package init(_ parts: Parts) throws {
        let working = ThreadExecutor(name: "working")
        threads = [working]
        database = parts.database
        feeds = Feeds(
            wall: parts.wall, images: parts.settings.images, mostStreams: parts.settings.mostStreams,
            isShared: parts.database.server != nil)
        store = parts.database.store
        reader = parts.database.reader
        lists = PhotoLists(parts.database, time: parts.time)
        accounts = parts.accounts
        door = parts.door
        storage = parts.storage
        renderer = parts.renderer
        videos = parts.videos
        settings = parts.settings
        imageSources = parts.imageSources
        reserve = parts.reserve
        time = parts.time
        log = parts.log
        activity = parts.activity
        started = parts.wall.wallNow
        images = ImageAccessCache(reader: reader, sharedBy: parts.database.worker == nil ? nil : time)
        directory = EventDirectory(reader: reader, time: parts.time)
        timelines = TimelineCache(reader: reader)
        sections = SectionCache(reader: reader)
        devices = GuestDevices(parts)
        guestUploadLimits = LimitCounter(
            GuestUploadLimits(), parts.accounts.sharedLimits, time: parts.time)
        downloads = DownloadCounter(store: store, time: parts.time, wall: parts.wall, log: parts.log)
        teller = ReactionTeller(store: store, time: parts.time, log: parts.log)
        let log = parts.log
        if let reserve { store.onNoRoom { reserve.giveUp() } }
        readiness = ReadinessRecord(log: parts.log)
        processor = Self.processor(parts, readiness, on: working)
        let processor = processor
        sync = SyncEndpoint(store: store)
        let store = store
        purger = Self.purger(parts)
        reminder = Self.reminder(parts)
        let dispatcher = ChangeDispatcher(images: images, feeds: feeds, directory: directory, purger: purger)
        self.dispatcher = dispatcher
        if let server = parts.database.server, let worker = parts.database.worker {
            let member = ClusterMember(
                server, worker, parts.database, dispatcher, feeds, processor, parts.accounts.keys,
                time: parts.time, log: parts.log
            )
            cluster = member
            // The server holds it, and it holds the store.
            store.onCommit { [weak follower = member.follower] changes in
                dispatcher.forget(changes)
                follower?.committed(changes)
            }
            feeds.onBegin { [weak follower = member.follower] in follower?.look(at: [$0]) }
        } else {
            cluster = nil
            store.onCommit { dispatcher.apply($0) }
        }
        let activity = parts.activity
        store.onCommit { activity.note($0) }
        let indexer = SearchIndexer(store: store, time: time) { log.warning($0) }
        self.indexer = indexer
        store.onCommit { indexer.heard($0) }
        sweeper = Sweeper(
            store: store, storage: storage, onLanded: { processor.lookAgain() }, log: { log.warning($0) })
        tusKeeper = TusKeeper(
            store: store, storage: storage, time: time, onLanded: { processor.lookAgain() },
            log: { log.warning($0, of: Request.answeredID) })
    }

    private static func processor(
        _ parts: Parts, _ readiness: ReadinessRecord, on executor: any SerialExecutor
    ) -> Processor {
        // Where others do what this one cannot, it leaves it to them.
        let isShared = parts.database.worker != nil
        let (reserve, workshop) = (parts.reserve, parts.storage.workshop)
        return Processor(
            store: parts.database.store, storage: parts.storage, renderer: parts.renderer,
            videos: parts.videos,
            time: parts.time, executor: executor, sharesWork: isShared,
            activity: parts.activity,
            hasRoom: { isShared ? readiness.takesWork(in: workshop) : reserve?.hasRoom() ?? true },
            log: { [log = parts.log] in log.warning($0) })
    }

    private static func purger(_ parts: Parts) -> Purger? {
        parts.caches.map {
            Purger(
                store: parts.database.store, caches: $0, base: parts.settings.cachedURL, time: parts.time,
                log: parts.log)
        }
    }

    private static func reminder(_ parts: Parts) -> HostReminder? {
        parts.reminders.map {
            HostReminder(
                store: parts.database.store, way: $0, publicURL: parts.settings.publicURL, time: parts.time,
                log: parts.log)
        }
    }

    /// Bytes lie at that key, as the storage has seen.
    package func landed(_ key: String) async {
        do {
            if try await store({ try $0.landed(key) }) { processor.lookAgain() }
        } catch {
            // Nothing is lost: the next request for the status looks for the bytes again.
            log.warning("bytes at \(key) have come, and that could not be written: \(error)")
        }
    }

    /// A folder may have come from a machine that knew more.
    private func warnOfZones() async {
        do {
            for problem in try await store({ try $0.unknownZones() }) { log.warning(problem) }
        } catch {
            log.warning("the time zones of events could not be read: \(error)")
        }
    }

    /// What goes on by itself, until the task is cancelled.
    package func run(workers: Int) async {
        await warnOfZones()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.processor.run(atOnce: workers) }
            if let cluster {
                group.addTask { await cluster.run() }
                group.addTask { await self.watchReadiness() }
            }
            group.addTask { await self.accounts.mailLinks(self.log) }
            if let purger = self.purger { group.addTask { await purger.run() } }
            if let reminder = self.reminder { group.addTask { await reminder.run() } }
            group.addTask { await self.endStreams() }
            group.addTask { await self.indexer.run() }
            group.addTask { await self.teller.run() }
            group.addTask { await self.downloads.run() }
            group.addTask { await self.activity.run() }
            group.addTask {
                while !Task.isCancelled {
                    // Each node has its own.
                    await self.storage.tidy()
                    do {
                        if try await self.store({ try $0.takesDuty("sweep", for: Self.sweepDuty) }) {
                            try await self.sweeper.sweep()
                            try await self.tusKeeper.sweep()
                            try await self.store { try $0.sweepChanges() }
                        }
                    } catch is CancellationError {
                        return
                    } catch {
                        self.log.warning(
                            "putting away what was left did not work, and is tried again: \(error)")
                    }
                    do {
                        try await self.time.sleep(until: self.time.now + Self.sweepPause)
                    } catch {
                        return
                    }
                }
            }
        }
        if let cluster { await cluster.leave() }
        for thread in threads { thread.shutDown() }
    }

    /// Guests of an event that ends hear so while nothing else happens in it.
    private func endStreams() async {
        while !Task.isCancelled {
            dispatcher.tellEnds()
            do {
                try await time.sleep(until: time.now + Self.endPause)
            } catch {
                return
            }
        }
    }

    /// From now on a balancer is to send clients elsewhere.
    package func beginDraining() { draining.withLock { $0 = true } }

    var isDraining: Bool { draining.withLock(\.self) }
}
