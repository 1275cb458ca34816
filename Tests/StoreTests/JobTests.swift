import Basics
import Bridge
import Database
import Store
import TestSupport
import Testing
import WorldSupport

/// Claiming, saving and rescuing jobs.
@Suite struct JobTests {
    let ground: LedgerGround

    init() async throws {
        ground = try await LedgerGround()
        _ = try await ground.ledger.destination("file:///a", kind: .direct, of: ground.event)
    }

    /// As many photos as numbers, a second apart, each with one job.
    func stage(_ numbers: ClosedRange<UInt32>, raw: Bool = false) async throws {
        for number in numbers {
            let offer =
                raw
                ? offer("R\(number).CR3", handle: number, format: 0xB108)
                : offer("P\(number).JPG", handle: number)
            try await ground.staged(offer, jpeg(UInt64(number)))
            ground.wall.go(.seconds(1))
        }
    }

    @Test("pictures come before raw files, the oldest first, but a quarter goes to what has been due longest")
    func order() async throws {
        try await stage(1...4, raw: true)
        try await stage(5...12)
        let jobs = try await ground.claim(8)
        #expect(jobs.map(\.capture.number) == [5, 6, 7, 8, 9, 10, 1, 2])
        #expect(jobs.map(\.lane) == Array(repeating: .first, count: 6) + [.later, .later])
        #expect(jobs.allSatisfy { $0.state == .staged && $0.attempts == 0 })
    }

    @Test(
        "a job knows when its photo was taken where the camera has said in which zone it is, and only there")
    func moments() async throws {
        let dates = ["20261121T185903+0100", "20261121T175903Z", "20261121T185903", "20261121T185903.4", ""]
        for (number, date) in dates.enumerated() {
            let name = "P\(number).JPG"
            try await ground.staged(
                offer(name, handle: UInt32(number), date: date), jpeg(UInt64(number)))
        }
        let moment = Timestamp(milliseconds: 1_795_283_943_000)
        #expect(try await ground.claim(5).map(\.takenAt) == [moment, moment, nil, nil, nil])
    }

    @Test("no job is claimed twice, and at the end every one was")
    func neverTwice() async throws {
        try await stage(1...3, raw: true)
        try await stage(4...11)
        var seen: [JobID] = []
        for count in [0, 1, 4, 3, 2, 9, 5] {
            let jobs = try await ground.claim(count)
            #expect(jobs.count == min(count, 11 - seen.count))
            seen += jobs.map(\.id)
        }
        #expect(Set(seen).count == 11 && seen.count == 11)
        let other = try await ground.ledger.event("party")
        #expect(try await ground.ledger.claim(5, of: other).isEmpty)
    }

