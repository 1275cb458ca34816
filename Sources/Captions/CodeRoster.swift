/// Codes and what they stand for, as a roster file has them: one code a line, a tab, its text, and further texts behind
/// further tabs. `7` is the first text of a line, `7#2` the second.
///
/// Spreadsheets and every editor may have written it: a mark of UTF-8 at its beginning, any ends of lines, and quotation
/// marks around a cell are taken. A line that begins with `//` is a remark.
public struct CodeRoster: Equatable, Sendable {
    /// Why a file is no roster.
    public struct Invalid: Error, Equatable, Sendable, CustomStringConvertible {
        public let description: String
    }

    public static let mostBytes = 4 << 20
    public static let mostCodes = 50_000
    public static let mostTexts = 16
    public static let longestCode = 64
    public static let longestText = 2_000

    private var texts: [String: [String]] = [:]
    private var lines: [String: Int] = [:]
    /// What in it has no effect, as sentences.
    public private(set) var remarks: [String] = []
    private static let mostRemarks = 20

    /// One without a code.
    public init() {}

    public init(_ bytes: [UInt8]) throws(Invalid) {
        guard bytes.count <= Self.mostBytes else {
            throw Invalid(description: "it is larger than \(Self.mostBytes >> 20) MiB")
        }
        var bytes = bytes[...]
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw Invalid(description: "it is written in UTF-16; save it as UTF-8 text with tabs")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Invalid(
                description:
                    "line \(Self.lineThatIsNotUTF8(bytes)) is not UTF-8; save it as UTF-8 text with tabs"
            )
        }
        let scalars = text.unicodeScalars
        var number = 1
        var start = scalars.startIndex
        var index = start
        while true {
            let isEnd = index == scalars.endIndex
            if isEnd || scalars[index] == "\n" || scalars[index] == "\r" {
                try add(String(scalars[start..<index]), at: number)
                if isEnd { break }
                number += 1
                let next = scalars.index(after: index)
                let isPair = scalars[index] == "\r" && next < scalars.endIndex && scalars[next] == "\n"
                start = isPair ? scalars.index(after: next) : next
                index = start
            } else {
                index = scalars.index(after: index)
            }
        }
    }

    private static func lineThatIsNotUTF8(_ bytes: ArraySlice<UInt8>) -> Int {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let first = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
        return (first ?? 0) + 1
    }

    private mutating func add(_ line: String, at number: Int) throws(Invalid) {
        guard !line.hasPrefix("//"), line.unicodeScalars.contains(where: { $0 != " " && $0 != "\t" }) else {
            return
        }
        let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map { Self.cell($0) }
        let code = cells[0]
        let texts = cells.dropFirst()
        guard texts.contains(where: { !$0.isEmpty }) else {
            return remark("line \(number) has no tab with a text behind it")
        }
        guard !code.isEmpty else { return remark("line \(number) has no code before its tab") }
        guard code.utf8.count <= Self.longestCode else {
            return remark("the code of line \(number) is longer than \(Self.longestCode) bytes")
        }
        guard texts.count <= Self.mostTexts, texts.allSatisfy({ $0.utf8.count <= Self.longestText }) else {
            return remark(
                "line \(number) has more than \(Self.mostTexts) texts, or one longer than \(Self.longestText) bytes"
            )
        }
        if let first = lines[code] {
            return remark("the code '\(code)' of line \(number) is that of line \(first), which counts")
        }
        guard self.texts.count < Self.mostCodes else {
            throw Invalid(description: "it has more than \(Self.mostCodes) codes")
        }
        self.texts[code] = Array(texts)
        lines[code] = number
    }

    private mutating func remark(_ sentence: String) {
        if remarks.count < Self.mostRemarks { remarks.append(sentence) }
    }

    /// As a spreadsheet shows it: without spaces around it, and without the quotation marks that it is saved with.
    private static func cell(_ text: Substring) -> String {
        var scalars = text.unicodeScalars[...]
        while scalars.first == " " { scalars.removeFirst() }
        while scalars.last == " " { scalars.removeLast() }
        guard scalars.count >= 2, scalars.first == "\"", scalars.last == "\"" else { return String(scalars) }
        var inner = String.UnicodeScalarView()
        var isSecond = false
        for scalar in scalars.dropFirst().dropLast() {
            isSecond = scalar == "\"" && !isSecond
            if !isSecond { inner.append(scalar) }
        }
        return String(inner)
    }

    public var count: Int { texts.count }

    /// The codes in their order in the file.
    public var codes: [String] { lines.sorted { $0.value < $1.value }.map(\.key) }

    /// Nothing for a code that it does not have.
    public func replacement(for code: String) -> String? {
        if let texts = texts[code] { return texts.first }
        guard let mark = code.lastIndex(of: "#"), let column = Int(code[code.index(after: mark)...]),
            let texts = texts[String(code[..<mark])], texts.indices.contains(column - 1)
        else { return nil }
        return texts[column - 1]
    }
}
