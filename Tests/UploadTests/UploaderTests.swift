import Bridge
import Posix
import Store
import TestSupport
import Testing
import Upload
import WorldSupport

@Suite struct UploaderTests {
    let rig: UploadRig

    init() async throws {
        rig = try await UploadRig()
    }

    @Test("photos that were staged before the start and those that come later are delivered once each")
    func beforeAndLater() async throws {
        let place = try await rig.destination("file:///a", slots: 2)
        try await rig.stage(1...3)
        try await rig.running([place]) { uploader in
            await rig.log.wait { $0.ended(as: .completed) == 3 }
            try await rig.stage(4...5)
            uploader.lookAgain()
            await rig.log.wait { $0.ended(as: .completed) == 5 }
        }
        #expect(rig.log.deliveries.map(\.job.facts.name).sorted() == (1...5).map { "DSC_\($0).JPG" })
        #expect(try rig.jobs() == [.completed: 5])
        let sha256 = String(repeating: "a", count: 64)
        #expect(
            try rig.receipts()
                == (1...5).map {
                    "file:///a {\"key\":\"DSC_\($0).JPG\",\"size\":1000,\"sha256\":\"\(sha256)\"}"
                })
        #expect(rig.log.events.count == 5)
    }

    @Test("each step is in the ledger before anything relies on it")
    func persistedFirst() async throws {
        let place = try await rig.destination("file:///a", slots: 2) { [rig] job, _ in
            try rig.jobs(of: job.capture) == [.uploading: 1] ? .arrived(job) : .permanent("not written")
        }
        try await rig.stage(1...20)
        try await rig.running([place]) { _ in await rig.log.wait { $0.changes.count == 40 } }
        #expect(try rig.problems() == [])
        #expect(try rig.jobs() == [.completed: 20])
    }

    @Test("what is said to be delivered is in the ledger")
    func saidAfterWritten() async throws {
        let states = Shared<[[JobState: Int]]>([])
        let place = try await rig.destination("file:///a")
        let uploader = Uploader(
            ledger: rig.shaky, destinations: [place], executor: rig.executor,
            time: rig.clock,
            wall: rig.calendar, random: SeededSource(2)
        ) { [rig] event in
            guard case .delivered(let job, _, _) = event else { return }
            do {
                let found = try rig.jobs(of: job.capture)
                states.change { $0.append(found) }
            } catch {
                Issue.record(error)
            }
            rig.log.add(.event(event))
        }
        try await rig.stage(1...5)
        let task = Task { await uploader.run() }
        await rig.log.wait { $0.events.count == 5 }
        task.cancel()
        await task.value
        #expect(states.value == Array(repeating: [.completed: 1], count: 5))
    }

    @Test("a photo goes to each of two destinations, whatever the other one does")
    func twoDestinations() async throws {
        let good = try await rig.destination("file:///good")
        let bad = try await rig.destination("file:///bad") { _, _ in .permanent("does not fit") }
        try await rig.stage(1...4)
        try await rig.running([good, bad]) { _ in await rig.log.wait { $0.changes.count == 16 } }
        #expect(try rig.jobs() == [.completed: 4, .failedPermanent: 4])
        #expect(try rig.receipts().allSatisfy { $0.hasPrefix("file:///good ") })
        #expect(try rig.problems() == Array(repeating: "does not fit", count: 4))
        let finals = rig.log.events.filter {
            if case .failed(_, "file:///bad", "does not fit", isFinal: true) = $0 { true } else { false }
        }
        #expect(finals.count == 4)
    }

    @Test("a destination that fails is held and goes on by itself; the others do not wait for it")
    func held() async throws {
        let isDown = Shared(true)
        let down = try await rig.destination("file:///down") { job, _ in
            isDown.value ? .destinationFailed("not mounted") : .arrived(job)
        }
        let other = try await rig.destination("file:///other")
        try await rig.stage(1...10)
        try await rig.running([down, other]) { _ in
            await rig.log.wait { $0.ended(as: .completed) == 10 }
            #expect(rig.log.deliveries(to: down.id).count <= 1, "time has not passed, so nothing probes")
            await rig.passTime { $0.deliveries(to: down.id).count == 6 }
            isDown.change { $0 = false }
            await rig.passTime { $0.ended(as: .completed) == 20 }
        }
        #expect(try rig.jobs() == [.completed: 20])
        #expect(rig.log.changes.allSatisfy { $0.attempts == 0 }, "a photo is not to blame")
        let events = rig.log.events.filter {
            if case .delivered = $0 { false } else { true }
        }
        let holds = rig.log.deliveries(to: down.id).count - 10
        let held = UploadEvent.held(url: "file:///down", nil, "not mounted")
        #expect(events == Array(repeating: held, count: holds) + [.released(url: "file:///down")])
    }

    @Test("a photo that fails is tried again after a pause, five times, and then waits for the operator")
    func retries() async throws {
        let place = try await rig.destination("file:///a") { job, time in
            job.facts.name == "DSC_1.JPG" ? .retryable("failed the \(time). time") : .arrived(job)
        }
        try await rig.stage(1...2)
        try await rig.running([place]) { _ in await rig.passTime { $0.ended(as: .failedPermanent) == 1 } }
        let tries = rig.log.deliveries.filter { $0.job.facts.name == "DSC_1.JPG" }
        let failures = rig.log.changes.filter { $0.problem != nil }
        #expect(tries.count == 5)
        #expect(failures.map(\.attempts) == [1, 2, 3, 4, 5])
        #expect(failures.map(\.to) == Array(repeating: .failedRetryable, count: 4) + [.failedPermanent])
        for (failure, next) in zip(failures, tries.dropFirst()) { #expect(next.at >= failure.due) }
        let finals = rig.log.events.compactMap { event -> Bool? in
            if case .failed(_, _, _, let isFinal) = event { isFinal } else { nil }
        }
        #expect(finals == [false, false, false, false, true])
        #expect(try rig.jobs() == [.completed: 1, .failedPermanent: 1])
        #expect(try rig.problems() == ["failed the 5. time"])
    }

    @Test("after the clock was set back a year a photo that waits for its retry is tried at once")
    func clockSetBack() async throws {
        let place = try await rig.destination("file:///a") { job, time in
            time == 1 ? .retryable("not now", after: .seconds(250)) : .arrived(job)
        }
        try await rig.stage(1...1)
        try await rig.running([place]) { uploader in
            await rig.clock.waitForSleepers(1)
            rig.calendar.set(by: .seconds(-365 * 86_400))
            uploader.lookAgain()
            await rig.log.wait { $0.ended(as: .completed) == 1 }
        }
        #expect(rig.clock.now == .zero)
    }

    @Test("a clock that is set without notice is looked at within a minute")
    func clockSetUnnoticed() async throws {
        let place = try await rig.destination("file:///a") { job, time in
            time == 1 ? .retryable("not now", after: .seconds(250)) : .arrived(job)
        }
        try await rig.stage(1...1)
        try await rig.running([place]) { _ in
            await rig.clock.waitForSleepers(1)
            rig.calendar.set(by: .seconds(-365 * 86_400))
            await rig.passTime { $0.ended(as: .completed) == 1 }
        }
        #expect(rig.clock.now <= .seconds(60))
    }
}
