import Basics
import Database
import Store
import TestSupport

/// The stored ledger of a shipped version in a folder of its own, with jobs in every state that the version knows, and
/// every value in it.
struct OldLedger {
    let version: Int
    let folder: TemporaryFolder
    /// As it was before this version of the program opened it.
    let before: [String: Table]

    var path: String { folder.file(Ledger.fileName) }

    /// All that were shipped.
    static let versions = Array(1...Schema.migrations.version)

    static func tables(of version: Int) -> [String] {
        ["events", "cameras", "destinations", "captures", "upload_jobs", "counts", "state", "journal"]
            + (version < 4 ? [] : ["windows", "absences", "window_clocks", "absence_clocks"])
            + (version < 5 ? [] : ["earlier_deliveries"]) + (version < 8 ? [] : ["camera_counts"])
    }

    /// Rows as SQL would write them, by the names of their columns.
    struct Table: Equatable {
        var columns: [String]
        var rows: [[String]]

        /// The same without the columns that came later.
        func only(_ wanted: [String]) -> Table {
            let places = wanted.compactMap { name in columns.firstIndex(of: name) }
            return Table(
                columns: places.map { columns[$0] }, rows: rows.map { row in places.map { row[$0] } })
        }

        /// Rows that only one of two tables has, for a message that can be read.
        func difference(from other: Table) -> [String] {
            if columns != other.columns { return ["\(columns) are not \(other.columns)"] }
            let differing = Set(rows).symmetricDifference(other.rows)
            return differing.isEmpty && rows != other.rows
                ? ["another order"] : differing.map { $0.joined(separator: " ") }.sorted()
        }

        func column(_ name: String) -> [String] { only([name]).rows.flatMap(\.self) }
    }

    init(_ version: Int, in parent: String = "/tmp") throws {
        self.version = version
        folder = try TemporaryFolder(in: parent)
        try folder.write(
            try readFile("\(SchemaTests.fixtures)/version-\(version).sqlite"), to: Ledger.fileName)
        if version < 3 {
            let meddler = try Connection(path: folder.file(Ledger.fileName), .readWrite)
            try meddler.script(Self.moreJobs(version))
        }
        before = try Self.contents(folder.file(Ledger.fileName))
    }

    static func contents(_ path: String) throws -> [String: Table] {
        try contents(Connection(path: path, .readOnly))
    }

    static func contents(_ look: Connection) throws -> [String: Table] {
        var contents: [String: Table] = [:]
        for table in tables(of: try look.pragma("user_version")) {
            let columns = try look.all("SELECT name FROM pragma_table_info(?) ORDER BY cid", table) { row in
                try row.get(0, as: String.self)
            }
            let values = columns.map { "quote(\($0))" }.joined(separator: ", ")
            let rows = try look.all("SELECT \(values) FROM \(table) ORDER BY 1") { row in
                try columns.indices.map { try row.get(Int32($0), as: String.self) }
            }
            contents[table] = Table(columns: columns, rows: rows)
        }
        return contents
    }

    /// The files of the first two versions hold few jobs. This is what such a bridge would have written besides, one
    /// photo for each state of a job.
    private static func moreJobs(_ version: Int) -> String {
        var jobs: [(state: String, destination: Int, more: String, values: String)] = [
            ("staged", 1, "", ""),
            ("uploading", 1, ", claimed", ", 1"),
            (
                "completed", 1, ", receipt, completed_at",
                ", '{\"key\":\"K\",\"size\":300,\"sha256\":\"0\"}', 7"
            ),
            ("failedRetryable", 1, ", problem, attempts", ", 'no answer', 2"),
            ("failedPermanent", 1, ", problem", ", 'refused'"),
        ]
        if version >= 2 {
            let note = "'{\"uploadId\":\"u\",\"objectKey\":\"1\"}'"
            jobs += [
                ("presigned", 3, ", note", ", \(note)"), ("uploading", 3, ", note, claimed", ", \(note), 1"),
                ("uploadedAwaitingProcessing", 3, ", note", ", \(note)"),
                ("failedPermanent", 1, ", problem, cancelled", ", 'cancelled by the operator', 1"),
                ("staged", 1, ", note", ", '{\"parts\":2}'"),
            ]
        }
        return jobs.enumerated().map { index, job in
            """
            INSERT INTO captures (event_id, camera_id, identity, connection, handle, in_memory, slot, folder, name, stem,
                kind, format, size, capture_date, taken_at, seq, state, file, staged_size, sha256, announced_at, staged_at)
            SELECT event_id, camera_id, replace(identity, 'A.JPG', 'S\(index).JPG'), connection, \(100 + index), in_memory,
                slot, folder, 'S\(index).JPG', 'S\(index)', kind, format, size, capture_date, taken_at, \(100 + index),
                state, '\(100 + index)-S\(index).JPG', staged_size, printf('%064d', \(index)), announced_at, staged_at
            FROM captures WHERE id = 1;
            INSERT INTO upload_jobs (capture_id, destination_id, kind, event_id, state, lane, key, due_at, size,
                created_at\(job.more))
            SELECT last_insert_rowid(), id, kind, event_id, '\(job.state)', 0,
                printf('00000000-0000-4000-8000-%012d', \(index)), 5, 300, 5\(job.values)
            FROM destinations WHERE id = \(job.destination);

            """
        }.joined()
    }
}
