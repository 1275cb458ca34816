import Basics
// Canonical composition is in the standard library, which has no public name for it yet.
@_spi(_Unicode) import Swift

/// Texts as a search compares them: what reads the same is the same bytes, in every database alike.
enum SearchText {
    /// Between two texts of one photo. No byte of UTF-8.
    static let separator: UInt8 = 0xFF

    /// Composed (NFC), and without upper and lower case.
    static func folded(_ text: String) -> [UInt8] {
        var text = text
        let plain = text.withUTF8 { bytes in
            bytes.allSatisfy { $0 < 0x80 } ? bytes.map(lowered) : nil
        }
        if let plain { return plain }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                scalars.append(Unicode.Scalar(lowered(UInt8(scalar.value))))
            } else if scalar.properties.isCased {
                for scalar in withoutCase(scalar).unicodeScalars { scalars.append(scalar) }
            } else {
                scalars.append(scalar)
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
