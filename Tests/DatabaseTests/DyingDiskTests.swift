import Database
import Glibc
import TestSupport
import Testing

/// What the system says of a file's disk, and what another program has done to the file, are told apart from damage.
@Suite struct DyingDiskTests {
    let folder: TemporaryFolder
    var path: String { folder.file("db.sqlite") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func filled(_ script: String = "") throws -> Connection {
        let connection = try Connection(path: path, .readWrite)
        try connection.script("\(script); CREATE TABLE a (x TEXT) STRICT")
        try connection.transaction {
            for number in 0..<1000 {
                try connection.run(
                    "INSERT INTO a VALUES (?)", String(repeating: "\(number % 10)", count: 100))
            }
        }
        return connection
    }

    private func sum(_ connection: Connection) throws -> Int? {
        try connection.first("SELECT sum(length(x)) FROM a") { row in try row.get(0, as: Int.self) }
    }

    /// The kernel answers a read with EIO from now on: what lies below every process's memory cannot be read.
    private func kill(_ path: String) throws {
        let memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC)
        try #require(memory >= 0)
        defer { close(memory) }
        var hasFound = false
        for number in Int32(3)..<4096 {
            var target = [CChar](repeating: 0, count: 4096)
            let length = readlink("/proc/self/fd/\(number)", &target, target.count - 1)
            guard length > 0,
                String(decoding: target.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self) == path
            else { continue }
            try #require(dup2(memory, number) == number)
            hasFound = true
        }
        try #require(hasFound, "no descriptor of \(path)")
    }

    @Test("a page that the disk cannot read is the disk's failure, and the file is not called malformed")
    func unreadable() throws {
        let connection = try filled()
        #expect(try sum(connection) == 100_000)
        try kill(path)
        let error = #expect(throws: DatabaseError.self) { try sum(connection) }
        #expect(error?.code.primary == .inputOutput, "\(String(describing: error))")
        #expect(error?.systemNumber == EIO)
        #expect(error?.description.contains("malformed") == false)
        #expect(error?.advice.contains("move the home") == true)
    }

    @Test("a log that another program cut off is told as that, and not as a dying disk")
    func cutOff() throws {
        let writer = try filled("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        #expect(try sum(writer) == 100_000)
        try #require(truncate("\(path)-wal", 4096) == 0)
        let reader = try Connection(path: path, .readOnly)
        let error = #expect(throws: DatabaseError.self) { try sum(reader) }
        #expect(error?.code == .shortRead, "\(String(describing: error))")
        #expect(error?.advice.hasPrefix("Another program has written to this file") == true)
    }

    @Test(
        "a disk without room for what lies beside the file is told as full, and not as a dying one",
        .enabled(if: SmallDisk.canMount, "mounting takes root"))
    func full() throws {
        let disk = try SmallDisk(at: folder.file("disk"), megabytes: 1)
        let path = folder.file("disk/db.sqlite")
        try {
            let writer = try Connection(path: path, .readWrite)
            try writer.script("PRAGMA journal_mode = WAL; CREATE TABLE a (x TEXT) STRICT")
        }()
        try disk.leave(0)
        let error = #expect(throws: DatabaseError.self) {
            try Connection(path: path, .readWrite).script("INSERT INTO a VALUES ('x')")
        }
        #expect(error?.failure == .noRoom, "\(String(describing: error))")
        #expect(error?.advice.hasPrefix("Free some space on that disk") == true)
        // It passes when there is room.
        try disk.leave(nil)
        try Connection(path: path, .readWrite).script("INSERT INTO a VALUES ('x')")
    }

    @Test(
        "what helps is said by the system's number where there is one",
        arguments: [
            (ENOSPC, "Free some space"), (EDQUOT, "Free some space"), (EROFS, "Give this user the right"),
            (EACCES, "Give this user the right"), (EMFILE, "ulimit -n"), (EIO, "The disk reports errors"),
            (0, "The disk reports errors"),
        ])
    func numbers(number: Int32, cure: String) {
        let error = DatabaseError(.inputOutput, "disk I/O error", path: "p", systemNumber: number)
        #expect(error.advice.contains(cure), "\(error.advice)")
    }

    @Test("a page of nonsense is damage, on a disk that is well")
    func nonsense() throws {
        try { _ = try filled() }()
        let file = open(path, O_WRONLY | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        let noise = [UInt8](repeating: 0xA5, count: 4096)
        try #require(pwrite(file, noise, noise.count, 4096) == noise.count)
        let error = #expect(throws: DatabaseError.self) { try sum(Connection(path: path, .readOnly)) }
        #expect(error?.code.primary == .corrupt, "\(String(describing: error))")
    }
}
