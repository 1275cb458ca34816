import Digest

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
        guard text.hasPrefix("#"), let parts = Hexadecimal.bytes(String(text.dropFirst())), parts.count == 3
        else { return nil }
        self.init(parts[0], parts[1], parts[2])
    }

    package var text: String { "#" + Hexadecimal.text([red, green, blue]) }
}

extension RGBColour: CustomStringConvertible {
    package var description: String { text }
}
