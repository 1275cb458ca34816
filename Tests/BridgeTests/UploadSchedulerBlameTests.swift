import Basics
import Bridge
import TestSupport
import Testing

/// Whose failure it is: the photo's or the destination's.
@Suite struct UploadSchedulerBlameTests {
    static let here = SchedulerBench.here
    static let there = SchedulerBench.there

    private let down = DeliveryOutcome.destinationFailed("down", after: .seconds(5))

    /// Job 1 meets a failing destination whenever it is tried; the others arrive, and new ones come when all
    /// have. Says how job 1 ended, and how many of the others have arrived by then.
    private func deliver(
        _ bench: inout SchedulerBench, slots: Int, _ failure: DeliveryOutcome
    ) -> (end: JobState?, arrived: Int) {
        var running = bench.begun(.slots(Self.here, slots))
        var arrived = 0
        for _ in 0..<2000 {
            guard let id = running.first else {
                running += SchedulerBench.begun(bench.claimed([.some(Int64(100 + arrived))]))
                running += bench.begun(after: .seconds(300))
                continue
            }
            running.removeFirst()
            let actions = bench.end(id, id == 1 ? failure : .good)
            running += SchedulerBench.begun(actions)
            if id != 1 { arrived += 1 }
            let change = SchedulerBench.changes(actions).first
            if change?.to == .failedPermanent { return (.failedPermanent, arrived) }
        }
        return (nil, arrived)
    }

    @Test("a photo that makes the destination fail each time stops no other, and is left to the operator")
    func badPhoto() {
        for (slots, failure) in [(1, down), (3, down), (1, .cut("cut")), (3, .cut("cut"))] {
            var bench = SchedulerBench.holding((1...20).map { .some($0, due: $0) })
            let result = deliver(&bench, slots: slots, failure)
            #expect(result.end == .failedPermanent, "\(failure) with \(slots) slots")
            #expect(result.arrived >= 20, "all that were there, and the witnesses of its other attempts")
            #expect(bench.scheduler.heldReasons.isEmpty)
        }
    }

    @Test("after a probe that failed another job probes, the one that met the fewest failures")
    func turns() {
        var bench = SchedulerBench.holding((1...3).map { .some($0) })
        var order = bench.begun(.slots(Self.here, 1))
        for _ in 0..<8 {
            #expect(SchedulerBench.begun(bench.end(order.last ?? 0, down)).isEmpty)
            order += bench.begun(after: .seconds(5))
        }
        #expect(order == [1, 2, 3, 1, 2, 3, 1, 2, 3])
        _ = bench.claimed([.some(4)])
        _ = bench.end(3, down)
        #expect(bench.begun(after: .seconds(5)) == [4], "who has met none goes first")
    }

    @Test("a second failure after another photo arrived is an attempt of the photo, and holds no other")
    func witness() throws {
        var bench = SchedulerBench.holding([.some(1), .some(2), .some(3), .some(4)])
        #expect(bench.begun(.slots(Self.here, 1)) == [1])
        _ = bench.end(1, down)
        #expect(bench.begun(after: .seconds(5)) == [2])
        #expect(SchedulerBench.begun(bench.end(2, .good)) == [1])
        let actions = bench.end(1, .destinationFailed("500", after: .seconds(60)))
        let change = JobChange(
            JobID(1), from: .uploading, to: .failedRetryable, attempts: 1, due: bench.now + .seconds(60),
            problem: "500")
        #expect(actions.first == .persist(change))
        #expect(SchedulerBench.reports(actions).isEmpty && bench.scheduler.heldReasons.isEmpty)
        #expect(SchedulerBench.begun(actions) == [3])
        _ = bench.end(3, .permanent("no"))
        _ = bench.end(4, .retryable("later", after: .seconds(3600)))
        #expect(bench.begun(after: .seconds(60)) == [1])
        let again = SchedulerBench.changes(bench.end(1, down)).first
        #expect(again?.to == .failedRetryable && again?.attempts == 1, "nothing has arrived since")
        #expect(bench.scheduler.heldReasons == [Self.here: "down"])
    }

    @Test("a network that comes and goes is held against no photo, however often it cuts one off")
    func comesAndGoes() {
        var bench = SchedulerBench.holding((1...300).map { .some($0, due: $0) })
        var running = bench.begun(.slots(Self.here, 3))
        var changes: [JobChange] = []
        for _ in 0..<40 {
            // What is on its way is cut off; while nothing leads there, others try in vain; and it is back.
            for outcome in [DeliveryOutcome.cut("cut"), .notThere("no name"), .notThere("a log-in page")] {
                for job in running { changes += SchedulerBench.changes(bench.end(job, outcome)) }
                running = bench.begun(after: SchedulerBench.longest)
            }
            for _ in 0..<2 {
                let actions = running.flatMap { bench.end($0, .good) }
                changes += SchedulerBench.changes(actions)
                running = SchedulerBench.begun(actions)
            }
        }
        #expect(changes.count { $0.to == .completed } > 40)
        #expect(changes.allSatisfy { $0.attempts == 0 && $0.to != .failedRetryable })
    }

