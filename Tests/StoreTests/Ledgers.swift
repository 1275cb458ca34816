import Basics
import Bridge
import Database
import Store
import Synchronization
import TestSupport
import Testing

/// A calendar that stands still until a test sets it.
final class FixedWall: WallTime {
    static let start = Timestamp(milliseconds: 1_795_000_000_000)

    private let now = Mutex(start)

    var wallNow: Timestamp { now.withLock { $0 } }
    func localOffset(at moment: Timestamp) -> Int64 { 3600 }
    func go(_ span: Duration) { now.withLock { $0 = $0 + span } }
}

/// A real ledger in a folder of its own, with a reader beside it.
struct LedgerGround: Sendable {
    static let camera = CameraIdentity(manufacturer: "Canon", model: "EOS R5", body: "042")

    let folder: TemporaryFolder
    let wall: FixedWall
    let ledger: Ledger
    let event: BridgeEvent
    let camera: CameraID

    var path: String { folder.file(Ledger.fileName) }

    init(folder known: TemporaryFolder? = nil, seed: UInt64 = 1) async throws {
        let folder = try known ?? TemporaryFolder()
        let wall = FixedWall()
        let ledger = try Ledger(
            path: folder.file(Ledger.fileName), executor: Threads.ledger, wall: wall,
            random: SeededSource(seed))
        self.folder = folder
        self.wall = wall
        self.ledger = ledger
        // What is in here is small, and is to be what it is by its kind.
        var policy = JobPolicy()
        policy.small = 0
        await ledger.use(policy)
        event = try await ledger.event("wedding")
        camera = try await ledger.meet(Self.camera, at: "192.168.1.2")
    }

    func record(
        _ offers: Offer..., connection: String = "c1", objection: FilterRule? = nil,
        in other: BridgeEvent? = nil
    ) async throws -> [Capture] {
        try await ledger.record(
            offers.map { Sighting(offer: $0, objection: objection) }, of: camera, in: other ?? event,
            connection: connection)
    }

    func one(
        _ offer: Offer, connection: String = "c1", objection: FilterRule? = nil, in other: BridgeEvent? = nil
    ) async throws -> Capture {
        let captures = try await record(offer, connection: connection, objection: objection, in: other)
        return try #require(captures.first)
    }

    /// A photo recorded and staged, with the hash of these bytes.
    @discardableResult
    func staged(
        _ offer: Offer, _ bytes: [UInt8], skipsDuplicates: Bool = true, doubts: Set<PhotoDoubt> = [],
        in other: BridgeEvent? = nil
    ) async throws -> (CaptureID, Staging) {
        let capture = try await one(offer, in: other)
        try await ledger.beginReceiving(capture.id, kept: 0, boot: "boot 1")
        let photo = StagedPhoto(
            file: Spool.finalName(capture.id, offer.identity.name), size: UInt64(bytes.count),
            sha256: sha(bytes), doubts: doubts)
        return (
            capture.id, try await ledger.stage(capture.id, photo, skipsDuplicates: skipsDuplicates)
        )
    }

    func entries(_ event: BridgeEvent? = nil) throws -> [LedgerReader.Entry] {
        var found: [LedgerReader.Entry] = []
        try LedgerReader(path: path).captures(of: (event ?? self.event).id) { found.append($0) }
        return found
    }

    func entry(_ id: CaptureID) throws -> LedgerReader.Entry {
        try #require(try entries().first { $0.id == id })
    }

    func journal() throws -> [String] {
        try LedgerReader(path: path).database.all("SELECT text FROM journal ORDER BY id") { row in
            try row.get(0, as: String.self)
        }
    }

    func number(_ sql: String) throws -> Int {
        try LedgerReader(path: path).database.first(sql) { row in try row.get(0, as: Int.self) } ?? 0
    }

    /// A connection of the test's own that may write: no other is writing then.
    func meddle(_ sql: String) throws {
        let connection = try Connection(path: path, .readWrite)
        try connection.script("PRAGMA foreign_keys = ON")
        try connection.script(sql)
    }

    func claim(_ count: Int) async throws -> [Job] {
        try await ledger.claim(count, of: event)
    }

    /// Brings a claimed job to its receipt.
    func complete(_ job: Job) async throws {
        try await ledger.save(
            JobChange(job.id, from: .staged, to: .uploading, attempts: 0, due: wall.wallNow))
        try await ledger.save(
            JobChange(
                job.id, from: .uploading, to: .completed, attempts: 0, due: wall.wallNow,
                receipt: Receipt(key: "A.JPG", size: job.photo.size, sha256: job.photo.sha256)))
    }
}

/// A photo as a camera offers it.
func offer(
    _ name: String, handle: UInt32, size: UInt64 = 1000, date: String = "20261121T185903",
    folder: [String] = ["DCIM", "100CANON"], format: UInt16 = 0x3801, slot: UInt16 = 1
) -> Offer {
    Offer(
        identity: PhotoIdentity(
            manufacturer: "Canon", model: "EOS R5", body: "042", slot: slot, folders: folder, name: name,
            size: size, captureDate: date, format: format), reference: PhotoReference("\(handle)"))
}

func memoryOffer(_ name: String, handle: UInt32) -> Offer {
    var offer = offer(name, handle: handle, folder: [], slot: 0)
    offer.isInMemory = true
    return offer
}

extension Ledger {
    /// Of all destinations of an event.
    func claim(_ count: Int, of event: BridgeEvent) async throws -> [Job] {
        var jobs: [Job] = []
        for destination in try destinations(of: event) {
            jobs += try claim(count - jobs.count, to: destination.id)
        }
        return jobs
    }

    func claim(_ count: Int, to destination: DestinationID) throws -> [Job] {
        try claim(count, to: destination, newestFirst: false)
    }

    /// One, which has to fit.
    func save(_ change: JobChange) throws {
        if let mismatch = try save([change]).first { throw mismatch }
    }
}
