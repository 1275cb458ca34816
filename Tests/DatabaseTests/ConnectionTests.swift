import Database
import TestSupport
import Testing

@Suite struct ConnectionTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    func open(_ name: String = "a b%?#ü.sqlite") throws -> Connection {
        try Connection(path: "\(folder.path)/\(name)", .readWrite)
    }

    @Test("every kind of value comes back as it was put in, NULs and empty ones included")
    func values() throws {
        let connection = try open()
        try connection.script("CREATE TABLE t (a INTEGER, b REAL, c TEXT, d BLOB) STRICT")
        try connection.run(
            "INSERT INTO t VALUES (?, ?, ?, ?)", Int64.min, 1.5, "a\u{0}b ü", [UInt8]([0, 255]))
        try connection.run("INSERT INTO t VALUES (?, ?, ?, ?)", Int64?.none, Double?.none, "", [UInt8]())
        let rows = try connection.all("SELECT a, b, c, d FROM t ORDER BY rowid") { row in
            (
                try row.get(0, as: Int64?.self), try row.get(1, as: Double?.self),
                try row.get(2, as: String.self),
                try row.get(3, as: [UInt8].self)
            )
        }
        #expect(rows[0] == (Int64.min, 1.5, "a\u{0}b ü", [0, 255]))
        #expect(rows[1] == (nil, nil, "", []))
    }

    @Test("a column of another kind than expected is an error, not a zero")
    func mismatch() throws {
        let connection = try open()
        try connection.script("CREATE TABLE t (a ANY) STRICT; INSERT INTO t VALUES ('x')")
        #expect(throws: DatabaseError.self) {
            try connection.first("SELECT a FROM t") { row in try row.get(0, as: Int64.self) }
        }
    }

    @Test("an error has the statement, SQLite's words and the extended code")
    func errors() throws {
        let connection = try open()
        try connection.script(
            "CREATE TABLE t (a INTEGER UNIQUE CHECK (a > 0)) STRICT; INSERT INTO t VALUES (1)")
        let doubled = #expect(throws: DatabaseError.self) {
            try connection.run("INSERT INTO t VALUES (?)", 1)
        }
        // SQLITE_CONSTRAINT_UNIQUE is 2067, SQLITE_CONSTRAINT_CHECK 275 (sqlite.org/rescode.html).
        #expect(doubled?.code.rawValue == 2067)
        #expect(doubled?.sql == "INSERT INTO t VALUES (?)")
        let negative = #expect(throws: DatabaseError.self) {
            try connection.run("INSERT INTO t VALUES (?)", -1)
        }
        #expect(negative?.code.rawValue == 275)
        var isConstraint = false
        if case .constraint? = negative?.code { isConstraint = true }
        #expect(isConstraint)
    }

    @Test("in a snapshot every question is about one moment, whatever others write meanwhile")
    func snapshot() throws {
        let (reader, writer) = (try open(), try open())
        try writer.script(
            "PRAGMA journal_mode = WAL; CREATE TABLE t (a INTEGER) STRICT; INSERT INTO t VALUES (1)")
        func sum() throws -> Int? { try reader.first("SELECT sum(a) FROM t") { try $0.get(0, as: Int.self) } }
        try reader.snapshot {
            #expect(try sum() == 1)
            try writer.run("INSERT INTO t VALUES (10)")
            #expect(try sum() == 1)
        }
        #expect(try sum() == 11)
        #expect(throws: DatabaseError.self) { try reader.snapshot { try reader.run("SELECT nothing") } }
        #expect(try sum() == 11, "and it is over when it throws")
        try reader.run("INSERT INTO t VALUES (100)")
        #expect(try sum() == 111)
    }

    @Test("a transaction that throws leaves nothing behind, and the next one works")
    func rollback() throws {
        struct Stop: Error {}
        let connection = try open()
        try connection.script("CREATE TABLE t (a INTEGER) STRICT")
        #expect(throws: Stop.self) {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES (1)")
                throw Stop()
            }
        }
        try connection.transaction { try connection.run("INSERT INTO t VALUES (2)") }
        let rows = try connection.all("SELECT a FROM t") { row in try row.get(0, as: Int.self) }
        #expect(rows == [2])
    }

    @Test("a statement that was left in the middle of its rows can be used again, also inside itself")
    func reuse() throws {
        let connection = try open()
        try connection.script("CREATE TABLE t (a INTEGER) STRICT; INSERT INTO t VALUES (1), (2), (3)")
        let sql = "SELECT a FROM t WHERE a >= ? ORDER BY a"
        var seen: [[Int]] = []
        try connection.each(sql, 1) { row in
            let from = try row.get(0, as: Int.self)
            seen.append(try connection.all(sql, from) { row in try row.get(0, as: Int.self) })
        }
        #expect(seen == [[1, 2, 3], [2, 3], [3]])
        #expect(try connection.first(sql, 2) { row in try row.get(0, as: Int.self) } == 2)
        #expect(try connection.first(sql, 3) { row in try row.get(0, as: Int.self) } == 3)
    }

    @Test("what is put into SQL stays a value")
    func injection() throws {
        let connection = try open()
        try connection.script("CREATE TABLE t (a TEXT) STRICT")
        let name = "'); DROP TABLE t; --"
        try connection.run("INSERT INTO t VALUES (?)", name)
        #expect(try connection.first("SELECT a FROM t") { row in try row.get(0, as: String.self) } == name)
    }
}
