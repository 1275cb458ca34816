import Basics
import Bridge
import TestSupport
import Testing

/// No destination takes from another what it needs.
@Suite struct UploadSchedulerShareTests {
    static let here = SchedulerBench.here
    static let there = SchedulerBench.there

    @Test("a destination that takes nothing does not fill the window of another")
    func stalled() {
        var bench = SchedulerBench { $0.window = 200 }
        #expect(bench.tell(.slots(Self.here, 0)) == [.claim(Self.here, 200)])
        #expect(bench.tell(.slots(Self.there, 1)) == [.claim(Self.there, 100)])
        let stalled = (1...200).map { Job.some($0) }
        #expect(bench.tell(.claimed(Self.here, stalled, asked: 200)).isEmpty)
        let others = (201...300).map { Job.some($0, to: Self.there) }
        #expect(bench.begun(.claimed(Self.there, others, asked: 100)) == [201])
        for number in Int64(201)...249 {
            #expect(SchedulerBench.claims(bench.end(number, .good)).isEmpty)
        }
        let actions = bench.end(250, .good)
        #expect(actions.contains(.claim(Self.there, 50)), "as if the other were not there")
        #expect(SchedulerBench.begun(actions) == [251])
        #expect(bench.scheduler.nextMoment(after: bench.now) == nil)
    }

    @Test("a share is a part of the window, and never too small to choose from")
    func shares() {
        let cases: [(window: Int, destinations: Int64, share: Int)] = [
            (1000, 1, 1000), (1000, 3, 333), (1000, 100, 50), (60, 2, 50), (10, 4, 10), (1, 1, 1),
        ]
        for (window, destinations, share) in cases {
            var bench = SchedulerBench { $0.window = window }
            for number in 1...destinations { bench.tell(.slots(DestinationID(number), 1)) }
            for number in 1...destinations {
                let destination = DestinationID(number)
                bench.tell(.claimed(destination, [], asked: 0))
                bench.tell(.claimed(destination, [], asked: 1))
            }
            let claims = bench.tell(.lookAgain)
            #expect(claims == (1...destinations).map { .claim(DestinationID($0), share) }, "\(window)")
        }
    }

    @Test("bad photos do not fill the share: one that met a failing destination leaves room for another")
    func roomForOthers() {
        var bench = SchedulerBench { $0.window = 1 }
        bench.tell(.slots(Self.here, 1))
        #expect(bench.begun(.claimed(Self.here, [.some(1)], asked: 1)) == [1])
        let actions = bench.end(1, .destinationFailed("down", after: .seconds(5)))
        #expect(actions.last == .claim(Self.here, 1))
        bench.tell(.claimed(Self.here, [.some(2)], asked: 1))
        #expect(bench.begun(after: .seconds(5)) == [2])
    }

    @Test("each destination asks for itself, and hears what was said meanwhile")
    func ownClaims() {
        var bench = SchedulerBench()
        bench.tell(.slots(Self.here, 1))
        bench.tell(.slots(Self.there, 1))
        #expect(bench.tell(.lookAgain).isEmpty, "both are on their way")
        #expect(bench.tell(.claimed(Self.there, [], asked: 500)) == [.claim(Self.there, 500)])
        #expect(bench.tell(.claimed(Self.there, [], asked: 500)).isEmpty)
        #expect(!bench.scheduler.isIdle, "it is not known yet what there is for the first")
        #expect(bench.tell(.claimed(Self.here, [], asked: 1000)) == [.claim(Self.here, 500)])
        #expect(bench.tell(.claimed(Self.here, [], asked: 500)).isEmpty)
        #expect(bench.scheduler.isIdle)
    }

    @Test("every fourth slot is counted for each destination by itself")
    func fourth() {
        // Three slots here and one there, ending in step: counted together, each fourth would be there.
        let raw = Job.some(900, .staged, .later, due: -100)
        let jobs = (1...30).map { Job.some($0, due: $0) }
        let others = (301...330).map { Job.some($0, to: Self.there, due: -1000) }
        var bench = SchedulerBench.holding(jobs + others + [raw])
        var begun = bench.begun(.slots(Self.here, 3))
        var running = begun + bench.begun(.slots(Self.there, 1))
        for _ in 0..<3 {
            running = running.flatMap { SchedulerBench.begun(bench.end($0, .good)) }
            begun += running
        }
        #expect(begun.firstIndex(of: 900) == 3)
    }

    @Test("probes are not counted among the slots of which every fourth goes to the longest-waiting job")
    func probesAside() {
        let raw = Job.some(900, .staged, .later, due: -100)
        var bench = SchedulerBench.holding((1...9).map { .some($0) } + [raw])
        #expect(bench.begun(.slots(Self.here, 1)) == [1])
        _ = bench.end(1, .destinationFailed("down", after: .seconds(1)))
        #expect(bench.begun(after: .seconds(1)) == [2])
        var order: [Int64] = [2]
        for _ in 0..<4 { order += SchedulerBench.begun(bench.end(order.last ?? 0, .good)) }
        #expect(order == [2, 1, 3, 900, 4])
    }

    @Test("a photo that was staged before the clock was set back is not passed over for ever")
    func clockSetBack() {
        var bench = SchedulerBench.holding([.some(1, due: 365 * 86_400_000)]) { $0.newestFirst = true }
        _ = bench.claimed([.some(2)])
        var order = bench.begun(.slots(Self.here, 1))
        for number in Int64(3)...40 where !order.contains(1) {
            bench.now = bench.now + .seconds(1)
            let due = (bench.now - SchedulerBench.start).wholeMilliseconds
            _ = bench.claimed([.some(number, due: due)])
            order += SchedulerBench.begun(bench.end(order.last ?? 0, .good))
        }
        #expect(order == [2, 3, 4, 1])
    }

    @Test("who shows it sees all destinations that wait")
    func heldReasons() {
        var bench = SchedulerBench.holding([.some(1), .some(2, to: Self.there)])
        #expect(bench.begun(.slots(Self.here, 1)) == [1] && bench.begun(.slots(Self.there, 1)) == [2])
        #expect(bench.scheduler.heldReasons.isEmpty)
        _ = bench.end(1, .destinationFailed("no route"))
        _ = bench.end(2, .destinationFailed("no name"))
        #expect(bench.scheduler.heldReasons == [Self.here: "no route", Self.there: "no name"])
    }
}
