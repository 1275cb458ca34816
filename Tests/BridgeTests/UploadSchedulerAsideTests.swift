import Basics
import Bridge
import TestSupport
import Testing

/// Jobs whose file is being mended leave the window as they are.
@Suite struct UploadSchedulerAsideTests {
    static let here = SchedulerBench.here

    @Test(
        "one that waits, is ready or is unknown is just not there any more, and the ledger is told where it says otherwise"
    )
    func waiting() {
        for state in [JobState.staged, .failedRetryable] {
            var bench = SchedulerBench.holding([.some(1, state, attempts: 2), .some(2)])
            #expect(bench.scheduler.mayHave(JobID(1)))
            #expect(SchedulerBench.changes(bench.tell(.putAside([JobID(1), JobID(9)]))).isEmpty)
            #expect(!bench.scheduler.mayHave(JobID(1)) && bench.scheduler.known == 1)
        }
        // The first one took so little time that the next are noted as on their way.
        var bench = SchedulerBench.holding((1...9).map { .some($0) })
        #expect(bench.begun(.slots(Self.here, 1)) == [1])
        bench.now = bench.now + .milliseconds(50)
        _ = bench.end(1, .good)
        let changes = SchedulerBench.changes(bench.tell(.putAside([JobID(4)])))
        #expect(changes.map(\.from) == [.uploading] && changes.map(\.to) == [.staged])
        #expect(!bench.scheduler.mayHave(JobID(4)))
        #expect(SchedulerBench.begun(bench.end(2, .good)) == [3])
        #expect(SchedulerBench.begun(bench.end(3, .good)) == [5])
    }

    @Test("one that is under way is stopped, and whatever comes of it but its arrival counts for nothing")
    func underWay() throws {
        let outcomes: [DeliveryOutcome] = [
            .cancelled, .retryable("x"), .permanent("localFileDamaged"), .destinationFailed("x"),
            .notThere("x"),
            .cut("x"), .held(.credits, "x"),
        ]
        for outcome in outcomes {
            var bench = SchedulerBench.holding([.some(1), .some(2)])
            #expect(bench.begun(.slots(Self.here, 1)) == [1])
            #expect(bench.tell(.putAside([JobID(1)])) == [.stop(JobID(1))])
            #expect(bench.scheduler.mayHave(JobID(1)), "until it has ended")
            let actions = bench.end(1, outcome)
            let change = try #require(SchedulerBench.changes(actions).first, "\(outcome)")
            #expect(change.from == .uploading && change.to == .staged && change.attempts == 0, "\(outcome)")
            #expect(SchedulerBench.begun(actions) == [2] && bench.scheduler.heldReasons.isEmpty, "\(outcome)")
            #expect(!bench.scheduler.mayHave(JobID(1)) && bench.scheduler.known == 1)
        }
        var bench = SchedulerBench.holding([.some(1)])
        _ = bench.tell(.slots(Self.here, 1))
        _ = bench.tell(.putAside([JobID(1)]))
        #expect(SchedulerBench.changes(bench.end(1, .good)).map(\.to) == [.completed], "it is there")
    }

    @Test("what a gallery has the bytes of needs no file, and goes on")
    func sent() {
        var bench = SchedulerBench.sending()
        _ = bench.tell(.putAside([JobID(1)]))
        let changes = SchedulerBench.changes(bench.end(1, .sent(isCertain: true)))
        #expect(changes.map(\.to) == [.uploadedAwaitingProcessing])
        #expect(bench.tell(.putAside([JobID(1)])).isEmpty && bench.scheduler.known == 1)
    }
}
