import Basics
import Bridge
import Database
import Store
import TestSupport
import Testing
import WorldSupport

@Suite struct MessageLimitTests {
    private static let url = "https://hook.example/SECRET-PATH"

    @Test(
        "the message that 100,000 others have come after is given up with a line in the journal, and no other is"
    )
    func oldest() async throws {
        let ground = try await LedgerGround()
        await ground.ledger.use(JobPolicy(), listeners: [Webhook(url: Self.url, hears: [.staged])])
        func stage(_ number: Int) async throws {
            try await ground.staged(offer("\(number).JPG", handle: UInt32(number)), jpeg(UInt64(number), 300))
        }
        try await stage(1)
        let oldest = try #require(try await ground.ledger.messages(to: Self.url, atMost: 1).first)
        // As if 99,998 others had been told since.
        try Connection(path: ground.path, .readWrite).run(
            "INSERT INTO webhooks (id, url, key, body, due_at, created_at) SELECT 99999, url, ?, body, due_at, created_at FROM webhooks",
            "00000000-0000-4000-8000-000000000000")
        try await stage(2)
        #expect(try await ground.ledger.openMessages() == 3)
        #expect(try ground.journal() == [])
        try await stage(3)
        #expect(try await ground.ledger.openMessages() == 3)
        let line = try #require(try ground.journal().first)
        #expect(line.hasPrefix("https://hook.example was not told of a photo (delivery \(oldest.key)): "))
        #expect(line.contains("100000 messages have come after it") && !line.contains("SECRET"))
        #expect(try ground.journal().count == 1)
    }
}
