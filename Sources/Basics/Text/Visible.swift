/// Text from a camera with nothing in it that a terminal would obey.
///
/// A name may hold escape sequences, or marks that turn the direction of writing around.
public struct Visible: CustomStringConvertible, Sendable {
    public let description: String

    public init(_ text: String) {
        var result = ""
        for scalar in text.unicodeScalars {
            if Visible.isHarmless(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
        description = result
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            false
        default: true
        }
    }
}
