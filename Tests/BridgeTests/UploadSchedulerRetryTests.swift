import Basics
import Bridge
import TestSupport
import Testing

@Suite struct UploadSchedulerRetryTests {
    static let here = SchedulerBench.here
    static let there = SchedulerBench.there

    /// With job 1 under way.
    private func bench(
        seed: UInt64 = 1, _ jobs: [Job] = [.some(1)], slots: Int = 1,
        _ change: (inout UploadScheduler.Settings) -> Void = { _ in }
    ) -> SchedulerBench {
        var bench = SchedulerBench.holding(jobs, seed: seed, change)
        #expect(bench.begun(.slots(Self.here, slots)).first == 1)
        return bench
    }

    // MARK: Failures of a photo

    @Test("a failed photo is due again within the backoff's ceiling, which doubles")
    func retries() throws {
        var longest: [Int: Duration] = [:]
        for seed in UInt64(0)..<100 {
            var bench = bench(seed: seed) { $0.attempts = 0 }
            for failures in 1...12 {
                let change = try #require(SchedulerBench.changes(bench.end(1, .retryable("x"))).first)
                #expect(change.from == .uploading && change.to == .failedRetryable)
                #expect(change.attempts == failures && change.problem == "x")
                let pause = change.due - bench.now
                let ceiling = min(SchedulerBench.longest, .seconds(1 << (failures - 1)))
                #expect(pause >= .zero && pause <= ceiling)
                longest[failures] = max(longest[failures] ?? .zero, pause)
                guard bench.scheduler.deliveries == 0 else { continue }
                #expect(bench.scheduler.nextMoment(after: bench.now) == change.due)
                #expect(bench.begun(after: pause - .milliseconds(1)).isEmpty)
                #expect(bench.begun(after: .milliseconds(1)) == [1])
            }
        }
        // Drawn from the whole of it: the longest of a hundred is not far from the ceiling.
        for (failures, pause) in longest {
            #expect(pause * 10 > min(SchedulerBench.longest, .seconds(1 << (failures - 1))) * 7)
        }
    }

    @Test("a pause that the other side asked for is kept, up to an hour")
    func retryAfter() {
        let cases: [(asked: Duration, kept: Duration)] = [
            (.seconds(17), .seconds(17)), (.seconds(3600), .seconds(3600)), (.seconds(9999), .seconds(3600)),
        ]
        for (asked, kept) in cases {
            var bench = bench()
            let change = SchedulerBench.changes(bench.end(1, .retryable("x", after: asked))).first
            #expect(change?.due == bench.now + kept)
            #expect(bench.scheduler.nextMoment(after: bench.now) == bench.now + kept)
            var held = self.bench()
            _ = held.end(1, .destinationFailed("429", after: asked))
            #expect(held.scheduler.nextMoment(after: held.now) == held.now + kept)
        }
        var none = bench([.some(1), .some(2)]) { $0.backoff.first = .seconds(300) }
        _ = none.end(1, .destinationFailed("429", after: .zero))
        let next = none.scheduler.nextMoment(after: none.now)
        #expect(next != none.now, "asked to come back at once, our own measure holds")
    }

    @Test("after so many counted failures a photo waits for the operator; with 0 it never does")
    func attempts() {
        for (most, expected) in [(5, 5), (1, 1), (0, 100)] {
            var bench = bench { $0.attempts = most }
            var ends: [JobState] = []
            while ends.count < 100, ends.last != .failedPermanent {
                let actions = bench.end(1, .retryable("x", after: .seconds(1)))
                ends += SchedulerBench.changes(actions).map(\.to)
                #expect(SchedulerBench.changes(actions).first?.attempts == ends.count)
                _ = bench.begun(after: .seconds(1))
            }
            let last: JobState = most == 0 ? .failedRetryable : .failedPermanent
            #expect(ends == Array(repeating: .failedRetryable, count: expected - 1) + [last])
            #expect(bench.scheduler.known == (most == 0 ? 1 : 0))
        }
    }

