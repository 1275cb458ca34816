import Bridge
import Database
import Glibc
import Store
import TestSupport

/// A few rows of everything, in one file.
enum StoredLedger {
    static let folder = getenv("TETHERLINE_FIXTURES").map { String(cString: $0) }

    static func make(at folder: String) async throws {
        let ground = try await LedgerGround()
        let ledger = ground.ledger
        for url in ["file:///a", "file:///b"] {
            _ = try await ledger.destination(url, kind: .direct, of: ground.event)
        }
        let gallery = try await ledger.destination(
            "https://gallery.example", kind: .gallery, of: ground.event)
        await ledger.use(
            JobPolicy(), listeners: [Listener(url: "https://hook.example", hears: [.staged, .completed])])
        try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        try await ground.staged(offer("A.CR3", handle: 2, format: 0xB108), [1, 2, 3])
        try await ground.staged(offer("B.JPG", handle: 3), jpeg(1))
        _ = try await ground.one(offer("C.JPG", handle: 4), objection: .older)
        _ = try await ground.record(
            offer("D.JPG", handle: 5), offer("E.JPG", handle: 6), offer("F.JPG", handle: 7),
            offer("G.JPG", handle: 8))
        try await ledger.beginReceiving(CaptureID(6), kept: 0, boot: "boot 1")
        try await ledger.note(CaptureID(6), verified: 500, boot: "boot 1")
        try await ledger.settle(CaptureID(7), as: .lost, because: "it is not on the card any more")
        try await ledger.settle(CaptureID(8), as: .abandoned, because: "the camera would not give it")
        for job in try await ground.claim(4) {
            if job.capture == CaptureID(1), job.destination.number == 1 { try await ground.complete(job) }
        }
        let place = UploadIntent(
            uploadID: "u", url: "https://store.example/1", objectKey: "1",
            expiresAt: ground.wall.wallNow, headers: [HTTPHeader("Content-Type", "image/jpeg")])
        for job in try await ledger.claim(1, to: gallery) {
            try await ledger.save(
                JobChange(job.id, from: .staged, to: .presigned, attempts: 0, due: job.due, intent: place))
        }
        try await ledger.journal(JournalEntry(.info, camera: ground.camera, "hello"))
        try await ledger.remember("key", "value")
        try await ledger.end()
        let copy = "\(folder)/version-\(Schema.migrations.version).sqlite"
        try Connection(path: ground.path, .readOnly).backUp(to: copy)
        try Connection(path: copy, .readWrite).script("PRAGMA page_size = 1024; VACUUM")
    }
}
