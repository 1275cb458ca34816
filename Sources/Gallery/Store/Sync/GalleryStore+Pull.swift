import Basics
import Bridge
import Database

/// What clients do not know yet.
extension GalleryStore {
    /// What changed after a stamp, in the order of the stamps; and besides that the records named, as they are.
    ///
    /// An account's stamps are made one after the other, each in the transaction that uses it, and all of this is read at
    /// one moment: whatever is stamped later is stamped higher than what is returned here, so nothing is missed.
    func pull(after stamp: Int64, of owner: String, besides: [SyncChange], limit: Int) throws -> SyncPull {
        try database.snapshot { try pullNow(after: stamp, of: owner, besides: besides, limit: limit) }
    }

    private func pullNow(
        after stamp: Int64, of owner: String, besides: [SyncChange], limit: Int
    ) throws -> SyncPull {
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
        return SyncPull(records: records, stamp: end, isMore: isMore)
    }

    private func records(
        _ kind: SyncKind, _ condition: String, _ owner: String, _ argument: some Storable, _ limit: Int
    ) throws -> [SyncRecord] {
        try database.all(
            """
            SELECT \(columns(kind)), deleted_at FROM \(kind.table) AS r
                WHERE \(condition) ORDER BY r.stamp LIMIT ?3
            """, owner, argument, limit
        ) { row in
            SyncRecord(
                id: try row["id"], stamp: try row["stamp"], version: try RecordVersion(row),
                content: try Self.content(kind, row))
        }
    }

    private func columns(_ kind: SyncKind) -> String {
        switch kind {
        case .event: "id, stamp, updated_at, name, starts_at, expires_at, slug"
        case .album: "id, stamp, updated_at, event_id, name, position"
        case .photo:
            """
            \(Photo.columns), (SELECT \(database.dialect.list("album_id")) FROM
                (SELECT album_id FROM photo_albums WHERE photo_id = r.id ORDER BY album_id) AS a) AS albums
            """
        }
    }

    private static func content(_ kind: SyncKind, _ row: any SQLRow) throws -> SyncRecord.Content {
        switch kind {
        case .event:
            .event(
                name: try row["name"], slug: try row["slug"], startsAt: try row.moment("starts_at"),
                expiresAt: try row.moment("expires_at"))
        case .album:
            .album(event: try row["event_id"], name: try row["name"], order: try row["position"])
        case .photo:
            .photo(
                // What cannot be read is not told as none: clients would drop theirs.
                try Photo(row, tags: try row.texts("tags")), albums: try row.texts("albums"))
        }
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
