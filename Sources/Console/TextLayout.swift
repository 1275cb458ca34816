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

    /// What the environment says. "Command-line software which adds ANSI color to its output by default should check for a
    /// NO_COLOR environment variable that, when present and not an empty string (regardless of its value), prevents the
    /// addition of ANSI color" (no-color.org).
    package init(isTerminal: Bool, columns: Int, environment: (String) -> String?) {
        width = isTerminal ? columns : nil
        let isRefused = environment("NO_COLOR").map { !$0.isEmpty } ?? false
        let canShow = environment("TERM").map { !$0.isEmpty && $0 != "dumb" } ?? false
        hasColours = isTerminal && canShow && !isRefused
    }

    private static let labelColumns = 11
    /// A terminal that is narrower gets lines of this length: a word a line helps no reader.
    private static let narrowest = 30

    /// The first line stands by itself; the others have their labels below each other.
    package func render(_ lines: [TextLine]) -> [String] {
        lines.enumerated().flatMap { index, line -> [String] in
            let indent = index == 0 ? 0 : Self.labelColumns
            let label =
                line.label + String(repeating: " ", count: max(0, indent - DisplayWidth.of(line.label)))
            return wrapped(line.text, indent: indent).enumerated().map { part, text in
                let start = part == 0 ? label : String(repeating: " ", count: indent)
                return start + painted(text, line.tone)
            }
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
    private func wrapped(_ text: String, indent: Int) -> [String] {
        guard let width else { return [text] }
        let room = max(width, Self.narrowest) - indent
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
