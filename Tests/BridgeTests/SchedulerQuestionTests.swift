import Basics
import Bridge
import TestSupport
import Testing

/// When a gallery is asked what has become of photos.
@Suite struct SchedulerQuestionTests {
    static let here = SchedulerBench.here

    @Test("the pauses between questions double from one second to fifteen")
    func pace() throws {
        var bench = SchedulerBench.sending()
        _ = bench.end(1, .sent(isCertain: true))
        var pauses: [Int64] = []
        for _ in 0..<8 {
            let next = try bench.goOn()
            #expect(SchedulerBench.asked(next.actions) == [1])
            pauses.append(next.after.components.seconds)
            _ = bench.answer([1: pauses.count % 2 == 0 ? .pending : .processing])
        }
        #expect(pauses == [1, 2, 4, 8, 15, 15, 15, 15])
    }

    @Test(
        "what the ledger knows to be sent is asked about at once, fifty at a time and one question after the other"
    )
    func fifty() throws {
        var bench = SchedulerBench.gallery([], slots: 1)
        bench.tell(.lookAgain)
        let jobs = (1...120).map { Job.some($0, .uploadedAwaitingProcessing, kind: .gallery) }
        var sizes: [Int] = []
        var seen: Set<Int64> = []
        var actions = bench.tell(.claimedSent(Self.here, jobs, asked: 1000))
        while let asked = SchedulerBench.asked(actions) {
            sizes.append(asked.count)
            seen.formUnion(asked)
            #expect(bench.tell(.timePassed).isEmpty, "one at a time")
            actions = bench.answer(Dictionary(uniqueKeysWithValues: asked.map { ($0, .processing) }))
        }
        #expect(sizes == [50, 50, 20] && seen.count == 120)
        #expect(bench.scheduler.deliveries == 0, "no slot is taken")
    }

    @Test("what is due within a quarter of a second goes along")
    func slack() throws {
        var bench = SchedulerBench.gallery((1...3).map { .waiting($0) }, slots: 3)
        for (number, pause) in [(Int64(1), 0), (2, 250), (3, 1)] {
            bench.now = bench.now + .milliseconds(pause)
            _ = bench.end(number, .presigned(.fresh(number)))
            _ = bench.end(number, .sent(isCertain: true))
        }
        let next = try bench.goOn()
        #expect(SchedulerBench.asked(next.actions) == [1, 2])
    }

    @Test("questions that fail are asked again after pauses that grow, and hold no upload up")
    func failing() throws {
        var longest: [Int: Duration] = [:]
        for seed in UInt64(0)..<60 {
            var bench = SchedulerBench.sending(2, seed: seed)
            _ = bench.end(1, .sent(isCertain: true))
            _ = bench.next()
            for failures in 1...10 {
                let actions = bench.tell(.answered(Self.here, [JobID(1)], .destinationFailed("down")))
                guard SchedulerBench.asked(actions) == nil else { continue }
                let next = try bench.goOn()
                longest[failures] = max(longest[failures] ?? .zero, next.after)
                #expect(next.after <= min(SchedulerBench.longest, .seconds(1 << (failures - 1))))
            }
            #expect(bench.scheduler.heldReasons.isEmpty && bench.isUnderWay(2))
            // Then all is well again, and so is the pace.
            _ = bench.answer([1: .processing])
            #expect(bench.next()?.after == .seconds(2))
        }
        for (failures, pause) in longest {
            #expect(pause * 10 > min(SchedulerBench.longest, .seconds(1 << (failures - 1))) * 6)
        }
    }

    @Test("a gallery that asks not to be asked is not asked")
    func retryAfter() {
        var bench = SchedulerBench.sending()
        _ = bench.end(1, .sent(isCertain: true))
        _ = bench.next()
        _ = bench.tell(.answered(Self.here, [JobID(1)], .destinationFailed("429", after: .seconds(77))))
        #expect(bench.scheduler.nextMoment(after: bench.now) == bench.now + .seconds(77))
    }

    @Test("while the path is down the gallery is not asked; when it is up again, at once, despite any pause")
    func down() {
        for isHeld in [false, true] {
            var bench = SchedulerBench.sending(2, slots: 2)
            _ = bench.end(1, .sent(isCertain: true))
            _ = bench.next()
            _ = bench.tell(
                .answered(Self.here, [JobID(1)], .destinationFailed("down", after: .seconds(3000))))
            _ = bench.end(2, isHeld ? .held(.credits, "buy") : .cancelled)
            bench.tell(.slots(Self.here, 0, path: "wlan0", isUp: false, kind: .gallery))
            bench.now = bench.now + .seconds(10_000)
            #expect(SchedulerBench.asked(bench.tell(.timePassed)) == nil)
            #expect(bench.scheduler.nextMoment(after: bench.now) == nil)
            bench.now = bench.now + .seconds(-9000)
            let actions = bench.tell(.slots(Self.here, 1, path: "wlan0", kind: .gallery))
            #expect(SchedulerBench.asked(actions) == [1], "held: \(isHeld)")
        }
    }

