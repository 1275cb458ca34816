import Bridge
import Database
import Store
import TestSupport
import Testing

/// The tables as they are out there: every ledger of a shipped version looks like this for ever.
@Suite struct SchemaTests {
    static let fixtures: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(3).joined(separator: "/") + "/Fixtures/ledger"
    }()

    @Test("a fresh ledger has the tables that were shipped, to the letter")
    func golden() async throws {
        let ground = try await LedgerGround()
        let statements = try LedgerReader(path: ground.path).database.all(
            "SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY type DESC, name"
        ) { row in try row.get(0, as: String.self) }
        let version = Schema.migrations.version
        let shipped = String(decoding: try readFile("\(Self.fixtures)/schema-\(version).sql"), as: UTF8.self)
        #expect(
            statements.map { "\($0);\n" }.joined() == shipped,
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

    static let tables = [
        "events", "cameras", "destinations", "captures", "upload_jobs", "counts", "state", "journal",
    ]

    @Test("the stored ledger of a version has that version's tables", arguments: [1, 2])
    func storedTables(version: Int) throws {
        let folder = try TemporaryFolder()
        try folder.write(try readFile("\(Self.fixtures)/version-\(version).sqlite"), to: "old.sqlite")
        let statements = try Connection(path: folder.file("old.sqlite"), .readOnly).all(
            "SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY type DESC, name"
        ) { row in try row.get(0, as: String.self) }
        let shipped = String(decoding: try readFile("\(Self.fixtures)/schema-\(version).sql"), as: UTF8.self)
        #expect(statements.map { "\($0);\n" }.joined() == shipped)
    }

    @Test("a ledger that an older version wrote is opened, and every row of it is there", arguments: [1, 2])
    func stored(version: Int) async throws {
        let folder = try TemporaryFolder()
        try folder.write(try readFile("\(Self.fixtures)/version-\(version).sqlite"), to: Ledger.fileName)
        func contents() throws -> [String: Int] {
            let look = try Connection(path: folder.file(Ledger.fileName), .readOnly)
            var rows: [String: Int] = [:]
            for table in Self.tables {
                rows[table] = try look.first("SELECT count(*) FROM \(table)") { row in
                    try row.get(0, as: Int.self)
                }
            }
            return rows
        }
        let before = try contents()
        #expect(Set(before.keys) == Set(Self.tables) && before.values.allSatisfy { $0 > 0 })
        let ledger = try Ledger(
            path: folder.file(Ledger.fileName), executor: Threads.ledger, wall: FixedWall(),
            random: SeededSource(1))
        let event = try await ledger.event("wedding")
        #expect(try contents() == before)
        let reader = try LedgerReader(path: folder.file(Ledger.fileName))
        #expect(try reader.database.problems() == [])
        var entries: [LedgerReader.Entry] = []
        try reader.captures(of: event.id) { entries.append($0) }
        #expect(Set(entries.map(\.state)) == Set(CaptureState.allCases))
        let jobs = entries.first?.jobs
        #expect(jobs?[.completed] == 1 && jobs?[.staged] == 1)
        #expect(entries.first?.receipts.map(\.url) == ["file:///a"])
        #expect(entries.first?.sha256 == sha(jpeg(1)))
        #expect(entries.first?.path == "DCIM/100CANON/A.JPG")
        #expect(try reader.counts(of: event.id).captures[.staged] == 2)
        #expect(try await ledger.recall("key") == "value")
    }

    /// How the newest was made: into the folder that TETHERLINE_FIXTURES names. Never again once it was shipped.
    @Test("the stored ledger has been made", .enabled(if: StoredLedger.folder != nil, "made once, by hand"))
    func make() async throws {
        try await StoredLedger.make(at: try #require(StoredLedger.folder))
    }
}
