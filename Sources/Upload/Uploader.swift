package import Basics
package import Bridge
package import Posix
import Synchronization

/// Performs what the scheduler decides: claims, persists, delivers. There is no decision in here.
package actor Uploader {
    nonisolated let executor: any SerialExecutor & TaskExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let ledger: any UploadLedger
    let destinations: [DestinationID: any Destination]
    let time: any TimeSource
    private let wall: any WallTime
    let report: @Sendable (UploadEvent) -> Void
    private(set) var scheduler: UploadScheduler
    /// How many photos are on their way to each destination, for those who ask from another thread.
    private nonisolated let sendingNow = Mutex<[DestinationID: Int]>([:])
    private var randomness: Randomness
    /// What has happened and the scheduler has not been told.
    let inbox = Mailbox<News>()
    let signal = Signal()
    var underWay: [JobID: UnderWay] = [:]
    /// Asked about, for reports of what comes of it.
    var asked: [JobID: Job] = [:]
    let newestFirst: Bool
    private(set) var paces = PathConcurrency()
    /// What has left for each destination.
    private let moved: [DestinationID: Tally]
    private let photosUnderWay: PhotosUnderWay
    /// Only ends of deliveries are waited for, and they are certain to come.
    var isEnding = false

    enum News: Sendable {
        case happened(UploadScheduler.Happening)
        case way(DestinationID, PathConcurrency.Way)
    }

    var pending = PendingWrites()
    /// Writes while deliveries go on.
    var writing: Task<Void, Never>?
    private var alarm: Alarm?

    struct UnderWay {
        let job: Job
        var task: Task<DeliveryOutcome, Never>?
    }

    /// How soon a ledger that could not be written is tried again.
    static let ledgerPause = Duration.seconds(2)
    /// The calendar is looked at this often, because it may be set while we wait.
    private static let longestWait = Duration.seconds(60)
    /// How often it is looked at what has left, while something leaves.
    private static let sampling = Duration.milliseconds(100)
    private var nextSample = Duration.zero
    /// A destination that ends by itself what was not cancelled would be begun again at once, for ever.
    private static let unasked = "it was taken back, and not by us"

    package init(
        ledger: any UploadLedger, destinations: [any Destination], moved: [DestinationID: Tally] = [:],
        underWay photosUnderWay: PhotosUnderWay = PhotosUnderWay(),
        settings: UploadScheduler.Settings = UploadScheduler.Settings(),
        executor: any SerialExecutor & TaskExecutor, time: any TimeSource, wall: any WallTime,
        random: any RandomSource, report: @escaping @Sendable (UploadEvent) -> Void
    ) {
        self.ledger = ledger
        self.destinations = Dictionary(uniqueKeysWithValues: destinations.map { ($0.id, $0) })
        self.moved = moved
        self.photosUnderWay = photosUnderWay
        self.executor = executor
        self.time = time
        self.wall = wall
        self.report = report
        newestFirst = settings.newestFirst
        scheduler = UploadScheduler(settings: settings)
        randomness = Randomness(random)
    }

    /// How many photos are on their way to each destination now.
    package nonisolated var sending: [DestinationID: Int] { sendingNow.withLock { $0 } }

    nonisolated func tell(_ happening: UploadScheduler.Happening) {
        inbox.post(.happened(happening))
        signal.fire()
    }

    /// Until the task is cancelled. What is under way then is taken back, and the ledger says so before this returns.
    package func run() async {
        // Waiting too: between the end of one delivery and the beginning of the next no other thread has to wake.
        await withTaskExecutorPreference(executor) { await work() }
    }

    private func work() async {
        await withDiscardingTaskGroup { group in
            for destination in destinations.values {
                guard case .local(let slots) = destination.reach else { continue }
                tell(.slots(destination.id, slots))
                report(.slots(url: destination.url, slots))
            }
            tell(.lookAgain)
            while !scheduler.isDrained {
                if Task.isCancelled, !isEnding {
                    isEnding = true
                    await perform([.drain], in: &group)
                }
                // All at once: each look at the jobs, and each commit, counts.
                let news = sample() + inbox.takeAll().flatMap { taken($0) }
                await perform(news.isEmpty ? [.timePassed] : news, in: &group)
                let sending = scheduler.sending
                sendingNow.withLock { $0 = sending }
                if scheduler.isDrained { break }
                await wait()
            }
            alarm?.cancel()
            await finishWriting()
        }
    }

    private func taken(_ news: News) -> [UploadScheduler.Happening] {
        switch news {
        case .happened(let happening): return [happening]
        case .way(let destination, let way): return paces.set(way, to: destination).compactMap(slotsNow)
        }
    }

    private func slotsNow(_ id: DestinationID) -> UploadScheduler.Happening? {
        guard let way = paces.ways[id], let destination = destinations[id] else { return nil }
        let slots = paces.slots(to: id)
        report(.slots(url: destination.url, slots))
        return .slots(id, slots, path: way.path, isUp: way.isUp, kind: destination.kind)
    }

    /// What has left since the last look, and what that says about how many at a time are worth it.
    private func sample() -> [UploadScheduler.Happening] {
        guard !paces.ways.isEmpty, nextSample <= time.now else { return [] }
        nextSample = time.now + Self.sampling
        return paces.sample(
            moved: { moved[$0]?.value ?? 0 }, underWay: { scheduler.deliveries(to: $0) }, at: time.now
        ).compactMap(slotsNow)
    }

    /// First everything is decided. What the ledger knows already begins; then all that is to be written is written at
    /// once, and then the rest is done: what happened together costs one commit, and nothing is begun that the ledger
    /// does not know.
    private func perform(
        _ happenings: [UploadScheduler.Happening], in group: inout DiscardingTaskGroup
    ) async {
        var happenings = happenings
        while !happenings.isEmpty {
            let actions = happenings.flatMap { scheduler.handle($0, at: wall.wallNow, using: &randomness) }
            happenings = []
            for action in await written(actions, in: &group) {
                switch action {
                case .persist, .note: continue
                case .claim, .claimSent, .release:
                    if let answer = await ask(action) { happenings.append(answer) }
                case .presign(let job), .deliver(let job): begin(job, action, in: &group)
                case .stop(let id): underWay[id]?.task?.cancel()
                case .giveUp(let job):
                    guard let destination = destinations[job.destination] else { continue }
                    group.addTask(executorPreference: executor) { await destination.giveUp(job) }
                case .ask(let id, let jobs): ask(id, jobs, in: &group)
                case .report(let id, let reason):
                    guard let url = destinations[id]?.url else { continue }
                    report(
                        reason.map { .held(url: url, scheduler.holdCause(of: id), $0) } ?? .released(url: url)
                    )
                }
            }
        }
    }

    func begin(
        _ job: Job, _ action: UploadScheduler.Action, in group: inout DiscardingTaskGroup
    ) {
        guard let destination = destinations[job.destination] else {
            preconditionFailure("a job was begun for a destination that has no slots")
        }
        underWay[job.id] = UnderWay(job: job)
        // It may be that the ledger could not be told: nothing is delivered that it does not know.
        if Task.isCancelled { return tell(.ended(job.id, .cancelled)) }
        let isPresigning = if case .presign = action { true } else { false }
        let task = Task(executorPreference: executor) { [photosUnderWay] in
            if !isPresigning {
                photosUnderWay.begin(job)
                defer { photosUnderWay.end(job.id) }
                return await destination.deliver(job)
            }
            guard let gallery = destination as? any ProcessingDestination else {
                preconditionFailure("a place is asked for where none are given")
            }
            return await gallery.presign(job)
        }
        underWay[job.id]?.task = task
        // Here and not where the bridge began: another thread would wake twice for each photo.
        group.addTask(executorPreference: executor) {
            var outcome = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            if outcome == .cancelled, !task.isCancelled { outcome = .destinationFailed(Self.unasked) }
            self.tell(.ended(job.id, outcome))
        }
    }

    private func ask(_ id: DestinationID, _ jobs: [Job], in group: inout DiscardingTaskGroup) {
        guard let gallery = destinations[id] as? any ProcessingDestination else {
            preconditionFailure("only a destination that processes photos can be asked what becomes of them")
        }
        for job in jobs { asked[job.id] = job }
        group.addTask(executorPreference: executor) {
            var answer = await gallery.ask(jobs)
            if answer == .cancelled, !Task.isCancelled { answer = .destinationFailed(Self.unasked) }
            self.tell(.answered(id, jobs.map(\.id), answer))
        }
    }

    // MARK: Waiting

    func pause(_ span: Duration) async {
        do {
            try await time.sleep(until: time.now + span)
        } catch {
            // Ending; the caller checks for that.
            return
        }
    }

    private func wait() async {
        // A cancelled task cannot sleep, so it would turn in circles here: ends are waited for, and nothing else.
        if isEnding { return await signal.wait() }
        let now = wall.wallNow
        var moments = [writeMoment]
        moments.append(scheduler.nextMoment(after: now).map { time.now + min($0 - now, Self.longestWait) })
        if !paces.ways.isEmpty, scheduler.deliveries > 0 { moments.append(max(nextSample, time.now)) }
        if let moment = moments.compactMap({ $0 }).min() { wake(at: moment) }
        await signal.waitUnlessCancelled()
    }

    /// One that rings sooner is left to ring: the loop that it wakes looks at what is due.
    private func wake(at moment: Duration) {
        if let alarm, alarm.moment > time.now, alarm.moment <= moment { return }
        alarm?.cancel()
        alarm = Alarm(at: moment, of: time, on: executor, ringing: signal)
    }
}
