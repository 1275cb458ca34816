import Basics
import Database
import Store
import TestSupport
import Testing
import WorldSupport

/// The tables as they are out there: every ledger of a shipped version looks like this for ever.
@Suite struct SchemaTests {
    static let fixtures: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(3).joined(separator: "/") + "/Fixtures/ledger"
    }()

    /// Every statement that makes the tables of a database, in a fixed order.
    static func schema(of database: Connection) throws -> String {
        try database.all(
            "SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY type DESC, name"
        ) { row in try row.get(0, as: String.self) + ";\n" }.joined()
    }

    @Test("a fresh ledger has the tables that were shipped, to the letter")
    func golden() async throws {
        let ground = try await LedgerGround()
        let version = Schema.migrations.version
        let shipped = String(decoding: try readFile("\(Self.fixtures)/schema-\(version).sql"), as: UTF8.self)
        #expect(
            try Self.schema(of: LedgerReader(path: ground.path).database) == shipped,
            """
            The schema is not what was shipped. To look at the difference: make a home, then \
            'sqlite3 tetherline.sqlite .schema' beside Fixtures/ledger/schema-\(version).sql. Migrations that were shipped are \
            append-only: a change of the tables is another step in Schema.migrations with a schema file of its own, \
            never a change to an old step.
            """)
        #expect(try ground.number("PRAGMA user_version") == Schema.migrations.version)
        #expect(try ground.number("PRAGMA application_id") == 0x5445_5448)
        // Lost nothing that was acknowledged in real power cuts.
        let mode = try LedgerReader(path: ground.path).database.first("PRAGMA journal_mode") { row in
            try row.get(0, as: String.self)
        }
        #expect(mode == "wal")
    }

    @Test("the stored ledger of a version has that version's tables", arguments: OldLedger.versions)
    func storedTables(version: Int) throws {
        let folder = try TemporaryFolder()
        try folder.write(try readFile("\(Self.fixtures)/version-\(version).sqlite"), to: "old.sqlite")
        let shipped = String(decoding: try readFile("\(Self.fixtures)/schema-\(version).sql"), as: UTF8.self)
        #expect(try Self.schema(of: Connection(path: folder.file("old.sqlite"), .readOnly)) == shipped)
    }

    /// How the newest was made: into the folder that TETHERLINE_FIXTURES names, with its tables
    /// beside it. Never again once it was shipped.
    @Test("the stored ledger has been made", .enabled(if: StoredLedger.folder != nil, "made once, by hand"))
    func make() async throws {
        try await StoredLedger.make(at: try #require(StoredLedger.folder))
    }
}
