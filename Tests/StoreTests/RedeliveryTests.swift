import Basics
import Bridge
import Database
import Store
import TestSupport
import Testing
import WorldSupport

/// Deliveries that are begun once more, and the ledger's part in mending a file.
@Suite struct RedeliveryTests {
    let ground: LedgerGround
    let destination: DestinationID

    init() async throws {
        ground = try await LedgerGround()
        destination = try await ground.ledger.destination("file:///a", kind: .direct, of: ground.event)
        for number in UInt32(1)...3 {
            try await ground.staged(offer("P\(number).JPG", handle: number), jpeg(UInt64(number)))
        }
    }

    private func reader() throws -> LedgerReader { try LedgerReader(path: ground.path) }

    @Test("a repeat has a key of its own, keeps the first receipt beside it, and the photo its name")
    func again() async throws {
        let jobs = try await ground.claim(10)
        for job in jobs { try await ground.complete(job) }
        let before = try reader().deliveries(jobs.map(\.id))
        #expect(before.count == 3 && before.allSatisfy(\.isSpooled))
        let settled = try ground.number("SELECT count(*) FROM captures WHERE settled_at IS NOT NULL")
        #expect(settled == 3)
        ground.wall.go(.seconds(60))
        let first = jobs[0]
        #expect(
            try await ground.ledger.redeliver([(first.id, "it was gone"), (JobID(99), "x")]) == [first.id])
        #expect(try await ground.ledger.redeliver([(first.id, "it was gone")]).isEmpty, "it is open already")
        #expect(try ground.number("SELECT count(*) FROM captures WHERE settled_at IS NOT NULL") == 2)

