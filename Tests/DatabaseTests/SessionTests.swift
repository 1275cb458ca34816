import Database
import TestSupport
import Testing

/// What every driver of a database has to do, tried on the one for SQLite.
@Suite struct SessionTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(in: TemporaryFolder.memory)
    }

    private func session() throws -> any SQLSession {
        let connection = try Connection(path: folder.file("s.sqlite"), .readWrite)
        try connection.script(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE owners (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE CHECK (length(name) < 5)) STRICT;
            CREATE TABLE things (id TEXT PRIMARY KEY, owner INTEGER NOT NULL REFERENCES owners (id)) STRICT;
            INSERT INTO owners VALUES (1, 'ann'), (2, 'bob');
            """)
        return connection
    }

    @Test("columns are read by their names, in any order, as often as one likes")
    func names() throws {
        let session = try session()
        let rows = try session.all("SELECT id, name, id + 1 AS next FROM owners ORDER BY id") { row in
            [
                try "\(row.get("next", as: Int.self))", try row["name"], try "\(row.get("id", as: Int.self))",
                try row["name"],
            ]
        }
        #expect(rows == [["2", "ann", "1", "ann"], ["3", "bob", "2", "bob"]])
    }

    @Test("a column that is not there, or holds something else, is an error that names it")
    func wrongColumns() throws {
        let session = try session()
        for (column, word) in [("nam", "nam"), ("name", "name")] {
            let error = #expect(throws: DatabaseError.self) {
                try session.first("SELECT id, name FROM owners") { try $0.get(column, as: Int.self) }
            }
            #expect(error?.description.contains("column \(word)") == true)
        }
    }

    @Test("a statement says how many rows it has changed, and whether there are any")
    func counts() throws {
        let session = try session()
        #expect(try session.run("UPDATE owners SET name = 'x' || name") == 2)
        #expect(try session.run("DELETE FROM owners WHERE id = ?", 7) == 0)
        #expect(try session.has("SELECT 1 FROM owners WHERE name = ?", "xann"))
        #expect(try !session.has("SELECT 1 FROM owners WHERE name = ?", "ann"))
    }

    @Test(
        "a refusal says what it means, whatever number the engine gives it",
        arguments: [
            ("INSERT INTO owners VALUES (1, 'eve')", SQLFailure.uniqueViolated),
            ("INSERT INTO owners VALUES (3, 'ann')", .uniqueViolated),
            ("INSERT INTO owners VALUES (3, 'annabel')", .checkViolated),
            ("INSERT INTO things VALUES ('a', 9)", .foreignKeyViolated),
            ("INSERT INTO nothing VALUES (1)", .other),
        ])
    func failures(sql: String, failure: SQLFailure) throws {
        let session = try session()
        var found: SQLFailure?
        do {
            try session.run(sql)
        } catch let error as any SQLError {
            found = error.failure
        }
        #expect(found == failure)
    }

    @Test("of a transaction that fails nothing is left")
    func transactions() throws {
        let session = try session()
        #expect(throws: DatabaseError.self) {
            try session.transaction {
                try session.run("DELETE FROM owners WHERE id = 2")
                try session.run("INSERT INTO owners VALUES (1, 'eve')")
            }
        }
        #expect(try session.has("SELECT 1 FROM owners WHERE id = 2"))
    }

    @Test("the larger and the smaller of two values are what the dialect says")
    func dialect() throws {
        let session = try session()
        let sql =
            "SELECT \(session.dialect.greater("?1", "?2")) AS most, \(session.dialect.lesser("?1", "?2")) AS least"
        let both = try session.first(sql, 3, 8) {
            [try $0.get("most", as: Int.self), try $0.get("least", as: Int.self)]
        }
        #expect(both == [8, 3])
    }
}
