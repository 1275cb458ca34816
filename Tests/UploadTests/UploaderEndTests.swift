import Bridge
import Posix
import Store
import TestSupport
import Testing
import Upload
import WorldSupport

/// Ends in order, and ledgers that fail.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct UploaderEndTests {
    let rig: UploadRig

    init() async throws {
        rig = try await UploadRig()
    }

    @Test("what is under way at the end is taken back, and the next start has all of it")
    func cancelled() async throws {
        let place = try await rig.destination("file:///a", slots: 2, ScriptedDestination.endless)
        try await rig.stage(1...3)
        try await rig.running([place]) { _ in
            await rig.log.wait { $0.deliveries.count == 2 }
            let jobs = try rig.jobs()
            #expect(jobs == [.uploading: 2, .staged: 1])
        }
        #expect(try rig.jobs() == [.staged: 3])
        #expect(rig.log.events.isEmpty)
        #expect(try await rig.ledger.rescueJobs() == 0)
        let jobs = try await rig.ledger.claim(10, of: rig.event)
        #expect(jobs.count == 3 && jobs.allSatisfy { $0.attempts == 0 })
    }

    @Test("of what one had that has ended nothing is under way")
    func putAsideAfterwards() async throws {
        let place = try await rig.destination("file:///a", slots: 1, ScriptedDestination.endless)
        try await rig.stage(1...3)
        let uploader = rig.uploader([place])
        let task = Task { await uploader.run() }
        await rig.log.wait { $0.deliveries.count == 1 }
        task.cancel()
        await task.value
        let asking = Task { try await uploader.putAside([JobID(1), JobID(2), JobID(3)]) }
        await rig.clock.waitForSleepers(1)
        rig.clock.advance(by: .seconds(31))
        try await asking.value
    }

    @Test("an end does not keep the thread busy that the deliveries need to end on")
    func cancelledOnOneThread() async throws {
        let place = try await rig.destination("file:///a", slots: 2) { _, _ in
            await ScriptedDestination.endlessly()
            // Some ends take more than one turn.
            for _ in 0..<100 { await Task.yield() }
            return .cancelled
        }
        try await rig.stage(1...3)
        let uploader = rig.uploader([place])
        let task = Task { [rig] in
            await withTaskExecutorPreference(rig.executor) { await uploader.run() }
        }
        await rig.log.wait { $0.deliveries.count == 2 }
        task.cancel()
        await task.value
        #expect(try rig.jobs() == [.staged: 3])
    }

    @Test("an end waits for the last delivery without turning in circles")
    func waitsAtTheEnd() async throws {
        let signal = Signal()
        let place = try await rig.destination("file:///a") { job, _ in
            await signal.wait()
            return .arrived(job)
        }
        try await rig.stage(1...1)
        let uploader = rig.uploader([place])
        let task = Task { await uploader.run() }
        await rig.log.wait { $0.deliveries.count == 1 }
        task.cancel()
        let looks = rig.calendar.looks.value
        // On its own thread: every one of these lets it have its turn, whatever else the machine does.
        await withTaskExecutorPreference(rig.executor) {
            for _ in 0..<10_000 { await Task.yield() }
        }
        #expect(rig.calendar.looks.value - looks < 20)
        signal.fire()
        await task.value
        #expect(try rig.jobs() == [.completed: 1])
    }

    @Test("what arrives although the end has come gets its receipt")
    func arrivesAtTheEnd() async throws {
        let place = try await rig.destination("file:///a") { job, _ in
            await ScriptedDestination.endlessly()
            return .arrived(job)
        }
        try await rig.stage(1...2)
        try await rig.running([place]) { _ in await rig.log.wait { $0.deliveries.count == 1 } }
        #expect(try rig.jobs() == [.completed: 1, .staged: 1])
    }

    @Test("an end while there is nothing to do, and one before the beginning, are ends")
    func endsIdle() async throws {
        let place = try await rig.destination("file:///a")
        try await rig.running([place]) { _ in }
        try await rig.stage(1...1)
        let uploader = rig.uploader([place])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await uploader.run()
        }
        await task.value
        #expect(try rig.jobs() == [.staged: 1])
        #expect(rig.log.deliveries.isEmpty)
    }

    @Test("a ledger that fails for a while stops nothing for good, and nothing is delivered twice")
    func failingLedger() async throws {
        // Fails at the start, and again in the middle.
        let place = try await rig.destination("file:///a", slots: 2) { [rig] job, _ in
            if job.id == JobID(3) { rig.shaky.failingSaves.change { $0 = 4 } }
            return .arrived(job)
        }
        try await rig.stage(1...5)
        rig.shaky.failingClaims.change { $0 = 2 }
        rig.shaky.failingSaves.change { $0 = 3 }
        try await rig.running([place]) { _ in
            await rig.passTime { $0.ended(as: .completed) == 5 }
        }
        #expect(try rig.jobs() == [.completed: 5])
        #expect(rig.log.deliveries.count == 5)
        let failures = rig.log.events.filter { if case .ledgerFailed = $0 { true } else { false } }
        #expect(failures.count == 9)
        #expect(rig.clock.now == .seconds(2 * 9), "a pause before each new try")
    }

    @Test("while the ledger takes no notes nothing is delivered, and the end does not wait for it")
    func brokenLedger() async throws {
        let place = try await rig.destination("file:///a", slots: 2)
        try await rig.stage(1...5)
        rig.shaky.failingSaves.change { $0 = .max }
        try await rig.running([place]) { _ in
            await rig.passTime { $0.events.count == 4 }
        }
        #expect(rig.log.deliveries.isEmpty)
        #expect(try rig.jobs() == [.staged: 5])
        // What was claimed stays so until the next start.
        #expect(try await rig.ledger.rescueJobs() == 0)
        #expect(try await rig.ledger.claim(10, of: rig.event).count == 5)
    }

    @Test("what a crash left as uploading is delivered by the next start")
    func afterCrash() async throws {
        let place = try await rig.destination("file:///a")
        try await rig.stage(1...2)
        let claimed = try await rig.ledger.claim(10, of: rig.event)
        let job = try #require(claimed.first)
        try await rig.ledger.save(
            JobChange(job.id, from: .staged, to: .uploading, attempts: 0, due: job.due))
        #expect(try await rig.ledger.rescueJobs() == 1)
        try await rig.running([place]) { _ in await rig.log.wait { $0.ended(as: .completed) == 2 } }
        #expect(rig.log.deliveries.count == 2)
    }
}

extension ScriptedDestination {
    /// Until the task is cancelled.
    static func endlessly() async {
        let signal = Signal()
        while !Task.isCancelled { await signal.waitUnlessCancelled() }
    }
}
