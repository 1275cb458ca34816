import Basics
import Database

/// The blocks that a search looks through. Triggers note every photo that its block does not tell the truth about any more,
/// by whatever it was changed; here blocks are made anew of the photos as they are.
///
/// A few at a time: a search looks at noted photos one by one, so that they only cost it time.
extension GalleryStore {
    /// So many photos of an event may wait.
    static let mostWaiting = 128
    /// How many blocks a change makes anew that has found so many waiting. About two milliseconds each.
    private static let blocksAtOnce = 8
    /// After how many changes of photos it is looked.
    private static let changesBetween = 16

    /// Part of a transaction, at its end.
    func indexChanged() throws {
        var event: String?
        for change in changes {
            switch change {
            case .photoAdded(let photo, _), .photoChanged(let photo, _), .photoDeleted(let photo, _, _):
                photosChanged += 1
                if photosChanged.isMultiple(of: Self.changesBetween) { event = photo.event }
            case .photosMoved(let moved, _): event = moved.id
            default: break
            }
        }
        guard let event, try waiting(in: event) >= Self.mostWaiting else { return }
        try index(event, most: Self.blocksAtOnce)
    }

    /// What an older version of the program left, and what came in great numbers: one step, of an event of which so many photos
    /// wait. Whether there is more to do.
    package func indexWaiting(fewest: Int) throws -> Bool {
        let event = try database.first(
            "SELECT event_id FROM photos_to_index GROUP BY event_id HAVING count(*) >= ? LIMIT 1", fewest
        ) { try $0.get("event_id", as: String.self) }
        guard let event else { return false }
        return try write { try index(event, most: 2 * Self.blocksAtOnce) }
    }

    private func waiting(in event: String) throws -> Int {
        try database.count(
            "FROM (SELECT 1 FROM photos_to_index WHERE event_id = ? LIMIT ?) AS waiting", event,
            Self.mostWaiting)
    }

    /// Those blocks first for which most wait. False where another is at it, or is just changing all of them. Part of a
    /// transaction.
    @discardableResult
    private func index(_ event: String, most: Int) throws -> Bool {
        guard try isFree(event) else { return false }
        let numbers = try database.all(
            """
            SELECT sequence / \(SearchBlock.length) AS number FROM photos_to_index WHERE event_id = ?
            GROUP BY sequence / \(SearchBlock.length) ORDER BY count(*) DESC, number LIMIT ?
            """, event, most
        ) { try $0.get("number", as: Int64.self) }
        return try make(numbers, of: event) > 0
    }

    /// Blocks of the photos as they are. Returns how many photos wait no longer.
    @discardableResult
    private func make(_ numbers: [Int64], of event: String) throws -> Int {
        var count = 0
        for number in numbers {
            let sequences = SearchBlock.sequences(in: number)
            count += try database.run(
                removal, event, sequences.lowerBound, sequences.upperBound)
            let block = SearchBlock(records: try database.records(event, sequences))
            switch database.dialect {
            case .sqlite: try putIntoFile(block, number, of: event)
            case .postgres: try putOntoServer(block, number, of: event)
            }
        }
        return count
    }

    /// Of two nodes that made the same block at once, the later might write what the earlier knew better.
    private func isFree(_ event: String) throws -> Bool {
        guard database.dialect == .postgres else { return true }
        return try database.has(
            "SELECT 1 WHERE pg_try_advisory_xact_lock(hashtextextended(?, 0))", "search \(event)")
    }

    /// What another is changing just now is left noted: this transaction does not see yet what that writes.
    private var removal: String {
        let these = "event_id = ?1 AND sequence >= ?2 AND sequence < ?3"
        return switch database.dialect {
        case .sqlite: "DELETE FROM photos_to_index WHERE \(these)"
        case .postgres:
            """
            DELETE FROM photos_to_index WHERE event_id = ?1 AND sequence IN
                (SELECT sequence FROM photos_to_index WHERE \(these) FOR UPDATE SKIP LOCKED)
            """
        }
    }

