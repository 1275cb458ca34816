public import Basics
public import Bridge
public import Database

/// Our names for things, as columns hold them.
extension Timestamp: Storable {
    public var stored: Value { .integer(milliseconds) }

    public init?(stored value: Value) {
        guard case .integer(let number) = value else { return nil }
        self.init(milliseconds: number)
    }
}

extension RowID: Storable {
    public var stored: Value { .integer(number) }

    public init?(stored value: Value) {
        guard case .integer(let number) = value else { return nil }
        self.init(number)
    }
}

extension Row {
    /// One of the words that the schema's CHECK allows.
    func word<Word: RawRepresentable>(_ column: Int32, as type: Word.Type = Word.self) throws -> Word
    where Word.RawValue == String {
        try Self.word(get(column))
    }

    func word<Word: RawRepresentable>(_ column: String, as type: Word.Type = Word.self) throws -> Word
    where Word.RawValue == String {
        try Self.word(self[column])
    }

    private static func word<Word: RawRepresentable>(_ text: String) throws -> Word
    where Word.RawValue == String {
        guard let word = Word(rawValue: text) else {
            throw DatabaseError(.mismatch, "'\(text)' is no \(Word.self)", path: "the ledger")
        }
        return word
    }

    func photoKind(_ column: Int32) throws -> PhotoKind { try word(column) }
}
