/// How delivered files are named: "{event}/{date}/{name}".
///
/// A template is refused when it is read, not when the first photo arrives: one that gives every photo
/// the same name, or takes the extension away, would be noticed only after the event.
public struct NameTemplate: Equatable, Sendable, CustomStringConvertible {
    public struct Invalid: Error, Equatable, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// What is known of one photo when its name is made.
    public struct Facts: Equatable, Sendable {
        public var event: String
        /// As it is written: 2026-11-21.
        public var date: String
        /// As it is written: 185903.
        public var time: String
        public var camera: String
        public var serial: String
        public var sequence: Int64
        /// The camera's name for the file, with its extension.
        public var name: String

        public init(
            event: String, date: String, time: String, camera: String, serial: String, sequence: Int64,
            name: String
        ) {
            self.event = event
            self.date = date
            self.time = time
            self.camera = camera
            self.serial = serial
            self.sequence = sequence
            self.name = name
        }
    }

    public static let mostCharacters = 1000
    public static let mostComponents = 16

    /// The template as it was written.
    public let description: String
    private let folders: [[NameTemplatePiece]]
    private let file: [NameTemplatePiece]

    public init(_ text: String) throws(Invalid) {
        guard !text.isEmpty else { throw Invalid(description: "the template is empty") }
        guard text.unicodeScalars.count <= Self.mostCharacters else {
            throw Invalid(description: "the template is longer than \(Self.mostCharacters) characters")
        }
        guard text.unicodeScalars.first != "/" else {
            throw Invalid(description: "the template begins with \"/\": it names a place below the folder")
        }
        var reader = NameTemplateReader(text)
        let components = try reader.components()
        guard components.count <= Self.mostComponents else {
            throw Invalid(description: "the template has more than \(Self.mostComponents) components")
        }
        for component in components { try Self.checkFolder(component) }
        guard let last = components.last else { throw Invalid(description: "the template is empty") }
        try Self.checkFile(last)
        description = text
        folders = components.dropLast()
        file = last
    }

    private static func checkFolder(_ component: [NameTemplatePiece]) throws(Invalid) {
        if component.isEmpty {
            throw Invalid(description: "a component is empty: two slashes together, or one at the end")
        }
        for name in [".", ".."] where component == [.literal(name)] {
            throw Invalid(description: "a component is \"\(name)\", which is no folder of its own")
        }
    }

    private static func checkFile(_ component: [NameTemplatePiece]) throws(Invalid) {
        func has(_ field: NameTemplateField) -> Bool { component.contains(.field(field)) }
        guard has(.name) || has(.stem) || has(.seq) else {
            throw Invalid(
                description:
                    "every photo would have one name: the last component needs {name}, {stem} or {seq}")
        }
        guard has(.name) || has(.ext) else {
            throw Invalid(
                description: "the extension would be lost: the last component needs {name} or {ext}")
        }
    }

    /// The components of the path: folders, then the file name; each made safe with `SafeName.component`,
    /// never empty.
    public func components(for facts: Facts) -> [String] {
        folders.map { SafeName.component(Self.text(of: $0, facts), fallback: "unknown") }
            + [SafeName.component(Self.text(of: file, facts), fallback: "unnamed")]
    }

    private static func text(of component: [NameTemplatePiece], _ facts: Facts) -> String {
        component.reduce(into: "") { text, piece in
            switch piece {
            case .literal(let literal): text += literal
            case .field(let field): text += withoutSlashes(value(of: field, facts))
            }
        }
    }

    /// By scalars: a slash with an accent on it is another character to Swift, and a slash to `SafeName`.
    private static func withoutSlashes(_ value: String) -> String {
        String(String.UnicodeScalarView(value.unicodeScalars.map { $0 == "/" || $0 == "\\" ? "_" : $0 }))
    }