    /// FTS5 is told what it knew of the block, since it keeps words only.
    private func putIntoFile(_ block: SearchBlock, _ number: Int64, of event: String) throws {
        let known = try database.first(
            """
            SELECT id, records FROM search_blocks JOIN search_records ON block_id = id
            WHERE event_id = ? AND number = ?
            """, event, number
        ) { (id: try $0.get("id", as: Int64.self), records: try $0.get("records", as: [UInt8].self)) }
        if let known {
            let records = SearchBlock(known.records)?.sealedRecords ?? []
            try database.run(
                "INSERT INTO search_words (search_words, rowid, words) VALUES ('delete', ?, ?)", known.id,
                SearchGrams(event: event, records).words)
        }
        guard let id = try putPlaces(block, number, of: event, words: nil) else { return }
        try database.run(
            "INSERT INTO search_words (rowid, words) VALUES (?, ?)", id,
            SearchGrams(event: event, block).words)
        try putRecords(block, id)
    }

    private func putOntoServer(_ block: SearchBlock, _ number: Int64, of event: String) throws {
        let words = SearchGrams(event: event, block).words
        guard let id = try putPlaces(block, number, of: event, words: words) else { return }
        try putRecords(block, id)
    }

    /// Nothing where the block is empty; then it is no more.
    private func putPlaces(
        _ block: SearchBlock, _ number: Int64, of event: String, words: String?
    ) throws -> Int64? {
        let places = block.records.map(\.place)
        guard let first = places.min(), let last = places.max() else {
            try database.run("DELETE FROM search_blocks WHERE event_id = ? AND number = ?", event, number)
            return nil
        }
        let values: [any Storable] = [event, number, first, last] + (words.map { [$0] } ?? [])
        var id: Int64?
        try database.execute(
            """
            INSERT INTO search_blocks (event_id, number, first_place, last_place\(words == nil ? "" : ", words"))
                VALUES (?, ?, ?, ?\(words == nil ? "" : ", ?"))
                ON CONFLICT (event_id, number) DO UPDATE SET first_place = excluded.first_place,
                    last_place = excluded.last_place\(words == nil ? "" : ", words = excluded.words")
                RETURNING id
            """, values
        ) { row in
            id = try row["id"]
            return true
        }
        return id
    }

    private func putRecords(_ block: SearchBlock, _ id: Int64) throws {
        try database.run(
            """
            INSERT INTO search_records (block_id, records) VALUES (?, ?)
                ON CONFLICT (block_id) DO UPDATE SET records = excluded.records
            """, id, block.bytes)
    }
}

// MARK: Blocks that an earlier program made

/// Where a look through the blocks of all events goes on: at this block or one behind it, or with the next event.
struct BlockPlace: Equatable, Sendable {
    var event = ""
    var number: Int64 = 0
}

extension GalleryStore {
    /// One step of a look through all blocks: a few whose texts are folded otherwise are made anew, or it goes on to the next
    /// event. Returns the place to go on from: the same where another is at this event, nothing where all are looked through.
    func renewBlocks(from place: BlockPlace) throws -> BlockPlace? {
        let old = try oldBlocks(from: place)
        if let last = old.last {
            let isMine = try write { try renew(old, of: place.event) }
            return isMine ? BlockPlace(event: place.event, number: last + 1) : place
        }
        return try database.first(
            "SELECT event_id FROM search_blocks WHERE event_id > ? ORDER BY event_id LIMIT 1", place.event
        ) { BlockPlace(event: try $0["event_id"]) }
    }

    /// Of the event of that place, in their order. PostgreSQL would rather make the words of all blocks anew than look at their
    /// index, as in a search.
    private func oldBlocks(from place: BlockPlace) throws -> [Int64] {
        let (new, between) =
            switch database.dialect {
            case .sqlite: ("SELECT rowid FROM search_words WHERE search_words MATCH ?3", " ")
            case .postgres:
                ("SELECT id FROM search_blocks WHERE word_vector(words) @@ CAST(?3 AS tsquery)", " & ")
            }
        let words = SearchGrams.ofNewestSeal(in: place.event).joined(separator: between)
        return try database.snapshot(settings: ["enable_seqscan = off"]) {
            try database.all(
                """
                SELECT number FROM search_blocks WHERE event_id = ?1 AND number >= ?2 AND id NOT IN (\(new))
                ORDER BY number LIMIT ?4
                """, place.event, place.number, words, 2 * Self.blocksAtOnce
            ) { try $0.get("number", as: Int64.self) }
        }
    }

    /// False where another is at it. Part of a transaction.
    private func renew(_ numbers: [Int64], of event: String) throws -> Bool {
        guard try isFree(event) else { return false }
        try make(numbers, of: event)
        return true
    }
}
