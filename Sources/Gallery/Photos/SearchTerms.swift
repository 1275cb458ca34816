/// What a photo has to hold to be found: every word that was typed, anywhere in its texts and in any order. What stands in
/// quotation marks is one, blanks included.
struct SearchTerms: Equatable, Sendable {
    /// Folded, none of them empty, and each once; the longest first, since it is in the fewest photos.
    let all: [[UInt8]]

    init(_ text: String) {
        let folded = Set(Self.words(text).map { SearchText.folded(String($0)) }).subtracting([[]])
        all = folded.sorted { one, other in
            one.count == other.count ? one.lexicographicallyPrecedes(other) : one.count > other.count
        }
    }

    private static func words(_ text: String) -> [Substring] {
        var (words, rest) = ([Substring](), text[...])
        while let first = rest.first {
            let behind = rest.dropFirst()
            if first == "\"", let end = behind.firstIndex(of: "\"") {
                words.append(behind[..<end])
                rest = behind[behind.index(after: end)...]
            } else if first.isWhitespace {
                rest = behind
            } else {
                // A mark that has no other one is a character.
                let word = behind.prefix { !$0.isWhitespace && $0 != "\"" }
                words.append(rest[..<word.endIndex])
                rest = rest[word.endIndex...]
            }
        }
        return words
    }

    /// Nothing is looked for, and every photo has it.
    var first: [UInt8] { all.first ?? [] }

    func areHeld(by record: SearchBlock.Record) -> Bool { all.allSatisfy(record.holds) }
}
