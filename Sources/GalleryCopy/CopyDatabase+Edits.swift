package import Basics
package import Bridge
import Database

/// Edits that are not settled.
extension CopyDatabase {
    /// An edit with what it is about, for those who show it.
    package struct Entry: Equatable, Sendable {
        package let edit: LocalEdit
        package let place: CopyPlaceID
        package let endedAt: Timestamp?
    }

    /// All that wait, or all that were not taken, in the order in which they were made.
    package func entries(at place: CopyPlaceID?, conflicts: Bool? = nil, limit: Int) throws -> [Entry] {
        try database.all(
            """
            SELECT * FROM edits WHERE (?1 IS NULL OR place = ?1) AND (?2 IS NULL OR (cause IS NOT NULL) = ?2)
            ORDER BY id LIMIT ?3
            """, place?.number, conflicts, limit
        ) { row in
            Entry(
                edit: try self.edit(row), place: CopyPlaceID(try row["place"]),
                endedAt: try row.moment("ended_at"))
        }
    }

    package func entry(_ id: EditID) throws -> Entry? {
        try database.first("SELECT * FROM edits WHERE id = ?", id.number) { row in
            Entry(
                edit: try self.edit(row), place: CopyPlaceID(try row["place"]),
                endedAt: try row.moment("ended_at"))
        }
    }

    private func edit(_ row: any SQLRow) throws -> LocalEdit {
        guard let kind = GalleryRecord.Kind(rawValue: try row["kind"]), let madeAt = try row.moment("made_at")
        else { throw damage("a kind is none") }
        let said = try read(try row["edit"]) { json throws(GalleryRecord.Unreadable) in try RecordEdit(json) }
        let number: Int64? = try row["capture"]
        var edit = LocalEdit(
            id: EditID(try row["id"]), kind: kind, record: try row["record"],
            capture: number.map { CaptureID($0) }, edit: said, madeAt: madeAt, floor: try row.moment("floor"))
        edit.stamp = try row.moment("stamp")
        edit.isAhead = try row["is_ahead"]
        if let cause: String = try row["cause"] {
            guard let cause = LocalEdit.Conflict.Cause(rawValue: cause) else {
                throw damage("a cause is none")
            }
            edit.standing = .conflict(LocalEdit.Conflict(cause, try row["words"] ?? ""))
        }
        return edit
    }

    // MARK: One record

    /// The record with its edits.
    package func merge(
        _ kind: GalleryRecord.Kind, _ id: String, at place: CopyPlaceID
    ) throws -> RecordMerge {
        let edits = try database.all(
            "SELECT * FROM edits WHERE place = ? AND kind = ? AND record = ? AND cause IS NULL ORDER BY id",
            place.number, kind.rawValue, id
        ) { try self.edit($0) }
        return RecordMerge(kind, id, record: try record(kind, id, at: place), edits: edits)
    }

    /// What waits upon a photo that the gallery has not confirmed.
    package func edits(of capture: CaptureID, at place: CopyPlaceID) throws -> [LocalEdit] {
        try database.all(
            "SELECT * FROM edits WHERE place = ? AND capture = ? AND record IS NULL AND cause IS NULL ORDER BY id",
            place.number, capture.number
        ) { try self.edit($0) }
    }

    /// Part of a transaction: changes one record's merge, and writes down what that has changed.
    @discardableResult
    func change<Result>(
        _ kind: GalleryRecord.Kind, _ id: String, at place: CopyPlaceID, _ now: Timestamp,
        _ body: (inout RecordMerge) -> Result
    ) throws -> Result {
        let before = try merge(kind, id, at: place)
        var after = before
        let result = body(&after)
        if let record = after.record, record != before.record { try put(record, at: place) }
        for (old, new) in zip(before.edits, after.edits) where old != new { try save(new, now) }
        return result
    }

    private func save(_ edit: LocalEdit, _ now: Timestamp) throws {
        switch edit.standing {
        case .settled: try database.run("DELETE FROM edits WHERE id = ?", edit.id.number)
        case .waiting:
            try database.run(
                "UPDATE edits SET floor = ?, stamp = ?, is_ahead = ? WHERE id = ?", edit.floor?.milliseconds,
                edit.stamp?.milliseconds, edit.isAhead, edit.id.number)
        case .conflict(let conflict):
            try database.run(
                """
                UPDATE edits SET floor = ?, stamp = ?, is_ahead = 0, cause = ?, words = ?, ended_at = ? WHERE id = ?
                """, edit.floor?.milliseconds, edit.stamp?.milliseconds, conflict.cause.rawValue,
                conflict.words, now.milliseconds, edit.id.number)
        }
    }

    // MARK: What an operator does

    /// Part of a transaction.
    func insert(_ wish: EditWish, at place: CopyPlaceID, _ now: Timestamp) throws -> EditID {
        if let objection = wish.edit.objection { throw CopyObjection(objection) }
        guard
            try database.all("SELECT count(*) FROM edits", as: { try $0.get(0, as: Int.self) })[0]
                < Self.mostEdits
        else {
            throw CopyObjection(
                "\(Self.mostEdits) edits wait already: 'tetherline sync' says why they are not sent.")
        }
        let known = try wish.record.map { try merge(wish.kind, $0, at: place) }
        if wish.kind == .photo, let record = known?.record, record.content == nil {
            throw CopyObjection("The photo \(record.id) was deleted at the gallery, and does not come back.")
        }
        return try write(wish, at: place, madeAt: now, floor: known?.floor)
    }

    private func write(
        _ wish: EditWish, at place: CopyPlaceID, madeAt: Timestamp, floor: Timestamp?
    ) throws -> EditID {
        try database.run(
            "INSERT INTO edits (place, kind, record, capture, edit, made_at, floor) VALUES (?, ?, ?, ?, ?, ?, ?)",
            place.number, wish.kind.rawValue, wish.record, wish.capture?.number, wish.edit.json.compact,
            madeAt.milliseconds, floor?.milliseconds)
        return EditID(database.lastInsertedID)
    }

    /// Made anew, now: newer than what it lost to. Nothing where there is no such edit.
    func makeAgain(_ id: EditID, _ now: Timestamp) throws -> EditID? {
        try database.transaction { () -> EditID? in
            guard let old = try entry(id) else { return nil }
            try database.run("DELETE FROM edits WHERE id = ?", id.number)
            let wish = EditWish(
                old.edit.kind, record: old.edit.record, capture: old.edit.capture, old.edit.edit)
            let floor = try old.edit.record.flatMap { try merge(old.edit.kind, $0, at: old.place).floor }
            return try write(wish, at: old.place, madeAt: now, floor: floor)
        }
    }

    /// False where there is no such edit.
    func drop(_ id: EditID) throws -> Bool {
        try database.run("DELETE FROM edits WHERE id = ?", id.number)
        return database.changes > 0
    }
}
