import Bridge
import Posix
import Store
import TestSupport
import Testing
import Upload
import WorldSupport

/// What several things at once, or another program, do to an uploader.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct UploaderTroubleTests {
    let rig: UploadRig

    init() async throws {
        rig = try await UploadRig()
    }

    @Test("what is cancelled under way is taken back at once, and the next one goes")
    func cancel() async throws {
        let place = try await rig.destination("file:///a") { job, _ in
            guard job.facts.name == "DSC_1.JPG" else { return .arrived(job) }
            await ScriptedDestination.endlessly()
            return .cancelled
        }
        try await rig.stage(1...3)
        try await rig.running([place]) { uploader in
            await rig.log.wait { $0.deliveries.count == 1 }
            uploader.cancel([JobID(1)])
            await rig.log.wait { $0.ended(as: .completed) == 2 }
        }
        #expect(try rig.jobs() == [.completed: 2, .failedPermanent: 1])
        #expect(try rig.problems() == [JobChange.cancelledByOperator])
        #expect(rig.log.changes.filter(\.isCancelled).map(\.job) == [JobID(1)])
        #expect(rig.clock.now == .zero && rig.log.deliveries.count == 3)
    }

    @Test("what arrives although it was cancelled gets its receipt, because it is there")
    func cancelledTooLate() async throws {
        let place = try await rig.destination("file:///a") { job, _ in
            await ScriptedDestination.endlessly()
            return .arrived(job)
        }
        try await rig.stage(1...1)
        try await rig.running([place]) { uploader in
            await rig.log.wait { $0.deliveries.count == 1 }
            uploader.cancel([JobID(1)])
            await rig.log.wait { $0.ended(as: .completed) == 1 }
        }
        #expect(try rig.jobs() == [.completed: 1])
    }

    @Test("a change that does not fit what the ledger holds is said, and those beside it are written")
    func mismatch() async throws {
        let signal = Signal()
        let place = try await rig.destination("file:///a", slots: 2) { job, _ in
            if job.id == JobID(1) { await signal.wait() }
            return .arrived(job)
        }
        try await rig.stage(1...6)
        try await rig.running([place]) { _ in
            await rig.passTime { $0.ended(as: .completed) == 5 }
            // Another program.
            try await rig.ledger.save(
                JobChange(
                    JobID(1), from: .uploading, to: .failedPermanent, attempts: 0,
                    due: rig.calendar.wallNow,
                    problem: "not ours"))
            signal.fire()
            await rig.log.wait { $0.events.count == 6 }
            try await rig.stage(7...7)
        }
        let trouble = rig.log.events.compactMap { event -> String? in
            if case .ledgerFailed(let text) = event { text } else { nil }
        }
        #expect(trouble.count == 1 && trouble.first?.contains("job 1 was not uploading") == true)
        #expect(try rig.jobs() == [.completed: 5, .failedPermanent: 1, .staged: 1])
        let delivered = rig.log.events.filter { if case .delivered = $0 { true } else { false } }
        #expect(delivered.count == 5, "what is not written is not said")
    }

    @Test("an end waits for the last delivery without turning in circles, also where the path is watched")
    func waitsAtTheEnd() async throws {
        let signal = Signal()
        let place = try await rig.destination("file:///a") { job, _ in
            await signal.wait()
            return .arrived(job)
        }
        try await rig.stage(1...1)
        let uploader = rig.uploader([place])
        uploader.way(to: place.id, by: "wlan0", ceiling: 2, isUp: true)
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

    @Test("a destination that says 'taken back' of itself is held, and not asked again and again")
    func takenBackByItself() async throws {
        let isClosed = Shared(true)
        let place = try await rig.destination("file:///a") { job, _ in
            isClosed.value ? .cancelled : .arrived(job)
        }
        try await rig.stage(1...3)
        try await rig.running([place]) { _ in
            await rig.passTime { _ in rig.clock.now > .seconds(600) }
            #expect(rig.log.deliveries.count < 40)
            isClosed.change { $0 = false }
            await rig.passTime { $0.ended(as: .completed) == 3 }
        }
        #expect(try rig.jobs() == [.completed: 3])
        #expect(rig.log.changes.allSatisfy { $0.attempts == 0 })
    }

    @Test("photos that cannot be given back to the ledger at once are given back later, and arrive")
    func failingRelease() async throws {
        let signal = Signal()
        let place = try await rig.destination("file:///a") { job, _ in
            if job.id == JobID(4) { await signal.wait() }
            return .arrived(job)
        }
        var settings = UploadScheduler.Settings()
        settings.window = 4
        settings.newestFirst = true
        let uploader = Uploader(
            ledger: rig.shaky, destinations: [place], settings: settings, executor: rig.executor,
            time: rig.clock, wall: rig.calendar, random: SeededSource(2)
        ) { [log = rig.log] in log.add(.event($0)) }
        try await rig.stage(1...4)
        rig.shaky.failingReleases.change { $0 = 2 }
        let task = Task { await uploader.run() }
        await rig.log.wait { $0.deliveries.count == 1 }
        try await rig.stage(5...6)
        uploader.lookAgain()
        await rig.passTime { $0.events.count == 2 }
        signal.fire()
        await rig.passTime { $0.ended(as: .completed) == 6 }
        task.cancel()
        await task.value
        #expect(try rig.jobs() == [.completed: 6])
    }
}
