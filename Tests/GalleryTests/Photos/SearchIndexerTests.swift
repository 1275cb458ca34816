import Testing

@testable import Gallery

/// Blocks that changes do not make themselves are made in the background.
@Suite struct SearchIndexerTests {
    @Test("of photos that came with no change that was told, blocks are made as well")
    func untold() async throws {
        var ground = try await SearchIndexTests.Ground(seed: 22)
        try await ground.add(300)
        try await ground.gallery.server.indexer.indexAll()
        #expect(try await ground.gallery.store.number("SELECT count(*) FROM photos_to_index") < 32)
        #expect(try await ground.gallery.store.number("SELECT count(*) FROM search_blocks") >= 9)
        _ = try await ground.compare(60)
    }

    @Test("the last few photos are put into their blocks when none has changed for a while")
    func quiet() async throws {
        var ground = try await SearchIndexTests.Ground(seed: 24)
        try await ground.add(20)
        let (gallery, count) = (ground.gallery, "SELECT count(*) FROM photos_to_index")
        try await gallery.server.indexer.indexAll()
        #expect(try await gallery.store.number(count) == 20)
        let photo = try #require(try await ground.all(SearchIndexTests.Ground.everything).first)
        var wish = PhotoWish()
        wish.caption = "a late word"
        _ = try await gallery.store.changePhoto(photo.id, of: ground.host.account, wish)
        try await gallery.server.indexer.indexAll()
        #expect(try await gallery.store.number(count) == 20)
        try await gallery.server.indexer.indexAll()
        #expect(try await gallery.store.number(count) == 0)
        _ = try await ground.compare(60)
    }
}
