/// Markup that cannot forget to escape: what a literal says is markup, and every string that is put into one is text.
///
///     let tag: HTMLText = "<b title=\"\(caption)\">\(caption)</b>"
///
/// There is no way to make it from a string but this one, and that for a style sheet (``OwnSheet``), in which nothing that was typed may
/// stand. Attributes stand in double quotes, always.
package struct HTMLText: ExpressibleByStringInterpolation, Equatable, Sendable {
    package private(set) var text: String

    package init(stringLiteral literal: String) {
        text = literal
    }

    package init(stringInterpolation interpolation: StringInterpolation) {
        text = interpolation.text
    }

    package static let none: HTMLText = ""

    /// A style sheet, in which nothing is escaped.
    init(sheet: String) { text = "<style>\(sheet)</style>\n" }

    package static func + (left: HTMLText, right: HTMLText) -> HTMLText { "\(left)\(right)" }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 32 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        package mutating func appendInterpolation(_ string: String) {
            HTMLText.escape(string, to: &text)
        }

        package mutating func appendInterpolation(_ number: some BinaryInteger) {
            text += String(number)
        }

        package mutating func appendInterpolation(_ markup: HTMLText) {
            text += markup.text
        }

        package mutating func appendInterpolation(_ markup: [HTMLText]) {
            for part in markup { text += part.text }
        }
    }

    /// Also right inside of either kind of quotes. What HTML may not contain at all ("noncharacters and controls other
    /// than ASCII whitespace", HTML §13.2.3.5) becomes the sign for what could not be shown.
    private static func escape(_ string: String, to text: inout String) {
        // Most of a page are addresses and numbers, with nothing in them to look at.
        if string.utf8.allSatisfy(isPlain) {
            text += string
            return
        }
        for scalar in string.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            case "\n", "\t": text.unicodeScalars.append(scalar)
            case _ where isForbidden(scalar.value): text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"):
            false
        default: (0x20..<0x7F).contains(byte)
        }
    }

    private static func isForbidden(_ value: UInt32) -> Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0xFDD0...0xFDEF: true
        default: value & 0xFFFE == 0xFFFE
        }
    }
}
