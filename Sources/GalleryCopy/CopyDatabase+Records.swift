import Basics
package import Bridge
import Database

/// Records as the gallery has told them.
extension CopyDatabase {
    package func record(
        _ kind: GalleryRecord.Kind, _ id: String, at place: CopyPlaceID
    ) throws -> GalleryRecord? {
        try database.first(
            "SELECT * FROM records WHERE place = ? AND kind = ? AND id = ?", place.number, kind.rawValue, id
        ) { try self.record($0) }
    }

    private func record(_ row: any SQLRow) throws -> GalleryRecord {
        guard let kind = GalleryRecord.Kind(rawValue: try row["kind"]),
            let updatedAt = try row.moment("updated_at")
        else { throw damage("a kind is none") }
        let text: String? = try row["content"]
        return GalleryRecord(
            kind, try row["id"],
            version: RecordVersion(updatedAt: updatedAt, deletedAt: try row.moment("deleted_at")),
            content: try text.map {
                try read($0) { json throws(GalleryRecord.Unreadable) in
                    try GalleryRecord.Content(kind, json)
                }
            })
    }

    /// What was written here; what cannot be read was not.
    func read<Value>(
        _ text: String, as make: (JSONValue) throws(GalleryRecord.Unreadable) -> Value
    ) throws -> Value {
        do {
            return try make(try JSON5.parse(text))
        } catch let error as GalleryRecord.Unreadable {
            throw damage(error)
        } catch let error as JSON5Error {
            throw damage(error)
        }
    }

    func put(_ record: GalleryRecord, at place: CopyPlaceID) throws {
        let name =
            switch record.content {
            case .photo(let photo): photo.fileName
            case .album(let album): album.name
            case .event(let name): name
            case nil: String?.none
            }
        try database.run(
            """
            INSERT INTO records (place, kind, id, updated_at, deleted_at, name, content) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (place, kind, id) DO UPDATE SET updated_at = excluded.updated_at,
                deleted_at = excluded.deleted_at, name = excluded.name, content = excluded.content
            """, place.number, record.kind.rawValue, record.id, record.version.updatedAt.milliseconds,
            record.version.deletedAt?.milliseconds, name, record.content?.json.compact)
    }

    /// Photos whose file has this name, or that the gallery calls so.
    package func photos(meant text: String, at place: CopyPlaceID, limit: Int) throws -> [GalleryRecord] {
        try database.all(
            """
            SELECT * FROM records WHERE place = ?1 AND kind = 'photo' AND content IS NOT NULL
                AND (id = ?2 OR name = ?2 COLLATE NOCASE) ORDER BY id LIMIT ?3
            """, place.number, text, limit
        ) { try self.record($0) }
    }

    /// Photos that are not to be shown.
    func withdrawn(at place: CopyPlaceID) throws -> [GalleryRecord] {
        try database.all(
            """
            SELECT * FROM records WHERE place = ? AND kind = 'photo'
                AND (content IS NULL OR json_extract(content, '$.hidden')) ORDER BY id
            """, place.number
        ) { try self.record($0) }
    }

    /// Another one each time that the writer has changed something ("PRAGMA data_version" of SQLite); says nothing else.
    package func changeMark() throws -> Int64 {
        try database.first("PRAGMA data_version") { try $0.get(0, as: Int64.self) } ?? 0
    }

    /// A photo as it is seen here, with how many edits of it wait; nothing before anything is said of it, here or there.
    /// `capture`: where it came by this bridge; `record`: once the gallery has confirmed it.
    package func seen(
        _ capture: CaptureID?, record: String?, at place: CopyPlace
    ) throws -> (photo: GalleryRecord.Photo, waiting: Int)? {
        let unsaid: GalleryRecord.Content? = .photo(GalleryRecord.Photo(event: place.event))
        var content: GalleryRecord.Content?
        var waiting = 0
        if let record {
            let merge = try merge(.photo, record, at: place.id)
            (content, waiting) = (merge.content, merge.edits.count)
            // The gallery has confirmed it and not told of it yet: it may have gone between the two.
            if merge.record == nil, !merge.edits.isEmpty {
                content = merge.edits.filter { $0.standing == .waiting }
                    .reduce(unsaid) { $1.edit.applied(to: $0) }
            }
        }
        if let capture {
            // Those that were made before the upload and have not met their record.
            let early = try edits(of: capture, at: place.id)
            if !early.isEmpty {
                content = early.reduce(content ?? unsaid) { $1.edit.applied(to: $0) }
                waiting += early.count
            }
        }
        guard case .photo(let photo) = content else { return nil }
        return (photo, waiting)
    }

    /// Everything of one kind that is there, with the edits that wait upon it.
    package func contents(
        _ kind: GalleryRecord.Kind, at place: CopyPlaceID,
        _ each: (_ id: String, GalleryRecord.Content) throws -> Void
    ) throws {
        let ids: [String] = try database.all(
            """
            SELECT id FROM records WHERE place = ?1 AND kind = ?2 AND content IS NOT NULL
            UNION SELECT record FROM edits WHERE place = ?1 AND kind = ?2 AND record IS NOT NULL AND cause IS NULL
            ORDER BY 1
            """, place.number, kind.rawValue
        ) { try $0.get(0) }
        for id in ids {
            guard let content = try merge(kind, id, at: place).content else { continue }
            try each(id, content)
        }
    }

    /// The album of that name as it is seen here, of several the first made.
    package func album(named name: String, at place: CopyPlaceID) throws -> (id: String, GalleryRecord.Album)?
    {
        var found: (id: String, GalleryRecord.Album)?
        try contents(.album, at: place) { id, content in
            guard case .album(let album) = content, album.name == name, found == nil else { return }
            found = (id, album)
        }
        return found
    }
}
