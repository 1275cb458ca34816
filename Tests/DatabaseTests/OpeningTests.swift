import Database
import TestSupport
import Testing

/// What is there is refused when it is not ours or not whole, and not a byte of it changes.
@Suite struct OpeningTests {
    static let ours = Migrations(
        applicationID: 0x5445_5448,
        steps: ["CREATE TABLE a (x INTEGER) STRICT", "ALTER TABLE a ADD COLUMN y TEXT"], advice: advice)
    private static let advice = OpeningAdvice(goElsewhere: "look elsewhere", update: "ours serve")

    let folder: TemporaryFolder
    var path: String { "\(folder.path)/db.sqlite" }

    init() throws {
        folder = try TemporaryFolder()
    }

    func open(_ migrations: Migrations = ours) throws -> Connection {
        try Connection.open(path: path, migrations)
    }

    func contents() throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for name in folder.contents() { contents[name] = try readFile(folder.file(name)) }
        return contents
    }

    /// Refused, and everything in the folder is as it was.
    func expectRefusal(_ migrations: Migrations = ours, _ isExpected: (Refusal) -> Bool) throws {
        let before = try contents()
        let refusal = #expect(throws: Refusal.self) { try open(migrations) }
        if let refusal { #expect(isExpected(refusal), "\(refusal)") }
        #expect(try contents() == before)
    }

    @Test("a new file gets every step; an older one the steps it lacks; opening again changes nothing")
    func migrates() throws {
        let first = Migrations(
            applicationID: Self.ours.applicationID, steps: [Self.ours.steps[0]], advice: Self.advice)
        do {
            let connection = try open(first)
            try connection.run("INSERT INTO a VALUES (7)")
            #expect(try connection.pragma("user_version") == 1)
        }
        for _ in 0..<2 {
            let connection = try open()
            #expect(try connection.pragma("user_version") == 2)
            #expect(
                try connection.first("SELECT x, y FROM a") { row in
                    (try row.get(0, as: Int.self), try row.get(1, as: String?.self))
                }.map { $0.0 == 7 && $0.1 == nil } == true)
        }
    }

    @Test("a step that fails half-way leaves the version before it")
    func failedStep() throws {
        _ = try open()
        let broken = Migrations(
            applicationID: Self.ours.applicationID,
            steps: Self.ours.steps + ["CREATE TABLE b (x INTEGER) STRICT; CREATE TABLE a (x INTEGER) STRICT"],
            advice: Self.advice)
        #expect(throws: DatabaseError.self) { try open(broken) }
        let connection = try open()
        #expect(try connection.pragma("user_version") == 2)
        #expect(try connection.first("SELECT 1 FROM sqlite_master WHERE name = 'b'") { _ in true } == nil)
    }

    @Test("a newer database is refused untouched")
    func newer() throws {
        let next = Migrations(
            applicationID: Self.ours.applicationID,
            steps: Self.ours.steps + ["CREATE TABLE c (x INTEGER) STRICT"], advice: Self.advice)
        _ = try open(next)
        try expectRefusal { if case .newer(3, 2) = $0.reason { true } else { false } }
    }

    @Test("another program's database is refused untouched, with and without an application id of its own")
    func foreign() throws {
        do {
            let other = try Connection(path: path, .readWrite)
            try other.script("CREATE TABLE bookmarks (url TEXT)")
        }
        try expectRefusal { if case .foreign = $0.reason { true } else { false } }
        do {
            let other = try Connection(path: path, .readWrite)
            try other.script("PRAGMA application_id = 252006675")
        }
        try expectRefusal { if case .foreign(252_006_675) = $0.reason { true } else { false } }
    }

    @Test("a text file under the database's name is refused untouched")
    func noDatabase() throws {
        try folder.write(Array(String(repeating: "not a database\n", count: 100).utf8), to: "db.sqlite")
        try expectRefusal { if case .damaged = $0.reason { true } else { false } }
    }

    @Test("a database with damage in its middle is refused untouched")
    func damaged() throws {
        do {
            let connection = try open()
            try connection.transaction {
                for number in 0..<5000 {
                    try connection.run(
                        "INSERT INTO a VALUES (?, ?)", number, String(repeating: "y", count: 50))
                }
            }
        }
        var bytes = try readFile(path)
        #expect(bytes.count > 200_000)
        for position in 100_000..<108_192 { bytes[position] = UInt8(truncatingIfNeeded: position &* 31) }
        try folder.write(bytes, to: "db.sqlite")
        try expectRefusal { if case .damaged = $0.reason { true } else { false } }
    }

    @Test("a reader changes nothing of an older database, and names what brings it up to date")
    func older() throws {
        _ = try open(
            Migrations(
                applicationID: Self.ours.applicationID, steps: [Self.ours.steps[0]], advice: Self.advice))
        let before = try contents()
        let refusal = #expect(throws: Refusal.self) {
            try Connection.openForReading(path: path, Self.ours)
        }
        #expect(refusal?.reason == .older(version: 1, known: 2))
        #expect(refusal?.description.contains("start 'ours serve' once") == true)
        #expect(try contents() == before)
    }

    @Test("a reader sees what the writer has committed, and cannot write")
    func reader() throws {
        do {
            let connection = try open()
            try connection.run("INSERT INTO a VALUES (1, 'one')")
        }
        let before = try contents()
        let reader = try Connection.openForReading(path: path, Self.ours)
        #expect(try reader.first("SELECT y FROM a") { row in try row.get(0, as: String.self) } == "one")
        let refused = #expect(throws: DatabaseError.self) { try reader.run("DELETE FROM a") }
        #expect(refused?.code.primary == .readOnly)
        #expect(try contents()["db.sqlite"] == before["db.sqlite"])

        let writer = try open()
        try writer.run("INSERT INTO a VALUES (2, 'two')")
        let beside = try Connection.openForReading(path: path, Self.ours)
        #expect(try beside.first("SELECT count(*) FROM a") { row in try row.get(0, as: Int.self) } == 2)
        try writer.run("INSERT INTO a VALUES (3, 'three')")
        #expect(try beside.first("SELECT count(*) FROM a") { row in try row.get(0, as: Int.self) } == 3)
    }

    @Test("an online backup is whole while the writer goes on, and the sqlite3 program finds it in order")
    func backup() throws {
        let connection = try open()
        try connection.transaction {
            for number in 0..<1000 { try connection.run("INSERT INTO a VALUES (?, 'x')", number) }
        }
        let reader = try Connection.openForReading(path: path, Self.ours)
        let copy = "\(folder.path)/copy.sqlite"
        try reader.backUp(to: copy)
        try connection.run("INSERT INTO a VALUES (1000, 'later')")
        if let judge = Tool("sqlite3") {
            let said = try judge.run([
                copy, "PRAGMA integrity_check; SELECT count(*) FROM a; PRAGMA journal_mode",
            ])
            #expect(said.text == "ok\n1000\ndelete\n")
        }
        let reopened = try Connection(path: copy, .readOnly)
        #expect(try reopened.first("SELECT count(*) FROM a") { row in try row.get(0, as: Int.self) } == 1000)
    }
}
