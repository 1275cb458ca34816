import Basics

/// A line for people: what it is about, and what is said of it.
package struct TextLine: Equatable, Sendable {
    package enum Tone: Equatable, Sendable {
        case plain
        case good
        case warning
        case bad
    }

    /// Nothing for what goes on with the line before it, or stands above all.
    package var label: String
    package var text: String
    package var tone: Tone

    package init(label: String, text: String, tone: Tone = .plain) {
        self.label = label
        self.text = text
        self.tone = tone
    }
}

/// How lines are laid out where they go: wrapped at a terminal's width, and coloured where colours are wanted.
package struct TextLayout: Equatable, Sendable {
    /// Columns; nothing where lines are not wrapped: in a file and in a pipe they stay whole.
    package var width: Int?
    package var hasColours: Bool

    package init(width: Int? = nil, hasColours: Bool = false) {
        self.width = width
        self.hasColours = hasColours
    }

    /// What the environment says.
    package init(isTerminal: Bool, columns: Int, environment: (String) -> String?) {
        width = isTerminal ? columns : nil
        hasColours = TerminalColours.areWanted(isTerminal: isTerminal, environment: environment)
    }

    package static let labelColumns = 11
    /// A terminal that is narrower gets lines of this length: a word a line helps no reader.
    private static let narrowest = 30

    /// The first line stands by itself; the others have their labels below each other.
    package func render(_ lines: [TextLine]) -> [String] {
        lines.enumerated().flatMap { index, line in
            rows(line, isFirst: index == 0).map { $0.start + painted($0.text, line.tone) }
        }
    }

    /// A line as rows: what stands before each, and its part of the text.
    package func rows(_ line: TextLine, isFirst: Bool = false) -> [(start: String, text: String)] {
        let indent = isFirst ? 0 : Self.labelColumns
        let label = line.label + String(repeating: " ", count: max(0, indent - DisplayWidth.of(line.label)))
        let parts = width.map { Self.wrapped(line.text, in: max($0, Self.narrowest) - indent) } ?? [line.text]
        return parts.enumerated().map { part, text in
            (part == 0 ? label : String(repeating: " ", count: indent), text)
        }
    }

    private func painted(_ text: String, _ tone: TextLine.Tone) -> String {
        guard hasColours else { return text }
        // "Select Graphic Rendition" (ECMA-48 §8.3.117): the eight colours that every terminal has.
        switch tone {
        case .plain: return text
        case .good: return "\u{1B}[32m\(text)\u{1B}[0m"
        case .warning: return "\u{1B}[33m\(text)\u{1B}[0m"
        case .bad: return "\u{1B}[31m\(text)\u{1B}[0m"
        }
    }

    /// Between words; a word that is longer than a line, between its characters.
    static func wrapped(_ text: String, in room: Int) -> [String] {
        guard DisplayWidth.of(text) > room else { return [text] }
        var lines: [String] = []
        var line = ""
        var used = 0
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let needed = DisplayWidth.of(word)
            if !line.isEmpty || used > 0, used + 1 + needed > room {
                lines.append(line)
                (line, used) = ("", 0)
            } else if used > 0 || !line.isEmpty {
                line += " "
                used += 1
            }
            for character in word {
                let columns = DisplayWidth.of(character)
                if used + columns > room {
                    lines.append(line)
                    (line, used) = ("", 0)
                }
                line.append(character)
                used += columns
            }
        }
        lines.append(line)
        return lines.filter { !$0.allSatisfy { $0 == " " } }
    }
}