    @Test("left out three times in a row it goes to a fresh place; left out twice and then named it does not")
    func leftOut() throws {
        var bench = SchedulerBench.sending()
        _ = bench.end(1, .sent(isCertain: true))
        for state in [ProcessingState.unknown, .unknown, .processing, .unknown, .unknown] {
            _ = bench.next()
            #expect(SchedulerBench.changes(bench.answer([1: state])).isEmpty)
        }
        _ = bench.next()
        let change = try #require(SchedulerBench.changes(bench.answer([1: .unknown])).first)
        #expect(change.to == .presigned && change.intent?.url == "" && change.attempts == 0)
    }

    @Test(
        "what the gallery says of a photo, and what becomes of the photo",
        arguments: [
            (ProcessingState.expired, JobState.presigned, 0), (.failedRetryable("x"), .failedRetryable, 1),
            (.failedPermanent("x"), .failedPermanent, 1), (.held(.credits, "x"), .presigned, 0),
            (.done, .completed, 0),
        ])
    func said(state: ProcessingState, becomes: JobState, attempts: Int) throws {
        var bench = SchedulerBench.sending()
        _ = bench.end(1, .sent(isCertain: true))
        _ = bench.next()
        let change = try #require(SchedulerBench.changes(bench.answer([1: state])).first)
        #expect(change.from == .uploadedAwaitingProcessing && change.to == becomes)
        #expect(change.attempts == attempts && change.intent?.uploadID == "upload 1")
        #expect((change.intent?.url == "") == (becomes == .presigned || becomes == .failedRetryable))
    }

    @Test("a clock that is set back a year delays no question and no photo")
    func clockSetBack() {
        var bench = SchedulerBench.sending()
        _ = bench.end(1, .sent(isCertain: true))
        for _ in 0..<5 {
            _ = bench.next()
            _ = bench.answer([1: .processing])
        }
        bench.now = bench.now + .seconds(-365 * 86_400)
        #expect(SchedulerBench.asked(bench.tell(.timePassed)) == [1])
        _ = bench.tell(.answered(Self.here, [JobID(1)], .destinationFailed("down", after: .seconds(3000))))
        bench.now = bench.now + .seconds(-365 * 86_400)
        #expect(SchedulerBench.asked(bench.tell(.timePassed)) == [1])
    }

    @Test("drained, the gallery is not asked; the request that was under way is waited for")
    func drain() {
        var bench = SchedulerBench.sending()
        _ = bench.end(1, .sent(isCertain: true))
        _ = bench.next()
        bench.tell(.drain)
        #expect(!bench.scheduler.isDrained)
        #expect(SchedulerBench.changes(bench.answer([1: .done])).map(\.to) == [.completed])
        #expect(bench.scheduler.isDrained && bench.scheduler.nextMoment(after: bench.now) == nil)
    }

    @Test("whatever was just done, the next moment is in the future: waiting for it never turns in circles")
    func neverNow() {
        for seed in Cases.seeds(full: 2000) {
            var storm = UploadStorm(seed: seed)
            for destination in UploadStorm.destinations { storm.set(destination, slots: 2) }
            for _ in 0..<20 { storm.stagePhoto() }
            for _ in 0..<200 where storm.failures.isEmpty {
                let span = Int64.random(in: -1_000_000...1_000_000, using: &storm.random)
                storm.passTime(.milliseconds(span))
                let now = storm.now
                if let moment = storm.scheduler.nextMoment(after: now) {
                    storm.expect(moment > now, "nothing is done at \(now), and it is time for it")
                }
                storm.answerClaim()
                storm.answerSentClaim()
                storm.answerQuestion { _, random in random.chance(50) ? .unknown : .pending }
                if let job = storm.underWay.keys.sorted().randomElement(using: &storm.random) {
                    let isPresigning = storm.presigning.contains(job)
                    let isGallery = storm.underWay[job] == UploadStorm.gallery
                    let fails = storm.random.chance(50)
                    storm.end(
                        job,
                        fails
                            ? .destinationFailed("down")
                            : isPresigning
                                ? .presigned(.fresh(job.number, at: storm.now))
                                : isGallery ? .sent(isCertain: false) : .retryable("later"))
                }
            }
            #expect(storm.failures.isEmpty, "seed \(seed): \(storm.failures.prefix(3))")
        }
    }
}
