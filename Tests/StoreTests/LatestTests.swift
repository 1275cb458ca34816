import Bridge
import Store
import Testing

/// The latest photos, as a view with room for a few of them asks for them.
@Suite struct LatestTests {
    let ground: LedgerGround

    init() async throws {
        ground = try await LedgerGround()
        _ = try await ground.ledger.destination("file:///a", kind: .direct, of: ground.event)
    }

    private func names(
        _ selection: LedgerReader.Selection = .latest, matching text: String? = nil, limit: Int = 10
    ) throws -> [String] {
        try LedgerReader(path: ground.path).latestCaptures(
            of: ground.event.id, selection, matching: text, limit: limit
        ).map { String($0.path.split(separator: "/").last ?? "") }
    }

    @Test("the last come first, as many as are wanted, without those that wait on the card or are left there")
    func latest() async throws {
        let other = try await ground.ledger.event("other")
        for number in 1...4 {
            try await ground.staged(offer("P\(number).JPG", handle: UInt32(number)), [UInt8(number)])
        }
        try await ground.staged(offer("Q.JPG", handle: 9), [9], in: other)
        _ = try await ground.one(offer("ANNOUNCED.JPG", handle: 10))
        _ = try await ground.one(offer("OLD.JPG", handle: 11), objection: .older)
        #expect(try names() == ["P4.JPG", "P3.JPG", "P2.JPG", "P1.JPG"])
        #expect(try names(limit: 2) == ["P4.JPG", "P3.JPG"])
        // A search finds what stands nowhere else, and knows no wildcards.
        #expect(try names(matching: "old") == ["OLD.JPG"])
        #expect(try names(matching: "100canon/p3") == ["P3.JPG"])
        #expect(try names(matching: "%") == [] && names(matching: "P_.JPG") == [])
    }

    @Test("what failed is what waits for the operator: not what was cancelled, nor what is open")
    func failed() async throws {
        for number in 1...4 {
            try await ground.staged(offer("P\(number).JPG", handle: UInt32(number)), [UInt8(number)])
        }
        let jobs = try await ground.claim(4).sorted { $0.id < $1.id }
        try await ground.complete(jobs[0])
        for job in jobs[1...2] {
            try await ground.ledger.save(
                JobChange(
                    job.id, from: .staged, to: .failedPermanent, attempts: 5, due: ground.wall.wallNow,
                    problem: "refused"))
        }
        _ = try await ground.ledger.cancelUnclaimed([jobs[2].id])
        #expect(try names(.failed) == ["P2.JPG"])
        #expect(try names(.open) == ["P4.JPG"])
        #expect(
            try LedgerReader(path: ground.path).failedJobs(of: ground.event.id, limit: 10) == [jobs[1].id])
    }
}
