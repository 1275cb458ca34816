import Glibc

/// The driver for SQLite.
extension Connection: SQLSession {
    public var dialect: SQLDialect { .sqlite }

    @discardableResult
    public func execute(
        _ sql: String, _ values: [any Storable], _ body: (any SQLRow) throws -> Bool
    ) throws -> Int {
        try step(sql, values) { try body($0) }
        return changes
    }
}

extension Row: SQLRow {
    public func value(_ column: String) throws -> Value { statement.value(try statement.place(of: column)) }

    public func mismatch(_ column: String, _ value: Value, _ wanted: String) -> any Error {
        statement.error(.mismatch, "column \(column) holds \(value), not \(wanted)")
    }
}

extension DatabaseError: SQLError {
    /// <https://sqlite.org/rescode.html>; a primary key is unique as well, and a trigger says what a CHECK would.
    public var failure: SQLFailure {
        switch code {
        case .uniqueViolated, .primaryKeyViolated, .rowidViolated: .uniqueViolated
        case .foreignKeyViolated: .foreignKeyViolated
        case .constraint: .checkViolated
        case .busy: .busy
        case .full, .noRoomForLogIndex: .noRoom
        default: [ENOSPC, EDQUOT].contains(systemNumber) ? .noRoom : .other
        }
    }
}

extension ResultCode {
    static let foreignKeyViolated = ResultCode(rawValue: 787)
    static let primaryKeyViolated = ResultCode(rawValue: 1555)
    static let uniqueViolated = ResultCode(rawValue: 2067)
    static let rowidViolated = ResultCode(rawValue: 2579)
}