    @Test("failures from before a restart count")
    func attemptsRemembered() {
        var bench = bench([.some(1, .failedRetryable, attempts: 4)])
        #expect(SchedulerBench.changes(bench.end(1, .retryable("x"))).map(\.to) == [.failedPermanent])
    }

    @Test("what cannot get better waits for the operator at once, and the next job goes")
    func permanent() {
        var bench = bench([.some(1), .some(2)]) { $0.attempts = 0 }
        let actions = bench.end(1, .permanent("too large"))
        let change = JobChange(
            JobID(1), from: .uploading, to: .failedPermanent, attempts: 1, due: bench.now,
            problem: "too large")
        #expect(actions.first == .persist(change))
        #expect(SchedulerBench.begun(actions) == [2])
        #expect(SchedulerBench.begun(bench.end(2, .good)).isEmpty, "it does not come back")
        #expect(bench.scheduler.known == 0)
    }

    @Test("a time further ahead than the longest pause was noted before the clock was set back: it is now")
    func clockSetBack() {
        let longest = UploadScheduler.longestAsked.wholeMilliseconds
        let cases: [(due: Int64, begins: Bool)] = [
            (-1, true), (0, true), (1, false), (longest, false), (longest + 1, true),
            (365 * 86_400_000, true),
        ]
        for (due, begins) in cases {
            var bench = SchedulerBench.holding([.some(1, .failedRetryable, due: due)])
            #expect(bench.begun(.slots(Self.here, 1)) == (begins ? [1] : []), "\(due) ms ahead")
            let next = bench.scheduler.nextMoment(after: bench.now)
            #expect(next == (begins ? nil : bench.now + .milliseconds(due)))
        }
        var held = bench()
        _ = held.end(1, .destinationFailed("down", after: .seconds(300)))
        #expect(held.begun(after: .seconds(-86_400)) == [1], "also the time of a destination's hold")
    }

    // MARK: Failures of a destination

