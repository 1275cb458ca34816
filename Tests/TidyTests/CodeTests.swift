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
}