        let repeated = try #require(try await ground.claim(10).first)
        #expect(repeated.id == first.id && repeated.key != first.key && repeated.state == .staged)
        #expect(repeated.formerName == before[0].receipt.json["key"]?.string)
        #expect(first.formerName == nil)
        ground.wall.go(.seconds(1))
        try await ground.complete(repeated)
        #expect(try reader().delivered(to: destination) == jobs.map(\.id))
        var earlier: [String] = []
        try reader().jobs(of: nil) { earlier.append($0.earlier) }
        let list = try JSON5.parse(earlier[0])
        #expect(list.array?.count == 1 && earlier[1] == "[]")
        #expect(
            list.array?[0]["key"]?.string == first.key && list.array?[0]["reason"]?.string == "it was gone")
        #expect(list.array?[0]["receipt"] == before[0].receipt.json)
        // And once more.
        #expect(try await ground.ledger.redeliver([(first.id, "it was gone")]) == [first.id])
        #expect(try ground.number("SELECT count(*) FROM earlier_deliveries") == 2)
        #expect(try ground.number("SELECT count(DISTINCT key) FROM earlier_deliveries") == 2)
    }

    @Test("what the spool has let go of is not begun before its file is there again")
    func letGo() async throws {
        let job = try #require(try await ground.claim(10).first)
        try await ground.complete(job)
        #expect(try await ground.ledger.remove(job.capture))
        #expect(try reader().deliveries([job.id]).map(\.isSpooled) == [false])
        #expect(try await ground.ledger.redeliver([(job.id, "it was gone")]).isEmpty)
        let begun = try await ground.ledger.restored(
            job.capture, redelivering: [(job.id, "it was gone"), (JobID(99), "x")])
        #expect(begun == [job.id])
        #expect(try await ground.ledger.removable(atMost: 10).isEmpty, "it is wanted")
        #expect(try await ground.claim(10).contains { $0.id == job.id })
    }

    @Test("a file that is there again and wanted for nothing is let go of again")
    func wantedForNothing() async throws {
        let job = try #require(try await ground.claim(10).first)
        try await ground.complete(job)
        #expect(try await ground.ledger.remove(job.capture))
        #expect(try await ground.ledger.restored(job.capture).isEmpty)
        #expect(try reader().deliveries([job.id]).map(\.isSpooled) == [true])
        #expect(try await ground.ledger.removable(atMost: 10).map(\.capture) == [job.capture])
    }

    @Test("what a destination had counts for the one in its place, and a repeat is a job of that one")
    func replaced() async throws {
        let jobs = try await ground.claim(10)
        for job in jobs { try await ground.complete(job) }
        _ = try await ground.ledger.replace(destination, by: "file:///b", kind: .direct)
        let known = try reader().knownDestinations(of: ground.event.id)
        let new = try #require(known.first { $0.url == "file:///b" }).id
        #expect(try reader().delivered(to: new) == jobs.map(\.id))
        #expect(try reader().delivered("P3.JPG", to: new) == [jobs[2].id])
        let delivery = try #require(try reader().deliveries([jobs[0].id]).first)
        #expect(delivery.destination == destination && delivery.successor == new)
        #expect(delivery.url == "file:///a")
        #expect(try reader().formerDestinations(of: ground.event.id).map(\.url) == ["file:///a"])

        #expect(try await ground.ledger.redeliver([(jobs[0].id, "it was gone")]) == [jobs[0].id])
        let repeated = try #require(try await ground.claim(10).first)
        #expect(repeated.id == jobs[0].id && repeated.destination == new)
        #expect(repeated.formerName == nil, "its name is what the new address makes it")
        try await ground.complete(repeated)
        #expect(try reader().delivered(to: new) == jobs.map(\.id))
        #expect(try reader().deliveries([jobs[0].id]).map(\.successor) == [nil])
        // Of one that is simply gone nothing is sent again.
        _ = try await ground.ledger.remove(new)
        #expect(try await ground.ledger.redeliver(jobs.map { ($0.id, "it was gone") }).isEmpty)
    }

    @Test("before a photo is brought again what gives way to photos is asked for room, where that is short")
    func roomIsMade() async throws {
        let photo = try #require(try reader().spooled(CaptureID(1)))
        let asked = Shared<[UInt64]>([])
        func begin(free: UInt64, then later: UInt64) async throws -> IncomingPhoto {
            let (before, after) = (Self.disk(free), Self.disk(later))
            let disk = Shared(before)
            let repair = SpoolRepair(
                executor: Threads.spool, reserve: Spool.Reserve(bytes: 1000),
                makeRoom: { wanted in
                    asked.change { $0.append(wanted) }
                    disk.change { $0 = after }
                }, openRoot: { () throws(DiskError) in disk.value.root() })
            return try await repair.begin(photo)
        }
        #expect(try await begin(free: 1000 + photo.size, then: 0).capture == photo.id)
        #expect(asked.value == [])
        #expect(try await begin(free: 1000, then: 1000 + photo.size).capture == photo.id)
        #expect(asked.value == [photo.size])
        await #expect(
            performing: { _ = try await begin(free: 1000, then: 1000) },
            throws: { "\($0)".contains("too little for") })
    }

    private static func disk(_ free: UInt64) -> ForgetfulDisk {
        var options = ForgetfulDisk.Options()
        options.space = DiskSpace(free: free, total: 1 << 30)
        return ForgetfulDisk(options)
    }

    @Test("a photo is in one hand at a time")
    func inHand() async throws {
        let repair = SpoolRepair(executor: Threads.ledger, reserve: Spool.Reserve()) { () throws(DiskError) in
            throw DiskError(.other, "the test does not look")
        }
        #expect(await repair.take(CaptureID(1)))
        #expect(await repair.take(CaptureID(2)))
        #expect(await repair.take(CaptureID(1)) == false)
        await repair.giveBack(CaptureID(1))
        #expect(await repair.take(CaptureID(1)))
    }

    @Test("what is kept back stays so while deliveries begin anew, and while a destination changes")
    func keptBackThroughChanges() async throws {
        let capture = CaptureID(2)
        let jobs = try await ground.ledger.keepBack(capture)
        try await ground.ledger.giveBackJobs()
        let others = try await ground.claim(10)
        #expect(others.map(\.capture.number) == [1, 3])
        try await ground.ledger.release(others.map(\.id))
        _ = try await ground.ledger.replace(destination, by: "file:///b", kind: .direct)
        #expect(try await ground.claim(10).map(\.capture.number) == [1, 3])
        try await ground.ledger.letGo(capture, jobs)
        #expect(try await ground.claim(10).map(\.capture.number) == [2])
    }

    @Test("what the operator cancels while it is kept back is cancelled, and stays so when it is let go")
    func cancelledWhileKeptBack() async throws {
        let capture = CaptureID(2)
        let jobs = try await ground.ledger.keepBack(capture)
        #expect(try await ground.ledger.cancelUnclaimed(jobs).cancelled == jobs)
        try await ground.ledger.letGo(capture, jobs)
        #expect(try await ground.claim(10).map(\.capture.number) == [1, 3])
    }

    @Test("photos are found by name, by path and by number")
    func names() async throws {
        for job in try await ground.claim(10) { try await ground.complete(job) }
        let path = try #require(reader().deliveries(reader().delivered(to: destination)).last?.path)
        #expect(path.hasSuffix("/P3.JPG"))
        for name in ["P3.JPG", path, "3"] {
            #expect(try reader().delivered(name, to: destination).count == 1, "\(name)")
        }
        #expect(try reader().delivered("P", to: destination).isEmpty)
    }

    @Test(
        "what is kept back is not claimed until it is let go, and what the file made fail begins again")
    func keptBack() async throws {
        let claimed = try await ground.claim(1)
        try await ground.ledger.save(
            JobChange(
                claimed[0].id, from: .staged, to: .failedPermanent, attempts: 1, due: ground.wall.wallNow,
                problem: "localFileDamaged: it has another SHA-256"))
        #expect(try await ground.ledger.keepBack(claimed[0].capture).isEmpty)
        let capture = CaptureID(2)
        let jobs = try await ground.ledger.keepBack(capture)
        #expect(jobs.count == 1)
        #expect(try await ground.claim(10).map(\.capture.number) == [3])
        try await ground.ledger.letGo(capture, jobs)
        try await ground.ledger.letGo(claimed[0].capture, [])
        #expect(Set(try await ground.claim(10).map(\.capture.number)) == [1, 2])
        // A crash in between: the next start finds them.
        _ = try await ground.ledger.keepBack(capture)
        _ = try await ground.ledger.rescueJobs()
        #expect(try await ground.claim(10).count == 3)
    }
}
