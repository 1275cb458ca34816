package import Bridge
import Posix

/// Performs what the scheduler decides: claims, persists, delivers. There is no decision in here.
package actor Uploader {
    private nonisolated let executor: any SerialExecutor & TaskExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let ledger: any UploadLedger
    private let destinations: [DestinationID: any Destination]
    private let time: any TimeSource
    private let wall: any WallTime
    private let report: @Sendable (UploadEvent) -> Void
    private var scheduler: UploadScheduler
    private var randomness: Randomness
    /// What has happened and the scheduler has not been told.
    private let inbox = Mailbox<UploadScheduler.Happening>()
    private let bell = Doorbell()
    private var underWay: [JobID: Job] = [:]
    /// Only ends of deliveries are waited for, and they are certain to come.
    private var isEnding = false

    /// How soon a ledger that could not be written is tried again.
    private static let ledgerPause = Duration.seconds(2)
    /// The calendar is looked at this often, because it may be set while we wait.
    private static let longestWait = Duration.seconds(60)

    package init(
        ledger: any UploadLedger, destinations: [any Destination],
        settings: UploadScheduler.Settings = UploadScheduler.Settings(),
        executor: any SerialExecutor & TaskExecutor, time: any TimeSource, wall: any WallTime,
        random: any RandomSource, report: @escaping @Sendable (UploadEvent) -> Void
    ) {
        self.ledger = ledger
        self.destinations = Dictionary(uniqueKeysWithValues: destinations.map { ($0.id, $0) })
        self.executor = executor
        self.time = time
        self.wall = wall
        self.report = report
        scheduler = UploadScheduler(settings: settings)
        randomness = Randomness(random)
    }

    /// The ledger may hold new jobs.
    package nonisolated func lookAgain() {
        tell(.lookAgain)
    }

    private nonisolated func tell(_ happening: UploadScheduler.Happening) {
        inbox.post(happening)
        bell.ring()
    }

    /// Until the task is cancelled. What is under way then is taken back, and the ledger says so before this returns.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for destination in destinations.values {
                guard case .local(let slots) = destination.reach else { continue }
                tell(.slots(destination.id, slots))
            }
            tell(.lookAgain)
            while !scheduler.isDrained {
                if Task.isCancelled, !isEnding {
                    isEnding = true
                    await perform([.drain], in: &group)
                }
                await perform(inbox.takeAll(), in: &group)
                if scheduler.isDrained { break }
                await wait()
                await perform([.timePassed], in: &group)
            }
        }
    }

    private func perform(
        _ happenings: [UploadScheduler.Happening], in group: inout DiscardingTaskGroup
    ) async {
        var happenings = happenings[...]
        while let happening = happenings.popFirst() {
            for action in scheduler.handle(happening, at: wall.wallNow, using: &randomness) {
                switch action {
                case .persist(let change): await persist(change)
                case .claim(let id, let count): happenings.append(await claim(count, to: id))
                case .deliver(let job): begin(job, in: &group)
                case .report(let id, let reason):
                    guard let url = destinations[id]?.url else { continue }
                    report(reason.map { .held(url: url, $0) } ?? .released(url: url))
                }
            }
        }
    }

    private func begin(_ job: Job, in group: inout DiscardingTaskGroup) {
        guard let destination = destinations[job.destination] else {
            preconditionFailure("a job was begun for a destination that has no slots")
        }
        underWay[job.id] = job
        // It may be that the ledger could not be told: nothing is delivered that it does not know.
        if Task.isCancelled { return tell(.ended(job.id, .cancelled)) }
        group.addTask {
            let outcome = await destination.deliver(job)
            self.tell(.ended(job.id, outcome))
        }
    }

    /// What has become of a delivery, once that is written.
    private func say(_ change: JobChange) {
        guard change.from == .uploading, let job = underWay.removeValue(forKey: change.job),
            let url = destinations[job.destination]?.url
        else { return }
        if let receipt = change.receipt { report(.delivered(job, url: url, receipt)) }
        if change.to == .failedRetryable || change.to == .failedPermanent {
            report(
                .failed(job, url: url, change.problem ?? "failed", isFinal: change.to == .failedPermanent))
        }
    }

    /// Nothing goes on before it is written: whoever starts after a crash has to know.
    private func persist(_ change: JobChange) async {
        while true {
            do {
                try await ledger.save(change)
                return say(change)
            } catch let error as JobMismatch {
                // Somebody else wrote into the ledger. Saying it again would change nothing, and others wait.
                return report(.ledgerFailed("\(error)"))
            } catch {
                report(.ledgerFailed("\(error)"))
                // An end in order may not wait for a disk: the next start rescues what is under way.
                if Task.isCancelled { return }
                await pause(Self.ledgerPause)
            }
        }
    }

    private func claim(_ count: Int, to destination: DestinationID) async -> UploadScheduler.Happening {
        do {
            let jobs = try await ledger.claim(count, to: destination)
            return .claimed(destination, jobs, asked: count)
        } catch {
            report(.ledgerFailed("\(error)"))
            await pause(Self.ledgerPause)
            tell(.lookAgain)
            return .claimed(destination, [], asked: count)
        }
    }

    // MARK: Waiting

    private func pause(_ span: Duration) async {
        do {
            try await time.sleep(until: time.now + span)
        } catch {
            // Ending; whoever waits looks at that.
            return
        }
    }

    private func wait() async {
        let now = wall.wallNow
        let span = scheduler.nextMoment(after: now).map { min($0 - now, Self.longestWait) }
        guard let span else { return await isEnding ? bell.wait() : bell.waitUnlessCancelled() }
        let deadline = time.now + max(.zero, span)
        await bell.wait(until: deadline, of: time)
    }
}
