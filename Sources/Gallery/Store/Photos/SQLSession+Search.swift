import Basics
import Database
import Postgres

/// Each word that a guest typed is found in captions, names of files, tags, cameras and times as they are shown, in either case
/// and with accents or without (``SearchText``).
///
/// The database's full text search tells which blocks of photos may hold it (``SearchGrams``); these are looked through, the
/// latest first, until the page is full. Photos that have changed since their block was made are in `photos_to_index`, and
/// are looked at one by one: so nothing that is committed is ever missed, whenever blocks are made anew. Only in blocks of a
/// program that told accents apart what has some is not found, until ``SearchIndexer`` has made them anew.
extension SQLSession {
    /// The latest first.
    func search(
        _ event: String, _ wanted: SearchTerms, _ filter: PhotoFilter, _ known: KnownBlocks?
    ) throws -> [Photo] {
        guard filter.limit > 0 else { return [] }
        // Where most blocks have what is looked for, the planner would rather make the words of them all anew, which takes a
        // tenth of a second, than look at their index. See also where the words are asked for. And a bitmap scan does not mark
        // entries of its index as dead, so that the next search would visit them again.
        let settings = ["enable_seqscan = off", "enable_bitmapscan = off"]
        // Between two questions a photo may go from the one table into the other.
        return try snapshot(settings: settings) {
            var hits = SearchHits(
                filter,
                among: try filter.album.map {
                    try sequences(in: $0, showsHidden: filter.showsHidden)
                })
            let changed = try lookAtChanged(event, wanted, &hits)
            var blocks = try candidates(event, wanted, filter)[...]
            var reading = BlockReading(filter, fewest: blocksOfAQuestion)
            while let next = blocks.first, hits.end.map({ next.last >= $0.moment.milliseconds }) ?? true {
                let some = blocks.prefix(reading.count)
                blocks = blocks.dropFirst(some.count)
                for block in try self.blocks(some, holding: wanted, filter.rating, of: event, known) {
                    for record in block.records where !changed.contains(record.sequence) {
                        hits.insert(record)
                    }
                }
                reading.goOn(some.count, hits.places.count)
            }
            return try photos(event, hits.places.map(\.sequence))
        }
    }

    /// To ask once more costs as much as to look through so many blocks.
    private var blocksOfAQuestion: Int {
        switch dialect {
        case .sqlite: 12
        case .postgres: 32
        }
    }

    /// No row, and for the statements that come after it, what the index of words cannot do without.
    private var bitmapsFromNowOn: String {
        """
        UNION ALL SELECT \(Array(repeating: "NULL", count: 11).joined(separator: ", "))
            WHERE set_config('enable_bitmapscan', 'on', true) IS NULL
        """
    }

    /// The sequences of photos that no block tells the truth about.
    private func lookAtChanged(
        _ event: String, _ wanted: SearchTerms, _ hits: inout SearchHits
    ) throws -> Set<Int64> {
        var changed: Set<Int64> = []
        let noted = """
            SELECT n.sequence AS noted, p.deleted_at, \(SearchBlock.Record.columns)
            FROM photos_to_index AS n LEFT JOIN photos AS p ON p.event_id = n.event_id AND p.sequence = n.sequence
            WHERE n.event_id = ?
            """
        try each(dialect == .postgres ? "\(noted) \(bitmapsFromNowOn)" : noted, event) { row in
            changed.insert(try row["noted"])
            guard try row.get("sequence", as: Int64?.self) != nil,
                try row.get("deleted_at", as: Int64?.self) == nil
            else { return }
            let record = try SearchBlock.Record(row)
            if wanted.areHeld(by: record) { hits.insert(record) }
        }
        return changed
    }

    /// The blocks that may hold what is looked for, the latest first. All of them as one value: to read a row for each takes
    /// longer than to find them.
    private func candidates(
        _ event: String, _ wanted: SearchTerms, _ filter: PhotoFilter
    ) throws -> [CandidateBlock] {
        let words = SearchGrams.wanted(
            wanted.all, rating: filter.rating, showsHidden: filter.showsHidden, in: event)
        let behind = filter.behind?.moment.milliseconds ?? Int64.max
        switch dialect {
        case .sqlite:
            let list = try first(
                """
                SELECT group_concat(id || ' ' || last_place, ' ') AS blocks
                FROM search_words CROSS JOIN search_blocks ON id = search_words.rowid
                WHERE search_words MATCH ? AND event_id = ? AND first_place <= ?
                """, words.joined(separator: " "), event, behind
            ) { try $0.get("blocks", as: String?.self) }
            // Of no block there is no list.
            return CandidateBlock.all((list ?? nil) ?? "")
        case .postgres:
            return try first(
                """
                SELECT string_agg(int8send(id) || int8send(last_place) || xidsend(xmin), '') AS blocks,
                    \(KnownServers.timeline) AS timeline
                FROM (SELECT xmin, id, event_id, first_place, last_place FROM search_blocks
                    WHERE word_vector(words) @@ CAST(? AS tsquery) OFFSET 0) AS found
                WHERE event_id = ? AND first_place <= ?
                """, words.joined(separator: " & "), event, behind
            ) { row in
                let list = try row.get("blocks", as: [UInt8]?.self) ?? []
                return CandidateBlock.all(list, timeline: try row["timeline"])
            } ?? []
        }
    }

