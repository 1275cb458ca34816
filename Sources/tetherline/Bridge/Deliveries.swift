import Bridge
import Console
import HTTPClient
import Posix
import Store
import Synchronization
import Upload

/// Who delivers in a run, and where to.
///
/// When the operator changes the event's destinations, what is under way is taken back as it is at the end of a run, the
/// ledger is changed, and deliveries begin anew with what the event has then. Cameras notice nothing of it.
actor Deliveries: WayFollower {
    private nonisolated let executor: any SerialExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// What delivers at the moment.
    private struct Current {
        var uploader: Uploader
        var destinations: [any Destination]
        var former: [any Destination]
        var moved: [DestinationID: Tally]
        var isPaused = false
        /// This uploader is ending, because destinations change.
        var isEnding = false
        /// What the operator has cancelled meanwhile: this uploader may have ended before it heard of it.
        var cancelled: [JobID] = []
    }

    private struct Wish {
        let change: DestinationChange
        let answer: CheckedContinuation<DestinationEnd, any Error>
    }

    private nonisolated let current: Mutex<Current>
    /// How far each photo is that is being sent.
    nonisolated let underWay: PhotosUnderWay
    private let builder: DestinationBuilder
    private let ledger: Ledger
    private let uplink: Uplink
    private let settings: UploadScheduler.Settings
    private let report: @Sendable (UploadEvent) -> Void
    private var wishes: [Wish] = []
    private var hasEnded = false
    private nonisolated let signal = Signal()

    /// Of the galleries that photos go to.
    let galleries: [GalleryAccount]

    init(
        _ builder: sending DestinationBuilder, _ ledger: Ledger, _ uplink: Uplink,
        settings: UploadScheduler.Settings, executor: any SerialExecutor,
        report: @escaping @Sendable (UploadEvent) -> Void
    ) {
        let destinations = builder.destinations
        let (former, moved, underWay) = (builder.former, builder.moved, builder.underWay)
        galleries = builder.galleryAccounts
        self.underWay = underWay
        self.builder = builder
        self.ledger = ledger
        self.uplink = uplink
        self.settings = settings
        self.executor = executor
        self.report = report
        current = Mutex(
            Current(
                uploader: Self.uploader(destinations, moved, underWay, ledger, uplink, settings, report),
                destinations: destinations, former: former, moved: moved))
    }

    private static func uploader(
        _ destinations: [any Destination], _ moved: [DestinationID: Tally], _ underWay: PhotosUnderWay,
        _ ledger: Ledger, _ uplink: Uplink,
        _ settings: UploadScheduler.Settings, _ report: @escaping @Sendable (UploadEvent) -> Void
    ) -> Uploader {
        // Where the requests run: between the end of one upload and the beginning of the next no other thread has to wake.
        let executor = uplink.client.executor
        return Uploader(
            ledger: ledger, destinations: destinations, moved: moved, underWay: underWay, settings: settings,
            executor: executor, time: executor, wall: SystemWallTime(), random: SystemRandomSource(),
            report: report)
    }

    // MARK: What others say to it

    nonisolated var destinations: [any Destination] { current.withLock { $0.destinations } }
    /// Those in whose place others are by now.
    nonisolated var former: [any Destination] { current.withLock { $0.former } }
    /// What has left for each destination.
    nonisolated var moved: [UInt64] { current.withLock { $0.moved.values.map(\.value) } }

    /// How many photos are on their way at this moment, by the destination's address.
    nonisolated var sending: [String: Int] {
        let (uploader, destinations) = current.withLock { ($0.uploader, $0.destinations) }
        let sending = uploader.sending
        return destinations.reduce(into: [:]) { $0[$1.url] = sending[$1.id] }
    }

    private nonisolated var uploader: Uploader { current.withLock { $0.uploader } }

    nonisolated func lookAgain() { uploader.lookAgain() }
    /// What is under way of these is stopped; the ledger keeps them back.
    nonisolated func putAside(_ jobs: [JobID]) async throws { try await uploader.putAside(jobs) }
    nonisolated func cancel(_ jobs: [JobID]) {
        let uploader = current.withLock { current in
            if current.isEnding { current.cancelled += jobs }
            return current.uploader
        }
        uploader.cancel(jobs)
    }
    nonisolated func way(to id: DestinationID, by path: String, ceiling: Int, isUp: Bool) {
        uploader.way(to: id, by: path, ceiling: ceiling, isUp: isUp)
    }

    nonisolated func pause(_ isPaused: Bool) {
        let uploader = current.withLock { current in
            current.isPaused = isPaused
            return current.uploader
        }
        uploader.pause(isPaused)
    }

    /// What held destinations may be over.
    nonisolated func tryAgain() -> Int {
        let (uploader, destinations) = current.withLock { ($0.uploader, $0.destinations) }
        for destination in destinations { uploader.tryAgain(destination.id) }
        return destinations.count
    }

    // MARK: Changes

    /// Once it is done; deliveries have begun anew by then.
    func change(_ change: DestinationChange) async throws -> DestinationEnd {
        try await withCheckedThrowingContinuation { answer in
            guard !hasEnded else { return answer.resume(throwing: Self.ending) }
            wishes.append(Wish(change: change, answer: answer))
            current.withLock { $0.isEnding = true }
            signal.fire()
        }
    }

    private static let ending = CommandRouter.Refused(
        description: "the bridge that runs here is ending; try again when it has ended")

    /// Until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let uploader = uploader
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await uploader.run() }
                group.addTask { [signal] in await signal.waitUnlessCancelled() }
                await group.next()
                group.cancelAll()
            }
            if !Task.isCancelled { await changeAll(after: uploader) }
        }
        hasEnded = true
        for wish in wishes { wish.answer.resume(throwing: Self.ending) }
        wishes = []
    }

    /// Nothing is delivered meanwhile.
    private func changeAll(after uploader: Uploader) async {
        let wishes = wishes
        self.wishes = []
        let held = await uploader.holds.keys
        let urls = destinations.filter { held.contains($0.id) }.map(\.url)
        for wish in wishes {
            do {
                try await ledger.giveBackJobs()
                _ = try await ledger.cancelUnclaimed(current.withLock { $0.cancelled })
                let end = try await wish.change.perform(in: ledger)
                try await builder.build()
                wish.answer.resume(returning: end)
            } catch {
                wish.answer.resume(throwing: error)
            }
        }
        for url in urls { report(.begun(url: url)) }
        begin()
    }

    private func begin() {
        let (destinations, former, moved) = (builder.destinations, builder.former, builder.moved)
        let uploader = Self.uploader(destinations, moved, underWay, ledger, uplink, settings, report)
        let isPaused = current.withLock { current in
            current.uploader = uploader
            (current.isEnding, current.cancelled) = (false, [])
            current.destinations = destinations
            current.former = former
            current.moved = moved
            return current.isPaused
        }
        if isPaused { uploader.pause(true) }
        // It knows of no way yet.
        uplink.tellAgain()
    }
}
