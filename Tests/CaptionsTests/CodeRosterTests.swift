import Captions
import Testing

@Suite struct CodeRosterTests {
    static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    static let usual = "CC2\tAaron Barnum\nDD14\tKen Pierce\n"

    /// The format is the one of Camera Bits' article on code replacements: UTF-8, a code, a tab, one or more texts; lines
    /// that begin with two slashes are remarks.
    @Test(
        "a roster reads the same however it was saved",
        arguments: [
            usual, usual.replacing("\n", with: "\r\n"), usual.replacing("\n", with: "\r"),
            "\u{FEFF}" + usual, "// players\n\n" + usual, "\"CC2\"\t\"Aaron Barnum\"\n DD14 \t Ken Pierce ",
            "CC2\tAaron Barnum\t\t\nDD14\tKen Pierce\n\t\n",
        ])
    func saved(text: String) throws {
        let roster = try CodeRoster(Self.bytes(text))
        #expect(roster.codes == ["CC2", "DD14"])
        #expect(roster.replacement(for: "CC2") == "Aaron Barnum")
        #expect(roster.replacement(for: "DD14") == "Ken Pierce")
        #expect(roster.remarks.isEmpty, "\(roster.remarks)")
    }

    @Test("codes are told apart by their case, and texts keep every letter")
    func letters() throws {
        let roster = try CodeRoster(
            Self.bytes("7\tŁukasz Fabiański\tŁ. F.\nä\t日本 🏆\nA\tupper\na\tlower\nq\t\"\"\"Q\"\" Smith\"\n"))
        #expect(roster.replacement(for: "7") == "Łukasz Fabiański")
        #expect(roster.replacement(for: "7#2") == "Ł. F.")
        #expect(roster.replacement(for: "ä") == "日本 🏆")
        #expect(roster.replacement(for: "A") == "upper")
        #expect(roster.replacement(for: "a") == "lower")
        #expect(roster.replacement(for: "q") == "\"Q\" Smith")
        for code in ["b", "", "7#", "7#0", "7#3", "7#-1", "7 "] {
            #expect(roster.replacement(for: code) == nil)
        }
    }

    @Test("what has no effect is told with its line, and the rest counts")
    func remarks() throws {
        let long = String(repeating: "c", count: CodeRoster.longestCode + 1)
        let roster = try CodeRoster(
            Self.bytes("7 no tab\n7\tfirst\n7\tsecond\n\tno code\n\(long)\tx\nok\tyes\n8\t\n"))
        #expect(roster.codes == ["7", "ok"])
        #expect(roster.replacement(for: "7") == "first")
        let lines = [1, 3, 4, 5, 7]
        #expect(roster.remarks.count == lines.count)
        for (remark, line) in zip(roster.remarks, lines) {
            #expect(remark.contains("line \(line)"), "\(remark)")
        }
    }

    @Test("what is no text in UTF-8 is refused, with what helps")
    func refused() {
        let utf16: [UInt8] = [0xFF, 0xFE, 0x37, 0x00, 0x09, 0x00, 0x41, 0x00]
        let latin1: [UInt8] = Array("1\tAnn\n2\tJos".utf8) + [0xE9, 0x0A]
        for (bytes, words) in [(utf16, "UTF-16"), (latin1, "line 2 is not UTF-8")] {
            let error = #expect(throws: CodeRoster.Invalid.self) { try CodeRoster(bytes) }
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        }
    }

    @Test("a file beyond its limits is refused")
    func limits() throws {
        #expect(throws: CodeRoster.Invalid.self) {
            try CodeRoster([UInt8](repeating: 0x2F, count: CodeRoster.mostBytes + 1))
        }
        let most = (1...CodeRoster.mostCodes).map { "\($0)\tx\n" }.joined()
        #expect(try CodeRoster(Self.bytes(most)).count == CodeRoster.mostCodes)
        #expect(throws: CodeRoster.Invalid.self) { try CodeRoster(Self.bytes(most + "one more\tx\n")) }
        let wide = "w" + String(repeating: "\tx", count: CodeRoster.mostTexts + 1)
        #expect(try CodeRoster(Self.bytes(wide)).remarks.count == 1)
    }
}
