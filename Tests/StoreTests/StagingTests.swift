import Bridge
import Database
import Posix
import Store
import TestSupport
import Testing
import WorldSupport

/// From whole files to jobs, and from jobs to receipts.
@Suite struct StagingTests {
    let ground: LedgerGround

    init() async throws {
        ground = try await LedgerGround()
    }

    @Test("a whole photo gets one job for each destination, all at once, and a waiting task is woken")
    func stage() async throws {
        for url in ["file:///a", "file:///b"] {
            _ = try await ground.ledger.destination(url, kind: .direct, of: ground.event)
        }
        let (id, staging) = try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        #expect(staging == .staged(jobs: 2))
        // Returns at once: it was rung.
        await ground.ledger.jobsSignal.wait()
        let entry = try ground.entry(id)
        #expect(entry.state == .staged && entry.jobs == [.staged: 2])
        #expect(entry.file == "1-A.JPG" && entry.sha256 == sha(jpeg(1)))
        #expect(try ground.number("SELECT count(DISTINCT key) FROM upload_jobs") == 2)
    }

    @Test("staging that is refused leaves neither a job nor a changed row")
    func stageIsOne() async throws {
        _ = try await ground.ledger.destination("file:///a", kind: .direct, of: ground.event)
        let capture = try await ground.one(offer("A.JPG", handle: 1))
        // The job is refused after the row was changed.
        try ground.meddle(
            "CREATE TRIGGER no BEFORE INSERT ON upload_jobs BEGIN SELECT RAISE(ABORT, 'no'); END")
        let photo = StagedPhoto(file: "1-A.JPG", size: 300, sha256: sha(jpeg(1)))
        await #expect(throws: DatabaseError.self) {
            try await ground.ledger.stage(capture.id, photo, skipsDuplicates: true)
        }
        #expect(try ground.entry(capture.id).state == .announced)
        #expect(try ground.entry(capture.id).jobs == [:])
    }

    @Test("only what is wanted and not here yet can be staged or received")
    func stageTwice() async throws {
        let (id, _) = try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        let out = try await ground.one(offer("B.JPG", handle: 2), objection: .small)
        let photo = StagedPhoto(file: "x", size: 1, sha256: sha([1]))
        for capture in [id, out.id, CaptureID(99)] {
            await #expect(throws: (any Error).self) {
                try await ground.ledger.stage(capture, photo, skipsDuplicates: true)
            }
            await #expect(throws: (any Error).self) {
                try await ground.ledger.beginReceiving(capture, kept: 0, boot: "boot 1")
            }
        }
        #expect(try ground.entry(id).sha256 == sha(jpeg(1)))
    }

    @Test("the same bytes twice in one event are a duplicate of the first, without a job")
    func duplicate() async throws {
        _ = try await ground.ledger.destination("file:///a", kind: .direct, of: ground.event)
        let (first, _) = try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        let (second, staging) = try await ground.staged(offer("B.JPG", handle: 2), jpeg(1))
        #expect(staging == .duplicate(of: first))
        let entry = try ground.entry(second)
        #expect(entry.state == .duplicate && entry.duplicateOf == first && entry.jobs == [:])
        let (_, other) = try await ground.staged(offer("C.JPG", handle: 3), jpeg(2))
        #expect(other == .staged(jobs: 1))
    }

    @Test("the same bytes are two photos where duplicates are wanted, and in two events")
    func wantedDuplicates() async throws {
        let party = try await ground.ledger.event("party")
        try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        let (_, again) = try await ground.staged(
            offer("B.JPG", handle: 2), jpeg(1), skipsDuplicates: false)
        #expect(again == .staged(jobs: 0))
        let (_, elsewhere) = try await ground.staged(offer("A.JPG", handle: 3), jpeg(1), in: party)
        #expect(elsewhere == .staged(jobs: 0))
    }

    @Test("a destination that comes later gets what was staged before, once")
    func laterDestination() async throws {
        let first = try await ground.ledger.destination("file:///a", kind: .direct, of: ground.event)
        let (id, _) = try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        try await ground.staged(offer("A.CR3", handle: 2, format: 0xB108), [1, 2, 3])
        for _ in 0..<2 {
            let second = try await ground.ledger.destination("file:///b", kind: .direct, of: ground.event)
            #expect(second != first)
            #expect(try ground.entry(id).jobs == [.staged: 2])
        }
        #expect(try ground.number("SELECT count(*) FROM upload_jobs") == 4)
        let party = try await ground.ledger.event("party")
        #expect(try await ground.ledger.destination("file:///a", kind: .direct, of: party) != first)
        #expect(
            try LedgerReader(path: ground.path).destinations(of: ground.event.id) == [
                "file:///a", "file:///b",
            ])
    }

    @Test("how much may be trusted is never more than was kept when the next bytes came")
    func verified() async throws {
        let ledger = ground.ledger
        let capture = try await ground.one(offer("A.JPG", handle: 1))
        func known() async throws -> Capture { try await ground.one(offer("A.JPG", handle: 1)) }
        try await ledger.note(capture.id, verified: 9, boot: "boot 1")
        #expect(try await known().verified == 0)
        try await ledger.beginReceiving(capture.id, kept: 0, boot: "boot 1")
        try await ledger.note(capture.id, verified: 500, boot: "boot 1")
        #expect(
            try await known() == Capture(id: capture.id, state: .receiving, verified: 500, boot: "boot 1"))
        try await ledger.beginReceiving(capture.id, kept: 800, boot: "boot 2")
        #expect(try await known().verified == 500)
        try await ledger.beginReceiving(capture.id, kept: 100, boot: "boot 3")
        #expect(
            try await known() == Capture(id: capture.id, state: .receiving, verified: 100, boot: "boot 3"))
    }

    @Test("a photo may be deleted from its card when it has jobs and every one of them has its receipt")
    func deletable() async throws {
        let ledger = ground.ledger
        func deletable() async throws -> [CaptureID] {
            try await ledger.deletable(of: ground.camera, in: ground.event)
        }
        let (id, _) = try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        #expect(try await deletable() == [])
        for url in ["file:///a", "file:///b"] {
            _ = try await ledger.destination(url, kind: .direct, of: ground.event)
        }
        let (memory, _) = try await ground.staged(memoryOffer("M.JPG", handle: 2), jpeg(2))
        // It is unknown whether what came is all of it: the one on the card may be the only good one.
        for (number, doubt) in zip(3..., PhotoDoubt.allCases) {
            let name = "D\(number).JPG"
            _ = try await ground.staged(
                offer(name, handle: UInt32(number)), jpeg(UInt64(number)), doubts: [doubt])
        }
        let jobs = try await ground.claim(10)
        for (index, job) in jobs.filter({ $0.capture == id }).enumerated() {
            #expect(try await deletable() == [], "\(index)")
            try await ground.complete(job)
        }
        for job in jobs where job.capture != id { try await ground.complete(job) }
        #expect(jobs.contains { $0.capture == memory } && jobs.count == 10, "each of them is delivered")
        #expect(try await deletable() == [id])
        try await ledger.deleted(id)
        #expect(try await deletable() == [])
    }

    @Test("the journal keeps the last hundred thousand entries, give or take a thousand")
    func journal() async throws {
        try ground.meddle(
            """
            INSERT INTO journal (id, at, level, text) WITH RECURSIVE n (i) AS
                (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 102998)
                SELECT i, 0, 'info', 'n' FROM n
            """)
        for _ in 0..<3 {
            try await ground.ledger.journal(JournalEntry(.warning, capture: CaptureID(1), "said"))
        }
        #expect((100_000...101_000).contains(try ground.number("SELECT count(*) FROM journal")))
        #expect(try ground.number("SELECT max(id) FROM journal WHERE text = 'said'") == 103_001)
        #expect(try ground.number("SELECT min(id) FROM journal") == 3001)
    }

    @Test("small facts are remembered, changed and forgotten")
    func facts() async throws {
        try await ground.ledger.remember("a", "1")
        try await ground.ledger.remember("a", "2")
        #expect(try await ground.ledger.recall("a") == "2")
        try await ground.ledger.forget("a")
        #expect(try await ground.ledger.recall("a") == nil)
    }
}
