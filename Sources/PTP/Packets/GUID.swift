/// Sixteen bytes by which the two ends of a connection know each other.
///
/// To a camera that has been paired this is the password: it lets in only the GUID it remembers.
/// The bytes go onto the wire as they are, in no byte order.
public struct GUID: Hashable, Sendable {
    public static let length = 16

    public let bytes: [UInt8]

    /// Nothing if there are not exactly sixteen bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == GUID.length else { return nil }
        self.bytes = Array(bytes)
    }

    private init(repeating byte: UInt8) {
        bytes = [UInt8](repeating: byte, count: GUID.length)
    }

    /// The standard's way to say "no GUID".
    public static let anonymous = GUID(repeating: 0xFF)

    public static let zero = GUID(repeating: 0)

    /// Thirty-two hexadecimal digits; dashes, colons and spaces between them are ignored.
    public init?(text: some StringProtocol) {
        var digits: [UInt8] = []
        for character in text where !"-: ".contains(character) {
            guard let digit = character.hexDigitValue, digits.count < 2 * GUID.length else { return nil }
            digits.append(UInt8(digit))
        }
        guard digits.count == 2 * GUID.length else { return nil }
        bytes = (0..<GUID.length).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
    }

    /// Made from random bits that the caller drew.
    public init(random: inout some RandomNumberGenerator) {
        bytes = (0..<GUID.length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }
}

extension GUID: CustomStringConvertible {
    public var description: String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += Hex.digits(UInt64(byte), width: 2).lowercased()
        }
        return text
    }
}
