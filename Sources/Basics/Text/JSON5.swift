/// Where a text stops being JSON5, and what was expected there.
public struct JSON5Error: Error, Equatable, Sendable, CustomStringConvertible {
    /// Both count from one; a column is one Unicode scalar.
    public let line: Int
    public let column: Int
    public let problem: String

    public var description: String { "line \(line), column \(column): \(problem)" }
}

/// JSON for people: comments, bare keys and trailing commas (spec.json5.org, version 1.0.0).
/// All JSON is JSON5.
///
/// Two things are stricter than the standard. A key that comes twice is refused, because one of the two
/// would be ignored in silence; keys that Swift holds to be equal strings are the same key. Infinity, NaN
/// and numbers too large for a double are refused, because `JSONValue` cannot hold them.
public enum JSON5 {
    /// What a text may cost. The reader calls itself once for every level of `depth`.
    public struct Limits: Sendable {
        public var bytes = 1 << 20
        public var depth = 32
        /// All values, on all levels.
        public var elements = 100_000
        /// Takes JSON only (RFC 8259): for what programs say to each other. A byte order mark is refused, too.
        public var isStrict = false

        public init() {}
    }

    public static func parse(_ text: String, limits: Limits = Limits()) throws(JSON5Error) -> JSONValue {
        try check(bytes: text.utf8.count, limits)
        var reader = JSON5Reader(Array(text.unicodeScalars), limits: limits)
        return try reader.document()
    }

    /// For bytes from outside: refuses invalid UTF-8.
    public static func parse(_ bytes: [UInt8], limits: Limits = Limits()) throws(JSON5Error) -> JSONValue {
        var reader = JSON5Reader(try scalars(of: bytes, limits), limits: limits)
        return try reader.document()
    }

    static func scalars(of bytes: [UInt8], _ limits: Limits) throws(JSON5Error) -> [Unicode.Scalar] {
        try check(bytes: bytes.count, limits)
        var scalars: [Unicode.Scalar] = []
        scalars.reserveCapacity(bytes.count)
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        decoding: while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): scalars.append(scalar)
            case .emptyInput: break decoding
            case .error:
                let cursor = JSON5Cursor(scalars)
                throw cursor.error("expected UTF-8, but found bytes that are not", at: scalars.count)
            }
        }
        return scalars
    }

    private static func check(bytes: Int, _ limits: Limits) throws(JSON5Error) {
        guard bytes <= limits.bytes else {
            throw JSON5Error(
                line: 1, column: 1, problem: "expected at most \(limits.bytes) bytes, but there are \(bytes)")
        }
    }
}

/// The values: what may stand where.
struct JSON5Reader {
    private var cursor: JSON5Cursor
    private let limits: JSON5.Limits
    private var elements = 0
    /// The way to the value that is read, and what was found where: only for those who will change the text.
    private var path: [JSON5Step] = []
    private(set) var places: [JSON5Place] = []
    private let keepsPlaces: Bool

    init(_ scalars: [Unicode.Scalar], limits: JSON5.Limits, keepsPlaces: Bool = false) {
        cursor = JSON5Cursor(scalars, isStrict: limits.isStrict)
        self.limits = limits
        self.keepsPlaces = keepsPlaces
    }

    mutating func document() throws(JSON5Error) -> JSONValue {
        try cursor.skip()
        let value = try placed(nil, from: cursor.at, depth: 0)
        try cursor.skip()
        guard cursor.next == nil else { throw cursor.expected("nothing after the value") }
        return value
    }

    /// A value, and where it stands.
    private mutating func placed(
        _ step: JSON5Step?, from start: Int, depth: Int
    ) throws(JSON5Error) -> JSONValue {
        guard keepsPlaces else { return try value(depth: depth) }
        if let step { path.append(step) }
        let index = places.count
        let begin = cursor.at
        places.append(JSON5Place(path: path, start: start, value: begin..<begin))
        let read = try value(depth: depth)
        places[index].value = begin..<cursor.at
        if step != nil { path.removeLast() }
        return read
    }

