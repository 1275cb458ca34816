import Basics
import Bridge
import Database

/// The file of a gallery's copy: records as they were told, and the edits that are not settled.
///
/// It decides nothing: ``RecordMerge`` says what becomes of an edit, and this writes it down.
package final class CopyDatabase {
    package static let fileName = "gallery-copy.sqlite"
    /// What an operator may have made before the first one is settled. A mistake in a script ends here, and not at a full disk.
    static let mostEdits = 100_000
    /// Records of one event.
    static let mostRecords = 1_000_000
    /// Edits that go in one exchange; a gallery takes a thousand.
    static let batch = 200

    let database: Connection

    /// For the one process that holds the home's lock. Throws where the file is damaged or not ours: ``CopyRebuild`` mends the
    /// former.
    init(writingAt path: String) throws {
        database = try Connection.open(path: path, CopySchema.migrations)
    }

    /// Beside a writer, or alone. Throws where there is no such file.
    package init(readingAt path: String) throws {
        database = try Connection.openForReading(path: path, CopySchema.migrations)
    }

    /// Damage that quick looks do not show: a text that this program did not write.
    func damage(_ what: some CustomStringConvertible) -> DatabaseError {
        DatabaseError(.corrupt, "what it says of a record cannot be read: \(what)", path: database.path)
    }

    // MARK: Places

    package func places() throws -> [CopyPlace] {
        try database.all("SELECT * FROM places ORDER BY id") { try Self.place($0) }
    }

    package func place(_ server: String, event: String) throws -> CopyPlace? {
        try database.first("SELECT * FROM places WHERE server = ? AND event = ?", server, event) {
            try Self.place($0)
        }
    }

    func place(_ id: CopyPlaceID) throws -> CopyPlace {
        let place = try database.first("SELECT * FROM places WHERE id = ?", id.number) { try Self.place($0) }
        guard let place else { preconditionFailure("a place that was opened stays") }
        return place
    }

    private static func place(_ row: any SQLRow) throws -> CopyPlace {
        CopyPlace(
            id: CopyPlaceID(try row["id"]), server: try row["server"], event: try row["event"],
            account: try row["account"], stamp: try row.moment("stamp"),
            syncedAt: try row.moment("synced_at"),
            problem: try row["problem"], problemAt: try row.moment("problem_at"))
    }

    func makePlace(_ server: String, event: String) throws -> CopyPlaceID {
        try database.run(
            "INSERT INTO places (server, event) VALUES (?, ?) ON CONFLICT DO NOTHING", server, event)
        guard let place = try place(server, event: event) else {
            preconditionFailure("a row that was written is there")
        }
        return place.id
    }

    /// Another account is told other records; what this one may not see goes.
    func use(_ place: CopyPlaceID, by account: String) throws {
        guard try self.place(place).account != account else { return }
        try database.transaction { () in
            try forgetRecords(of: place)
            try database.run(
                "UPDATE places SET account = ?, stamp = NULL WHERE id = ?", account, place.number)
        }
    }

    func forgetRecords(of place: CopyPlaceID) throws {
        try database.run("DELETE FROM records WHERE place = ?", place.number)
    }

    func note(_ place: CopyPlaceID, problem: String?, at now: Timestamp) throws {
        if let problem {
            try database.run(
                "UPDATE places SET problem = ?, problem_at = coalesce(problem_at, ?) WHERE id = ?", problem,
                now.milliseconds, place.number)
        } else {
            try database.run(
                "UPDATE places SET problem = NULL, problem_at = NULL, synced_at = ? WHERE id = ?",
                now.milliseconds, place.number)
        }
    }

    package func counts(of place: CopyPlaceID) throws -> CopyCounts {
        var counts = try editCounts(of: place)
        try database.each(
            "SELECT kind, count(*) AS number FROM records WHERE place = ? AND content IS NOT NULL GROUP BY kind",
            place.number
        ) { row in
            switch try row.get("kind", as: String.self) {
            case GalleryRecord.Kind.photo.rawValue: counts.photos = try row["number"]
            case GalleryRecord.Kind.album.rawValue: counts.albums = try row["number"]
            default: break
            }
        }
        return counts
    }

    /// Without a look at all records: what a status asks for each second.
    package func editCounts(of place: CopyPlaceID) throws -> CopyCounts {
        var counts = CopyCounts()
        try database.each(
            """
            SELECT count(*) AS edits, count(cause) AS conflicts, coalesce(sum(cause IS NULL AND record IS NULL), 0) AS early,
                coalesce(sum(cause IS NULL AND is_ahead), 0) AS ahead FROM edits WHERE place = ?
            """, place.number
        ) { row in
            counts.conflicts = try row["conflicts"]
            counts.waiting = try row.get("edits", as: Int.self) - counts.conflicts
            counts.withoutUpload = try row["early"]
            counts.ahead = try row["ahead"]
        }
        return counts
    }
}

extension SQLRow {
    func moment(_ column: String) throws -> Timestamp? {
        try get(column, as: Int64?.self).map { Timestamp(milliseconds: $0) }
    }
}
