/// PNGs written by hand, with whatever chunks (PNG specification, section 5; RFC 1950 and 1951 for what is packed).
enum PNGBytes {
    static func file(
        _ chart: ColourChart, depth: Int = 8, _ chunks: [(name: String, content: [UInt8])] = []
    ) -> [UInt8] {
        let channels = chart.patches[0].count
        let line = chart.width * channels * depth / 8
        let samples = chart.samples(depth: depth)
        let rows = (0..<chart.height).flatMap { [0] + samples[($0 * line)..<(($0 + 1) * line)] }
        let header = ICCBytes.long(UInt32(chart.width)) + ICCBytes.long(UInt32(chart.height))
        let all =
            [("IHDR", header + [UInt8(depth), channels == 1 ? 0 : 2, 0, 0, 0])] + chunks
            + [("IDAT", packed(rows)), ("IEND", [])]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + all.flatMap { chunk($0.0, $0.1) }
    }

    static func profile(_ profile: [UInt8]) -> (name: String, content: [UInt8]) {
        ("iCCP", Array("a profile".utf8) + [0, 0] + packed(profile))
    }

    static func gamma(_ value: UInt32) -> (name: String, content: [UInt8]) { ("gAMA", ICCBytes.long(value)) }

    static func primaries(_ space: RGBSpace) -> (name: String, content: [UInt8]) {
        let points = [space.points[3]] + space.points.prefix(3)
        return (
            "cHRM",
            points.flatMap { [$0.0, $0.1] }.flatMap { ICCBytes.long(UInt32(($0 * 100_000).rounded())) }
        )
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + content
        return ICCBytes.long(UInt32(content.count)) + body + ICCBytes.long(checksum(body))
    }

    /// In blocks that are only stored.
    private static func packed(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x78, 0x01]
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        for start in stride(from: 0, to: bytes.count, by: 65535) {
            let piece = bytes[start..<min(start + 65535, bytes.count)]
            let count = UInt16(piece.count)
            result.append(start + piece.count == bytes.count ? 1 : 0)
            for value in [count, ~count] { result += [UInt8(value & 255), UInt8(value >> 8)] }
            result += piece
        }
        return result + ICCBytes.long(high << 16 | low)
    }

    private static let table: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { table[Int(($0 ^ UInt32($1)) & 255)] ^ $0 >> 8 }
    }
}