    @Test("who is cut off alone twice had bad luck; the third time is an attempt of its own")
    func thirdTime() {
        var bench = SchedulerBench.holding((1...60).map { .some($0, due: $0) })
        var running = bench.begun(.slots(Self.here, 1))
        var counted: [Int] = []
        while counted.count < 3, let job = running.first {
            let actions = bench.end(job, job == 1 ? .cut("cut") : .good)
            if job == 1 { counted += SchedulerBench.changes(actions).prefix(1).map(\.attempts) }
            running = SchedulerBench.begun(actions)
            if running.isEmpty { running = bench.begun(after: SchedulerBench.longest) }
        }
        #expect(counted == [0, 0, 1])
    }

    @Test("an absent destination is never a photo's fault, even when only that photo meets it each time")
    func nobodyThere() {
        var bench = SchedulerBench.holding((1...20).map { .some($0, due: $0) })
        let result = deliver(&bench, slots: 1, .notThere("no route"))
        #expect(result.end == nil && result.arrived >= 20)
    }

    @Test("photos that arrive elsewhere say nothing of this destination")
    func elsewhere() {
        var bench = SchedulerBench.holding([.some(1), .some(2, to: Self.there)])
        #expect(bench.begun(.slots(Self.here, 1)) == [1])
        #expect(bench.begun(.slots(Self.there, 1)) == [2])
        _ = bench.end(1, down)
        _ = bench.end(2, .good)
        #expect(bench.begun(after: .seconds(5)) == [1])
        #expect(SchedulerBench.changes(bench.end(1, down)).map(\.to) == [.staged])
        #expect(bench.scheduler.heldReasons == [Self.here: "down"])
    }

    @Test("a photo's own failure leaves a hold as it is, and the destination alone for a while")
    func ownFailureWhileHeld() {
        var bench = SchedulerBench.holding([.some(1), .some(2), .some(3), .some(4)])
        #expect(bench.begun(.slots(Self.here, 2)) == [1, 2])
        _ = bench.end(1, down)
        #expect(SchedulerBench.begun(bench.end(2, .good)) == [1, 3])
        _ = bench.end(3, .destinationFailed("away", after: .seconds(7)))
        #expect(SchedulerBench.changes(bench.end(1, down)).map(\.to) == [.failedRetryable])
        #expect(bench.scheduler.heldReasons == [Self.here: "away"])
        #expect(bench.scheduler.nextMoment(after: bench.now) == bench.now + .seconds(7))
        #expect(bench.begun(after: .seconds(7)) == [4])
    }

    @Test("a hold never ends sooner because of a later failure")
    func neverNearer() {
        var bench = SchedulerBench.holding((1...6).map { .some($0) })
        _ = bench.begun(.slots(Self.here, 6))
        _ = bench.end(1, .destinationFailed("429", after: .seconds(200)))
        for number in Int64(2)...5 { _ = bench.end(number, .destinationFailed("cut")) }
        _ = bench.end(6, .destinationFailed("429", after: .seconds(100)))
        #expect(bench.scheduler.nextMoment(after: bench.now) == bench.now + .seconds(200))
        bench.now = bench.now + .seconds(-86_400)
        #expect(bench.begun(.timePassed).count == 1, "a promise by a clock that was set back is none")
    }

    @Test("what fails together counts as one failure of the destination")
    func together() {
        var longest = Duration.zero
        for seed in UInt64(0)..<200 {
            var bench = SchedulerBench.holding((1...6).map { .some($0) }, seed: seed)
            _ = bench.begun(.slots(Self.here, 6))
            for number in Int64(1)...6 { _ = bench.end(number, .destinationFailed("cut")) }
            guard let first = bench.scheduler.nextMoment(after: bench.now) else { continue }
            #expect(first - bench.now <= .seconds(1))
            guard let probe = bench.begun(after: first - bench.now).first else { continue }
            _ = bench.end(probe, .destinationFailed("cut"))
            let second = bench.scheduler.nextMoment(after: bench.now) ?? bench.now
            longest = max(longest, second - bench.now)
        }
        #expect(longest > .seconds(1) && longest <= .seconds(2), "the probe's failure is the second")
    }

    @Test("what came to nothing leaves the job as it was: its state, its time, its attempts, its problem")
    func backToWhatItWas() {
        let jobs: [Job] = [
            .some(1, attempts: 2, due: -9), .some(1, .presigned, due: -8),
            .some(1, .failedRetryable, attempts: 3, due: -7),
        ]
        for job in jobs {
            for outcome in [DeliveryOutcome.cancelled, down] {
                var bench = SchedulerBench.holding([job])
                #expect(bench.begun(.slots(Self.here, 1)) == [1])
                bench.tell(.slots(Self.here, 0))
                let change = JobChange(
                    JobID(1), from: .uploading, to: job.state, attempts: job.attempts, due: job.due,
                    problem: job.problem, intent: job.intent)
                #expect(SchedulerBench.changes(bench.end(1, outcome)) == [change])
                #expect(bench.scheduler.known == 1)
                #expect(bench.scheduler.heldReasons.isEmpty == (outcome == .cancelled))
                bench.now = bench.now + .seconds(5)
                let actions = bench.tell(.slots(Self.here, 1))
                #expect(SchedulerBench.changes(actions).map(\.from) == [job.state])
                #expect(SchedulerBench.begun(actions) == [1])
            }
        }
    }
}
