/// A colour as hosts name it: "#rrggbb", in sRGB.
package struct RGBColour: Equatable, Hashable, Sendable {
    package let red: UInt8
    package let green: UInt8
    package let blue: UInt8

    package static let black = RGBColour(0, 0, 0)
    package static let white = RGBColour(255, 255, 255)

    package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Six hexadecimal digits behind a "#", in either case; nothing for anything else.
    package init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 7, digits[0] == UInt8(ascii: "#") else { return nil }
        let values = digits.dropFirst().compactMap { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
            default: nil
            }
        }
        guard values.count == 6 else { return nil }
        self.init(values[0] << 4 | values[1], values[2] << 4 | values[3], values[4] << 4 | values[5])
    }

    package var text: String {
        let number = UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
        let digits = String(number, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }
}

extension RGBColour: CustomStringConvertible {
    package var description: String { text }
}
