import Basics
import Bridge
import Database
import Glibc
import Posix

/// Opens the file of a copy, and begins it anew where it is damaged: the gallery has everything but the edits that it was
/// not sent, and those are carried over as far as they can be read.
struct CopyRebuild {
    let path: String

    /// What SQLite puts beside a database.
    private static let companions = ["-wal", "-shm", "-journal"]

    /// What the damaged one still tells.
    struct Rescued {
        struct Place {
            let id: Int64
            let server: String
            let event: String
        }

        var places: [Place] = []
        /// Rows as they are, by the names of their columns.
        var edits: [[Value]] = []
        /// Not all of them could be read.
        var isCut = false
    }

    static let columns = [
        "id", "place", "kind", "record", "capture", "edit", "made_at", "floor", "stamp", "is_ahead", "cause",
        "words",
        "ended_at",
    ]

    /// The database, and what an operator has to know of it. `damage`: what was found wrong with it in the middle of the work.
    func open(whereDamaged damage: String? = nil) throws -> (CopyDatabase, String?) {
        if let damage { return try beginAnew(damage) }
        try makeFile()
        do {
            return (try CopyDatabase(writingAt: path), nil)
        } catch let refusal as Refusal {
            guard case .damaged(let problems) = refusal.reason else { throw refusal }
            return try beginAnew(problems.first ?? "it is no database")
        } catch let error as DatabaseError where Self.isDamage(error) {
            return try beginAnew(error.message)
        }
    }

    static func isDamage(_ error: DatabaseError) -> Bool {
        switch error.code {
        case .corrupt, .notADatabase, .shortRead, .mismatch: true
        default: false
        }
    }

    /// For this user only, and so are the files that SQLite puts beside it.
    private func makeFile() throws(SystemError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().joined(separator: "/")
        _ = try StagedFile(
            in: try Directory(path: folder.isEmpty ? "." : folder),
            partialName: String(parts[parts.count - 1]),
            mode: 0o600)
    }

    private func beginAnew(_ why: String) throws -> (CopyDatabase, String?) {
        var rescued = rescue()
        let aside = "\(path).damaged"
        try setAside(as: aside)
        try makeFile()
        let database = try CopyDatabase(writingAt: path)
        let kept = try restore(&rescued, into: database)
        let lost =
            rescued.isCut
            ? "; edits that were not sent and could not be read are lost, so look through 'tetherline sync' and make them again"
            : ""
        return (
            database,
            "the copy of the gallery in \(path) was damaged (\(why)): it is fetched again, with \(kept) edits of it kept\(lost). "
                + "The damaged file is \(aside)."
        )
    }

    /// Row by row: one that cannot be read does not hide those before it.
    func rescue() -> Rescued {
        var rescued = Rescued()
        do {
            let old = try Connection(path: path, .readOnly)
            try old.each("SELECT id, server, event FROM places") { row in
                rescued.places.append(
                    Rescued.Place(id: try row.get(0), server: try row.get(1), event: try row.get(2)))
            }
            // By the table itself: an index that is damaged says nothing of the rows.
            try old.each("SELECT \(Self.columns.joined(separator: ", ")) FROM edits NOT INDEXED ORDER BY id")
            { row in
                rescued.edits.append(try Self.columns.map { try row.value($0) })
            }
        } catch {
            // What is wrong with it is said by those who begin it anew.
            rescued.isCut = true
        }
        return rescued
    }

    private func restore(_ rescued: inout Rescued, into new: CopyDatabase) throws -> Int {
        var places: [Int64: CopyPlaceID] = [:]
        for place in rescued.places {
            places[place.id] = try new.makePlace(place.server, event: place.event)
        }
        let marks = Self.columns.map { _ in "?" }.joined(separator: ", ")
        var kept = 0
        for row in rescued.edits {
            guard case .integer(let old) = row[1], let place = places[old] else {
                rescued.isCut = true
                continue
            }
            var values = row
            values[1] = .integer(place.number)
            do {
                try new.database.execute(
                    "INSERT INTO edits (\(Self.columns.joined(separator: ", "))) VALUES (\(marks))", values
                ) { _ in true }
                kept += try isReadable(EditID(new.database.lastInsertedID), in: new) ? 1 : 0
            } catch let error as DatabaseError {
                // A row that is damaged itself breaks what the table says of rows.
                guard error.code.primary == .constraint else { throw error }
                rescued.isCut = true
            }
        }
        rescued.isCut = rescued.isCut || kept < rescued.edits.count
        return kept
    }

    /// A row that says no edit is not kept: it would be damage in the new file as well.
    private func isReadable(_ edit: EditID, in new: CopyDatabase) throws -> Bool {
        do {
            return try new.entry(edit) != nil
        } catch let error as DatabaseError where Self.isDamage(error) {
            _ = try new.drop(edit)
            return false
        }
    }

    /// Only the last one is kept: an operator looks at it, or not.
    private func setAside(as aside: String) throws {
        for end in [""] + Self.companions {
            guard rename(path + end, aside + end) != 0, errno != ENOENT else { continue }
            throw SystemError("renaming", errno, on: path + end)
        }
    }
}
