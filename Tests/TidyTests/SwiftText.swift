/// A Swift file's code without its comments and without what stands in its strings, line for line:
/// what the rules look at.
struct SwiftText {
    let lines: [String]

    init(_ source: String) {
        var stripper = Stripper(Array(source.utf8))
        lines = stripper.run().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private struct Stripper {
        let source: [UInt8]
        var position = 0
        var code: [UInt8] = []

        init(_ source: [UInt8]) {
            self.source = source
            code.reserveCapacity(source.count)
        }

        mutating func run() -> String {
            while position < source.count {
                if starts(Self.lineComment) {
                    while position < source.count, source[position] != Self.newline { position += 1 }
                } else if starts(Self.commentStart) {
                    skipBlockComment()
                } else if starts(Self.quote) || starts(Self.rawQuote) {
                    skipString()
                } else {
                    take()
                }
            }
            return String(decoding: code, as: UTF8.self)
        }

        static let newline = UInt8(ascii: "\n")
        static let lineComment = Array("//".utf8)
        static let commentStart = Array("/*".utf8)
        static let commentEnd = Array("*/".utf8)
        static let quote = Array("\"".utf8)
        static let rawQuote = Array("#\"".utf8)
        static let longQuote = Array("\"\"\"".utf8)
        static let rawMark = Array("#".utf8)

        func starts(_ text: [UInt8], at offset: Int = 0) -> Bool {
            let start = position + offset
            guard start + text.count <= source.count else { return false }
            for index in text.indices where source[start + index] != text[index] { return false }
            return true
        }

        mutating func take() {
            code.append(source[position])
            position += 1
        }

        mutating func skip(_ count: Int) {
            for _ in 0..<count where position < source.count {
                if source[position] == Self.newline { code.append(Self.newline) }
                position += 1
            }
        }

        mutating func skipBlockComment() {
            var depth = 0
            repeat {
                if starts(Self.commentStart) {
                    depth += 1
                    skip(2)
                } else if starts(Self.commentEnd) {
                    depth -= 1
                    skip(2)
                } else {
                    skip(1)
                }
            } while depth > 0 && position < source.count
        }

        /// Leaves the quotes, and the code inside interpolations.
        mutating func skipString() {
            let mark = starts(Self.rawQuote) ? Self.rawMark : []
            let quotes = starts(Self.longQuote, at: mark.count) ? Self.longQuote : Self.quote
            let escape = Array("\\".utf8) + mark
            code += Self.quote
            skip(mark.count + quotes.count)
            while position < source.count, !starts(quotes + mark) {
                if starts(escape) {
                    skip(escape.count)
                    if starts(Array("(".utf8)) { takeParentheses() } else { skip(1) }
                } else {
                    skip(1)
                }
            }
            skip(quotes.count + mark.count)
            code += Self.quote
        }

        mutating func takeParentheses() {
            var depth = 0
            repeat {
                if starts(Self.quote) || starts(Self.rawQuote) {
                    skipString()
                    continue
                }
                if source[position] == UInt8(ascii: "(") { depth += 1 }
                if source[position] == UInt8(ascii: ")") { depth -= 1 }
                take()
            } while depth > 0 && position < source.count
        }
    }
}

extension SwiftText {
    private static let functionSigns = ["func", "init"].map { Array($0.utf8) }

    struct Function {
        let firstLine: Int
        let lineCount: Int
    }

    /// Every function, initialiser and deinitialiser with a body, and how long it is.
    var functions: [Function] {
        lines.indices.compactMap { start in
            guard lines[start].has(oneOf: SwiftText.functionSigns),
                lines[start].contains(/\b(func\s+\S|init[?!]?\s*[(<]|deinit\s*\{)/),
                !lines[start].contains(/[.]init\b/)
            else { return nil }
            return function(from: start)
        }
    }

    private func function(from start: Int) -> Function? {
        var (braces, others) = (0, 0)
        var hasBody = false
        for index in start..<lines.count {
            for character in lines[index] {
                switch character {
                case "(", "[": others += 1
                case ")", "]": others -= 1
                case "{":
                    braces += 1
                    if others == 0 { hasBody = true }
                case "}": braces -= 1
                default: break
                }
                if hasBody, braces == 0, others == 0 {
                    return Function(firstLine: start + 1, lineCount: index - start + 1)
                }
                // A requirement of a protocol has no body, and its protocol's end is no end of it.
                if braces < 0 { return nil }
            }
            let next = index + 1 < lines.count ? lines[index + 1].drop { $0 == " " } : ""
            if !hasBody, others == 0, !continues(lines[index], with: next) { return nil }
        }
        return nil
    }

    /// Whether a declaration's head goes on in the next line.
    private func continues(_ line: String, with next: Substring) -> Bool {
        let ends = line.reversed().drop { $0 == " " }.first
        return ends == "," || ends == "{" || ends == ">"
            || ["{", "->", "where", "async", "throws"].contains { next.hasPrefix($0) }
    }

    /// The modules that it imports.
    var imports: [String] {
        lines.compactMap { line in
            guard line.has(oneOf: [Array("import".utf8)]),
                let match = line.firstMatch(
                    of: /^\s*(@\w+\s+)*(public |package |internal |private |fileprivate )?import (\w+ )?(\w+)/
                )
            else { return nil }
            return String(match.4)
        }
    }
}

extension String {
    func has(oneOf signs: [[UInt8]]) -> Bool {
        let bytes = utf8.span
        return signs.contains { sign in
            guard bytes.count >= sign.count else { return false }
            return (0...(bytes.count - sign.count)).contains { start in
                sign.indices.allSatisfy { bytes[start + $0] == sign[$0] }
            }
        }
    }
}
