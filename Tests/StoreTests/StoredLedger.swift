import Basics
import Bridge
import Database
import Glibc
import Store
import TestSupport
import WorldSupport

/// A few rows of everything, in one file.
enum StoredLedger {
    static let folder = getenv("TETHERLINE_FIXTURES").map { String(cString: $0) }

    static let learned = KnownBody(
        identity: LedgerGround.camera, driver: "generic", port: 15740,
        wireID: "00112233445566778899aabbccddeeff", serial: "042", pairing: "ours",
        traits: ["parts": "refused", "session": "7"])

    static func make(at folder: String) async throws {
        let ground = try await LedgerGround()
        let ledger = ground.ledger
        for url in ["file:///a", "file:///b"] {
            _ = try await ledger.destination(url, kind: .direct, of: ground.event)
        }
        _ = try await ledger.destination("https://gallery.example", kind: .gallery, of: ground.event)
        await ledger.use(
            JobPolicy(), listeners: [Webhook(url: "https://hook.example", hears: [.staged, .completed])])
        try await windows(ground)
        try await captures(ground)
        try await jobs(ground)
        try await repeated(ground)
        try await formerDestinations(ledger)
        try await ledger.learn(learned)
        try await ledger.journal(JournalEntry(.info, camera: ground.camera, "hello"))
        try await ledger.remember("key", "value")
        try await ledger.end()
        let version = Schema.migrations.version
        let copy = "\(folder)/version-\(version).sqlite"
        try Connection(path: ground.path, .readOnly).backUp(to: copy)
        try Connection(path: copy, .readWrite).script("PRAGMA page_size = 1024; VACUUM")
        let schema = try SchemaTests.schema(of: Connection(path: ground.path, .readOnly))
        guard let file = fopen("\(folder)/schema-\(version).sql", "wb") else {
            throw FileProblem(path: folder, number: errno)
        }
        fputs(schema, file)
        fclose(file)
    }

    /// One photo that was gone from one destination, and is delivered there again.
    private static func repeated(_ ground: LedgerGround) async throws {
        guard let job = try LedgerReader(path: ground.path).delivered(to: DestinationID(2)).last else {
            return
        }
        ground.wall.go(.seconds(60))
        _ = try await ground.ledger.redeliver([(job, "it was gone")])
        for job in try await ground.claim(100) {
            guard job.capture.number == 10 else {
                try await ground.ledger.release([job.id])
                continue
            }
            try await ground.complete(job)
        }
    }

    /// One that was removed, and one that stands in another's place.
    private static func formerDestinations(_ ledger: Ledger) async throws {
        let event = try await ledger.event("party")
        let gone = try await ledger.destination("file:///gone", kind: .direct, of: event)
        _ = try await ledger.remove(gone)
        let old = try await ledger.destination("file:///old", kind: .direct, of: event)
        _ = try await ledger.replace(old, by: "file:///new", kind: .direct)
    }

    /// One that is closed and one that is open, each where it lies on a clock, with an absence of each kind.
    private static func windows(_ ground: LedgerGround) async throws {
        let (ledger, contact) = (ground.ledger, ClockContact(difference: 7200))
        for verdict in [EventAbsence.Verdict.declined, .taken, nil] {
            _ = try await ledger.begin(ground.event, since: nil, longestAbsence: .seconds(3600))
            ground.wall.go(.seconds(4000))
            _ = try await ledger.begin(ground.event, since: nil, longestAbsence: .seconds(3600))
            _ = try await ledger.meet(ground.camera, in: ground.event, contact)
            if let verdict { _ = try await ledger.decide(verdict, of: ground.event) }
            if verdict == .declined { _ = try await ledger.closeWindow(of: ground.event) }
        }
    }

    /// One in every state, and what only some of them have.
    private static func captures(_ ground: LedgerGround) async throws {
        let ledger = ground.ledger
        try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        try await ground.staged(offer("A.CR3", handle: 2, format: 0xB108), [1, 2, 3])
        try await ground.staged(offer("B.JPG", handle: 3), jpeg(1))
        _ = try await ground.one(offer("C.JPG", handle: 4), objection: .older)
        _ = try await ground.record(
            offer("D.JPG", handle: 5), offer("E.JPG", handle: 6), offer("F.JPG", handle: 7),
            offer("G.JPG", handle: 8))
        try await ledger.beginReceiving(CaptureID(6), kept: 0, boot: "boot 1")
        try await ledger.note(CaptureID(6), verified: 500, boot: "boot 1")
        try await ledger.charge(
            CaptureID(6), FailedFetchCost(connections: 2, bytes: 900, time: .milliseconds(1500)))
        try await ledger.settle(CaptureID(7), as: .lost, because: "it is not on the card any more")
        try await ledger.settle(CaptureID(8), as: .abandoned, because: "the camera would not give it")
        try await ledger.name(CaptureID(1), stableID: "000000000000000000000000000000a1")
        let doubtful = try await ground.one(offer("H.JPG", handle: 9))
        try await ledger.beginReceiving(doubtful.id, kept: 0, boot: "boot 1")
        _ = try await ledger.stage(
            doubtful.id,
            StagedPhoto(file: "9-H.JPG", size: 300, sha256: sha(jpeg(9)), doubts: [.beginning, .size]),
            skipsDuplicates: true)
        try await ground.staged(memoryOffer("I.JPG", handle: 10), jpeg(10))
    }

    /// What becomes of each job: the states that it goes through, by its photo and its destination.
    private static let ways: [Int64: [[JobState]]] = [
        1: [[.staged, .uploading, .completed], [.staged], [.staged, .presigned]],
        2: [
            [.staged, .uploading], [.staged, .uploading, .failedRetryable],
            [.staged, .presigned, .uploading],
        ],
        9: [
            [.staged, .uploading, .failedPermanent], [.staged, .failedPermanent],
            [.staged, .presigned, .uploading, .uploadedAwaitingProcessing],
        ],
        10: [
            [.staged, .uploading, .completed], [.staged, .uploading, .completed],
            [.staged, .presigned, .uploading, .uploadedAwaitingProcessing, .completed],
        ],
    ]

    private static func jobs(_ ground: LedgerGround) async throws {
        let place = PresignedUpload(
            uploadID: "u", url: "https://store.example/1", objectKey: "1",
            expiresAt: ground.wall.wallNow, headers: [HTTPHeader("Content-Type", "image/jpeg")])
        for job in try await ground.claim(100) {
            let way = ways[job.capture.number]?[Int(job.destination.number) - 1] ?? []
            for (from, to) in zip(way, way.dropFirst()) {
                var change = JobChange(
                    job.id, from: from, to: to, attempts: to == .failedRetryable ? 2 : 0,
                    due: ground.wall.wallNow, intent: job.kind == .gallery ? place : nil)
                if to == .completed {
                    let there: Receipt.Place = job.kind == .gallery ? .photo("p-1") : .key("A.JPG")
                    change.receipt = Receipt(there, size: job.photo.size, sha256: job.photo.sha256)
                }
                if to == .failedPermanent || to == .failedRetryable { change.problem = "the server said 500" }
                // The one that the operator has taken back has never been tried.
                if from == .staged, to == .failedPermanent {
                    (change.isCancelled, change.problem) = (true, JobChange.cancelledByOperator)
                }
                try await ground.ledger.save(change)
            }
            if way == [.staged] { try await ground.ledger.release([job.id]) }
        }
    }
}
