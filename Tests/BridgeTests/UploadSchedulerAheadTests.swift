import Basics
import Bridge
import TestSupport
import Testing

/// Photos that take a few milliseconds do not wait for the ledger one by one.
@Suite struct UploadSchedulerAheadTests {
    static let here = SchedulerBench.here

    /// One slot, one photo delivered within so much time, and the next one on its way.
    private func bench(
        _ span: Duration, _ jobs: [Job] = (1...9).map { .some($0) }
    ) -> (bench: SchedulerBench, noted: [Int64]) {
        var bench = SchedulerBench.holding(jobs)
        #expect(bench.begun(.slots(Self.here, 1)).count == 1)
        bench.now = bench.now + span
        let actions = bench.end(1, .good)
        return (bench, Self.ahead(actions))
    }

    /// What was noted as on its way without going.
    private static func ahead(_ actions: [Action]) -> [Int64] {
        let begun = SchedulerBench.begun(actions)
        return actions.compactMap {
            guard case .note(let change) = $0, change.to == .uploading else { return nil }
            return change.job.number
        }.filter { !begun.contains($0) }
    }

    @Test(
        "so many are noted ahead that they last 200 ms; where a photo takes longer, one; from 250 ms on, none"
    )
    func quick() {
        #expect(bench(.milliseconds(40)).noted == [3, 4, 5, 6, 7])
        #expect(bench(.milliseconds(50)).noted == [3, 4, 5, 6])
        #expect(bench(.milliseconds(101)).noted == [3])
        #expect(bench(.milliseconds(249)).noted == [3])
        #expect(bench(.milliseconds(250)).noted.isEmpty)
        #expect(bench(.seconds(-1)).noted.isEmpty, "the calendar was set back, which says nothing")
        let many = (1...99).map { Job.some($0) }
        #expect(bench(.zero, many).noted == Array(3...34), "never more than 32 for a slot")
    }

    @Test("it is known whether more wait behind those that are on their way")
    func row() {
        #expect(bench(.milliseconds(50)).bench.scheduler.isInARow)
        #expect(!bench(.milliseconds(250)).bench.scheduler.isInARow)
        #expect(!bench(.milliseconds(50), [.some(1), .some(2)]).bench.scheduler.isInARow)
    }

    @Test(
        "what was noted goes without being written again, and the next are noted when half of them have gone")
    func goesOn() {
        var (bench, _) = bench(.milliseconds(50))
        for (job, ahead) in [(2, []), (3, [7, 8]), (4, []), (5, [9])] as [(Int64, [Int64])] {
            bench.now = bench.now + .milliseconds(50)
            let actions = bench.end(job, .good)
            let begun = SchedulerBench.begun(actions)
            #expect(begun == [job + 1])
            let written = SchedulerBench.changes(actions).filter { $0.to == .uploading }.map(\.job.number)
            #expect(written == ahead, "after \(job)")
        }
    }

    @Test("a more urgent job goes before those that are ready")
    func urgent() {
        var (bench, noted) = bench(.milliseconds(50), (1...9).map { .some($0, .staged, .later) })
        #expect(noted == [3, 4, 5, 6])
        bench.tell(.claimed(Self.here, [.some(20)], asked: 1))
        let actions = bench.end(2, .good)
        #expect(SchedulerBench.begun(actions) == [20])
        #expect(SchedulerBench.changes(actions).contains { $0.job == JobID(20) && $0.to == .uploading })
    }

    @Test(
        "those that are ready wait again as they waited before",
        arguments: [
            Happening.pause(true), .drain, .slots(SchedulerBench.here, 0),
            .slots(SchedulerBench.here, 1, isUp: false), .ended(JobID(2), .held(.loggedOut, "log in")),
            .ended(JobID(2), .destinationFailed("down")),
        ])
    func back(_ happening: Happening) {
        var (bench, noted) = bench(.milliseconds(50))
        let changes = SchedulerBench.changes(bench.tell(happening)).filter { noted.contains($0.job.number) }
        #expect(changes.map(\.job.number) == noted)
        #expect(changes.allSatisfy { $0.from == .uploading && $0.to == .staged && $0.attempts == 0 })
        if case .drain = happening { return }
        // And all of them go when it goes on.
        bench.now = bench.now + .seconds(300)
        var going: [Int64] = if case .ended = happening { [] } else { [2] }
        for change in [Happening.pause(false), .slots(Self.here, 9), .tryAgain(Self.here), .timePassed] {
            going += bench.begun(change)
        }
        var ended = 0
        while ended < going.count {
            going += SchedulerBench.begun(bench.end(going[ended], .good))
            ended += 1
        }
        #expect(going.sorted() == Array(2...9))
    }

    @Test("one that is ready is cancelled like any other")
    func cancelled() {
        var (bench, _) = bench(.milliseconds(50))
        let actions = bench.tell(.cancel([JobID(4)]))
        let change = SchedulerBench.changes(actions).first
        #expect(change?.job == JobID(4) && change?.from == .uploading && change?.isCancelled == true)
        #expect(actions.contains { if case .giveUp(let job) = $0 { job.id == JobID(4) } else { false } })
        #expect(SchedulerBench.begun(bench.end(2, .good)) == [3])
        #expect(SchedulerBench.begun(bench.end(3, .good)) == [5])
    }

    @Test("never more than 128 are ready, however many slots there are, and what failed is not among them")
    func limit() {
        let jobs = (1...200).map { Job.some($0) } + [.some(300, .failedRetryable)]
        var bench = SchedulerBench.holding(jobs)
        bench.tell(.slots(Self.here, 50))
        let noted = Self.ahead(bench.end(1, .good))
        #expect(noted == Array(52...179))
    }

    @Test("a gallery is asked for each place in its turn: nothing is noted ahead")
    func gallery() {
        var bench = SchedulerBench()
        bench.tell(.slots(Self.here, 1, kind: .gallery))
        bench.tell(.claimed(Self.here, (1...5).map { .some($0, .presigned) }, asked: 1000))
        #expect(Self.ahead(bench.end(1, .sent(isCertain: true))).isEmpty)
        #expect(Self.ahead(bench.end(2, .sent(isCertain: true))).isEmpty)
    }
}
