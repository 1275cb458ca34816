/// The names that Swift files declare, found by the word before them.
struct Declarations {
    private(set) var types: Set<String> = []
    private(set) var members: Set<String> = []
    private let modules: Set<String>

    private static let typeWords: Set<Substring> = [
        "struct", "enum", "class", "actor", "protocol", "typealias",
    ]
    private static let memberWords: Set<Substring> = ["func", "var", "let"]

    init(of folder: String) throws { try self.init(in: House.swiftFiles(below: folder)) }

    init(in paths: [String]) throws {
        modules = Set(House.entries(of: "Sources").filter(\.isFolder).map(\.name))
        for path in paths {
            for line in try House.text(path).split(separator: "\n") { read(line) }
        }
    }

    private mutating func read(_ line: Substring) {
        let words = line.split(separator: " ")
        for (word, next) in zip(words, words.dropFirst()) {
            if Self.typeWords.contains(word) { types.insert(Self.name(next)) }
            if Self.memberWords.contains(word) { members.insert(Self.name(next)) }
        }
        guard let first = words.first, first == "case" || first == "indirect" else { return }
        for word in words.dropFirst() { members.insert(Self.name(word)) }
    }

    private static func name(_ word: Substring) -> String {
        String(word.drop { $0 == "`" }.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }

    /// What of a symbol such as `Ledger/begin(_:since:)` or `Bridge/HTTPTransport` is declared nowhere.
    func unknownPart(of symbol: String) -> String? {
        symbol.split(separator: "/").map(Self.name).first {
            !types.contains($0) && !members.contains($0) && !modules.contains($0)
        }
    }
}
