import Database
import Digest

/// Makes the tables of one gallery the same as another's. Whatever a run before has done is found and stays, so that it may be
/// killed at any moment and begun again.
final class RowCopy {
    private let source: any SQLSession
    private let target: any SQLSession
    /// After each transaction of the target's; what it throws ends the copy there.
    private let onBatch: () throws -> Void
    private var columns: [String: [String]] = [:]
    /// Rows in whose texts U+0000 was replaced, by their tables and keys.
    private(set) var replaced: Set<String> = []

    /// So many rows are compared, and written in one transaction, at a time.
    static let batch = 1000
    /// PostgreSQL counts the values of a statement in 16 bits.
    private static let mostValues = 65_000

    init(from source: any SQLSession, to target: any SQLSession, onBatch: @escaping () throws -> Void) {
        self.source = source
        self.target = target
        self.onBatch = onBatch
    }

    /// How many rows were written or removed.
    func run(_ tables: [MovedTable] = MovedTable.all) throws -> Int {
        try source.snapshot {
            var changed = 0
            for table in tables.reversed() { changed += try prune(table) }
            for table in tables { changed += try fill(table) }
            if changed > 0, target.dialect == .postgres { try countRows(of: tables) }
            return changed
        }
    }

    /// Until its own service comes round, PostgreSQL would plan by what it knows of tables that were empty.
    private func countRows(of tables: [MovedTable]) throws {
        for table in tables { try target.run("ANALYZE \(table.name)") }
    }

    /// All columns that hold something of their own, as the source has them.
    private func columns(of table: MovedTable) throws -> [String] {
        if let known = columns[table.name] { return known }
        let found = try source.all(
            "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid", table.name
        ) { try $0.get("name", as: String.self) }
        columns[table.name] = found
        return found
    }

    // MARK: Pages

    /// The rows of a table in the order of their keys, a page at a time: `body` is given a page, and the keys that it lies
    /// between, of which the first is not of it.
    private func walk(
        _ session: any SQLSession, _ table: MovedTable, _ columns: [String],
        _ body: ([MovedRow], _ after: [Value]?, _ through: [Value]?) throws -> Void
    ) throws {
        let places = table.key.compactMap { columns.firstIndex(of: $0) }
        var after: [Value]?
        while true {
            let page = try rows(session, table, columns, after: after, limit: Self.batch)
            let isLast = page.count < Self.batch
            let end = isLast ? nil : page.last.map { row in places.map { row.values[$0] } }
            try body(page, after, end)
            guard let end else { return }
            after = end
        }
    }

    private func rows(
        _ session: any SQLSession, _ table: MovedTable, _ columns: [String], after: [Value]?,
        through: [Value]? = nil, limit: Int? = nil
    ) throws -> [MovedRow] {
        let key = table.key.joined(separator: ", ")
        let marks = table.key.map { _ in "?" }.joined(separator: ", ")
        var conditions: [String] = []
        if after != nil { conditions.append("(\(key)) > (\(marks))") }
        if through != nil { conditions.append("(\(key)) <= (\(marks))") }
        let condition = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
        let limit = limit.map { "LIMIT \($0)" } ?? ""
        var rows: [MovedRow] = []
        try session.execute(
            "SELECT \(columns.joined(separator: ", ")) FROM \(table.name) \(condition) ORDER BY \(key) \(limit)",
            (after ?? []) + (through ?? [])
        ) { found in
            rows.append(try row(found, table, columns))
            return true
        }
        return rows
    }

    private func row(_ found: any SQLRow, _ table: MovedTable, _ columns: [String]) throws -> MovedRow {
        var row = try MovedRow(found, columns)
        if row.replaceNuls() {
            replaced.insert("\(table.name) \(MovedRow.text(key(of: row, table, columns)))")
        }
        return row
    }

    private func key(of row: MovedRow, _ table: MovedTable, _ columns: [String]) -> [Value] {
        table.key.compactMap { name in columns.firstIndex(of: name).map { row.values[$0] } }
    }

    // MARK: What the source has no more

    private func prune(_ table: MovedTable) throws -> Int {
        guard try target.has("SELECT 1 FROM \(table.name) LIMIT 1") else { return 0 }
        var removed = 0
        try walk(source, table, table.key) { page, after, through in
            let kept = Set(page.map(\.bytes))
            let theirs = try rows(target, table, table.key, after: after, through: through)
            let gone = theirs.filter { !kept.contains($0.bytes) }
            for start in stride(from: 0, to: gone.count, by: Self.batch) {
                try remove(Array(gone[start..<min(start + Self.batch, gone.count)]), from: table)
            }
            removed += gone.count
        }
        return removed
    }

