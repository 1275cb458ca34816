import Database

/// A row as both databases give it, so that two can be compared.
struct MovedRow: Sendable {
    /// In the order of the table's columns.
    private(set) var values: [Value]

    init(_ row: any SQLRow, _ columns: [String]) throws {
        values = try columns.map { try row.value($0) }
    }

    /// PostgreSQL holds no U+0000 in a text: U+FFFD stands for each. Says whether there was one.
    mutating func replaceNuls() -> Bool {
        var hasReplaced = false
        for index in values.indices {
            guard case .text(let text) = values[index], text.utf8.contains(0) else { continue }
            let scalars = text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }
            values[index] = .text(String(String.UnicodeScalarView(scalars)))
            hasReplaced = true
        }
        return hasReplaced
    }

    /// The same for the same values, and different for any others.
    var bytes: [UInt8] { Self.bytes(values) }

    static func bytes(_ values: some Sequence<Value>) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ tag: Character, _ content: some Collection<UInt8>) {
            bytes.append(tag.asciiValue ?? 0)
            withUnsafeBytes(of: UInt64(content.count).littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: content)
        }
        for value in values {
            switch value {
            case .null: append("n", [])
            case .integer(let number): append("i", "\(number)".utf8)
            case .real(let number): append("r", "\(number)".utf8)
            case .text(let text): append("t", text.utf8)
            case .blob(let content): append("b", content)
            }
        }
        return bytes
    }

    /// For messages.
    static func text(_ key: [Value]) -> String {
        key.map { value in
            switch value {
            case .text(let text): text
            case .blob(let bytes): bytes.map { String($0, radix: 16) }.joined()
            default: "\(value)"
            }
        }.joined(separator: ", ")
    }
}
