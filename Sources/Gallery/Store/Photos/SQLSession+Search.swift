import Basics
import Database

/// What a guest typed is found in captions, names of files, tags, cameras and times as they are shown, in either case.
///
/// The database's full text search tells which blocks of photos may hold it (``SearchGrams``); these are looked through, the
/// latest first, until the page is full. Photos that have changed since their block was made are in `photos_to_index`, and
/// are looked at one by one: so nothing that is committed is ever missed, whenever blocks are made anew.
extension SQLSession {
    /// The latest first.
    func search(_ event: String, _ filter: PhotoFilter) throws -> [Photo] {
        let wanted = SearchText.folded(filter.text)
        guard filter.limit > 0 else { return [] }
        // Between two questions a photo may go from the one table into the other.
        return try snapshot {
            if dialect == .postgres {
                // Where most blocks have what is looked for, the planner would rather make the words of them all anew, which
                // takes a tenth of a second, than look at their index. See also where the words are asked for.
                try run("SET LOCAL enable_seqscan = off")
            }
            var hits = SearchHits(filter)
            let changed = try lookAtChanged(event, wanted, &hits)
            var blocks = try candidates(event, wanted, filter)[...]
            var count = max(4, filter.limit / 16)
            while let next = blocks.first, hits.end.map({ next.last >= $0.moment.milliseconds }) ?? true {
                let some = blocks.prefix(count)
                blocks = blocks.dropFirst(count)
                count *= 4
                for block in try self.blocks(some.map(\.id), holding: wanted, of: event) {
                    for record in block.records where !changed.contains(record.sequence) {
                        hits.insert(record)
                    }
                }
            }
            return try photos(event, hits.places.map(\.sequence))
        }
    }

    /// The sequences of photos that no block tells the truth about.
    private func lookAtChanged(
        _ event: String, _ wanted: [UInt8], _ hits: inout SearchHits
    ) throws -> Set<Int64> {
        var changed: Set<Int64> = []
        try each(
            """
            SELECT n.sequence AS noted, \(SearchBlock.Record.columns)
            FROM photos_to_index AS n LEFT JOIN photos AS p
                ON p.event_id = n.event_id AND p.sequence = n.sequence AND p.deleted_at IS NULL
            WHERE n.event_id = ?
            """, event
        ) { row in
            changed.insert(try row["noted"])
            guard try row.get("sequence", as: Int64?.self) != nil else { return }
            let record = try SearchBlock.Record(row)
            if record.holds(wanted) { hits.insert(record) }
        }
        return changed
    }

    /// The latest first.
    private func candidates(_ event: String, _ wanted: [UInt8], _ filter: PhotoFilter) throws
        -> [BlockToLookAt]
    {
        let words = SearchGrams.wanted(
            wanted, rating: filter.rating, showsHidden: filter.showsHidden, in: event)
        let behind = filter.behind?.moment.milliseconds ?? Int64.max
        switch dialect {
        case .sqlite:
            return try all(
                """
                SELECT id, last_place FROM search_words CROSS JOIN search_blocks ON id = search_words.rowid
                WHERE search_words MATCH ? AND event_id = ? AND first_place <= ? ORDER BY last_place DESC
                """, words.joined(separator: " "), event, behind
            ) { BlockToLookAt(id: try $0["id"], last: try $0["last_place"]) }
        case .postgres:
            return try all(
                """
                WITH found AS MATERIALIZED (SELECT id, event_id, first_place, last_place FROM search_blocks
                    WHERE word_vector(words) @@ CAST(? AS tsquery))
                SELECT id, last_place FROM found WHERE event_id = ? AND first_place <= ? ORDER BY last_place DESC
                """, words.joined(separator: " & "), event, behind
            ) { BlockToLookAt(id: try $0["id"], last: try $0["last_place"]) }
        }
    }

    /// Of these blocks, the photos that hold it.
    private func blocks(_ ids: [Int64], holding wanted: [UInt8], of event: String) throws -> [SearchBlock] {
        let holding =
            switch dialect {
            case .sqlite: "instr(records, ?2) > 0"
            case .postgres: "position(?2 IN records) > 0"
            }
        return try all(
            """
            SELECT number, records FROM search_records JOIN search_blocks ON id = block_id
            WHERE block_id \(dialect.isAmong("?1")) AND \(holding)
            """,
            SQLDialect.list(ids), wanted
        ) { row -> SearchBlock? in
            if let block = SearchBlock(try row["records"], holding: wanted) { return block }
            // It was damaged where it is kept. The photos themselves know.
            var block = SearchBlock(
                records: try self.records(event, SearchBlock.sequences(in: try row["number"])))
            block.records.removeAll { !$0.holds(wanted) }
            return block
        }.compactMap(\.self)
    }

    private func photos(_ event: String, _ sequences: [Int64]) throws -> [Photo] {
        guard !sequences.isEmpty else { return [] }
        // With the plus signs: by their index in order, either database would look at all photos of the event.
        return try all(
            """
            SELECT \(Photo.columns) FROM photos
            WHERE event_id = ?1 AND deleted_at IS NULL AND sequence \(dialect.isAmong("?2"))
            ORDER BY +place DESC, +sequence DESC
            """, event, SQLDialect.list(sequences), as: Photo.init)
    }

    /// What a block of these photos is made of.
    func records(_ event: String, _ sequences: Range<Int64>) throws -> [SearchBlock.Record] {
        try all(
            """
            SELECT \(SearchBlock.Record.columns) FROM photos AS p
            WHERE event_id = ? AND sequence >= ? AND sequence < ? AND deleted_at IS NULL ORDER BY sequence
            """, event, sequences.lowerBound, sequences.upperBound, as: SearchBlock.Record.init)
    }
}

private struct BlockToLookAt {
    let id: Int64
    /// The place of its latest photo.
    let last: Int64
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
    fileprivate func isAmong(_ place: String) -> String {
        switch self {
        case .sqlite: "IN (SELECT value FROM json_each('[' || \(place) || ']'))"
        case .postgres: "= ANY (string_to_array(\(place), ',')::bigint[])"
        }
    }

    /// Any number of whole numbers as one value.
    fileprivate static func list(_ numbers: [Int64]) -> String {
        numbers.map(String.init).joined(separator: ",")
    }
}
