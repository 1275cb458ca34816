import Basics
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
    /// An account's stamps are made one after the other, each in the transaction that uses it, and this is read between two
    /// of these: whatever is stamped later is stamped higher than what is returned here, so nothing is missed.
    func pull(after stamp: Int64, of owner: String, besides: [SyncChange], limit: Int) throws -> Pull {
        let highest = try database.lastStamp(of: owner)
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
                kind: kind, id: try row["id"], stamp: try row["stamp"], version: try RecordVersion(row),
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
                    (SELECT album_id FROM photo_albums WHERE photo_id = r.id ORDER BY album_id)) AS albums,
                r.sequence, r.filename, r.captured_at, r.width, r.height, r.thumb_key, r.screen_key, r.original_key,
                r.captured_offset, r.shown_at
            """
        }
    }

    private static func data(_ kind: SyncKind, _ row: any SQLRow) throws -> JSONValue {
        switch kind {
        case .event:
            [
                "name": .string(try row["name"]), "startsAt": try time(row, "starts_at"),
                "expiresAt": try time(row, "expires_at"), "slug": .string(try row["slug"]),
            ]
        case .album:
            [
                "eventId": .string(try row["event_id"]), "name": .string(try row["name"]),
                "order": .integer(try row["position"]),
            ]
        case .photo:
            [
                "eventId": .string(try row["event_id"]), "caption": .string(try row["caption"]),
                "rating": .integer(try row["rating"]),
                "tags": try JSON5.parse(try row.get("tags", as: String.self)),
                "hidden": .bool(try row["hidden"]),
                "albumIds": try JSON5.parse(try row.get("albums", as: String.self)),
                "sequence": .integer(try row["sequence"]),
                "filename": .optional(try row.get("filename", as: String?.self)) { .string($0) },
                "capturedAt": try time(row, "captured_at"),
                "capturedOffset": .optional(
                    try row.get("captured_offset", as: Int64?.self), JSONValue.integer),
                "localTime": try row.optionalMoment("shown_at").local,
                "width": .integer(try row["width"]), "height": .integer(try row["height"]),
                "thumbKey": .string(try row["thumb_key"]), "screenKey": .string(try row["screen_key"]),
                "originalKey": .string(try row["original_key"]),
            ]
        }
    }

    private static func time(_ row: any SQLRow, _ column: String) throws -> JSONValue {
        try row.optionalMoment(column).json
    }
}

extension RecordVersion {
    init(_ row: any SQLRow) throws {
        self.init(updatedAt: try row.moment("updated_at"), deletedAt: try row.moment("deleted_at"))
    }
}

extension SyncKind {
    /// Where it stands in the database.
    var table: String {
        switch self {
        case .event: "events"
        case .album: "albums"
        case .photo: "photos"
        }
    }
}
