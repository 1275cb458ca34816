/// JSON as a value whose objects keep their order, for output that people and programs read.
public enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([(key: String, value: JSONValue)])

    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        left.compact == right.compact
    }

    /// On one line, without spaces.
    public var compact: String {
        var text: [UInt8] = []
        write(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private func write(to text: inout [UInt8]) {
        switch self {
        case .null: text += "null".utf8
        case .bool(let value): text += (value ? "true" : "false").utf8
        case .integer(let value): text += String(value).utf8
        case .unsigned(let value): text += String(value).utf8
        // JSON has no infinities; what cannot be said is not known.
        case .double(let value): text += (value.isFinite ? "\(value)" : "null").utf8
        case .string(let value): JSONValue.quote(value, to: &text)
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                element.write(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                JSONValue.quote(member.key, to: &text)
                text.append(UInt8(ascii: ":"))
                member.value.write(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    /// "All characters may be placed within the quotation marks, except quotation mark, reverse solidus and the
    /// control characters" (RFC 8259 §7).
    private static func quote(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        if mayNeedEscape(string.utf8.span) {
            for scalar in string.unicodeScalars { escape(scalar, to: &text) }
        } else {
            // Nearly every text.
            text += string.utf8
        }
        text.append(UInt8(ascii: "\""))
    }

    private static func mayNeedEscape(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where mayNeedEscape(bytes[index]) { return true }
        return false
    }

    /// 0xC2 and 0xE2 begin those characters beyond ASCII that are escaped, and others.
    private static func mayNeedEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
            || byte == 0xC2
            || byte == 0xE2
    }

    private static func escape(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
        switch scalar {
        case "\"": text += "\\\"".utf8
        case "\\": text += "\\\\".utf8
        case "\n": text += "\\n".utf8
        case "\r": text += "\\r".utf8
        case "\t": text += "\\t".utf8
        case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
            let digits = String(scalar.value, radix: 16)
            text += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
        default: text += String(scalar).utf8
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { (key: $0.0, value: $0.1) })
    }

    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }
}

extension JSONValue {
    public static func optional<Value>(_ value: Value?, _ wrap: (Value) -> JSONValue) -> JSONValue {
        value.map(wrap) ?? .null
    }
}

extension JSONValue {
    /// The member of an object; nothing when there is none or this is no object.
    public subscript(_ key: String) -> JSONValue? {
        members?.first { $0.key == key }?.value
    }

    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .unsigned(let value): Int64(exactly: value)
        default: nil
        }
    }

    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    public var members: [(key: String, value: JSONValue)]? {
        if case .object(let value) = self { value } else { nil }
    }
}
