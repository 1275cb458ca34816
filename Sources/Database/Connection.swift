import CSQLite
import Glibc

/// One connection to one SQLite file. Not thread-safe: it belongs to one actor or one thread, which may block.
public final class Connection {
    public enum Mode: Sendable {
        /// Made if it is missing. There is exactly one such connection to a database at any time: SQLite 3.40 knows a
        /// rare corruption of the log when several write or checkpoint.
        case readWrite
        /// Looks, and changes nothing.
        case readOnly
        /// Looks at a file that no process writes, without making the files of a log beside it.
        case immutable
    }

    /// Statements kept prepared. The program's own are a few dozen; more than this are generated SQL.
    private static let mostStatements = 128
    private static let busyMilliseconds: Int32 = 5000

    public let path: String
    let handle: OpaquePointer
    private var statements: [String: Statement] = [:]
    private var isInTransaction = false

    private static let isSetUp = tl_sqlite_count_no_memory() == SQLITE_OK

    public init(path: String, _ mode: Mode) throws(DatabaseError) {
        precondition(Self.isSetUp, "SQLite was used before it was set up")
        self.path = path
        // The connection stays on one thread: SQLite need not lock against others.
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI
        switch mode {
        case .readWrite: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .readOnly, .immutable: flags |= SQLITE_OPEN_READONLY
        }
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(Self.uri(path, mode), &handle, flags, nil)
        guard let handle else {
            throw DatabaseError(.internalError, "no memory for a connection", path: path)
        }
        guard code == SQLITE_OK else {
            let message = String(cString: sqlite3_errmsg(handle))
            let systemNumber = sqlite3_system_errno(handle)
            sqlite3_close_v2(handle)
            throw DatabaseError(
                ResultCode(rawValue: code), message, path: path, systemNumber: systemNumber)
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, Self.busyMilliseconds)
        tl_sqlite_distrust_schema(handle)
        if mode != .readWrite { tl_sqlite_leave_log_alone(handle) }
    }

    deinit {
        statements = [:]
        sqlite3_close_v2(handle)
    }

    /// "file:" with every byte escaped that a URI could give a meaning to.
    private static func uri(_ path: String, _ mode: Mode) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-~".utf8)
        let escaped = path.utf8.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return plain.contains(byte)
                ? String(Unicode.Scalar(byte)) : "%" + (digits.count == 1 ? "0" : "") + digits
        }
        return "file:" + escaped.joined() + (mode == .immutable ? "?immutable=1" : "")
    }

    func error(sql: String?) -> DatabaseError {
        if sqlite3_errcode(handle) & 0xFF == SQLITE_CORRUPT, let failure = diskFailure(sql: sql) {
            return failure
        }
        return DatabaseError(
            ResultCode(rawValue: sqlite3_extended_errcode(handle)), String(cString: sqlite3_errmsg(handle)),
            sql: sql, path: path,
            systemNumber: Self.blames(sqlite3_errcode(handle)) ? sqlite3_system_errno(handle) : 0)
    }

    /// SQLite tells a page that the disk could not read as damage of the file (SQLITE_IOERR_CORRUPTFS becomes SQLITE_CORRUPT),
    /// and a sound file would be thrown away for that. The file, or its log, still knows what the system said.
    func diskFailure(sql: String?) -> DatabaseError? {
        var numbers: [Int32] = []
        var number: Int32 = 0
        if sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK {
            numbers.append(number)
        }
        var log: UnsafeMutablePointer<sqlite3_file>?
        if sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK, let log,
            let methods = log.pointee.pMethods,
            methods.pointee.xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK
        {
            numbers.append(number)
        }
        return numbers.first { $0 == EIO || $0 == ENXIO }.map { number in
            DatabaseError(
                .inputOutput, "the disk cannot be read", sql: sql, path: path, systemNumber: number)
        }
    }

    /// The number stays from the last call that failed; only these failures are about the system.
    private static func blames(_ code: Int32) -> Bool {
        code == SQLITE_CANTOPEN || code == SQLITE_IOERR
    }

    // MARK: Statements

    /// Runs a statement for what it does.
    public func run(_ sql: String, _ values: (any Storable)...) throws {
        try statement(sql).run(values) { _ in true }
    }

    /// The first row, made into something; nothing when there is none.
    public func first<Result>(
        _ sql: String, _ values: any Storable..., as make: (Row) throws -> Result
    ) throws -> Result? {
        var result: Result?
        try statement(sql).run(values) { row in
            result = try make(row)
            return false
        }
        return result
    }

    /// Every row, made into something.
    public func all<Result>(
        _ sql: String, _ values: any Storable..., as make: (Row) throws -> Result
    ) throws -> [Result] {
        var results: [Result] = []
        try statement(sql).run(values) { row in
            results.append(try make(row))
            return true
        }
        return results
    }

    /// Row by row, for what need not fit into memory.
    public func each(
        _ sql: String, _ values: any Storable..., body: (Row) throws -> Void
    ) throws {
        try statement(sql).run(values) { row in
            try body(row)
            return true
        }
    }

    /// Several statements that take no values: schemas, pragmas.
    public func script(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error(sql: sql) }
    }

    /// How many rows the last statement changed.
    public var changes: Int { Int(sqlite3_changes64(handle)) }

    public var lastInsertedID: Int64 { sqlite3_last_insert_rowid(handle) }

    func step(_ sql: String, _ values: [any Storable], _ body: (Row) throws -> Bool) throws {
        try statement(sql).run(values, body)
    }

    private func statement(_ sql: String) throws(DatabaseError) -> Statement {
        if let known = statements[sql] {
            // A caller in the middle of its rows runs the same statement again.
            return known.isRunning ? try Statement(sql, on: self) : known
        }
        if statements.count >= Self.mostStatements { statements = statements.filter { $0.value.isRunning } }
        let new = try Statement(sql, on: self)
        statements[sql] = new
        return new
    }

    // MARK: Transactions

    /// All of `body` or nothing of it. Takes the right to write at once, so that it cannot be refused half-way.
    public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try between("BEGIN IMMEDIATE", body)
    }

    /// Many questions about one moment. Each by itself would take and release the locks of the database.
    /// Its planner takes no settings.
    public func snapshot<Result>(settings _: [String], _ body: () throws -> Result) throws -> Result {
        try between("BEGIN", body)
    }

    private func between<Result>(_ beginning: String, _ body: () throws -> Result) throws -> Result {
        precondition(!isInTransaction, "transactions do not nest")
        try run(beginning)
        isInTransaction = true
        defer { isInTransaction = false }
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // A full disk has undone it already; then there is nothing left to roll back.
            if sqlite3_get_autocommit(handle) == 0 { try run("ROLLBACK") }
            throw error
        }
    }
}
