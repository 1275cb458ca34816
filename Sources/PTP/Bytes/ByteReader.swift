/// Reads little-endian values from the front of a slice and never past its end.
///
/// A failed read leaves the cursor where it was and throws what was missing and where, so that the
/// caller can turn it into a ``Malformed`` that names the packet or dataset.
public struct ByteReader: Sendable {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        self.position = bytes.startIndex
    }

    public init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    /// How many bytes have been read, counted from the start of the slice.
    public var offset: Int { position - bytes.startIndex }

    /// How many bytes are left.
    public var remaining: Int { bytes.endIndex - position }

    public var isAtEnd: Bool { remaining == 0 }

    /// The bytes that are left, without reading them.
    public var rest: ArraySlice<UInt8> { bytes[position...] }

    public mutating func take(_ count: Int, _ field: StaticString) throws(ReadFailure) -> ArraySlice<UInt8> {
        guard count >= 0, count <= remaining else {
            throw ReadFailure(field: field, offset: offset, problem: .tooShort(needs: count, has: remaining))
        }
        defer { position += count }
        return bytes[position..<position + count]
    }

    /// Reads an integer of any width.
    public mutating func integer<Value: FixedWidthInteger>(
        _ field: StaticString, as type: Value.Type = Value.self
    ) throws(ReadFailure) -> Value {
        var value: Value = 0
        // Most significant byte last, so walk backwards.
        for byte in try take(Value.bitWidth / 8, field).reversed() {
            value = (Value.bitWidth > 8 ? value << 8 : 0) | Value(truncatingIfNeeded: byte)
        }
        return value
    }
}

/// What could not be read, before it is known which packet or dataset it belonged to.
public struct ReadFailure: Error, Equatable, Sendable {
    public enum Problem: Equatable, Sendable {
        case tooShort(needs: Int, has: Int)
        case tooMany(count: UInt64, limit: UInt64)
        /// A length that no packet of this kind can have.
        case outside(value: UInt64, allowed: ClosedRange<UInt64>)
        case unexpected(value: UInt64)
    }

    public let field: String
    public let offset: Int
    public let problem: Problem

    public init(field: StaticString, offset: Int, problem: Problem) {
        self.field = "\(field)"
        self.offset = offset
        self.problem = problem
    }
}

extension ReadFailure: CustomStringConvertible {
    public var description: String {
        switch problem {
        case .tooShort(let needs, let has):
            "\(field) at offset \(offset) needs \(needs) bytes and \(has) are left"
        case .tooMany(let count, let limit):
            "\(field) at offset \(offset) claims \(count) elements, at most \(limit) are possible here"
        case .outside(let value, let allowed):
            "\(field) at offset \(offset) is \(value), possible is \(allowed.lowerBound) to \(allowed.upperBound)"
        case .unexpected(let value):
            "\(field) at offset \(offset) has the value \(value), which it cannot have"
        }
    }
}
