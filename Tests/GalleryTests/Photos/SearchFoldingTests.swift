import Database
import TestSupport
import Testing

@testable import Gallery

/// A search does not tell accents apart, also where the blocks are of an earlier program, which did.
@Suite struct SearchFoldingTests {
    struct Ground {
        let gallery: GalleryGround
        let host: GalleryGround.Host

        init() async throws {
            gallery = try GalleryGround()
            host = try await gallery.host()
        }

        var store: GalleryStore { gallery.store }

        func add(_ captions: [String], to other: GalleryGround.Host? = nil) async throws {
            for caption in captions { try await store.putCaptioned(other ?? host, caption) }
        }

        /// Blocks of all photos.
        func index() async throws {
            while try await store.indexWaiting(fewest: 1) {}
        }

        /// As the indexer does it by itself.
        func goOn() async throws { try await gallery.server.indexer.indexAll() }

        /// Captions.
        func found(_ text: String) async throws -> [String] {
            var filter = PhotoFilter()
            (filter.text, filter.limit) = (text, 200)
            let wanted = filter
            return try await gallery.ground.database.reader { [host] in
                try $0.photos(of: host.event, wanted).map(\.caption)
            }
        }

        /// Blocks that were not made anew since they were marked.
        func marked() async throws -> Int {
            try await store.number("SELECT count(*) FROM search_blocks WHERE first_place = -1")
        }
    }

    @Test(
        "what is typed without accents is found with them and the other way round; other scripts keep theirs",
        arguments: [false, true])
    func bothWays(hasBlocks: Bool) async throws {
        let ground = try await Ground()
        try await ground.add([
            "José", "Jose", "NGUYỄN", "Nguyen", "Łódź", "Ёлка", "елка", "Άθήνα", "か", "が", "й", "и",
            "ไม้", "ไม",
        ])
        if hasBlocks { try await ground.index() }
        #expect(
            try await ground.store.number("SELECT count(*) FROM photos_to_index") == (hasBlocks ? 0 : 14))
        let questions: [(String, Set<String>)] = [
            ("jose", ["José", "Jose"]), ("JOSÉ", ["José", "Jose"]), ("jose\u{301}", ["José", "Jose"]),
            ("nguyen", ["NGUYỄN", "Nguyen"]), ("Nguyễn", ["NGUYỄN", "Nguyen"]),
            ("lodz", ["Łódź"]), ("łódź", ["Łódź"]), ("αθηνα", ["Άθήνα"]), ("ΆΘΉΝΑ", ["Άθήνα"]),
            ("елка", ["Ёлка", "елка"]), ("ёлка", ["Ёлка", "елка"]),
            ("か", ["か"]), ("が", ["が"]), ("か\u{3099}", ["が"]), ("й", ["й"]), ("и", ["и"]),
            ("ไม้", ["ไม้"]), ("ไม", ["ไม้", "ไม"]), ("joso", []),
        ]
        for (text, captions) in questions {
            let found = try await ground.found(text)
            #expect(Set(found) == captions && found.count == captions.count, "'\(text)' finds \(found)")
        }
    }

    @Test("blocks that an earlier program made are made anew, where nothing else changes, and those only")
    func renewed() async throws {
        let ground = try await Ground()
        let other = try await ground.gallery.host("other@example.org")
        try await ground.add((1...100).map { "José \($0)" })
        try await ground.add((1...40).map { "José \($0)" }, to: other)
        try await ground.index()
        #expect(try await ground.store.number("SELECT count(*) FROM search_blocks") == 6)
        func makeOld() async throws {
            try await ground.store.foldBlocksAsBefore("jose", "josé")
            try await ground.store.markBlocks()
            #expect(try await ground.found("jose") == [])
            #expect(try await ground.found("josé") == [])
        }
        try await makeOld()
        try await ground.goOn()
        #expect(try await ground.marked() == 0)
        #expect(try await ground.found("jose").count == 100)
        #expect(try await ground.found("josé").count == 100)
        // There is nothing to do, neither now nor when it looks once more.
        try await ground.store.markBlocks()
        try await ground.goOn()
        ground.gallery.wall.go(SearchIndexer.betweenRenewals)
        try await ground.goOn()
        #expect(try await ground.marked() == 6)
        // The earlier program has run again. It is found out when it is looked for.
        try await makeOld()
        try await ground.goOn()
        #expect(try await ground.marked() == 6)
        ground.gallery.wall.go(SearchIndexer.betweenRenewals)
        try await ground.goOn()
        #expect(try await ground.marked() == 0)
        #expect(try await ground.found("jose").count == 100)
    }

    @Test("old blocks are made anew in steps, and photos that have changed meanwhile are found all the time")
    func steps() async throws {
        let ground = try await Ground()
        for _ in 0..<20 {
            try await ground.add(["José"])
            try await ground.store.leap(SearchBlock.length)
        }
        try await ground.index()
        try await ground.store.foldBlocksAsBefore("jose", "josé")
        try await ground.store.markBlocks()
        try await ground.add(["Josephine"])
        var place: BlockPlace? = BlockPlace()
        var left: [Int] = []
        while let next = place {
            place = try await ground.store.renewBlocks(from: next)
            left.append(try await ground.marked())
            #expect(try await ground.found("jose").count == 21 - (left.last ?? 0))
        }
        // On to the event, two steps through its blocks, and on behind it.
        #expect(left == [20, 4, 0, 0])
        #expect(try await ground.store.number("SELECT count(*) FROM photos_to_index") == 1)
        try await ground.index()
        #expect(try await ground.found("jose").count == 21)
    }

    @Test("an event without photos has no blocks, and old ones of photos that are deleted go")
    func empty() async throws {
        let ground = try await Ground()
        try await ground.goOn()
        try await ground.add((1...40).map { "José \($0)" })
        try await ground.index()
        try await ground.store.foldBlocksAsBefore("jose", "josé")
        try await ground.store.deleteAllByHand()
        ground.gallery.wall.go(SearchIndexer.betweenRenewals)
        try await ground.goOn()
        #expect(try await ground.store.number("SELECT count(*) FROM search_blocks") == 0)
        #expect(try await ground.found("jose") == [])
    }

    @Test("blocks of a stored gallery, which an earlier program has really made, are made anew", .onSQLite)
    func stored() async throws {
        let old = try OldGallery(9)
        let wall = GalleryWall()
        wall.go(StoredGallery.age)
        let gallery = try GalleryGround(seed: 70, in: old.folder, wall: wall)
        #expect(try await gallery.store.seals() == [nil, nil, nil])
        try await gallery.server.indexer.indexAll()
        let seal = SearchBlock.newestSeal
        #expect(try await gallery.store.seals() == [seal, seal, seal])
        let wedding = try #require(try await gallery.store.events(named: "Wedding").first?.id)
        var filter = PhotoFilter()
        filter.text = "kíss"
        let wanted = filter
        let found = try await gallery.ground.database.reader { try $0.photos(of: wedding, wanted) }
        #expect(found.map(\.caption) == ["The first kiss"])
    }
}

