import Bridge
import Glibc
import Posix
import Store
import TestSupport
import Testing
import Upload

/// Photos that take no time: what is written together, and that nothing begins that is not written.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct UploaderAheadTests {
    let rig: UploadRig

    init() async throws {
        rig = try await UploadRig()
    }

    /// Places in the log: when each job was first noted as on its way, and when it began.
    private func places() -> [(job: JobID, noted: Int?, begun: Int)] {
        let entries = rig.log.all
        return entries.enumerated().compactMap { index, entry in
            guard case .delivering(let job, _) = entry else { return nil }
            let noted = entries.firstIndex {
                if case .saved(let change) = $0 {
                    change.job == job.id && change.to == .uploading
                } else {
                    false
                }
            }
            return (job.id, noted, index)
        }
    }

    @Test("two hundred small photos share commits, and each is noted before it begins")
    func sharedCommits() async throws {
        let destination = try await rig.destination("file:///a", slots: 2)
        try await rig.stage(1...200)
        // No time passes: what has to be written is written because something waits for it.
        try await rig.running([destination]) { _ in
            await rig.log.wait { $0.ended(as: .completed) == 200 }
        }
        #expect(try rig.jobs() == [.completed: 200])
        let places = places()
        #expect(places.count == 200 && Set(places.map(\.job)).count == 200)
        #expect(places.allSatisfy { place in place.noted.map { $0 < place.begun } ?? false })
        #expect(rig.shaky.commits.value <= 100, "\(rig.shaky.commits.value) commits for 200 photos")
    }

    @Test("a ledger that fails for a while holds back what it does not know, and nothing else is lost")
    func failingLedger() async throws {
        let destination = try await rig.destination("file:///a", slots: 2) { [rig] job, _ in
            if job.id == JobID(10) { rig.shaky.failingSaves.change { $0 = 3 } }
            return .arrived(job)
        }
        try await rig.stage(1...100)
        try await rig.running([destination]) { _ in
            await rig.passTime { $0.ended(as: .completed) == 100 }
        }
        #expect(try rig.jobs() == [.completed: 100])
        #expect(places().allSatisfy { place in place.noted.map { $0 < place.begun } ?? false })
        let failures = rig.log.events.filter { if case .ledgerFailed = $0 { true } else { false } }
        #expect(failures.count == 3)
    }

    @Test(
        "at the end in order all is written: what arrived is completed, and what was ready waits again",
        arguments: 1...10)
    func end(_ photos: Int) async throws {
        let destination = try await rig.destination("file:///a", slots: 2)
        try await rig.stage(1...100)
        try await rig.running([destination]) { _ in
            await rig.passTime { $0.deliveries.count >= photos * 9 }
        }
        let jobs = try rig.jobs()
        #expect(jobs[.uploading] == nil)
        #expect(jobs[.completed, default: 0] >= photos * 9 - 2)
        #expect(jobs[.completed, default: 0] + jobs[.staged, default: 0] == 100)
    }

    @Test("the thread that it was begun on may be busy: deliveries go on without it")
    func threads() async throws {
        let destination = try await rig.destination("file:///a", slots: 2)
        try await rig.stage(1...100)
        let uploader = rig.uploader([destination])
        let beginning = ThreadExecutor(name: "beginning")
        defer { beginning.shutDown() }
        let running = Task(executorPreference: beginning) { await uploader.run() }
        await rig.log.wait { !$0.deliveries.isEmpty }
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        let busy = Task(executorPreference: beginning) {
            var byte: UInt8 = 0
            _ = read(reading, &byte, 1)
        }
        await rig.log.wait { $0.ended(as: .completed) == 100 }
        close(writing)
        await busy.value
        close(reading)
        running.cancel()
        await running.value
        #expect(try rig.jobs() == [.completed: 100])
    }
}
