import Bridge
import Posix

/// What the ledger is told, and what it is asked.
extension Uploader {
    /// Begins what is ready, writes what has to be written, and returns what may be done now.
    func written(
        _ actions: [UploadScheduler.Action], in group: inout DiscardingTaskGroup
    ) async -> [UploadScheduler.Action] {
        var rest: [UploadScheduler.Action] = []
        var isUrgent = isEnding
        for action in actions {
            switch action {
            case .persist(let change):
                notebook.add(change, at: time.now)
                isUrgent = true
            case .note(let change): notebook.add(change, at: time.now)
            case .deliver(let job) where !isUnwritten(job.id): begin(job, action, in: &group)
            case .deliver:
                isUrgent = true
                rest.append(action)
            case .claim, .claimSent, .release, .presign, .stop, .giveUp, .ask, .report: rest.append(action)
            }
        }
        if isUrgent {
            await finishWriting()
            await persist(notebook.takeAll())
        } else if writing == nil, scheduler.deliveries == 0 || noteMoment.map({ $0 <= time.now }) ?? false {
            // With nothing under way nothing comes that could share the commit.
            writeMeanwhile()
        }
        return rest
    }

    /// When what is noted is written.
    var noteMoment: Duration? { notebook.due(inARow: scheduler.isInARow) }

    private func isUnwritten(_ job: JobID) -> Bool {
        notebook.jobs.contains(job) || writing?.jobs.contains(job) == true
    }

    /// Nobody waits for it: deliveries end and begin while the disk works.
    private func writeMeanwhile() {
        let jobs = notebook.jobs
        let changes = notebook.takeAll()
        guard !changes.isEmpty else { return }
        let task = Task(executorPreference: executor) {
            await self.write(changes)
        }
        writing = (task, jobs)
    }

    private func write(_ changes: [JobChange]) async {
        await persist(changes)
        writing = nil
        bell.ring()
    }

    func finishWriting() async {
        // A ledger that cannot be written is not waited for at the end.
        if isEnding { writing?.task.cancel() }
        await writing?.task.value
    }

    /// What has become of a delivery, once that is written.
    private func say(_ change: JobChange) {
        guard let job = underWay[change.job]?.job ?? asked[change.job],
            let url = destinations[job.destination]?.url
        else { return }
        // Steps that go on say nothing yet.
        switch change.to {
        case .presigned, .uploading: return
        case .uploadedAwaitingProcessing: underWay[change.job] = nil
        case .staged, .failedRetryable, .failedPermanent, .completed:
            underWay[change.job] = nil
            asked[change.job] = nil
        }
        if let receipt = change.receipt { report(.delivered(job, url: url, receipt)) }
        if change.to == .failedRetryable || change.to == .failedPermanent {
            report(
                .failed(job, url: url, change.problem ?? "failed", isFinal: change.to == .failedPermanent))
        }
    }

    /// Nothing goes on before it is written: whoever starts after a crash has to know.
    private func persist(_ changes: [JobChange]) async {
        guard !changes.isEmpty else { return }
        await untilWritten {
            let mismatches = try await ledger.save(changes)
            // Somebody else wrote into the ledger. Saying it again would change nothing, and others wait.
            for mismatch in mismatches { report(.ledgerFailed("\(mismatch)")) }
            let misfits = mismatches.map(\.change)
            for change in changes where !misfits.contains(change) { say(change) }
        }
    }

    private func untilWritten(_ write: () async throws -> Void) async {
        while true {
            do {
                return try await write()
            } catch {
                report(.ledgerFailed("\(error)"))
                // An end in order may not wait for a disk: the next start rescues what is under way.
                if Task.isCancelled { return }
                await pause(Self.ledgerPause)
            }
        }
    }

    /// What the scheduler asks of the ledger, and the answer to it.
    func ask(_ action: UploadScheduler.Action) async -> UploadScheduler.Happening? {
        do {
            switch action {
            case .claim(let id, let count):
                return .claimed(
                    id, try await ledger.claim(count, to: id, newestFirst: newestFirst), asked: count)
            case .claimSent(let id, let count):
                return .claimedSent(id, try await ledger.claimSent(count, to: id), asked: count)
            case .release(let jobs): await untilWritten { try await ledger.release(jobs) }
            case .persist, .note, .presign, .deliver, .stop, .giveUp, .ask, .report: break
            }
            return nil
        } catch {
            report(.ledgerFailed("\(error)"))
            await pause(Self.ledgerPause)
            tell(.lookAgain)
            switch action {
            case .claim(let id, let count): return .claimed(id, [], asked: count)
            case .claimSent(let id, let count): return .claimedSent(id, [], asked: count)
            case .release, .persist, .note, .presign, .deliver, .stop, .giveUp, .ask, .report: return nil
            }
        }
    }
}
