/// Everything that decides what the captions of a run say.
public struct CaptionBook: Equatable, Sendable {
    public var fields: [CaptionField: [CaptionTemplate]] = [:]
    /// A later one counts more, field by field.
    public var rules: [CaptionRule] = []

    public static let mostRules = 200
    public static let mostKeywords = 64

    public init() {}

    /// Whether any photo gets anything.
    public var isEmpty: Bool { fields.isEmpty && rules.allSatisfy(\.fields.isEmpty) }

    /// Codes that templates name and a roster does not have, as far as that is known before there is a photo.
    public func unknownCodes(_ roster: CodeRoster) -> [String] {
        let templates = fields.values.joined() + rules.flatMap { $0.fields.values.joined() }
        return Set(templates.flatMap(\.fixedCodes)).filter { roster.replacement(for: $0) == nil }.sorted()
    }

    public func caption(of facts: CaptionFacts, _ roster: CodeRoster) -> PhotoCaption {
        var templates = fields
        for rule in rules where rule.holds(for: facts) {
            templates.merge(rule.fields) { $1 }
        }
        var caption = PhotoCaption()
        for field in CaptionField.allCases {
            var texts: [String] = []
            for template in templates[field] ?? [] {
                let (text, unknown) = template.text(for: facts, roster)
                for code in unknown where !caption.unknownCodes.contains(code) {
                    caption.unknownCodes.append(code)
                }
                let clean = PhotoCaption.clean(text)
                if !clean.isEmpty, !texts.contains(clean) { texts.append(clean) }
            }
            if !texts.isEmpty { caption.texts[field] = texts }
        }
        // Says nothing by itself: a photo without a word about it is left as it is.
        if !caption.texts.isEmpty { caption.taken = PhotoCaption.Taken(facts) }
        return caption
    }
}

/// What is written about one photo.
public struct PhotoCaption: Equatable, Sendable {
    /// When it was taken, by the camera's clock.
    public struct Taken: Equatable, Sendable {
        /// `2026-11-21`
        let date: String
        /// `18:59:03`
        let time: String
        /// `+01:00`, where it is known.
        let zone: String?

        /// Nothing where the camera's text is no time.
        init?(_ facts: CaptionFacts) {
            guard let digits = facts.digits else { return nil }
            func part(_ start: Int, _ count: Int) -> Substring { digits.dropFirst(start).prefix(count) }
            date = "\(part(0, 4))-\(part(4, 2))-\(part(6, 2))"
            time = "\(part(8, 2)):\(part(10, 2)):\(part(12, 2))"
            zone = facts.zone.map { "\($0.sign)\(Self.padded($0.hours)):\(Self.padded($0.minutes))" }
        }

        private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    }

    public var texts: [CaptionField: [String]] = [:]
    public var taken: Taken?
    /// Codes that stand in a text and that the roster does not have.
    public var unknownCodes: [String] = []

    public init() {}

    public var isEmpty: Bool { texts.isEmpty }

    /// More than any field is meant for.
    static let longestText = 16_000

    /// Without spaces around it and without what no XML may hold.
    static func clean(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0A: break
            case 0..<0x20, 0x7F, 0xFFFE, 0xFFFF: continue
            default: break
            }
            count += UTF8.width(scalar)
            guard count <= longestText else { break }
            scalars.append(scalar)
        }
        var rest = scalars[...]
        while let first = rest.first, first.properties.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.properties.isWhitespace { rest.removeLast() }
        return String(rest)
    }
}
