import Testing

@Suite struct CodeTests {
    static let longestFile = 320
    static let longestFunction = 70
    static let longestLine = 200

    static let paths = House.swiftFiles(below: "Sources") + House.swiftFiles(below: "Tests")

    @Test("files and functions hold one idea each", arguments: paths)
    func lengths(path: String) throws {
        let text = SwiftText(try House.text(path))
        #expect(text.lines.count - 1 <= Self.longestFile, "\(path) has \(text.lines.count - 1) lines")
        for function in text.functions {
            #expect(
                function.lineCount <= Self.longestFunction,
                "\(path):\(function.firstLine): a function of \(function.lineCount) lines")
        }
    }

    @Test("no code does what the house forbids", arguments: paths)
    func rules(path: String) throws {
        let breaches = Rule.breaches(of: SwiftText(try House.text(path)), at: path)
        #expect(breaches.isEmpty, "\(breaches.map(\.description).joined(separator: "\n"))")
    }

    @Test("comments name who acts", arguments: paths.filter { !$0.hasPrefix("Tests/TidyTests/") })
    func actors(path: String) throws {
        for (number, line) in try House.text(path).split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            guard let comment = Self.comment(in: line) else { continue }
            let words = Set(comment.lowercased().split { !$0.isLetter }.map(String.init))
            #expect(DocumentTests.unnamed.isDisjoint(with: words), "\(path):\(number + 1): \(comment)")
        }
    }

    private static func comment(in line: Substring) -> Substring? {
        let text = line.drop { $0 == " " }
        return text.hasPrefix("//") ? text : nil
    }

    @Test(
        "a comment that names no actor is found, and code that looks like one is not",
        arguments: [
            ("    /// Told to whoever asks.", true), ("    case nobody", false),
            ("// The caller is told.", false),
        ])
    func findsActors(line: String, isFound: Bool) {
        let words = Self.comment(in: line[...])?.lowercased().split { !$0.isLetter }.map(String.init) ?? []
        #expect(DocumentTests.unnamed.isDisjoint(with: words) != isFound)
    }
}
