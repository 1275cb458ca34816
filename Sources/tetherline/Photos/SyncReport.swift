import Basics
import Bridge
import GalleryCopy
import Store

/// A gallery's copy and its edits, for people and for programs.
struct SyncReport {
    private let copy: CopyDatabase
    private let reader: LedgerReader

    init(_ copy: CopyDatabase, _ reader: LedgerReader) {
        self.copy = copy
        self.reader = reader
    }

    // MARK: A place

    static func lines(_ place: CopyPlace, _ counts: CopyCounts) -> [String] {
        var lines = ["\(place.server)  \(number(counts.photos, "photo")), \(number(counts.albums, "album"))"]
        if let problem = place.problem, let since = place.problemAt {
            lines.append("  not reached since \(since.onTheWallToSeconds): \(problem)")
        } else if let moment = place.syncedAt {
            lines.append("  exchanged at \(moment.onTheWallToSeconds)")
        } else {
            lines.append("  not asked yet")
        }
        if counts.waiting > 0 {
            var why: [String] = []
            if counts.withoutUpload > 0 { why.append("\(counts.withoutUpload) wait for an upload") }
            if counts.ahead > 0 { why.append("\(counts.ahead) are dated ahead of the gallery's clock") }
            let details = why.isEmpty ? "" : " (\(why.joined(separator: ", ")))"
            lines.append("  \(number(counts.waiting, "edit")) not sent yet\(details)")
        }
        if counts.conflicts > 0 { lines.append("  \(number(counts.conflicts, "conflict"))") }
        return lines
    }

    private static func number(_ count: Int, _ what: String) -> String {
        "\(count) \(what)\(count == 1 ? "" : "s")"
    }

    static func json(_ place: CopyPlace, _ counts: CopyCounts) -> JSONValue {
        [
            "kind": "place", "server": .string(place.server), "event": .string(place.event),
            "photos": .integer(Int64(counts.photos)), "albums": .integer(Int64(counts.albums)),
            "unsent": .integer(Int64(counts.waiting)),
            "unsentWithoutUpload": .integer(Int64(counts.withoutUpload)),
            "unsentAhead": .integer(Int64(counts.ahead)), "conflicts": .integer(Int64(counts.conflicts)),
            "exchangedAt": time(place.syncedAt), "problem": .optional(place.problem, JSONValue.string),
            "problemSince": time(place.problemAt),
        ]
    }

    private static func time(_ moment: Timestamp?) -> JSONValue {
        .optional(moment) { .string(CivilTime.rfc3339(milliseconds: $0.milliseconds)) }
    }

    // MARK: An edit

    func lines(_ entry: CopyDatabase.Entry) throws -> [String] {
        let edit = entry.edit
        let head = "\(edit.id)  \(edit.madeAt.onTheWallToSeconds)  \(try subject(entry)): \(try words(entry))"
        switch edit.standing {
        case .conflict(let conflict):
            let theirs = try theirs(entry)
            return [
                "\(head)  not taken: \(Self.sentence(conflict, theirs: theirs))",
                "    'tetherline sync --again \(edit.id)' makes it again, '--drop \(edit.id)' forgets it",
            ]
        case .waiting, .settled: return ["\(head)  \(Self.waits(edit))"]
        }
    }

    /// What was not taken, and why not.
    func conflict(_ entry: CopyDatabase.Entry) throws -> String {
        guard case .conflict(let conflict) = entry.edit.standing else { return try words(entry) }
        return "\(try words(entry)): \(Self.sentence(conflict, theirs: try theirs(entry)))"
    }

    private static func waits(_ edit: LocalEdit) -> String {
        if edit.isAhead {
            let stamp = edit.stamp ?? max(edit.madeAt, edit.floor ?? edit.madeAt)
            return
                "waits until the gallery's clock comes near its date, \(stamp.onTheWallToSeconds): set the clock right, and "
                + "'tetherline sync --again \(edit.id)' dates it anew"
        }
        return edit.record == nil ? "waits for its photo's upload" : "waits to be sent"
    }

