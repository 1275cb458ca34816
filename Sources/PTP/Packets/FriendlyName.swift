/// The name that a camera shows on its screen and that we show to the operator.
///
/// On the wire: UTF-16 with a closing NUL and no length in front, unlike the strings of PTP datasets.
public enum FriendlyName {
    /// "at most 40 characters including the terminating null" (CIPA DC-X005 §2.3.1).
    public static let maximumUnits = 40

    /// What fits, cut at a character and never inside a surrogate pair.
    static func encode(_ name: String) -> [UInt8] {
        var units: [UInt16] = []
        for character in name {
            let more = Array(String(character).utf16)
            guard units.count + more.count < maximumUnits, !more.contains(0) else { break }
            units += more
        }
        var writer = ByteWriter(reserving: 2 * units.count + 2)
        for unit in units + [0] { writer.append(unit) }
        return writer.bytes
    }

    /// Reads up to the NUL, or to the end where a camera forgot it. Bad units become U+FFFD.
    static func decode(_ reader: inout ByteReader) throws(ReadFailure) -> String {
        var units: [UInt16] = []
        while reader.remaining >= 2 {
            let unit: UInt16 = try reader.integer("friendly name")
            if unit == 0 { break }
            units.append(unit)
        }
        return String(decoding: units, as: UTF16.self)
    }
}
