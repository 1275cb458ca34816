/// The code that a Nikon shows on its screen while it pairs, as GetPairingInfo (0x952B) gives it.
///
/// "Data contains a 4-digit code (encoding not documented)": so every way in which four digits can be meant is a
/// reading, the likelier first, and the person beside the camera compares.
public struct NikonPairingCode: Equatable, Sendable {
    /// Each of four digits. None where the bytes are no code in any way that is known.
    public let readings: [String]

    public static let digits = 4
    /// More than any way of writing four digits needs.
    public static let mostBytes = 256

    public init(reading bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes.prefix(Self.mostBytes))
        let written = [
            Self.ascii(bytes), Self.wide(bytes), Self.counted(bytes),
        ].compactMap(\.self)
        // A text of digits is that text; only what is none may be a number.
        let numbers = [Self.packed(bytes), Self.packed(Array(bytes.reversed())), Self.number(bytes)]
            .compactMap(\.self)
        var readings: [String] = []
        for reading in written.isEmpty ? numbers : written where !readings.contains(reading) {
            readings.append(reading)
        }
        self.readings = readings
    }

    private static func ascii(_ bytes: [UInt8]) -> String? {
        text(bytes.map { UInt16($0) })
    }

    /// UTF-16, without a count.
    private static func wide(_ bytes: [UInt8]) -> String? {
        bytes.count % 2 == 0 ? text(units(bytes)) : nil
    }

    /// PTP's own strings: "u8 N, the number of units with the NUL".
    private static func counted(_ bytes: [UInt8]) -> String? {
        guard bytes.count % 2 == 1, let count = bytes.first, bytes.count == 1 + 2 * Int(count) else {
            return nil
        }
        return text(units(Array(bytes.dropFirst())))
    }

    private static func units(_ bytes: [UInt8]) -> [UInt16] {
        stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
    }

    /// Four digits and nothing but zeros behind them.
    private static func text(_ units: [UInt16]) -> String? {
        guard units.count >= digits, units.dropFirst(digits).allSatisfy({ $0 == 0 }) else { return nil }
        var text = ""
        for unit in units.prefix(digits) {
            guard (0x30...0x39).contains(unit), let scalar = Unicode.Scalar(unit) else { return nil }
            text.unicodeScalars.append(scalar)
        }
        return text
    }

    /// Two digits a byte.
    private static func packed(_ bytes: [UInt8]) -> String? {
        guard bytes.count == 2 else { return nil }
        var text = ""
        for byte in bytes {
            guard byte >> 4 <= 9, byte & 15 <= 9 else { return nil }
            text += "\(byte >> 4)\(byte & 15)"
        }
        return text
    }

    private static func number(_ bytes: [UInt8]) -> String? {
        guard bytes.count == 2 || bytes.count == 4 else { return nil }
        let value = bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard value <= 9999 else { return nil }
        let text = String(value)
        return String(repeating: "0", count: digits - text.count) + text
    }
}
