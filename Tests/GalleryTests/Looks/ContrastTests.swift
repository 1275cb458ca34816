import Glibc
import Testing
import Web

@testable import Gallery

/// Whatever colour a host picks, what is written in it or on it can be read.
@Suite struct ContrastTests {
    /// WCAG 2.2, "relative luminance" and "contrast ratio", written once more.
    private static func contrast(_ one: RGBColour, _ two: RGBColour) -> Double {
        let lights = [one, two].map { colour -> Double in
            let parts = [colour.red, colour.green, colour.blue].map { part -> Double in
                let share = Double(part) / 255
                return share > 0.04045 ? pow((share + 0.055) / 1.055, 2.4) : share / 12.92
            }
            return parts[0] * 0.2126 + parts[1] * 0.7152 + parts[2] * 0.0722
        }.sorted()
        return (lights[1] + 0.05) / (lights[0] + 0.05)
    }

    /// As calculators of others have them.
    @Test(
        "known pairs have the contrast that is known of them",
        arguments: [
            ("#000000", "#ffffff", 21.0), ("#767676", "#ffffff", 4.54), ("#777777", "#ffffff", 4.48),
            ("#ff0000", "#ffffff", 4.0), ("#0000ff", "#ffffff", 8.59), ("#808080", "#000000", 5.32),
            ("#abcdef", "#abcdef", 1.0),
        ])
    func known(one: String, two: String, ratio: Double) throws {
        let (one, two) = (try #require(RGBColour(one)), try #require(RGBColour(two)))
        #expect(abs(one.contrast(with: two) - ratio) < 0.01)
        #expect(one.contrast(with: two) == two.contrast(with: one))
    }

    /// Of all colours each ninth part of red, green and blue.
    private static let many: [RGBColour] = {
        let parts = (0...9).map { UInt8(min(255, $0 * 29)) }
        return parts.flatMap { red in
            parts.flatMap { green in parts.map { RGBColour(red, green, $0) } }
        }
    }()

    @Test("words and buttons stand out on light and on dark, in a thousand colours")
    func many() {
        for palette in [LookPalette.light, .dark] {
            for picked in Self.many {
                let shades = AccentShades(picked, on: palette)
                for ground in [palette.paper, palette.card] {
                    #expect(
                        Self.contrast(shades.text, ground) >= 4.5, "\(picked) as \(shades.text) on \(ground)")
                    #expect(
                        Self.contrast(shades.fill, ground) >= 3, "\(picked) as \(shades.fill) on \(ground)")
                }
                #expect(
                    Self.contrast(shades.onFill, shades.fill) >= 4.5, "\(shades.onFill) on \(shades.fill)")
                #expect(Self.contrast(shades.text.readableOnTop, shades.text) >= 4.5)
            }
        }
    }

    @Test("a colour that stands out is left as it is, and another is changed no more than it has to be")
    func nearest() throws {
        let wine = try #require(RGBColour("#8a3b4a"))
        #expect(AccentShades(wine, on: .light).text == wine && AccentShades(wine, on: .light).fill == wine)
        let yellow = try #require(RGBColour("#ffd500"))
        let shades = AccentShades(yellow, on: .light)
        #expect(Self.contrast(shades.text, LookPalette.light.paper) < 4.6)
        #expect(shades.fill.red > shades.text.red, "a button may be nearer to the host's colour than words")
        #expect(shades.text.blue == 0, "a darker yellow is still one")
        #expect(AccentShades(yellow, on: .dark).text == yellow)
    }

    @Test("a colour is six digits behind a #, and nothing else is one")
    func texts() {
        #expect(RGBColour("#A0b1C2")?.text == "#a0b1c2" && RGBColour("#000001")?.text == "#000001")
        for wrong in [
            "", "#", "#fff", "8a3b4a", "#8a3b4", "#8a3b4aa", "#8a3b4g", " #8a3b4a", "#8a3b4a ", "#８a3b4",
            "#8a3b4a;}", "red", "rgb(1,2,3)",
        ] { #expect(RGBColour(wrong) == nil, "\(wrong)") }
    }

    @Test("the colours of a page that is light or dark for all are those of page.css")
    func palettes() throws {
        let css = String(
            decoding: try #require(PageAssets.set.assets.first { $0.name == "page.css" }).bytes, as: UTF8.self
        )
        let bare = css.filter { $0 != " " }
        let pieces = bare.split(separator: "@media(prefers-color-scheme:dark)")
        try #require(pieces.count == 2)
        for (palette, piece) in [(LookPalette.light, pieces[0]), (.dark, pieces[1])] {
            for (name, colour) in [
                ("paper", palette.paper), ("card", palette.card), ("ink", palette.ink),
                ("soft", palette.soft),
                ("line", palette.line), ("accent", palette.accent), ("on-accent", palette.onAccent),
                ("bad", palette.bad), ("good", palette.good),
            ] {
                let texts = [colour.text] + (colour == .white ? ["#fff"] : [])
                #expect(texts.contains { piece.contains("--\(name):\($0);") }, "--\(name): \(colour)")
            }
        }
    }
}
