import Digest

/// What stands for a video of which no picture could be taken: the sign of a player on a dark ground, as a PNG of the video's
/// shape. The renderer makes renditions of it as of any picture.
enum BlankPoster {
    /// On the longer side.
    private static let edge = 640
    private static let ground: UInt8 = 0x2A
    private static let sign: UInt8 = 0xD0

    static func png(width: Int, height: Int) -> [UInt8] {
        let longest = max(width, height, 1)
        func fitted(_ side: Int) -> Int { max(8, side * edge / longest) }
        let (width, height) = (fitted(width), fitted(height))
        var head: [UInt8] = []
        head.put(UInt32(width))
        head.put(UInt32(height))
        // Eight bits of grey.
        head += [8, 0, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", head)
            + chunk("IDAT", zlib(rows(width, height))) + chunk("IEND", [])
    }

    /// A triangle in the middle that points ahead, a quarter of the shorter side high.
    private static func rows(_ width: Int, _ height: Int) -> [UInt8] {
        let half = max(2, min(width, height) / 8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity((width + 1) * height)
        for y in 0..<height {
            bytes.append(0)
            let away = abs(y - height / 2)
            let reach = away > half ? 0 : 2 * (half - away)
            let start = width / 2 - half
            for x in 0..<width { bytes.append((start..<start + reach).contains(x) ? sign : ground) }
        }
        return bytes
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + content
        var crc = CRC32()
        body.withUnsafeBytes { crc.update($0) }
        var bytes: [UInt8] = []
        bytes.put(UInt32(content.count))
        bytes += body
        bytes.put(crc.value)
        return bytes
    }

    /// Stored, not compressed (RFC 1950; RFC 1951, §3.2.4): it lives for a moment.
    private static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var rest = bytes[...]
        repeat {
            let part = rest.prefix(0xFFFF)
            rest = rest.dropFirst(part.count)
            let count = UInt16(part.count)
            stream += [rest.isEmpty ? 1 : 0, UInt8(count & 0xFF), UInt8(count >> 8)]
            stream += [UInt8(~count & 0xFF), UInt8(~count >> 8)] + part
        } while !rest.isEmpty
        stream.put(adler(bytes))
        return stream
    }

    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var (one, two): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            one = (one + UInt32(byte)) % 65_521
            two = (two + one) % 65_521
        }
        return two << 16 | one
    }
}

extension [UInt8] {
    fileprivate mutating func put(_ number: UInt32) {
        for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }
}