    /// Of these blocks, the photos that hold it and have so many stars.
    private func blocks(
        _ some: some Sequence<CandidateBlock>, holding wanted: SearchTerms, _ stars: Int, of event: String,
        _ known: KnownBlocks?
    ) throws -> [SearchBlock] {
        var found: [SearchBlock] = []
        var missing: [Int64: CandidateBlock] = [:]
        for (block, bytes) in known?.find(some) ?? some.map({ ($0, nil) }) {
            if let bytes, let block = SearchBlock(bytes, holding: wanted, stars: stars) {
                if !block.records.isEmpty { found.append(block) }
            } else {
                missing[block.id] = block
            }
        }
        guard !missing.isEmpty else { return found }
        var damaged: [Int64] = []
        try each(
            "SELECT block_id, records FROM search_records WHERE block_id \(dialect.isAmong("?1"))",
            SQLDialect.list(Array(missing.keys))
        ) { row in
            let id: Int64 = try row["block_id"]
            let bytes: [UInt8] = try row["records"]
            guard let block = SearchBlock(bytes, holding: wanted, stars: stars) else {
                damaged.append(id)
                return
            }
            if !block.records.isEmpty { found.append(block) }
            // A standby, to which a pooler leads, is on no timeline.
            if let name = missing[id], name.timeline > 0 { known?.keep(bytes, of: name) }
        }
        for id in damaged { found.append(try made(of: id, holding: wanted, event)) }
        return found
    }

    /// A block that was damaged where it is kept. The photos themselves know.
    private func made(of id: Int64, holding wanted: SearchTerms, _ event: String) throws -> SearchBlock {
        let number: Int64? = try first("SELECT number FROM search_blocks WHERE id = ?", id) {
            try $0["number"]
        }
        guard let number else { return SearchBlock(records: []) }
        var block = SearchBlock(records: try records(event, SearchBlock.sequences(in: number)))
        block.records.removeAll { !wanted.areHeld(by: $0) }
        return block
    }

    private func photos(_ event: String, _ sequences: [Int64]) throws -> [Photo] {
        guard !sequences.isEmpty else { return [] }
        return try all(
            """
            \(foundBySequence) SELECT \(Photo.columns) FROM found
            WHERE deleted_at IS NULL ORDER BY place DESC, sequence DESC
            """, event, SQLDialect.list(sequences), as: Photo.init)
    }

    /// Photos of event ?1 by the sequences that are listed in ?2. What else is asked, and their order, comes after it: a
    /// database without statistics would rather look at all photos of the event, by the index of those that are there.
    var foundBySequence: String {
        switch dialect {
        case .sqlite:
            """
            WITH found AS MATERIALIZED
                (SELECT * FROM photos WHERE event_id = ?1 AND sequence \(dialect.isAmong("?2")))
            """
        case .postgres:
            // What OFFSET 0 keeps apart need not be put aside as well.
            """
            WITH found AS NOT MATERIALIZED (SELECT p.*
                FROM unnest(string_to_array(?2, ',')::bigint[]) AS wanted (sequence) CROSS JOIN LATERAL
                    (SELECT * FROM photos WHERE event_id = ?1 AND sequence = wanted.sequence OFFSET 0) AS p)
            """
        }
    }

    /// What a block of these photos is made of.
    func records(_ event: String, _ sequences: Range<Int64>) throws -> [SearchBlock.Record] {
        try all(
            """
            WITH p AS MATERIALIZED (SELECT * FROM photos WHERE event_id = ?1 AND sequence >= ?2 AND sequence < ?3)
            SELECT \(SearchBlock.Record.columns) FROM p WHERE deleted_at IS NULL ORDER BY sequence
            """, event, sequences.lowerBound, sequences.upperBound, as: SearchBlock.Record.init)
    }
}

extension SearchBlock.Record {
    fileprivate static let columns = """
        p.sequence, p.place, p.rating, p.hidden, p.caption, p.filename, p.tags, p.camera, p.shown_at
        """

    fileprivate init(_ row: any SQLRow) throws {
        sequence = try row["sequence"]
        place = try row["place"]
        rating = try row["rating"]
        isHidden = try row["hidden"]
        text = SearchText.of(
            caption: try row["caption"], filename: try row["filename"], tags: try row.readableTexts("tags"),
            camera: try row["camera"], shown: try row.moment("shown_at"))
    }
}

extension SQLDialect {
    /// That a column is one of the numbers that ``list(_:)`` makes.
    func isAmong(_ place: String) -> String {
        switch self {
        case .sqlite: "IN (SELECT value FROM json_each('[' || \(place) || ']'))"
        case .postgres: "= ANY (string_to_array(\(place), ',')::bigint[])"
        }
    }

    /// The same of texts that hold no comma and no quotation mark, joined by commas.
    func isAmongTexts(_ place: String) -> String {
        switch self {
        case .sqlite:
            "IN (SELECT value FROM json_each('[\"' || replace(\(place), ',', '\",\"') || '\"]'))"
        case .postgres: "= ANY (string_to_array(\(place), ','))"
        }
    }

    /// Any number of whole numbers as one value.
    static func list(_ numbers: [Int64]) -> String {
        numbers.map(String.init).joined(separator: ",")
    }
}
