/// What a column can hold.
public enum Value: Equatable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

/// What can be put into a statement's place and taken out of a column.
public protocol Storable: Sendable {
    var stored: Value { get }
    /// Nothing when the column holds something of another kind.
    init?(stored value: Value)
}

extension Value: Storable {
    public var stored: Value { self }

    public init?(stored value: Value) {
        self = value
    }
}

extension Int64: Storable {
    public var stored: Value { .integer(self) }

    public init?(stored value: Value) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
}

extension Int: Storable {
    public var stored: Value { .integer(Int64(self)) }

    public init?(stored value: Value) {
        guard case .integer(let number) = value else { return nil }
        self.init(exactly: number)
    }
}

/// Sizes of files; nothing that has one reaches 2^63.
extension UInt64: Storable {
    public var stored: Value { .integer(Int64(clamping: self)) }

    public init?(stored value: Value) {
        guard case .integer(let number) = value else { return nil }
        self.init(exactly: number)
    }
}

extension Bool: Storable {
    public var stored: Value { .integer(self ? 1 : 0) }

    public init?(stored value: Value) {
        guard case .integer(let number) = value, number == 0 || number == 1 else { return nil }
        self = number == 1
    }
}

extension Double: Storable {
    public var stored: Value { .real(self) }

    public init?(stored value: Value) {
        guard case .real(let number) = value else { return nil }
        self = number
    }
}

extension String: Storable {
    public var stored: Value { .text(self) }

    public init?(stored value: Value) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}

extension [UInt8]: Storable {
    public var stored: Value { .blob(self) }

    public init?(stored value: Value) {
        guard case .blob(let bytes) = value else { return nil }
        self = bytes
    }
}

extension Optional: Storable where Wrapped: Storable {
    public var stored: Value {
        // A key path would be made anew for every value.
        if let value = self { value.stored } else { .null }
    }

    @inlinable
    public init?(stored value: Value) {
        if case .null = value {
            self = .none
        } else {
            guard let wrapped = Wrapped(stored: value) else { return nil }
            self = .some(wrapped)
        }
    }
}

/// One row of a result, good while it is being looked at.
public struct Row {
    let statement: Statement

    /// The column's value as what the caller needs. A column of another kind is a damaged database, and an error.
    public func get<Result: Storable>(_ column: Int32, as type: Result.Type = Result.self)
        throws(DatabaseError)
        -> Result
    {
        let value = statement.value(column)
        guard let result = Result(stored: value) else {
            throw statement.error(.mismatch, "column \(column) holds \(value), not \(Result.self)")
        }
        return result
    }
}