    private static func value(of field: NameTemplateField, _ facts: Facts) -> String {
        switch field {
        case .event: facts.event
        case .date: facts.date
        case .time: facts.time
        case .camera: facts.camera
        case .serial: facts.serial
        case .seq: facts.paddedSequence
        case .name: facts.name
        case .ext: facts.nameParts.ext
        case .stem: facts.nameParts.stem
        }
    }
}

extension NameTemplate.Facts {
    /// Five digits, as most cameras have four: names then sort as the photos were taken.
    public var paddedSequence: String {
        let digits = String(sequence.magnitude)
        let zeros = String(repeating: "0", count: max(0, 5 - digits.count))
        return (sequence < 0 ? "-" : "") + zeros + digits
    }

    /// Dots and spaces at the end are dropped first, as `SafeName` would: `a.JPG.` is a JPG.
    public var nameParts: (stem: String, ext: String) {
        let scalars = Array(name.unicodeScalars.reversed().drop { $0 == "." || $0 == " " }.reversed())
        guard let dot = scalars.lastIndex(of: "."), dot > 0 else { return (Self.text(scalars[...]), "") }
        return (Self.text(scalars[..<dot]), Self.text(scalars[(dot + 1)...]))
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }
}

enum NameTemplateField: String, CaseIterable {
    case event
    case date
    case time
    case camera
    case serial
    case seq
    case name
    case ext
    case stem

    /// The fields that begin most like the word, or all when none begins like it.
    static func nearest(to word: String) -> [NameTemplateField] {
        func likeness(_ field: NameTemplateField) -> Int {
            zip(field.rawValue, word.lowercased()).prefix { $0 == $1 }.count
        }
        let most = allCases.map(likeness).max() ?? 0
        return allCases.filter { likeness($0) == most }
    }
}

enum NameTemplatePiece: Equatable {
    case literal(String)
    case field(NameTemplateField)
}

/// Reads a template from left to right, by scalars, so that nothing hides a brace or a slash in a character.
private struct NameTemplateReader {
    private var rest: Substring.UnicodeScalarView
    private var literal = String.UnicodeScalarView()
    private var pieces: [NameTemplatePiece] = []

    init(_ text: String) {
        rest = text.unicodeScalars[...]
    }

    mutating func components() throws(NameTemplate.Invalid) -> [[NameTemplatePiece]] {
        var components: [[NameTemplatePiece]] = []
        while let scalar = rest.popFirst() {
            switch scalar {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                rest.removeFirst()
                literal.append(scalar)
            case "{": try readField()
            case "}":
                throw NameTemplate.Invalid(description: "a \"}\" closes nothing; a brace itself is \"}}\"")
            case "\\":
                throw NameTemplate.Invalid(description: "a backslash separates nothing here; write \"/\"")
            case "/": components.append(endOfComponent())
            default: literal.append(scalar)
            }
        }
        return components + [endOfComponent()]
    }

    private mutating func readField() throws(NameTemplate.Invalid) {
        guard let end = rest.firstIndex(where: { $0 == "{" || $0 == "}" }), rest[end] == "}" else {
            throw NameTemplate.Invalid(description: "a \"{\" is not closed; a brace itself is \"{{\"")
        }
        let word = String(rest[..<end])
        guard let field = NameTemplateField(rawValue: word) else {
            let near = NameTemplateField.nearest(to: word).map { "{\($0.rawValue)}" }
            let list = near.joined(separator: ", ")
            let hint = near.count == 1 ? "did you mean \(list)?" : "there are \(list)"
            throw NameTemplate.Invalid(description: "there is no field {\(word)}; \(hint)")
        }
        endOfLiteral()
        pieces.append(.field(field))
        rest = rest[rest.index(after: end)...]
    }

    private mutating func endOfLiteral() {
        guard !literal.isEmpty else { return }
        pieces.append(.literal(String(literal)))
        literal = String.UnicodeScalarView()
    }

    private mutating func endOfComponent() -> [NameTemplatePiece] {
        endOfLiteral()
        defer { pieces = [] }
        return pieces
    }
}
