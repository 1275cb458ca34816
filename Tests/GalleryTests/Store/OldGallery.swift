import Database
import TestSupport

@testable import Gallery

/// The stored gallery of a shipped version in a folder of its own, and every value in it.
struct OldGallery {
    let version: Int
    let folder: TemporaryFolder
    /// As it was before this version of the program opened it.
    let before: [String: Table]

    var path: String { folder.file(GalleryStore.fileName) }

    /// All that were shipped.
    static let versions = Array(1...GallerySchema.migrations.version)

    static let fixtures: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(4).joined(separator: "/") + "/Fixtures/gallery"
    }()

    init(_ version: Int) throws {
        self.version = version
        folder = try TemporaryFolder(in: TemporaryFolder.memory)
        try folder.write(
            try readFile("\(Self.fixtures)/version-\(version).sqlite"), to: GalleryStore.fileName)
        before = try Self.contents(Connection(path: folder.file(GalleryStore.fileName), .readOnly))
    }

    static func shippedSchema(_ version: Int) throws -> String {
        String(decoding: try readFile("\(fixtures)/schema-\(version).sql"), as: UTF8.self)
    }

    /// Every statement that makes the tables of a database, in a fixed order.
    static func schema(of database: Connection) throws -> String {
        try database.all(
            "SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY type DESC, name"
        ) { row in try row.get(0, as: String.self) + ";\n" }.joined()
    }

    /// Rows as SQL would write them.
    struct Table: Equatable {
        var columns: [String]
        var rows: [[String]]

        /// The same without the columns that came later.
        func only(_ wanted: [String]) -> Table {
            let places = wanted.compactMap { name in columns.firstIndex(of: name) }
            return Table(
                columns: places.map { columns[$0] }, rows: rows.map { row in places.map { row[$0] } })
        }

        func column(_ name: String) -> Set<String> { Set(only([name]).rows.flatMap(\.self)) }
    }

    static func contents(_ look: Connection) throws -> [String: Table] {
        let tables = try look.all(
            """
            SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'
                AND sql NOT LIKE 'CREATE VIRTUAL%'
            """
        ) { row in try row.get(0, as: String.self) }
        var contents: [String: Table] = [:]
        for table in tables {
            let columns = try look.all("SELECT name FROM pragma_table_info(?) ORDER BY cid", table) { row in
                try row.get(0, as: String.self)
            }
            let values = columns.map { "quote(\($0))" }.joined(separator: ", ")
            let rows = try look.all("SELECT \(values) FROM \(table)") { row in
                try columns.indices.map { try row.get(Int32($0), as: String.self) }
            }
            contents[table] = Table(
                columns: columns, rows: rows.sorted { $0.lexicographicallyPrecedes($1) })
        }
        return contents
    }
}
