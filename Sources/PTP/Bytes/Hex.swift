/// Bytes as people read them in bug reports: `22 00 00 00 …`.
public struct HexDump: CustomStringConvertible, Sendable {
    /// Enough for every header and short packet; a report of a whole dataset belongs in a capture file.
    public static let usualLimit = 64

    public let description: String

    public init(_ bytes: some Collection<UInt8>, limit: Int = HexDump.usualLimit) {
        let shown = bytes.prefix(limit).map { Hex.digits(UInt64($0), width: 2) }.joined(separator: " ")
        let left = bytes.count - min(limit, bytes.count)
        description = left > 0 ? "\(shown) … (\(left) more)" : shown
    }
}

public enum Hex {
    /// Upper-case digits, padded with zeros to `width`.
    public static func digits(_ value: UInt64, width: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// `0x100B`, `0xFFFFC001`: as the standard and the vendors write codes and handles.
    public static func code(_ value: some FixedWidthInteger & UnsignedInteger) -> String {
        "0x" + digits(UInt64(value), width: value.bitWidth / 4)
    }
}
