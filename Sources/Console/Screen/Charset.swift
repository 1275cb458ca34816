import Basics

/// Which characters a terminal shows: those of Unicode, or those of ASCII alone.
package enum Charset: Equatable, Sendable {
    case unicode
    case ascii

    /// What the locale says. "If the LC_ALL environment variable is defined and is not null, the value of LC_ALL shall be
    /// used", then that of LC_CTYPE, then LANG (POSIX.1-2017 §8.2); what follows the point names the characters.
    package init(environment: (String) -> String?) {
        let locale =
            ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(environment).first { !$0.isEmpty } ?? ""
        let codeset = locale.split(separator: "@").first?.split(separator: ".").dropFirst().last ?? ""
        self = codeset.lowercased().filter { $0 != "-" } == "utf8" ? .unicode : .ascii
    }

    /// The text with nothing in it that this terminal cannot show, or would obey.
    package func shown(_ text: String) -> String {
        let visible = Visible(text).description
        guard self == .ascii, visible.utf8.contains(where: { $0 >= 0x80 }) else { return visible }
        return visible.unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isASCII {
                text.unicodeScalars.append(scalar)
            } else {
                text += String(repeating: "?", count: DisplayWidth.ofScalars(Character(scalar)))
            }
        }
    }

    /// Where a text goes on that has no more room.
    package var ellipsis: Character { self == .unicode ? "…" : "~" }

    /// So much of the columns is full.
    func bar(_ share: Double, columns: Int) -> String {
        let full = max(0, min(columns, Int((max(0, min(1, share)) * Double(columns)).rounded(.down))))
        let (done, open): (Character, Character) = self == .unicode ? ("█", "░") : ("#", ".")
        return String(repeating: done, count: full) + String(repeating: open, count: columns - full)
    }

    /// One column for each value, as high as it is of the highest.
    func sparkline(_ values: some Collection<Double>) -> String {
        let steps: [Character] = self == .unicode ? Array(" ▁▂▃▄▅▆▇█") : Array(" .:-=+*#@")
        let highest = values.max() ?? 0
        return String(
            values.map { value in
                guard highest > 0, value > 0 else { return steps[0] }
                // What moved at all is seen.
                return steps[max(1, Int((value / highest * Double(steps.count - 1)).rounded()))]
            })
    }
}
