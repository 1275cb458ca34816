import Arguments

/// A text with variables and codes: `{event}: \7\ scores`.
///
/// One rule of escaping: `{{`, `}}` and two delimiters together are the characters themselves. A variable may stand in a
/// code, so that a roster can give the photographer's name for a camera's serial number: `\{serial}\`.
public struct CaptionTemplate: Equatable, Sendable, CustomStringConvertible {
    public struct Invalid: Error, Equatable, Sendable, CustomStringConvertible {
        public let description: String
    }

    enum Part: Equatable, Sendable {
        case literal(String)
        case variable(CaptionVariable)
        /// One of the operator's own.
        case constant(String)
    }

    enum Piece: Equatable, Sendable {
        case part(Part)
        case code([Part])
    }

    public static let mostCharacters = 10_000

    /// The template as it was written.
    public let description: String
    let delimiter: Unicode.Scalar
    let pieces: [Piece]

    /// `constants` are the operator's own variables with what they stand for.
    public init(
        _ text: String, delimiter: Unicode.Scalar = "\\", constants: [String: String] = [:]
    ) throws(Invalid) {
        guard text.unicodeScalars.count <= Self.mostCharacters else {
            throw Invalid(description: "the template is longer than \(Self.mostCharacters) characters")
        }
        var reader = TemplateReader(text, delimiter: delimiter, constants: constants)
        pieces = try reader.pieces()
        description = text
        self.delimiter = delimiter
    }

    /// Codes that are the same for every photo.
    public var fixedCodes: [String] {
        pieces.compactMap { piece in
            guard case .code(let parts) = piece else { return nil }
            let texts = parts.map { part -> String? in
                switch part {
                case .literal(let text), .constant(let text): text
                case .variable: nil
                }
            }
            return texts.contains(nil) ? nil : texts.compactMap { $0 }.joined()
        }
    }

    /// Its text for one photo. Codes that the roster does not have stay as they were written, and are named.
    func text(for facts: CaptionFacts, _ roster: CodeRoster) -> (text: String, unknown: [String]) {
        var text = ""
        var unknown: [String] = []
        for piece in pieces {
            switch piece {
            case .part(let part): text += Self.text(of: part, facts)
            case .code(let parts):
                let code = parts.map { Self.text(of: $0, facts) }.joined()
                if let replacement = roster.replacement(for: code) {
                    text += replacement
                } else {
                    text += "\(delimiter)\(code)\(delimiter)"
                    unknown.append(code)
                }
            }
        }
        return (text, unknown)
    }

    private static func text(of part: Part, _ facts: CaptionFacts) -> String {
        switch part {
        case .literal(let text), .constant(let text): text
        case .variable(let variable): variable.value(in: facts)
        }
    }
}

/// Reads a template from left to right, by scalars, so that nothing hides a brace or a delimiter in a character.
private struct TemplateReader {
    private var rest: Substring.UnicodeScalarView
    private let delimiter: Unicode.Scalar
    private let constants: [String: String]
    private var literal = String.UnicodeScalarView()
    private var parts: [CaptionTemplate.Part] = []
    private var read: [CaptionTemplate.Piece] = []
    private var isInCode = false

    init(_ text: String, delimiter: Unicode.Scalar, constants: [String: String]) {
        rest = text.unicodeScalars[...]
        self.delimiter = delimiter
        self.constants = constants
    }

    mutating func pieces() throws(CaptionTemplate.Invalid) -> [CaptionTemplate.Piece] {
        while let scalar = rest.popFirst() {
            switch scalar {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                rest.removeFirst()
                literal.append(scalar)
            case delimiter where rest.first == delimiter && !isInCode:
                rest.removeFirst()
                literal.append(scalar)
            case "{": try readVariable()
            case "}":
                throw CaptionTemplate.Invalid(
                    description: "a \"}\" closes nothing; a brace itself is \"}}\"")
            case delimiter: try endOfCode()
            default: literal.append(scalar)
            }
        }
        guard !isInCode else {
            throw CaptionTemplate.Invalid(
                description:
                    "a code that begins with \"\(delimiter)\" is not closed; the character itself is written twice"
            )
        }
        endOfParts()
        return read
    }

    /// A delimiter opens a code, or closes the one that is open.
    private mutating func endOfCode() throws(CaptionTemplate.Invalid) {
        if isInCode {
            endOfLiteral()
            guard !parts.isEmpty else {
                throw CaptionTemplate.Invalid(description: "a code between two \"\(delimiter)\" is empty")
            }
            read.append(.code(parts))
            parts = []
        } else {
            endOfParts()
        }
        isInCode.toggle()
    }

    private mutating func endOfParts() {
        endOfLiteral()
        read += parts.map { .part($0) }
        parts = []
    }

    private mutating func endOfLiteral() {
        guard !literal.isEmpty else { return }
        parts.append(.literal(String(literal)))
        literal = String.UnicodeScalarView()
    }

    private mutating func readVariable() throws(CaptionTemplate.Invalid) {
        guard let end = rest.firstIndex(where: { $0 == "{" || $0 == "}" }), rest[end] == "}" else {
            throw CaptionTemplate.Invalid(description: "a \"{\" is not closed; a brace itself is \"{{\"")
        }
        let word = String(rest[..<end])
        endOfLiteral()
        if let value = constants[word] {
            parts.append(.constant(value))
        } else if let variable = CaptionVariable(rawValue: word) {
            parts.append(.variable(variable))
        } else {
            let known = constants.keys.sorted() + CaptionVariable.allCases.map(\.rawValue)
            let near = Nearest.to(word, among: known).map { "did you mean {\($0)}?" }
            throw CaptionTemplate.Invalid(
                description:
                    "there is no variable {\(word)}; "
                    + (near ?? "there are \(known.map { "{\($0)}" }.joined(separator: ", "))"))
        }
        rest = rest[rest.index(after: end)...]
    }
}
