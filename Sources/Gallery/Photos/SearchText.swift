import Basics
// Canonical composition and decomposition are in the standard library, which has no public names for them yet.
@_spi(_Unicode) import Swift

/// Texts as a search compares them: what reads the same, or is typed for the other, is the same bytes, in every database alike.
enum SearchText {
    /// Between two texts of one photo. No byte of UTF-8.
    static let separator: UInt8 = 0xFF

    /// Which way texts are folded. A block says it of its own (``SearchBlock/seal``), and one that says another, or none since it
    /// is from before accents were dropped, is made anew: so every change of what ``folded(_:)`` makes counts it up. At most 63.
    static let folding: UInt8 = 1

    /// Composed (NFC), without upper and lower case, and without accents, which are left out where they are hard to type: "jose"
    /// is "José", "nguyen" is "Nguyễn". Only those of Latin and Greek letters and the dots of ё: in other scripts a mark makes
    /// another letter (が, й) or is one (ไม้).
    static func folded(_ text: String) -> [UInt8] {
        var text = text
        let plain = text.withUTF8 { bytes in
            bytes.allSatisfy { $0 < 0x80 } ? bytes.map(lowered) : nil
        }
        if let plain { return plain }
        var scalars = String.UnicodeScalarView()
        // What the marks behind it stand on.
        var base: Unicode.Scalar?
        // Decomposed (NFD), a letter comes before its marks, however both were written.
        for scalar in text._nfd {
            if scalar.isASCII {
                base = scalar
                scalars.append(Unicode.Scalar(lowered(UInt8(scalar.value))))
                continue
            }
            if let base, isDropped(scalar, behind: base) { continue }
            if scalar.properties.canonicalCombiningClass == .notReordered { base = scalar }
            guard scalar.properties.isCased else {
                scalars.append(scalar)
                continue
            }
            for scalar in withoutCase(scalar).unicodeScalars {
                scalars.append(contentsOf: asTyped(scalar).unicodeScalars)
            }
        }
        return String(String.UnicodeScalarView(String(scalars)._nfc)).utf8.map(\.self)
    }

    /// Some letters have several small forms (σ and ς), some a large one of two letters (ß and SS), some a small one alone.
    private static func withoutCase(_ scalar: Unicode.Scalar) -> String {
        let large = mapped(scalar.properties.lowercaseMapping, \.uppercaseMapping)
        return mapped(large, \.lowercaseMapping)
    }

    private static func mapped(
        _ text: String, _ mapping: (Unicode.Scalar.Properties) -> String
    ) -> String {
        text.unicodeScalars.map { mapping($0.properties) }.joined()
    }

    // MARK: Accents

    private static func isDropped(_ mark: Unicode.Scalar, behind base: Unicode.Scalar) -> Bool {
        guard (0x300...0x36F).contains(mark.value) else { return false }
        return switch base {
        // The Cyrillic Е and е. Of the letters with marks only ё is also written without.
        case "\u{415}", "\u{435}": mark == "\u{308}"
        default: isLatinOrGreek(base)
        }
    }

    /// By the blocks of Unicode. Among the Greek letters are Coptic ones, whose strokes mean something; signs such as × are none.
    private static func isLatinOrGreek(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3E2...0x3EF: false
        case 0x41...0x5A, 0x61...0x7A, 0xAA...0x2AF, 0x370...0x3FF, 0x1E00...0x1FFF, 0x2C60...0x2C7F,
            0xA720...0xA7FF, 0xAB30...0xAB6F, 0xFB00...0xFB06, 0xFF21...0xFF3A,
            0xFF41...0xFF5A:
            scalar.properties.isAlphabetic
        default: false
        }
    }

    /// Latin letters that are no letter with a mark to Unicode, as keyboards without them write them. The small i without a dot
    /// has the same large letter as i, and is that already.
    private static func asTyped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "ø": "o"
        case "ł": "l"
        case "đ", "ð": "d"
        case "þ": "th"
        case "æ": "ae"
        case "œ": "oe"
        case "ħ": "h"
        default: String(scalar)
        }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Everything of a photo that is searched. Nothing that is looked for reaches from one text into the next.
    static func of(
        caption: String, filename: String?, tags: [String], camera: String?, shown: Timestamp?
    ) -> [UInt8] {
        var all: [UInt8] = []
        for text in [caption, filename, camera, shown.map(time)] + tags {
            guard let text, !text.isEmpty else { continue }
            if !all.isEmpty { all.append(separator) }
            all += folded(text)
        }
        return all
    }

    /// As pages show it: 2026-11-21 18:59
    private static func time(_ shown: Timestamp) -> String {
        String(CivilTime.rfc3339(milliseconds: shown.milliseconds).prefix(16)).replacing("T", with: " ")
    }
}
