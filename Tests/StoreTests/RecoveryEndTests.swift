import Basics
import Bridge
import Database
import Glibc
import Store
import TestSupport
import Testing
import WorldSupport

extension LedgerGround {
    /// The ledger as it is, in a folder of its own.
    func copy() throws -> TemporaryFolder {
        let copy = try TemporaryFolder()
        try LedgerReader(path: path).database.backUp(to: copy.file(Ledger.fileName))
        return copy
    }
}

/// Rows without files, and recovery that is interrupted itself.
@Suite struct RecoveryEndTests {
    let ground: LedgerGround
    let disk = ForgetfulDisk()
    var spool: SpoolGround { SpoolGround(disk) }
    var event: String { ground.event.id }

    init() async throws {
        ground = try await LedgerGround()
        for url in ["file:///a", "file:///b"] {
            _ = try await ground.ledger.destination(url, kind: .direct, of: ground.event)
        }
    }

    func recover() async throws -> Recovery.Report {
        try await Recovery(ground.ledger, openRoot: spool.openRoot).run()
    }

    @Test(
        "a staged row without its file, not delivered everywhere, is announced again without its jobs, and said"
    )
    func vanished() async throws {
        let (id, _) = try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        let job = try #require(try await ground.claim(1).first)
        try await ground.complete(job)
        var expected = Recovery.Report()
        expected.vanished = 1
        #expect(try await recover() == expected)
        let entry = try ground.entry(id)
        #expect(entry.state == .announced && entry.file == nil && entry.sha256 == nil)
        // The receipt of the one that has it stays.
        #expect(entry.jobs == [.completed: 1])
        #expect(try ground.journal().count == 1)
        #expect(try await ground.one(offer("A.JPG", handle: 5), connection: "c2").state == .announced)
        #expect(try await recover().isQuiet)
        let (_, staging) = try await ground.staged(offer("A.JPG", handle: 5), jpeg(1))
        #expect(staging == .staged(jobs: 2))
        #expect(try ground.entry(id).jobs == [.completed: 1, .staged: 1])
    }

    @Test("a row whose file is gone and that no camera can bring again is lost, and said")
    func vanishedStray() async throws {
        try spool.put(jpeg(1), event, "4-A.JPG")
        _ = try await recover()
        try spool.openRoot().folder(event).remove("4-A.JPG")
        #expect(try await recover().vanished == 1)
        #expect(try ground.entry(CaptureID(4)).state == .lost)
        #expect(try await recover().isQuiet)
    }

    @Test("a delivered photo whose file is gone is left alone")
    func delivered() async throws {
        let (id, _) = try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        for job in try await ground.claim(2) { try await ground.complete(job) }
        #expect(try await recover().isQuiet)
        #expect(try ground.entry(id).state == .staged && ground.entry(id).jobs == [.completed: 2])
        #expect(try ground.journal() == [])
    }

    @Test("what is left of a duplicate is removed, and of what is whole or not wanted")
    func leftovers() async throws {
        let (first, _) = try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        try spool.put(jpeg(1), event, "\(first)-A.JPG")
        try spool.put(jpeg(1), "incoming", "\(first).part")
        let (second, _) = try await ground.staged(offer("B.JPG", handle: 2), jpeg(1))
        try spool.put(jpeg(1), event, "\(second)-B.JPG")
        let out = try await ground.one(offer("C.JPG", handle: 3), objection: .older)
        try spool.put([1], "incoming", "\(out.id).part")
        #expect(try await recover().removed == 3)
        #expect(try spool.contents() == ["\(event)/\(first)-A.JPG": jpeg(1)])
        #expect(try ground.entry(second).state == .duplicate)
        #expect(try await recover().isQuiet)
    }

    @Test("the only file left of a photo is never taken for a second copy of one that is gone")
    func lastCopy() async throws {
        let (first, _) = try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        let second = try await ground.one(offer("B.JPG", handle: 2))
        try spool.put(jpeg(1), event, "\(second.id)-B.JPG")
        _ = try await recover()
        #expect(try spool.contents() == ["\(event)/\(second.id)-B.JPG": jpeg(1)])
        #expect(try ground.entry(second.id).state == .staged)
        #expect(try ground.entry(first).state == .announced)
    }

