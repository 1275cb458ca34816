import Basics
import Bridge
import Posix

/// What the ledger is told, and what it is asked.
extension Uploader {
    /// Begins what is ready, writes what has to be written, and returns what may be done now.
    func written(
        _ actions: [UploadScheduler.Action], in group: inout DiscardingTaskGroup
    ) async -> [UploadScheduler.Action] {
        let plan = pending.plan(
            actions, isIdle: scheduler.deliveries == 0, inARow: scheduler.isInARow, isEnding: isEnding,
            at: time.now)
        for job in plan.begin { begin(job, .deliver(job), in: &group) }
        switch plan.write {
        case .first:
            await finishWriting()
            await persist(pending.takeAll())
        case .meanwhile:
            let changes = pending.begin()
            // Deliveries end and begin while the disk works.
            writing = Task(executorPreference: executor) { await self.write(changes) }
        case .later: break
        }
        return plan.rest
    }

    /// When what is gathered is written.
    var writeMoment: Duration? { pending.due(inARow: scheduler.isInARow) }

    private func write(_ changes: [JobChange]) async {
        await persist(changes)
        writing = nil
        pending.finished()
        signal.fire()
    }

    func finishWriting() async {
        // A ledger that cannot be written is not waited for at the end.
        if isEnding { writing?.cancel() }
        await writing?.value
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

    /// Nothing goes on before it is written: a start after a crash has to know.
    private func persist(_ changes: [JobChange]) async {
        guard !changes.isEmpty else { return }
        await untilWritten {
            let mismatches = try await ledger.save(changes)
            // Another program wrote into the ledger. Writing it again would change nothing, and others wait.
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