    private mutating func value(depth: Int) throws(JSON5Error) -> JSONValue {
        guard let next = cursor.next else { throw cursor.expected(JSON5Reader.aValue) }
        elements += 1
        guard elements <= limits.elements else {
            throw cursor.error(
                "expected at most \(limits.elements) values, but here is one more", at: cursor.at)
        }
        switch next {
        case "{", "[":
            guard depth < limits.depth else {
                throw cursor.error(
                    "expected at most \(limits.depth) levels of objects and arrays, but here is one more",
                    at: cursor.at)
            }
            return next == "{" ? try object(depth: depth + 1) : try array(depth: depth + 1)
        case "\"": return .string(try cursor.string(quote: next))
        case "'" where !limits.isStrict: return .string(try cursor.string(quote: next))
        case "0"..."9", "-": return try cursor.number()
        case "+", ".":
            guard !limits.isStrict else { throw cursor.expected(JSON5Reader.aValue) }
            return try cursor.number()
        default: return try word()
        }
    }

    private static let aValue = "a value: an object, an array, a string, a number, true, false or null"

    private mutating func word() throws(JSON5Error) -> JSONValue {
        let start = cursor.at
        let word = cursor.word()
        switch word {
        case "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "Infinity", "NaN": throw cursor.notFinite(word, at: start)
        case "":
            throw cursor.expected(JSON5Reader.aValue)
        default:
            let found = JSON5Cursor.shown(word)
            throw cursor.error("expected \(JSON5Reader.aValue), but found \(found) without quotes", at: start)
        }
    }

    private mutating func array(depth: Int) throws(JSON5Error) -> JSONValue {
        let opened = cursor.at
        cursor.at += 1
        var values: [JSONValue] = []
        try cursor.skip()
        while !cursor.take("]") {
            guard cursor.next != nil else {
                throw cursor.expected("a value or \"]\" in the array opened at \(cursor.place(opened))")
            }
            let index = places.count
            values.append(try placed(.index(values.count), from: cursor.at, depth: depth))
            try cursor.skip()
            if cursor.take(",") {
                if keepsPlaces { places[index].comma = cursor.at - 1 }
                try cursor.skip()
                try refuseEnd("]")
            } else if cursor.next != "]" {
                throw cursor.expected("\",\" or \"]\" in the array opened at \(cursor.place(opened))")
            }
        }
        return .array(values)
    }

    private mutating func object(depth: Int) throws(JSON5Error) -> JSONValue {
        let opened = cursor.at
        cursor.at += 1
        var members: [(key: String, value: JSONValue)] = []
        var keys: Set<String> = []
        try cursor.skip()
        while !cursor.take("}") {
            let start = cursor.at
            let key = try key(opened: opened)
            guard keys.insert(key).inserted else {
                let name = JSON5Cursor.shown(key)
                throw cursor.error("expected every key once, but \(name) is here again", at: start)
            }
            try cursor.skip()
            guard cursor.take(":") else {
                throw cursor.expected("\":\" after the key \(JSON5Cursor.shown(key))")
            }
            try cursor.skip()
            let index = places.count
            members.append((key: key, value: try placed(.key(key), from: start, depth: depth)))
            try cursor.skip()
            if cursor.take(",") {
                if keepsPlaces { places[index].comma = cursor.at - 1 }
                try cursor.skip()
                try refuseEnd("}")
            } else if cursor.next != "}" {
                throw cursor.expected("\",\" or \"}\" in the object opened at \(cursor.place(opened))")
            }
        }
        return .object(members)
    }

    /// "A value separator" separates: JSON has none at the end.
    private func refuseEnd(_ bracket: Unicode.Scalar) throws(JSON5Error) {
        if limits.isStrict, cursor.next == bracket { throw cursor.expected("one more after the \",\"") }
    }

    private mutating func key(opened: Int) throws(JSON5Error) -> String {
        if limits.isStrict {
            guard cursor.next == "\"" else {
                throw cursor.expected(
                    "a key in quotes or \"}\" in the object opened at \(cursor.place(opened))")
            }
            return try cursor.string(quote: "\"")
        }
        if let quote = cursor.next, quote == "\"" || quote == "'" { return try cursor.string(quote: quote) }
        let name = try cursor.identifier()
        guard !name.isEmpty else {
            throw cursor.expected("a key or \"}\" in the object opened at \(cursor.place(opened))")
        }
        return name
    }
}