    private static func sentence(_ conflict: LocalEdit.Conflict, theirs: String?) -> String {
        switch conflict.cause {
        case .newer:
            "a newer change was made elsewhere" + (theirs.map { " (there it is \($0))" } ?? "")
        case .deleted: "it was deleted at the gallery"
        case .refused:
            conflict.words.isEmpty ? "the gallery refuses it" : "the gallery says: \(conflict.words)"
        }
    }

    func json(_ entry: CopyDatabase.Entry) throws -> JSONValue {
        let edit = entry.edit
        var conflict: LocalEdit.Conflict?
        if case .conflict(let one) = edit.standing { conflict = one }
        return [
            "kind": "edit", "edit": .integer(edit.id.number), "subject": .string(try subject(entry)),
            "photo": edit.kind == .photo ? .optional(edit.record, JSONValue.string) : .null,
            "capture": .optional(edit.capture) { .integer($0.number) }, "change": edit.edit.json,
            "state": conflict == nil ? "unsent" : "conflict",
            "madeAt": Self.time(edit.madeAt), "datedAt": Self.time(edit.stamp), "ahead": .bool(edit.isAhead),
            "cause": .optional(conflict) { .string($0.cause.rawValue) },
            "message": .optional(conflict) { .string($0.words) }, "endedAt": Self.time(entry.endedAt),
            "theirs": .optional(conflict == nil ? nil : try theirs(entry), JSONValue.string),
        ]
    }

    /// What the edit is of, as an operator calls it.
    private func subject(_ entry: CopyDatabase.Entry) throws -> String {
        let edit = entry.edit
        if let capture = edit.capture, let name = try reader.capture(capture)?.name { return name }
        guard let id = edit.record else { return edit.capture.map { "photo \($0)" } ?? "?" }
        switch (edit.edit, try copy.record(edit.kind, id, at: entry.place)?.content) {
        case (.album(let album), _): return "album \(album.name)"
        case (_, .photo(let photo)): return photo.fileName ?? id
        case (_, .album(let album)): return "album \(album.name)"
        case (_, .event), (_, nil): return id
        }
    }

    private func words(_ entry: CopyDatabase.Entry) throws -> String {
        switch entry.edit.edit {
        case .album(let album): return "is called '\(album.name)'"
        case .delete: return "deleted"
        case .photo(let edit):
            func albums(_ ids: [String]) throws -> String {
                try ids.map { id in
                    guard case .album(let album) = try copy.merge(.album, id, at: entry.place).content else {
                        return id
                    }
                    return album.name
                }.joined(separator: ", ")
            }
            var words: [String] = []
            if let rating = edit.rating { words.append("rating \(rating)") }
            if let caption = edit.caption { words.append("caption '\(caption)'") }
            if let isHidden = edit.isHidden { words.append(isHidden ? "hidden" : "shown") }
            if !edit.addedTags.isEmpty { words.append("tag \(edit.addedTags.joined(separator: ", "))") }
            if !edit.removedTags.isEmpty {
                words.append("without tag \(edit.removedTags.joined(separator: ", "))")
            }
            if !edit.addedAlbums.isEmpty { words.append("into \(try albums(edit.addedAlbums))") }
            if !edit.removedAlbums.isEmpty { words.append("out of \(try albums(edit.removedAlbums))") }
            return words.joined(separator: ", ")
        }
    }

    /// The same fields as the gallery has them now.
    private func theirs(_ entry: CopyDatabase.Entry) throws -> String? {
        guard let id = entry.edit.record, case .photo(let edit) = entry.edit.edit,
            let photo = try copy.record(.photo, id, at: entry.place)?.photo
        else { return nil }
        var words: [String] = []
        if edit.rating != nil { words.append("rating \(photo.rating)") }
        if edit.caption != nil { words.append("caption '\(photo.caption)'") }
        if edit.isHidden != nil { words.append(photo.isHidden ? "hidden" : "shown") }
        if !edit.addedTags.isEmpty || !edit.removedTags.isEmpty {
            words.append("tags \(photo.tags.isEmpty ? "none" : photo.tags.joined(separator: ", "))")
        }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}
