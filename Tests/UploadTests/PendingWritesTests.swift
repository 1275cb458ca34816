import Basics
import Bridge
import Testing
import Upload

@Suite struct PendingWritesTests {
    private func change(_ job: Int64, from: JobState = .staged, to: JobState = .uploading) -> JobChange {
        JobChange(JobID(job), from: from, to: to, attempts: 0, due: Timestamp(milliseconds: 0))
    }

    private func job(_ number: Int64) -> Job {
        Job(
            id: JobID(number), capture: CaptureID(number), destination: DestinationID(1), kind: .direct,
            state: .uploading, lane: .first, key: "k\(number)", attempts: 0, due: Timestamp(milliseconds: 0),
            photo: StagedPhoto(file: "\(number)", size: 1, sha256: "a"),
            facts: NameTemplate.Facts(
                event: "e", date: "", time: "", camera: "c", serial: "", sequence: number,
                name: "\(number).JPG"))
    }

    /// As while a row of photos is on its way.
    private func plan(
        _ writes: inout PendingWrites, _ actions: [UploadScheduler.Action], isIdle: Bool = false,
        inARow: Bool = false, isEnding: Bool = false, at milliseconds: Int = 1000
    ) -> PendingWrites.Plan {
        writes.plan(
            actions, isIdle: isIdle, inARow: inARow, isEnding: isEnding, at: .milliseconds(milliseconds))
    }

    @Test("what is noted is written 5 ms after the first of it, or 60 ms where more photos wait")
    func moments() {
        var writes = PendingWrites()
        #expect(writes.due(inARow: false) == nil && writes.due(inARow: true) == nil)
        #expect(plan(&writes, [.note(change(1))], at: 1000).write == .later)
        #expect(plan(&writes, [.note(change(2))], at: 1004).write == .later)
        #expect(writes.due(inARow: false) == .milliseconds(1005))
        #expect(writes.due(inARow: true) == .milliseconds(1060))
        #expect(plan(&writes, [], inARow: true, at: 1059).write == .later)
        #expect(plan(&writes, [], at: 1005).write == .meanwhile)
        #expect(writes.begin() == [change(1), change(2)])
        #expect(writes.due(inARow: false) == nil)
    }

    @Test(
        "what is ready lasts longer than what is noted waits, so that the next goes without waiting for the disk"
    )
    func inTime() throws {
        var writes = PendingWrites()
        _ = plan(&writes, [.note(change(1))], at: 0)
        // Noted when half of what is ready is gone.
        #expect(try #require(writes.due(inARow: true)) < UploadScheduler.ahead / 2)
    }

    @Test("with nothing under way nothing is waited for, and where nothing is noted nothing is written")
    func idle() {
        var writes = PendingWrites()
        #expect(plan(&writes, [], isIdle: true).write == .later)
        #expect(plan(&writes, [.note(change(1))], isIdle: true).write == .meanwhile)
    }

    @Test("a delivery begins at once when the ledger knows of it, and after the write when it does not")
    func deliveries() {
        var writes = PendingWrites()
        let first = plan(&writes, [.deliver(job(1)), .note(change(2)), .deliver(job(2))])
        #expect(first.begin.map(\.id) == [JobID(1)])
        #expect(first.write == .first && first.rest == [.deliver(job(2))])
        #expect(writes.takeAll() == [change(2)])
        #expect(writes.isSettled(JobID(2)))
    }

    @Test("a step that something relies on is written first, with all that was noted before it")
    func urgent() {
        var writes = PendingWrites()
        _ = plan(&writes, [.note(change(1))])
        let next = plan(&writes, [.persist(change(2)), .stop(JobID(3))])
        #expect(next.write == .first && next.begin.isEmpty && next.rest == [.stop(JobID(3))])
        #expect(writes.takeAll() == [change(1), change(2)])
        #expect(plan(&writes, [], isEnding: true).write == .first, "the end waits for no company")
    }

    @Test("while something is written nothing of the same jobs begins, and no second write beside it")
    func meanwhile() {
        var writes = PendingWrites()
        _ = plan(&writes, [.note(change(1))])
        #expect(writes.begin() == [change(1)])
        #expect(!writes.isSettled(JobID(1)))
        let next = plan(&writes, [.note(change(2)), .deliver(job(3))], isIdle: true, at: 9000)
        #expect(next.write == .later && next.begin == [job(3)])
        #expect(writes.due(inARow: false) == nil, "the end of the first is looked at")
        #expect(plan(&writes, [.deliver(job(1))], at: 9000).write == .first)
        writes.finished()
        #expect(writes.isSettled(JobID(1)) && writes.due(inARow: false) == .milliseconds(9005))
    }
}
