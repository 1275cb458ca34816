import Basics
import Database
import Postgres
import TestSupport
import Testing

@testable import Gallery

/// Several nodes change photos of one event and make its blocks.
@Suite(.enabled(if: PostgresServer.isWanted, "of a database that nodes share"))
struct SearchTogetherTests {
    private static func found(_ gallery: GalleryGround, _ event: String, _ text: String) async throws -> Int {
        var filter = PhotoFilter()
        filter.text = text
        let wanted = filter
        return try await gallery.ground.database.reader { try $0.photos(of: event, wanted) }.count
    }

    @Test("photos are looked up by their sequences, although PostgreSQL knows nothing of them yet")
    func plan() throws {
        let gallery = try GalleryGround()
        defer { withExtendedLifetime(gallery) {} }
        let session = try #require(gallery.ground.database.server).session()
        try session.run("SET enable_seqscan = off")
        let plan = try session.all(
            "EXPLAIN \(session.foundBySequence) SELECT id FROM found WHERE deleted_at IS NULL", "any", "1,2,3"
        ) { try $0.get("QUERY PLAN", as: String.self) }.joined(separator: "\n")
        #expect(plan.contains("photos_event_id_sequence_key"), "\(plan)")
        #expect(plan.contains("sequence = wanted.sequence") && !plan.contains("photos_by_time"), "\(plan)")
    }

    @Test("a photo that is being changed while its block is made is found as it was, and then as it is")
    func change() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        var ids: [String] = []
        for number in 1...40 {
            ids.append(try await gallery.store.putPhoto(host.event, owner: host.account, number: number))
        }
        let server = try #require(gallery.ground.database.server)
        for isNoted in [true, false] {
            let (old, new) = isNoted ? ("a.jpg", "kiss.jpg") : ("kiss.jpg", "cake.jpg")
            let count = isNoted ? 40 : 1
            let session = server.session()
            try session.script("BEGIN")
            try session.run("UPDATE photos SET filename = ? WHERE id = ?", new, ids[3])
            var wish = PhotoWish()
            wish.rating = 1
            _ = try await gallery.store.changePhoto(ids[5], of: host.account, wish)
            while try await gallery.store.indexWaiting(fewest: 1),
                try await gallery.store.number("SELECT count(*) FROM photos_to_index") > 1
            {}
            #expect(try await Self.found(gallery, host.event, old) == count)
            #expect(try await Self.found(gallery, host.event, new) == 0)
            try session.script("COMMIT")
            #expect(try await Self.found(gallery, host.event, old) == count - 1)
            #expect(try await Self.found(gallery, host.event, new) == 1)
            while try await gallery.store.indexWaiting(fewest: 1) {}
            #expect(try await gallery.store.number("SELECT count(*) FROM photos_to_index") == 0)
            #expect(try await Self.found(gallery, host.event, old) == count - 1)
            #expect(try await Self.found(gallery, host.event, new) == 1)
        }
    }

    @Test("of two nodes one makes an event's blocks, and the other does not wait for it")
    func twice() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        for number in 1...40 {
            _ = try await gallery.store.putPhoto(host.event, owner: host.account, number: number)
        }
        let other = try #require(gallery.ground.database.server).session()
        try other.script("BEGIN")
        try other.run(
            "SELECT 1 WHERE pg_try_advisory_xact_lock(hashtextextended(?, 0))", "search \(host.event)")
        #expect(try await gallery.store.indexWaiting(fewest: 1) == false)
        #expect(try await gallery.store.number("SELECT count(*) FROM search_blocks") == 0)
        try other.script("COMMIT")
        while try await gallery.store.indexWaiting(fewest: 1) {}
        #expect(try await gallery.store.number("SELECT count(*) FROM search_blocks") == 2)
        #expect(try await Self.found(gallery, host.event, "A.jp") == 40)
    }

    @Test("blocks that an earlier program made wait while another node makes some of their event")
    func renewal() async throws {
        let gallery = try GalleryGround()
        let host = try await gallery.host()
        for number in 1...40 {
            _ = try await gallery.store.putPhoto(host.event, owner: host.account, number: number)
        }
        while try await gallery.store.indexWaiting(fewest: 1) {}
        try await gallery.store.foldBlocksAsBefore("a.jpg", "á.jpg")
        let other = try #require(gallery.ground.database.server).session()
        try other.script("BEGIN")
        try other.run(
            "SELECT 1 WHERE pg_try_advisory_xact_lock(hashtextextended(?, 0))", "search \(host.event)")
        try await gallery.server.indexer.indexAll()
        #expect(try await Self.found(gallery, host.event, "a.jpg") == 0)
        try other.script("COMMIT")
        try await gallery.server.indexer.indexAll()
        #expect(try await Self.found(gallery, host.event, "a.jpg") == 40)
    }
}
