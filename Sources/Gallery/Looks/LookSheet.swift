import Basics
import Digest

/// What becomes of the colour that a host has picked, on light or on dark pages: whichever it is, what is written in it or on it
/// can be read.
struct AccentShades: Equatable, Sendable {
    /// Of links and other words.
    let text: RGBColour
    /// Of buttons and of what is chosen: nearer to the host's, since less contrast is enough there.
    let fill: RGBColour
    let onFill: RGBColour

    init(_ picked: RGBColour, on palette: LookPalette) {
        let grounds = [palette.paper, palette.card]
        let end = palette.isDark ? RGBColour.white : .black
        text = picked.standingOut(from: grounds, by: RGBColour.textContrast, towards: end)
        fill = picked.standingOut(from: grounds, by: RGBColour.controlContrast, towards: end)
        onFill = fill.readableOnTop
    }
}

/// The colours of all pages but the accent, as page.css has them: a sheet that says light or dark for all says all of them.
struct LookPalette: Sendable {
    let isDark: Bool
    let paper: RGBColour
    let card: RGBColour
    let ink: RGBColour
    let soft: RGBColour
    let line: RGBColour
    let accent: RGBColour
    let onAccent: RGBColour
    let bad: RGBColour
    let good: RGBColour

    static let light = LookPalette(
        isDark: false, paper: RGBColour(0xFA, 0xF7, 0xF2), card: .white, ink: RGBColour(0x24, 0x1F, 0x1C),
        soft: RGBColour(0x6A, 0x60, 0x59), line: RGBColour(0xE5, 0xDC, 0xD1),
        accent: RGBColour(0x8A, 0x3B, 0x4A), onAccent: .white, bad: RGBColour(0xA8, 0x26, 0x1D),
        good: RGBColour(0x2F, 0x6B, 0x46))
    static let dark = LookPalette(
        isDark: true, paper: RGBColour(0x15, 0x12, 0x11), card: RGBColour(0x21, 0x1C, 0x1A),
        ink: RGBColour(0xF3, 0xEC, 0xE4), soft: RGBColour(0xAC, 0xA1, 0x98),
        line: RGBColour(0x3A, 0x32, 0x2D), accent: RGBColour(0xE6, 0xAA, 0xA5),
        onAccent: RGBColour(0x2B, 0x11, 0x14), bad: RGBColour(0xFF, 0x9A, 0x8D),
        good: RGBColour(0x8F, 0xD3, 0xA9))

    /// As custom properties.
    fileprivate var declarations: [String] {
        [
            "color-scheme: \(isDark ? "dark" : "light")", "--paper: \(paper)", "--card: \(card)",
            "--ink: \(ink)",
            "--soft: \(soft)", "--line: \(line)", "--accent: \(accent)", "--on-accent: \(onAccent)",
            "--bad: \(bad)",
            "--good: \(good)",
        ]
    }
}

/// `GET /e/{slug}/look.css`: an event's look as a style sheet of custom properties, which stands after all others. A page's policy
/// takes no styles but from files.
package struct LookSheet: Equatable, Sendable {
    package let text: String
    /// Another one with each other text: it stands in the sheet's address, which may be kept for good.
    package let version: String

    static let name = "look.css"

    package init(_ look: EventLook) {
        text = Self.text(look)
        version = String("\(SHA256.of(Array(text.utf8)))".prefix(16))
    }

    func address(at path: String) -> String { "\(path)/\(Self.name)?v=\(version)" }

    private static func text(_ look: EventLook) -> String {
        var rules = ""
        switch look.theme {
        case .auto:
            rules += rule(accent(look, on: .light))
            let dark = rule(accent(look, on: .dark))
            if !dark.isEmpty { rules += "@media (prefers-color-scheme: dark) {\n\(dark)}\n" }
        case .light: rules += rule(LookPalette.light.declarations + accent(look, on: .light))
        case .dark: rules += rule(LookPalette.dark.declarations + accent(look, on: .dark))
        }
        if look.typeface != .classic {
            rules += rule(["--serif: \(look.typeface.headings)", "--sans: \(look.typeface.body)"])
        }
        return rules
    }

    private static func accent(_ look: EventLook, on palette: LookPalette) -> [String] {
        guard let picked = look.accent else { return [] }
        let shades = AccentShades(picked, on: palette)
        return [
            "--accent: \(shades.text)", "--on-accent: \(shades.text.readableOnTop)", "--fill: \(shades.fill)",
            "--on-fill: \(shades.onFill)",
        ]
    }

    private static func rule(_ declarations: [String]) -> String {
        // More than the ":root" of page.css counts, wherever that stands.
        declarations.isEmpty ? "" : "html:root {\n\(declarations.map { "  \($0);\n" }.joined())}\n"
    }
}