extension GalleryStore {
    /// Makes all blocks as a program did that told accents apart and knew of no seal: what it takes away are the words of every
    /// record that it reads.
    func foldBlocksAsBefore(_ plain: String, _ accented: String) throws {
        let blocks = try database.all(
            "SELECT id, event_id, records FROM search_blocks JOIN search_records ON block_id = id"
        ) { row in
            (
                id: try row.get("id", as: Int64.self), event: try row.get("event_id", as: String.self),
                bytes: try row.get("records", as: [UInt8].self)
            )
        }
        for (id, event, bytes) in blocks {
            guard let known = SearchBlock(bytes) else { continue }
            var old = SearchBlock(
                records: known.records.map { record in
                    SearchBlock.Record(
                        sequence: record.sequence, place: record.place, rating: record.rating,
                        isHidden: record.isHidden,
                        text: record.text.replacing(Array(plain.utf8), with: Array(accented.utf8)))
                })
            old.seal = nil
            let words = SearchGrams(event: event, old).words
            switch database.dialect {
            case .sqlite:
                try database.run(
                    "INSERT INTO search_words (search_words, rowid, words) VALUES ('delete', ?, ?)", id,
                    SearchGrams(event: event, known).words)
                try database.run("INSERT INTO search_words (rowid, words) VALUES (?, ?)", id, words)
            case .postgres:
                try database.run("UPDATE search_blocks SET words = ? WHERE id = ?", words, id)
            }
            try database.run("UPDATE search_records SET records = ? WHERE block_id = ?", old.bytes, id)
        }
    }

    fileprivate func putCaptioned(_ host: GalleryGround.Host, _ caption: String) throws {
        let id = try putPhoto(
            host.event, owner: host.account, number: try number("SELECT count(*) FROM photos"))
        try database.run("UPDATE photos SET caption = ? WHERE id = ?", caption, id)
    }

    /// Where a block is made anew it is set right.
    fileprivate func markBlocks() throws { try database.run("UPDATE search_blocks SET first_place = -1") }

    /// So many sequences are left out.
    fileprivate func leap(_ count: Int64) throws {
        try database.run("UPDATE event_counts SET sequence = sequence + ?", count)
    }

    /// As by another program; and by one that did not note it.
    fileprivate func deleteAllByHand() throws {
        try database.run("UPDATE photos SET deleted_at = created_at")
        try database.run("DELETE FROM photos_to_index")
    }

    /// In the order of the blocks.
    fileprivate func seals() throws -> [SearchBlock.Record?] {
        try database.all("SELECT records FROM search_records ORDER BY block_id") { row in
            SearchBlock(try row.get("records", as: [UInt8].self))?.seal
        }
    }
}