    @Test("a job knows its photo, and what it may be called by the camera's clock or else by ours")
    func facts() async throws {
        let bytes = jpeg(1)
        try await ground.staged(offer("A.JPG", handle: 1), bytes)
        try await ground.staged(offer("B.JPG", handle: 2, date: ""), jpeg(2))
        let jobs = try await ground.claim(2)
        let first = try #require(jobs.first)
        #expect(first.photo == StagedPhoto(file: "1-A.JPG", size: 300, sha256: sha(bytes)))
        #expect(
            first.facts
                == NameTemplate.Facts(
                    event: "wedding", date: "2026-11-21", time: "185903", camera: "EOS R5", serial: "042",
                    sequence: 1, name: "A.JPG"))
        #expect(first.due == FixedWall.start && first.kind == .direct && first.key.count == 36)
        // An hour ahead of UTC.
        let ours = CivilTime(secondsSince1970: FixedWall.start.seconds + 3600)
        #expect(jobs.last?.facts.date == ours.date && jobs.last?.facts.time == ours.time)
        #expect(jobs.last?.facts.sequence == 2)
        #expect(jobs.allSatisfy { $0.takenAt == nil }, "a clock on a wall says no moment")
    }

    @Test("a step from a state that the job is not in is refused, and changes nothing")
    func wrongState() async throws {
        try await stage(1...1)
        let job = try #require(try await ground.claim(1).first)
        for from in JobState.allCases where from != .staged {
            await #expect(throws: (any Error).self, "\(from)") {
                try await ground.ledger.save(
                    JobChange(job.id, from: from, to: .uploading, attempts: 0, due: job.due))
            }
        }
        await #expect(throws: (any Error).self) {
            try await ground.ledger.save(
                JobChange(JobID(99), from: .staged, to: .uploading, attempts: 0, due: job.due))
        }
        #expect(try ground.entry(job.capture).jobs == [.staged: 1])
        try await ground.complete(job)
        #expect(try ground.entry(job.capture).jobs == [.completed: 1])
        let receipt = Receipt(key: "A.JPG", size: 300, sha256: job.photo.sha256)
        #expect(try ground.entry(job.capture).receipts.map(\.receipt) == [receipt.json.compact])
    }

    @Test(
        "a failure that counts keeps its reason, its attempts and its time; a final one is said in the journal"
    )
    func failures() async throws {
        try await stage(1...1)
        let job = try #require(try await ground.claim(1).first)
        let later = ground.wall.wallNow + .seconds(60)
        try await ground.ledger.save(
            JobChange(job.id, from: .staged, to: .failedRetryable, attempts: 1, due: later, problem: "cut"))
        #expect(try await ground.claim(5).isEmpty, "it is still in the window")
        _ = try await ground.ledger.rescueJobs()
        let again = try #require(try await ground.claim(5).first)
        #expect(again.state == .failedRetryable && again.attempts == 1 && again.due == later)
        try await ground.ledger.save(
            JobChange(
                job.id, from: .failedRetryable, to: .failedPermanent, attempts: 5, due: later, problem: "no"))
        #expect(try ground.entry(job.capture).problems == ["no"])
        #expect(try ground.journal() == ["not delivered: cut", "no"])
        _ = try await ground.ledger.rescueJobs()
        #expect(try await ground.claim(5).isEmpty, "it waits for the operator")
    }

    @Test("after a crash what was claimed can be claimed again, and uploads begin again from where they came")
    func rescue() async throws {
        try await stage(1...4)
        let jobs = try await ground.claim(3)
        let first = try #require(jobs.first)
        try await ground.ledger.save(
            JobChange(first.id, from: .staged, to: .uploading, attempts: 2, due: first.due))
        try await ground.complete(try #require(jobs.last))
        #expect(try await ground.ledger.rescueJobs() == 1)
        #expect(try await ground.ledger.rescueJobs() == 0)
        let again = try await ground.claim(10)
        #expect(again.map(\.capture.number) == [1, 2, 4])
        #expect(again.allSatisfy { $0.state == .staged })
        #expect(again.first?.attempts == 2 && again.first?.key == first.key)
    }

    @Test("the counts are what counting finds, after anything", arguments: Cases.seeds(full: 100))
    func counts(seed: UInt64) async throws {
        var random = Seeded(seed)
        for step in 0..<40 {
            try await anything(step, &random)
        }
        for event in try LedgerReader(path: ground.path).events() {
            let counts = try LedgerReader(path: ground.path).counts(of: event.id)
            var captures: [CaptureState: Int] = [:]
            var jobs: [JobState: Int] = [:]
            for entry in try ground.entries(event) {
                captures[entry.state, default: 0] += 1
                jobs.merge(entry.jobs, uniquingKeysWith: +)
            }
            #expect(counts.captures.filter { $0.value != 0 } == captures)
            #expect(counts.jobs.filter { $0.value != 0 } == jobs)
            #expect(try await ground.ledger.counts(of: event) == counts)
        }
        #expect(
            try ground.number("SELECT sum(bytes) FROM counts WHERE subject = 'capture'")
                == ground.number("SELECT sum(size) FROM captures"))
        #expect(
            try ground.number("SELECT coalesce(sum(bytes), 0) FROM counts WHERE subject = 'job'")
                == ground.number("SELECT coalesce(sum(size), 0) FROM upload_jobs"))
    }

    /// One operation of any kind, allowed or not.
    func anything(_ step: Int, _ random: inout Seeded) async throws {
        let ledger = ground.ledger
        let handle = UInt32.random(in: 1...12, using: &random)
        let event = random.chance(80) ? ground.event : try await ledger.event("party")
        var photo = offer("P\(handle).\(random.chance(50) ? "JPG" : "CR3")", handle: handle)
        if random.chance(20) { photo.identity.size = 0 }
        let objection: FilterRule? = random.chance(30) ? .older : nil
        let capture = try await ground.one(
            photo, connection: "c\(step / 10)", objection: objection, in: event)
        switch Int.random(in: 0..<7, using: &random) {
        case 0 where capture.state == .announced || capture.state == .receiving:
            try await ledger.beginReceiving(capture.id, kept: 0, boot: "boot 1")
        case 1, 2:
            if capture.state != .announced && capture.state != .receiving { return }
            let bytes = jpeg(UInt64.random(in: 0..<6, using: &random))
            _ = try await ledger.stage(
                capture.id, StagedPhoto(file: "f", size: 300, sha256: sha(bytes)),
                skipsDuplicates: random.chance(50))
        case 3:
            let states: [CaptureState] = [.lost, .abandoned]
            try await ledger.settle(
                capture.id, as: states[Int.random(in: 0..<2, using: &random)], because: "so")
        case 4:
            _ = try await ledger.destination("file:///\(random.chance(50))", kind: .direct, of: event)
        case 5:
            for job in try await ledger.claim(2, of: event) where random.chance(80) {
                try await ground.complete(job)
            }
        default: _ = try await ledger.rescueJobs()
        }
    }

    @Test("why a delivery fails is in the journal once for each reason, in the order in which they came")
    func causes() async throws {
        let ground = try await LedgerGround()
        let place = try await ground.ledger.destination("file:///a", kind: .direct, of: ground.event)
        try await ground.staged(offer("P1.JPG", handle: 1), jpeg(1))
        let job = try #require(try await ground.ledger.claim(1, to: place, newestFirst: false).first)
        var state = JobState.staged
        func fail(_ problem: String) async throws {
            try await ground.ledger.save(
                JobChange(job.id, from: state, to: .uploading, attempts: 0, due: job.due))
            state = .failedRetryable
            try await ground.ledger.save(
                JobChange(job.id, from: .uploading, to: state, attempts: 1, due: job.due, problem: problem))
        }
        for problem in ["no room", "no room", "refused", "refused", "no room"] { try await fail(problem) }
        #expect(
            try ground.journal() == [
                "not delivered: no room", "not delivered: refused", "not delivered: no room",
            ])
        let history = try #require(try LedgerReader(path: ground.path).history(of: job.capture))
        #expect(history.journal.map(\.job) == [job.id, job.id, job.id])
    }
}