    @Test("a destination's failure spends no attempt and holds the destination")
    func hold() {
        var bench = bench([.some(1, attempts: 4), .some(2), .some(3)])
        let change = JobChange(
            JobID(1), from: .uploading, to: .staged, attempts: 4, due: SchedulerBench.start)
        #expect(
            bench.end(1, .destinationFailed("down", after: .seconds(20)))
                == [.persist(change), .report(Self.here, held: "down")])
        #expect(bench.scheduler.holdReason(of: Self.here) == "down")
        #expect(bench.scheduler.nextMoment(after: bench.now) == bench.now + .seconds(20))
        #expect(bench.begun(.slots(Self.here, 9)).isEmpty)
        #expect(bench.begun(.lookAgain).isEmpty)
        #expect(bench.begun(after: .milliseconds(19_999)).isEmpty)
    }

    @Test("one job at a time probes a held destination, and its success sets the others free")
    func probe() {
        var bench = bench((1...5).map { .some($0) })
        bench.tell(.slots(Self.here, 3))
        _ = bench.end(1, .cancelled)
        for number in [Int64(1), 2, 3] {
            _ = bench.end(number, .destinationFailed("down", after: .seconds(5)))
        }
        #expect(bench.scheduler.deliveries == 0)
        #expect(bench.begun(after: .seconds(5)) == [4])
        #expect(bench.scheduler.deliveries == 1)
        #expect(bench.begun(after: .seconds(900)).isEmpty, "the probe is still under way")
        #expect(bench.scheduler.nextMoment(after: bench.now) == nil)
        #expect(bench.begun(.slots(Self.here, 9)).isEmpty)
        let failed = bench.end(4, .destinationFailed("still down", after: .seconds(5)))
        #expect(SchedulerBench.begun(failed).isEmpty)
        #expect(bench.begun(after: .seconds(5)) == [5])
        let actions = bench.end(5, .good)
        #expect(SchedulerBench.reports(actions) == ["goes on"])
        #expect(Set(SchedulerBench.begun(actions)) == [1, 2, 3, 4])
        #expect(bench.scheduler.holdReason(of: Self.here) == nil)
        #expect(SchedulerBench.reports(bench.end(2, .good)).isEmpty, "said once")
    }

    @Test("nothing probes while a delivery from before the failure still runs")
    func noProbeBesides() {
        var bench = bench([.some(1), .some(2), .some(3)], slots: 2)
        _ = bench.end(1, .destinationFailed("down", after: .seconds(5)))
        #expect(bench.begun(after: .seconds(60)).isEmpty)
        #expect(bench.scheduler.nextMoment(after: bench.now) == nil)
        #expect(SchedulerBench.begun(bench.end(2, .good)).count == 2, "it was there after all")
    }

    @Test("a destination that answers about the photo is there: any such answer ends the hold")
    func answersRelease() {
        let answers: [DeliveryOutcome] = [.good, .permanent("no"), .retryable("not now", after: .seconds(9))]
        for answer in answers {
            var bench = bench([.some(1), .some(2), .some(3)], slots: 2)
            _ = bench.end(2, .destinationFailed("down", after: .seconds(5)))
            let actions = bench.end(1, answer)
            #expect(SchedulerBench.reports(actions) == ["goes on"])
            #expect(Set(SchedulerBench.begun(actions)) == [2, 3])
        }
        var bench = bench([.some(1), .some(2)], slots: 2)
        _ = bench.end(2, .destinationFailed("down", after: .seconds(5)))
        #expect(SchedulerBench.reports(bench.end(1, .cancelled)).isEmpty, "taking back proves nothing")
        #expect(bench.scheduler.holdReason(of: Self.here) == "down")
    }

    @Test("the pauses between probes grow to the longest, and begin anew after a success")
    func holdGrows() throws {
        var longest: [Int: Duration] = [:]
        for seed in UInt64(0)..<60 {
            var bench = bench(seed: seed, [.some(1), .some(2)])
            var probe: Int64 = 1
            for failures in 1...11 {
                _ = bench.end(probe, .destinationFailed("down"))
                probe = 3 - probe
                guard bench.scheduler.deliveries == 0 else { continue }
                let pause = try #require(bench.scheduler.nextMoment(after: bench.now)) - bench.now
                #expect(pause <= min(SchedulerBench.longest, .seconds(1 << (failures - 1))))
                longest[failures] = max(longest[failures] ?? .zero, pause)
                #expect(bench.begun(after: pause) == [probe], "they take turns")
            }
            #expect(bench.claimed([.some(3)]).isEmpty)
            #expect(SchedulerBench.begun(bench.end(probe, .good)) == [3 - probe])
            #expect(SchedulerBench.begun(bench.end(3 - probe, .good)) == [3])
            _ = bench.end(3, .destinationFailed("down"))
            let next = bench.scheduler.nextMoment(after: bench.now) ?? bench.now
            #expect(next - bench.now <= .seconds(1))
        }
        for (failures, pause) in longest {
            #expect(pause * 10 > min(SchedulerBench.longest, .seconds(1 << (failures - 1))) * 7)
        }
    }

    @Test("a held destination does not hold another")
    func otherDestination() {
        var bench = bench([.some(1), .some(2), .some(3, to: Self.there), .some(4, to: Self.there)])
        _ = bench.end(1, .destinationFailed("down", after: .seconds(100)))
        #expect(bench.begun(.slots(Self.there, 1)) == [3])
        #expect(SchedulerBench.reports(bench.end(3, .good)).isEmpty)
        #expect(bench.scheduler.deliveries == 1)
        #expect(bench.scheduler.holdReason(of: Self.here) == "down")
        #expect(bench.scheduler.holdReason(of: Self.there) == nil)
    }
}
