import PTP

/// Writes a ``Mosaic`` as a baseline JPEG (ITU T.81): every block one colour, so only DC coefficients.
struct JPEGEncoder {
    /// Everything from the tables to the end of the image: what stands behind SOI and the application segments.
    static func body(of mosaic: Mosaic) -> [UInt8] {
        var out = BigEndianWriter()
        // With a quantiser of 8 the DC coefficient is the block's value itself.
        out.segment(0xDB) { $0.append(contentsOf: [0] + [UInt8](repeating: 8, count: 64)) }
        out.segment(0xC0) { frame in
            frame.append(contentsOf: [8])
            frame.append(UInt16(mosaic.height))
            frame.append(UInt16(mosaic.width))
            frame.append(contentsOf: [3])
            for component in 1...3 as ClosedRange<UInt8> { frame.append(contentsOf: [component, 0x11, 0]) }
        }
        out.segment(0xC4) { $0.append(contentsOf: [0x00] + dcCounts + dcCategories) }
        // One AC code of one bit: "end of block".
        out.segment(0xC4) { $0.append(contentsOf: [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0]) }
        out.segment(0xDA) { $0.append(contentsOf: [3, 1, 0x00, 2, 0x00, 3, 0x00, 0, 63, 0]) }
        return out.bytes + scan(mosaic) + [0xFF, 0xD9]
    }

    private static func scan(_ mosaic: Mosaic) -> [UInt8] {
        var bits = BitWriter()
        var last = Mosaic.Colour(luma: 128, blue: 128, red: 128)
        for row in 0..<mosaic.rows {
            for column in 0..<mosaic.columns {
                let colour = mosaic.colour(column: column, row: row)
                encode(colour.luma - last.luma, &bits)
                encode(colour.blue - last.blue, &bits)
                encode(colour.red - last.red, &bits)
                last = colour
            }
        }
        return bits.finish()
    }

    /// A category by Huffman code, then that many bits of the difference (T.81 F.1.2.1), then end of block.
    private static func encode(_ difference: Int, _ bits: inout BitWriter) {
        let category = Int.bitWidth - difference.magnitude.leadingZeroBitCount
        let (code, length) = dcCodes[category]
        bits.append(code, length)
        if category > 0 {
            let value = difference > 0 ? difference : difference + (1 << category) - 1
            bits.append(UInt32(value), category)
        }
        bits.append(0, 1)
    }

    /// The typical table for luminance differences (T.81 K.3.1): how many codes of each length, and for what.
    private static let dcCounts: [UInt8] = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    private static let dcCategories: [UInt8] = Array(0...11)

    /// Codes follow from the counts (T.81 C.2): one up for the next, doubled for each further bit.
    private static let dcCodes: [(code: UInt32, length: Int)] = {
        var codes: [(UInt32, Int)] = []
        var code: UInt32 = 0
        for (index, count) in dcCounts.enumerated() {
            for _ in 0..<count {
                codes.append((code, index + 1))
                code += 1
            }
            code <<= 1
        }
        return codes
    }()
}

/// Bits, most significant first, with the zero that T.81 wants behind every 0xFF.
private struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending: UInt32 = 0
    private var count = 0

    mutating func append(_ value: UInt32, _ bits: Int) {
        pending = pending << UInt32(bits) | (value & (1 << UInt32(bits) - 1))
        count += bits
        while count >= 8 {
            count -= 8
            let byte = UInt8(truncatingIfNeeded: pending >> UInt32(count))
            bytes.append(byte)
            if byte == 0xFF { bytes.append(0) }
        }
    }

    /// "Pad with ones" (T.81 F.1.2.3).
    mutating func finish() -> [UInt8] {
        while count != 0 { append(1, 1) }
        return bytes
    }
}

/// JPEG's own byte order.
struct BigEndianWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ value: UInt16) {
        bytes += [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]
    }

    mutating func append(contentsOf more: [UInt8]) {
        bytes += more
    }

    /// A marker, its length, and what `body` writes.
    mutating func segment(_ marker: UInt8, _ body: (inout BigEndianWriter) -> Void) {
        var content = BigEndianWriter()
        body(&content)
        bytes += [0xFF, marker]
        append(UInt16(content.bytes.count + 2))
        bytes += content.bytes
    }
}
