import CSQLite

/// A prepared statement. Belongs to its connection and is used on its thread.
final class Statement {
    let sql: String
    private let handle: OpaquePointer
    private unowned let connection: Connection
    /// A statement that is being stepped through cannot be started again.
    private(set) var isRunning = false
    /// The columns of its result, in their order; read when the first is asked for by its name.
    private lazy var columns: [String] = (0..<sqlite3_column_count(handle)).map { column in
        sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
    }
    /// Where the next name is looked for first: rows are mostly read in the order of their columns.
    private var nextColumn = 0

    init(_ sql: String, on connection: Connection) throws(DatabaseError) {
        self.sql = sql
        self.connection = connection
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK else { throw connection.error(sql: sql) }
        guard let handle else {
            throw DatabaseError(
                .misuse, "there is no statement in this text", sql: sql, path: connection.path)
        }
        self.handle = handle
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Runs it, giving each row to `body` until that says false. The statement is ready again afterwards, whatever
    /// happened.
    func run(_ values: [any Storable], _ body: (Row) throws -> Bool) throws {
        precondition(!isRunning, "a statement was started while it was running: \(sql)")
        isRunning = true
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
            isRunning = false
        }
        precondition(
            Int(sqlite3_bind_parameter_count(handle)) == values.count, "one value for each place: \(sql)")
        for (index, value) in values.enumerated() { try bind(value.stored, at: Int32(index + 1)) }
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: if try !body(Row(statement: self)) { return }
            case SQLITE_DONE: return
            default: throw connection.error(sql: sql)
            }
        }
    }

    private func bind(_ value: Value, at index: Int32) throws(DatabaseError) {
        let code =
            switch value {
            case .null: sqlite3_bind_null(handle, index)
            case .integer(let number): sqlite3_bind_int64(handle, index, number)
            case .real(let number): sqlite3_bind_double(handle, index, number)
            case .text(let text): bind(text, at: index)
            case .blob(let bytes):
                bytes.isEmpty
                    ? sqlite3_bind_zeroblob(handle, index, 0)
                    : tl_sqlite_bind_blob(handle, index, bytes, Int32(bytes.count))
            }
        guard code == SQLITE_OK else { throw connection.error(sql: sql) }
    }

    /// With its length, so that a NUL inside a camera's name does not cut it.
    private func bind(_ text: String, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            guard let base = bytes.baseAddress else { return tl_sqlite_bind_text(handle, index, "", 0) }
            return base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                tl_sqlite_bind_text(handle, index, $0, Int32(bytes.count))
            }
        }
    }

    func place(of column: String) throws(DatabaseError) -> Int32 {
        if nextColumn >= columns.count { nextColumn = 0 }
        if columns.isEmpty || columns[nextColumn] != column {
            guard let place = columns.firstIndex(of: column) else {
                throw error(.misuse, "there is no column \(column)")
            }
            nextColumn = place
        }
        defer { nextColumn += 1 }
        return Int32(nextColumn)
    }

    func value(_ column: Int32) -> Value {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
        case SQLITE_TEXT:
            let bytes = UnsafeRawBufferPointer(
                start: sqlite3_column_text(handle, column), count: Int(sqlite3_column_bytes(handle, column)))
            return .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            return .blob(
                Array(
                    UnsafeRawBufferPointer(
                        start: sqlite3_column_blob(handle, column),
                        count: Int(sqlite3_column_bytes(handle, column)))))
        default: return .null
        }
    }

    func error(_ code: ResultCode, _ message: String) -> DatabaseError {
        DatabaseError(code, message, sql: sql, path: connection.path)
    }
}
