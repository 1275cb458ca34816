import Basics
import Bridge
import Store
import TestSupport
import Testing

/// One photo found by what an operator calls it, and read with all that belongs to it.
@Suite struct HistoryTests {
    let ground: LedgerGround

    init() async throws {
        ground = try await LedgerGround()
    }

    private func reader() throws -> LedgerReader { try LedgerReader(path: ground.path) }

    private func found(_ text: String, in event: String? = nil) throws -> [Int64] {
        try reader().photos(meant: text, in: event).map(\.number)
    }

    @Test(
        "a photo is found by number, name in any case, path, stem, spool name, hash, and name at a destination"
    )
    func names() async throws {
        _ = try await ground.ledger.destination("file:///a", kind: .direct, of: ground.event)
        let other = try await ground.ledger.event("other")
        let (first, _) = try await ground.staged(offer("DSC_0001.JPG", handle: 1), [1])
        let (raw, _) = try await ground.staged(offer("DSC_0001.NEF", handle: 2), [2])
        let (later, _) = try await ground.staged(
            offer("DSC_0001.JPG", handle: 3, folder: ["DCIM", "101CANON"]), [3], in: other)
        let job = try #require(try await ground.claim(1).first)
        try await ground.complete(job)

        #expect(try found("\(raw)") == [raw.number])
        #expect(try found("dsc_0001.jpg") == [first.number, later.number])
        #expect(try found("dsc_0001.jpg", in: other.id) == [later.number])
        #expect(try found("DCIM/101CANON/DSC_0001.JPG") == [later.number])
        #expect(try found("DSC_0001") == [first.number, raw.number, later.number])
        #expect(try found(Spool.finalName(raw, "DSC_0001.NEF")) == [raw.number])
        // SHA-256 of the one byte 2, by sha256sum.
        let hash = "dbc1b4c900ffe48d575b5da5c638040125f65db0fe3e24494b76ea986457d986"
        #expect(try found(hash) == [raw.number])
        #expect(try found("DBC1B4C9") == [raw.number])
        #expect(try found("dbc1b4c") == [], "seven digits are too few for a hash")
        // As the receipt of the first has it.
        #expect(try found("A.JPG") == [first.number])
        #expect(try found("0001") == [], "the end of a name is no number")
        #expect(try found("%") == [] && found("DSC_0002.JPG") == [])
        #expect(try reader().names(like: "0001", in: nil, limit: 5) == ["DSC_0001.JPG", "DSC_0001.NEF"])
        #expect(try reader().photoCount(in: nil) == 3 && reader().photoCount(in: other.id) == 1)
    }

    @Test("a history has the deliveries with what was acknowledged before, and the journal's lines of both")
    func everything() async throws {
        let url = "file:///a"
        _ = try await ground.ledger.destination(url, kind: .direct, of: ground.event)
        let (id, _) = try await ground.staged(offer("P1.JPG", handle: 1), [1])
        let job = try #require(try await ground.claim(1).first)
        try await ground.complete(job)
        ground.wall.go(.seconds(60))
        _ = try await ground.ledger.redeliver([(job.id, "it was gone")])
        try await ground.ledger.save(
            JobChange(
                job.id, from: .staged, to: .failedPermanent, attempts: 5, due: ground.wall.wallNow,
                problem: "refused"))
        try await ground.ledger.journal(JournalEntry(.warning, capture: id, "it looks odd"))
        try await ground.ledger.journal(JournalEntry(.warning, "of no photo"))

        let history = try #require(try reader().history(of: id))
        #expect(history.path == "DCIM/100CANON/P1.JPG" && history.camera == LedgerGround.camera)
        #expect(history.address == "192.168.1.2" && history.event == ground.event)
        #expect(history.announcedAt == FixedWall.start && history.stagedAt == FixedWall.start)
        #expect(history.settledAt == nil && history.stagedSize == 1)
        let delivery = try #require(history.deliveries.first)
        #expect(history.deliveries.count == 1 && delivery.url == url && delivery.attempts == 5)
        #expect(delivery.state == .failedPermanent && delivery.problem == "refused")
        #expect(delivery.earlier.map(\.reason) == ["it was gone"])
        #expect(delivery.earlier.first?.repeatedAt == FixedWall.start + .seconds(60))
        #expect(history.journal.map(\.text) == ["sent again: it was gone", "refused", "it looks odd"])
        #expect(try reader().history(of: CaptureID(99)) == nil)
    }

    @Test("what belongs together is named from both sides: RAW and JPEG, memo and photo, copy and original")
    func relatives() async throws {
        let (jpeg, _) = try await ground.staged(offer("P1.JPG", handle: 1), [1])
        let (raw, _) = try await ground.staged(offer("P1.NEF", handle: 2, format: 0x3000), [2])
        let (memo, _) = try await ground.staged(offer("P1.WAV", handle: 3, format: 0x3008), [3])
        let (copy, staging) = try await ground.staged(offer("P2.JPG", handle: 4), [1])
        #expect(staging == .duplicate(of: jpeg))
        // Of another photo.
        try await ground.staged(offer("P3.WAV", handle: 5, format: 0x3008), [5])

        func relatives(_ id: CaptureID) throws -> [String] {
            try #require(try reader().history(of: id)).relatives.map { "\($0.relation.rawValue) \($0.path)" }
        }
        let folder = "DCIM/100CANON"
        #expect(
            try relatives(jpeg) == [
                "pair \(folder)/P1.NEF", "companion \(folder)/P1.WAV", "copy \(folder)/P2.JPG",
            ])
        #expect(try relatives(raw) == ["pair \(folder)/P1.JPG", "companion \(folder)/P1.WAV"])
        #expect(try relatives(memo) == ["companionOf \(folder)/P1.JPG", "companionOf \(folder)/P1.NEF"])
        #expect(try relatives(copy) == ["original \(folder)/P1.JPG"])
    }
}
