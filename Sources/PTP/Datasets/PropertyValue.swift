/// The type of a property's value (PIMA 15740 §5.3).
public struct DataTypeCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let int8 = DataTypeCode(rawValue: 0x0001)
    public static let uint8 = DataTypeCode(rawValue: 0x0002)
    public static let int16 = DataTypeCode(rawValue: 0x0003)
    public static let uint16 = DataTypeCode(rawValue: 0x0004)
    public static let int32 = DataTypeCode(rawValue: 0x0005)
    public static let uint32 = DataTypeCode(rawValue: 0x0006)
    public static let int64 = DataTypeCode(rawValue: 0x0007)
    public static let uint64 = DataTypeCode(rawValue: 0x0008)
    public static let int128 = DataTypeCode(rawValue: 0x0009)
    public static let uint128 = DataTypeCode(rawValue: 0x000A)
    public static let string = DataTypeCode(rawValue: 0xFFFF)

    private static let arrayFlag: UInt16 = 0x4000

    public var isArray: Bool { self != .string && rawValue & Self.arrayFlag != 0 }
    public var element: DataTypeCode { DataTypeCode(rawValue: rawValue & ~Self.arrayFlag) }
    public var array: DataTypeCode { DataTypeCode(rawValue: rawValue | Self.arrayFlag) }

    /// Bytes of one number of this type; nothing for strings, arrays and unknown types.
    var numberLength: Int? {
        guard (0x0001...0x000A).contains(rawValue) else { return nil }
        return 1 << ((Int(rawValue) - 1) / 2)
    }

    var isSigned: Bool { rawValue & 1 == 1 }
}

extension DataTypeCode: CustomStringConvertible {
    public var description: String {
        if self == .string { return "string" }
        guard let length = element.numberLength else { return Hex.code(rawValue) }
        return "\(element.isSigned ? "int" : "uint")\(8 * length)\(isArray ? "[]" : "")"
    }
}

/// A property's value. Its width is the type's business and travels beside it.
public enum PropertyValue: Hashable, Sendable {
    case signed(Int128)
    case unsigned(UInt128)
    case string(String)
    case array([PropertyValue])
}

extension PropertyValue: CustomStringConvertible {
    public var description: String {
        switch self {
        case .signed(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .string(let text): "\"\(text)\""
        case .array(let elements): "[\(elements.map(\.description).joined(separator: ", "))]"
        }
    }
}

extension ByteReader {
    public mutating func value(of type: DataTypeCode, _ field: StaticString) throws(ReadFailure)
        -> PropertyValue
    {
        if type == .string { return .string(try string(field)) }
        guard let length = type.element.numberLength else {
            throw ReadFailure(
                field: field, offset: offset, problem: .unexpected(value: UInt64(type.rawValue)))
        }
        guard type.isArray else { return try number(type, field) }
        let count = try count(field, limit: DatasetLimits.propertyElements, elementLength: length)
        var elements: [PropertyValue] = []
        for _ in 0..<count { elements.append(try number(type.element, field)) }
        return .array(elements)
    }

    /// What a property may become: how many values, and those.
    mutating func values(of type: DataTypeCode, _ field: StaticString) throws(ReadFailure) -> [PropertyValue]
    {
        let count: UInt16 = try integer("NumberOfValues")
        var values: [PropertyValue] = []
        for _ in 0..<count { values.append(try value(of: type, field)) }
        return values
    }

    private mutating func number(_ type: DataTypeCode, _ field: StaticString) throws(ReadFailure)
        -> PropertyValue
    {
        switch type {
        case .int8: .signed(Int128(try integer(field, as: Int8.self)))
        case .int16: .signed(Int128(try integer(field, as: Int16.self)))
        case .int32: .signed(Int128(try integer(field, as: Int32.self)))
        case .int64: .signed(Int128(try integer(field, as: Int64.self)))
        case .int128: .signed(try integer(field))
        case .uint8: .unsigned(UInt128(try integer(field, as: UInt8.self)))
        case .uint16: .unsigned(UInt128(try integer(field, as: UInt16.self)))
        case .uint32: .unsigned(UInt128(try integer(field, as: UInt32.self)))
        case .uint64: .unsigned(UInt128(try integer(field, as: UInt64.self)))
        default: .unsigned(try integer(field))
        }
    }
}

extension ByteWriter {
    mutating func append(_ values: [PropertyValue], eachAs type: DataTypeCode) {
        append(UInt16(truncatingIfNeeded: values.count))
        for value in values { append(value, as: type) }
    }

    /// The caller sees to it that the value is of the type; a number too large for it loses its upper bits.
    public mutating func append(_ value: PropertyValue, as type: DataTypeCode) {
        switch value {
        case .string(let text):
            append(text)
        case .array(let elements):
            append(UInt32(elements.count))
            for element in elements { append(element, as: type.element) }
        case .signed(let number):
            appendLow(type.numberLength ?? 16, of: UInt128(bitPattern: number))
        case .unsigned(let number):
            appendLow(type.numberLength ?? 16, of: number)
        }
    }

    private mutating func appendLow(_ count: Int, of number: UInt128) {
        for index in 0..<count { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
}