    private func remove(_ rows: [MovedRow], from table: MovedTable) throws {
        let marks = "(\(table.key.map { _ in "?" }.joined(separator: ", ")))"
        let list = rows.map { _ in marks }.joined(separator: ", ")
        _ = try target.transaction {
            try target.execute(
                "DELETE FROM \(table.name) WHERE (\(table.key.joined(separator: ", "))) IN (\(list))",
                rows.flatMap(\.values)
            ) { _ in true }
        }
        try onBatch()
    }

    // MARK: What the source has

    private func fill(_ table: MovedTable) throws -> Int {
        let columns = try columns(of: table).filter { !table.counted.contains($0) }
        let isEmpty = try !target.has("SELECT 1 FROM \(table.name) LIMIT 1")
        var written = 0
        var putOff: [MovedRow] = []
        try walk(source, table, columns) { page, after, through in
            var changed = page
            if !isEmpty {
                let theirs = Set(
                    try rows(target, table, columns, after: after, through: through).map(\.bytes))
                changed.removeAll { theirs.contains($0.bytes) }
            }
            written += changed.count
            let most = max(1, Self.mostValues / columns.count)
            for start in stride(from: 0, to: changed.count, by: most) {
                putOff += try write(
                    Array(changed[start..<min(start + most, changed.count)]), to: table, columns)
            }
        }
        try writeLater(putOff, to: table, columns)
        return written
    }

    /// Those that another row is in the way of still: one that will give up what is to be this one's alone.
    private func write(_ rows: [MovedRow], to table: MovedTable, _ columns: [String]) throws -> [MovedRow] {
        do {
            try target.transaction { try insert(rows, into: table, columns) }
            try onBatch()
            return []
        } catch let error as any SQLError where Self.isOfOneRow(error) {
            return try rows.filter { try !writeAlone($0, to: table, columns) }
        }
    }

    private func writeLater(_ rows: [MovedRow], to table: MovedTable, _ columns: [String]) throws {
        var left = rows
        while !left.isEmpty {
            let still = try left.filter { try !writeAlone($0, to: table, columns) }
            guard still.count < left.count else {
                let keys = still.prefix(3).map { MovedRow.text(key(of: $0, table, columns)) }
                throw MoveProblem(
                    "\(still.count) rows of \(table.name) contradict others at the target: "
                        + keys.joined(separator: "; "))
            }
            left = still
        }
    }

    /// Says whether it was written.
    private func writeAlone(_ row: MovedRow, to table: MovedTable, _ columns: [String]) throws -> Bool {
        do {
            try target.transaction { try insert([row], into: table, columns) }
            try onBatch()
            return true
        } catch let error as any SQLError where Self.isOfOneRow(error) {
            guard error.failure == .checkViolated else { return false }
            throw MoveProblem(
                "the row \(MovedRow.text(key(of: row, table, columns))) of \(table.name) is none that PostgreSQL takes: "
                    + "\(error)")
        }
    }

    private static func isOfOneRow(_ error: any SQLError) -> Bool {
        [.uniqueViolated, .foreignKeyViolated, .checkViolated].contains(error.failure)
    }

    private func insert(_ rows: [MovedRow], into table: MovedTable, _ columns: [String]) throws {
        let marks = "(\(columns.map { _ in "?" }.joined(separator: ", ")))"
        let list = rows.map { _ in marks }.joined(separator: ", ")
        let others = columns.filter { !table.key.contains($0) }
        let change =
            others.isEmpty
            ? "NOTHING" : "UPDATE SET \(others.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))"
        try target.execute(
            """
            INSERT INTO \(table.name) (\(columns.joined(separator: ", "))) VALUES \(list)
            ON CONFLICT (\(table.key.joined(separator: ", "))) DO \(change)
            """, rows.flatMap(\.values)
        ) { _ in true }
    }

    // MARK: Whether they are the same

    struct Sum: Equatable, Sendable {
        var rows = 0
        let digest: SHA256Digest
    }

    /// What a table holds on either side, in every column, also those that triggers count.
    func sums(of table: MovedTable) throws -> (source: Sum, target: Sum) {
        let columns = try columns(of: table)
        let (ours, theirs) = (SHA256(), SHA256())
        var (ourRows, theirRows) = (0, 0)
        try walk(source, table, columns) { page, after, through in
            for row in page { ours.update(row.bytes) }
            ourRows += page.count
            for row in try rows(target, table, columns, after: after, through: through) {
                theirs.update(row.bytes)
                theirRows += 1
            }
        }
        return (
            Sum(rows: ourRows, digest: ours.finish()), Sum(rows: theirRows, digest: theirs.finish())
        )
    }
}

/// Why a gallery could not be moved, and what can be done about it.
package struct MoveProblem: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
