import Bridge
import Database

/// What clients do not know yet.
extension GalleryStore {
    /// A record as it is now, for a client.
    struct SyncRecord: Equatable, Sendable {
        let kind: SyncKind
        let id: String
        let stamp: Int64
        let version: RecordVersion
        let data: JSONValue
    }

    struct Pull: Equatable, Sendable {
        let records: [SyncRecord]
        /// What is asked for next time: everything up to it has been told.
        let stamp: Int64
        let isMore: Bool
    }

    /// What changed after a stamp, in the order of the stamps; and besides that the records named, as they are.
    ///
    /// One writer makes the stamps, and this is read between two of its transactions: whatever is stamped later is stamped
    /// higher than what is returned here, so nothing is missed.
    func pull(after stamp: Int64, of owner: String, besides: [SyncChange], limit: Int) throws -> Pull {
        let highest = try database.first("SELECT value FROM counters WHERE name = 'stamp'") { row in
            try row.get(0, as: Int64.self)
        }
        guard let highest else { preconditionFailure("the schema has a row for each counter") }
        // A stamp that was never given comes from before a backup was put back: tell everything.
        let start = stamp > highest ? Int64.min : stamp
        var records: [SyncRecord] = []
        for kind in SyncKind.allCases {
            records += try self.records(kind, "r.owner_id = ?1 AND r.stamp > ?2", owner, start, limit + 1)
        }
        records.sort { $0.stamp < $1.stamp }
        let isMore = records.count > limit
        if isMore { records.removeLast(records.count - limit) }
        let end = isMore ? records.last?.stamp ?? highest : highest
        let told = Set(records.map(\.id))
        var named: Set<String> = []
        for change in besides where !told.contains(change.id) && named.insert(change.id).inserted {
            records += try self.records(change.kind, "r.owner_id = ?1 AND r.id = ?2", owner, change.id, 1)
        }
        return Pull(records: records, stamp: end, isMore: isMore)
    }

    private func records(
        _ kind: SyncKind, _ condition: String, _ owner: String, _ argument: some Storable, _ limit: Int
    ) throws -> [SyncRecord] {
        try database.all(
            """
            SELECT r.id, r.stamp, r.updated_at, r.deleted_at, \(Self.columns(kind)) FROM \(kind.table) AS r
                WHERE \(condition) ORDER BY r.stamp LIMIT ?3
            """, owner, argument, limit
        ) { row in
            SyncRecord(
                kind: kind, id: try row.get(0), stamp: try row.get(1),
                version: RecordVersion(
                    updatedAt: Timestamp(milliseconds: try row.get(2)),
                    deletedAt: try row.get(3, as: Int64?.self).map { Timestamp(milliseconds: $0) }),
                data: try Self.data(kind, row))
        }
    }

    private static func columns(_ kind: SyncKind) -> String {
        switch kind {
        case .event: "r.name, r.starts_at, r.expires_at, r.slug"
        case .album: "r.event_id, r.name, r.position"
        case .photo:
            """
            r.event_id, r.caption, r.rating, r.tags, r.hidden,
                (SELECT json_group_array(album_id) FROM
                    (SELECT album_id FROM photo_albums WHERE photo_id = r.id ORDER BY album_id)),
                r.sequence, r.filename, r.captured_at, r.width, r.height, r.thumb_key, r.screen_key, r.original_key,
                r.captured_offset, r.shown_at
            """
        }
    }

    /// The columns from the fifth on.
    private static func data(_ kind: SyncKind, _ row: Row) throws -> JSONValue {
        switch kind {
        case .event:
            [
                "name": .string(try row.get(4)), "startsAt": try time(row, 5), "expiresAt": try time(row, 6),
                "slug": .string(try row.get(7)),
            ]
        case .album:
            [
                "eventId": .string(try row.get(4)), "name": .string(try row.get(5)),
                "order": .integer(try row.get(6)),
            ]
        case .photo:
            [
                "eventId": .string(try row.get(4)), "caption": .string(try row.get(5)),
                "rating": .integer(try row.get(6)), "tags": try JSON5.parse(try row.get(7, as: String.self)),
                "hidden": .bool(try row.get(8)), "albumIds": try JSON5.parse(try row.get(9, as: String.self)),
                "sequence": .integer(try row.get(10)),
                "filename": .optional(try row.get(11, as: String?.self)) { .string($0) },
                "capturedAt": try time(row, 12),
                "capturedOffset": .optional(try row.get(18, as: Int64?.self), JSONValue.integer),
                "localTime": try row.moment(19).local, "width": .integer(try row.get(13)),
                "height": .integer(try row.get(14)), "thumbKey": .string(try row.get(15)),
                "screenKey": .string(try row.get(16)), "originalKey": .string(try row.get(17)),
            ]
        }
    }

    private static func time(_ row: Row, _ column: Int32) throws -> JSONValue {
        .optional(try row.get(column, as: Int64?.self)) { .string(CivilTime.rfc3339(milliseconds: $0)) }
    }
}
