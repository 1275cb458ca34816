/// A pair of faces for headings and for everything else, made of what devices have: nothing is loaded.
///
/// Each list begins with faces of iOS and macOS, then Windows, Android and Linux; behind those for Latin stand faces of the same
/// kind for Japanese and Thai, since a browser takes each character from the first face that has it.
package enum Typeface: String, CaseIterable, Sendable {
    case plain, classic, elegant, rounded, mono

    /// For a refusal.
    static let names = "plain, classic, elegant, rounded or mono"

    private static let sans =
        "system-ui, -apple-system, \"Segoe UI\", Roboto, Inter, \(japaneseSans), \(thaiSans), sans-serif"
    private static let japaneseSans =
        "\"Hiragino Sans\", \"Yu Gothic UI\", Meiryo, \"Noto Sans JP\", \"Noto Sans CJK JP\""
    private static let japaneseSerif =
        "\"Hiragino Mincho ProN\", \"Yu Mincho\", \"Noto Serif JP\", \"Noto Serif CJK JP\""
    private static let thaiSans = "Thonburi, \"Leelawadee UI\", \"Noto Sans Thai\", Loma"
    private static let thaiSerif =
        "\"Noto Serif Thai\", \"Noto Serif Thai UI\", Norasi, Thonburi, \"Leelawadee UI\""

    /// A value of `font-family`.
    var headings: String {
        switch self {
        case .plain: Self.sans
        case .classic:
            "\"Iowan Old Style\", \"Palatino Nova\", Palatino, \"Palatino Linotype\", \"EB Garamond\", \"Noto Serif\", "
                + "Georgia, \(Self.japaneseSerif), \(Self.thaiSerif), serif"
        case .elegant:
            "Didot, \"Bodoni 72\", \"Bodoni MT\", \"Playfair Display\", \"Noto Serif Display\", Garamond, "
                + "\"Noto Serif\", \"Times New Roman\", \(Self.japaneseSerif), \(Self.thaiSerif), serif"
        case .rounded: body
        case .mono: body
        }
    }

    var body: String {
        switch self {
        case .plain, .classic: Self.sans
        case .elegant: "Optima, Candara, \"Gill Sans Nova\", \"Noto Sans\", \(Self.sans)"
        case .rounded:
            "ui-rounded, \"SF Pro Rounded\", \"Arial Rounded MT Bold\", Nunito, Quicksand, \"Varela Round\", "
                + "\"Hiragino Maru Gothic ProN\", \"BIZ UDGothic\", \(Self.sans)"
        case .mono:
            "ui-monospace, \"SF Mono\", Menlo, \"Cascadia Mono\", Consolas, \"Roboto Mono\", \"Noto Sans Mono\", "
                + "\"DejaVu Sans Mono\", \"BIZ UDGothic\", \"Noto Sans Mono CJK JP\", \(Self.japaneseSans), "
                + "\(Self.thaiSans), monospace"
        }
    }

    /// For the page on which hosts choose: each by its class.
    static let sheet = allCases.map { face in
        """
        .face-\(face.rawValue) strong { font-family: \(face.headings); }
        .face-\(face.rawValue) { font-family: \(face.body); }

        """
    }.joined()
}