    @Test("deliveries that a crash interrupted begin again")
    func jobs() async throws {
        let (id, _) = try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        try spool.put(jpeg(1), event, "\(id)-A.JPG")
        let job = try #require(try await ground.claim(2).first)
        try await ground.ledger.save(
            JobChange(job.id, from: .staged, to: .uploading, attempts: 0, due: job.due))
        #expect(try await recover().rescuedJobs == 1)
        #expect(try ground.entry(id).jobs == [.staged: 2])
        #expect(try await ground.claim(5).count == 2)
    }

    /// One of everything that recovery knows.
    func everything() async throws {
        let ledger = ground.ledger
        try await ground.staged(offer("vanished.JPG", handle: 1), jpeg(1))
        try await ground.staged(offer("kept.JPG", handle: 2), jpeg(2))
        try spool.put(jpeg(2), event, "2-kept.JPG")
        try await ground.staged(offer("again.JPG", handle: 3), jpeg(2))
        try spool.put(jpeg(2), event, "3-again.JPG")
        for (handle, name) in [(4, "named"), (5, "partial"), (6, "both"), (7, "twice")] as [(UInt32, String)]
        {
            let capture = try await ground.one(offer("\(name).JPG", handle: handle))
            try await ledger.beginReceiving(capture.id, kept: 0, boot: "boot 1")
        }
        try spool.put(jpeg(4), event, "4-named.JPG")
        try spool.put([1, 2], "incoming", "5.part")
        try spool.put(jpeg(6), event, "6-both.JPG")
        try spool.put(jpeg(6), "incoming", "6.part")
        try spool.put(jpeg(2), event, "7-twice.JPG")
        try spool.put([3], "incoming", "90.part")
        try spool.put([4], event, "notes.txt")
        for number in 9...10 { try spool.put(jpeg(UInt64(number)), event, "\(number)-stray.JPG") }
        try spool.put(jpeg(11), event, "2-other.JPG")
        try spool.put(jpeg(12), someEvent, "77-unknown.JPG")
        let job = try #require(try await ground.claim(1).first)
        try await ledger.save(
            JobChange(job.id, from: .staged, to: .uploading, attempts: 0, due: job.due))
    }

    struct End: Equatable {
        let files: [String: [UInt8]]
        let rows: [String]
    }

    func end(_ ground: LedgerGround, _ disk: ForgetfulDisk) throws -> End {
        let rows = try LedgerReader(path: ground.path).database.all(
            """
            SELECT c.id || ' ' || c.event_id || ' ' || c.name || ' ' || c.state || ' ' || coalesce(c.file, '-') || ' '
                || coalesce(c.sha256, '-') || ' ' || (SELECT count(*) FROM upload_jobs j WHERE j.capture_id = c.id)
            FROM captures c ORDER BY c.id
            """
        ) { row in try row.get(0, as: String.self) }
        return End(files: try SpoolGround(disk).contents(), rows: rows)
    }

    @Test("interrupted after any side effect and run again, it comes to the same end, and then is quiet")
    func interrupted() async throws {
        try await everything()
        let whole = try await LedgerGround(folder: try ground.copy(), seed: 2)
        let reference = disk.restarted()
        let report = try await Recovery(whole.ledger) { () throws(DiskError) in reference.root() }.run()
        #expect(report.vanished == 1 && report.resumable == 1 && report.rescuedJobs == 1)
        let expected = try end(whole, reference)
        let total = reference.effects.count
        #expect(total > 10)
        for limit in 0..<total {
            let again = try await LedgerGround(folder: try ground.copy(), seed: 2)
            let dying = disk.restarted(ForgetfulDisk.Options(diesAfter: limit))
            let error = await #expect(throws: DiskError.self) {
                try await Recovery(again.ledger) { () throws(DiskError) in dying.root() }.run()
            }
            #expect(error == ForgetfulDisk.death)
            let next = dying.restarted()
            let recovery = Recovery(again.ledger) { () throws(DiskError) in next.root() }
            _ = try await recovery.run()
            #expect(try end(again, next) == expected, "interrupted after \(limit)")
            var last = try await recovery.run()
            last.resumable = 0
            #expect(last.isQuiet, "interrupted after \(limit): \(last)")
            #expect(try LedgerReader(path: again.path).database.problems() == [])
        }
    }
}
