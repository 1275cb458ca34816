import Bridge
import Digest
import TestSupport
import Testing
import Upload
import WorldSupport

@Suite(
    .enabled(if: SeaweedFS.isThere, "SeaweedFS is not installed; tools/setup does it"),
    .timeLimit(.minutes(Cases.minutesOfHang)))
struct S3PartsTests {
    let spool: TestSpool

    init() throws {
        spool = try TestSpool()
    }

    private func large(_ number: Int64, _ name: String, megabytes: Int) throws -> (job: Job, bytes: [UInt8]) {
        let bytes = partBytes(UInt64(number), megabytes: megabytes)
        return (try spool.job(number, name, bytes), bytes)
    }

    /// Sent until so much has left, and then cut off as a restart does.
    private func begin(_ job: Job, _ place: S3Place, until count: UInt64) async {
        let task = Task { await place.deliver(job) }
        while place.moved.value < count { await Task.yield() }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    /// As the next run finds it in the ledger.
    private func again(_ job: Job, _ place: S3Place) -> Job {
        var job = job
        job.note = place.notes.notes.value[job.id]
        return job
    }

    @Test("after a restart only the parts that are missing are sent")
    func resumed() async throws {
        let (job, bytes) = try large(1, "LARGE.NEF", megabytes: 100)
        let first = try S3Place(spool)
        await begin(job, first, until: 60 << 20)
        #expect(first.unfinished.count >= 5, "at most two were on their way")
        let noted = again(job, first)
        #expect(noted.note != nil)
        let second = try S3Place(spool, bucket: first.bucket)
        #expect(await second.deliver(noted).receipt?.key == "LARGE.NEF")
        // Of sixty MiB, two parts of eight may have been on their way; all others were there.
        #expect(second.moved.value <= (100 - 40) << 20, "\(second.moved.value) were sent again")
        #expect(try SHA256.of(second.bytes("LARGE.NEF")) == SHA256.of(bytes))
        #expect(second.unfinished.isEmpty && second.notes.notes.value[job.id] == nil)
    }

    @Test("in the same run, too, though the job in hand knows no note")
    func resumedWithoutNote() async throws {
        let (job, bytes) = try large(1, "LARGE.NEF", megabytes: 70)
        let place = try S3Place(spool)
        await begin(job, place, until: 40 << 20)
        let before = place.moved.value
        #expect(await place.deliver(job).receipt?.key == "LARGE.NEF")
        #expect(place.moved.value - before < 55 << 20)
        #expect(try place.bytes("LARGE.NEF") == bytes)
    }

    @Test(
        "a note that means nothing any more is no hindrance",
        arguments: [
            "", "{}", "{\"upload\":\"nobody\",\"key\":\"LARGE.NEF\",\"part\":8388608}",
            "{\"upload\":\"nobody\",\"key\":\"OTHER.NEF\",\"part\":8388608}",
            "{\"upload\":\"nobody\",\"key\":\"LARGE.NEF\",\"part\":1}",
            "{\"upload\":\"nobody\",\"key\":\"LARGE.NEF\",\"part\":-8388608}",
        ])
    func oddNotes(note: String) async throws {
        var (job, _) = try large(1, "LARGE.NEF", megabytes: 66)
        job.note = note
        let place = try S3Place(spool)
        let key = try #require(await place.deliver(job).receipt?.key)
        #expect(place.sizes == [key: 66 << 20] && place.unfinished.isEmpty)
    }

    @Test("what another has delivered meanwhile is not sent, and what was begun is taken away")
    func twin() async throws {
        let (job, bytes) = try large(1, "LARGE.NEF", megabytes: 80)
        let first = try S3Place(spool)
        await begin(job, first, until: 20 << 20)
        let twin = try spool.job(2, "LARGE.NEF", bytes)
        let other = try S3Place(spool, bucket: first.bucket)
        #expect(await other.deliver(twin).receipt?.key == "LARGE.NEF")
        #expect(!first.unfinished.isEmpty)
        let second = try S3Place(spool, bucket: first.bucket)
        #expect(await second.deliver(again(job, first)).receipt?.key == "LARGE.NEF")
        #expect(second.moved.value == 0)
        #expect(second.unfinished.isEmpty && second.sizes.count == 1)
    }

    @Test("large photos that want one name at the same time get one each")
    func race() async throws {
        let place = try S3Place(spool)
        let (first, _) = try large(1, "LARGE.NEF", megabytes: 66)
        let (second, _) = try large(2, "LARGE.NEF", megabytes: 66)
        async let one = place.deliver(first)
        async let other = place.deliver(second)
        let keys = Set([await one.receipt?.key, await other.receipt?.key])
        #expect(keys == ["LARGE.NEF", "LARGE-2.NEF"])
        #expect(place.unfinished.isEmpty)
    }

    @Test("a photo that has changed since it was staged is not begun")
    func damaged() async throws {
        var (job, bytes) = try large(1, "LARGE.NEF", megabytes: 66)
        bytes[60 << 20] ^= 1
        try spool.overwrite(job, with: bytes)
        job.note = nil
        let place = try S3Place(spool)
        guard case .permanent(let problem) = await place.deliver(job) else {
            Issue.record("it is damaged")
            return
        }
        #expect(problem.hasPrefix("localFileDamaged: \(spool.path)/1 "))
        #expect(place.moved.value == 0 && place.unfinished.isEmpty)
    }

    @Test("when no answer comes to the last word, the store is asked what it has")
    func ambiguous() async throws {
        // The first POST begins, the second ends.
        let losing = Shared(0)
        let place = try S3Place(spool) { LosesAnswers(http: $0, method: "POST", left: losing) }
        let (job, bytes) = try large(1, "LARGE.NEF", megabytes: 66)
        let task = Task { await place.deliver(job) }
        while place.moved.value == 0 { await Task.yield() }
        losing.change { $0 = 1 }
        #expect(await task.value.receipt?.key == "LARGE.NEF")
        #expect(losing.value == 0)
        #expect(place.moved.value == UInt64(bytes.count))
        #expect(place.unfinished.isEmpty && place.notes.notes.value[job.id] == nil)
    }

    @Test("a job that is cancelled for good leaves no parts behind")
    func givenUp() async throws {
        let (job, _) = try large(1, "LARGE.NEF", megabytes: 80)
        let place = try S3Place(spool)
        await begin(job, place, until: 20 << 20)
        #expect(!place.unfinished.isEmpty)
        await place.destination.giveUp(job)
        #expect(place.unfinished.isEmpty && place.notes.notes.value[job.id] == nil)
    }
}
