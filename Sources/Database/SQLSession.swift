/// One connection to a database, whatever engine answers it. It belongs to one actor or one thread, which may block.
///
/// What is written against this knows statements, rows by the names of their columns, transactions and what a failure
/// means, and no engine's interface. ``Connection`` is the driver for SQLite.
public protocol SQLSession: AnyObject {
    /// How this engine writes what SQL's dialects write differently.
    var dialect: SQLDialect { get }

    /// Runs one statement, giving each row to `body` until that says false. Returns how many rows it has changed.
    @discardableResult
    func execute(
        _ sql: String, _ values: [any Storable], _ body: (any SQLRow) throws -> Bool
    ) throws -> Int

    /// All of `body` or nothing of it, with the right to write from its beginning on.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result

    /// Many questions about one moment. An engine whose planner takes settings ("enable_seqscan = off") has these until the end.
    func snapshot<Result>(settings: [String], _ body: () throws -> Result) throws -> Result
}

/// One row of a result, good while it is being looked at.
public protocol SQLRow {
    func value(_ column: String) throws -> Value
    /// What a column holds that has to be there, as an error that names it.
    func mismatch(_ column: String, _ value: Value, _ wanted: String) -> any Error
}

// What follows is made anew for each type that a caller asks for: a photo has forty columns, a page a hundred photos.

extension SQLRow {
    /// The column's value as what the caller needs. A column of another kind is a damaged database, and an error.
    @inlinable @inline(__always)
    public subscript<Result: Storable>(_ column: String) -> Result {
        get throws {
            let value = try value(column)
            guard let result = Result(stored: value) else {
                throw mismatch(column, value, "\(Result.self)")
            }
            return result
        }
    }

    @inlinable @inline(__always)
    public func get<Result: Storable>(_ column: String, as type: Result.Type) throws -> Result {
        try self[column]
    }
}

extension SQLSession {
    public func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try snapshot(settings: [], body)
    }

    /// Runs a statement for what it does. Returns how many rows it has changed.
    @discardableResult
    public func run(_ sql: String, _ values: any Storable...) throws -> Int {
        try execute(sql, values) { _ in true }
    }

    /// The first row, made into something; nothing when there is none.
    public func first<Result>(
        _ sql: String, _ values: any Storable..., as make: (any SQLRow) throws -> Result
    ) throws -> Result? {
        var result: Result?
        try execute(sql, values) { row in
            result = try make(row)
            return false
        }
        return result
    }

    /// Whether there is any row.
    public func has(_ sql: String, _ values: any Storable...) throws -> Bool {
        var isThere = false
        try execute(sql, values) { _ in
            isThere = true
            return false
        }
        return isThere
    }

    /// Every row, made into something.
    public func all<Result>(
        _ sql: String, _ values: any Storable..., as make: (any SQLRow) throws -> Result
    ) throws -> [Result] {
        var results: [Result] = []
        try execute(sql, values) { row in
            results.append(try make(row))
            return true
        }
        return results
    }

    /// Row by row, for what need not fit into memory.
    public func each(
        _ sql: String, _ values: any Storable..., body: (any SQLRow) throws -> Void
    ) throws {
        try execute(sql, values) { row in
            try body(row)
            return true
        }
    }
}

/// What the dialects of SQL write differently. A statement that needs none of it is the same everywhere.
public enum SQLDialect: Sendable {
    case sqlite
    case postgres

    /// Keeps the rows of a SELECT as they are until the transaction ends. SQLite has one writer, who needs none of it.
    public var locking: String {
        switch self {
        case .sqlite: ""
        case .postgres: " FOR NO KEY UPDATE"
        }
    }

    /// All values of a column as one text: a list in JSON.
    public func list(_ column: String) -> String {
        switch self {
        case .sqlite: "json_group_array(\(column))"
        case .postgres: "coalesce(json_agg(\(column)), '[]')::text"
        }
    }

    /// The larger of two values.
    public func greater(_ left: String, _ right: String) -> String {
        switch self {
        case .sqlite: "max(\(left), \(right))"
        case .postgres: "greatest(\(left), \(right))"
        }
    }

    /// The smaller of two values.
    public func lesser(_ left: String, _ right: String) -> String {
        switch self {
        case .sqlite: "min(\(left), \(right))"
        case .postgres: "least(\(left), \(right))"
        }
    }
}

/// Why a database did not do something, by what it means for the caller rather than by an engine's number.
public enum SQLFailure: Equatable, Sendable {
    /// There is a row with that key already.
    case uniqueViolated
    /// It belongs to a row that is not there, or others belong to it.
    case foreignKeyViolated
    /// The values contradict what the schema says of them.
    case checkViolated
    /// Another connection is in the way; the same again may do.
    case busy
    /// The connection to the server ended, or there is none. A transaction that was not acknowledged is undone, or it is known
    /// that it was; the same again does no harm.
    case lost
    /// Whether it was done cannot be found out just now. Done again it might be done twice.
    case unknown
    /// The disk is full. It passes when there is room.
    case noRoom
    /// Anything else: by its own words.
    case other
}

/// What a driver throws.
public protocol SQLError: Error, CustomStringConvertible {
    var failure: SQLFailure { get }
}
