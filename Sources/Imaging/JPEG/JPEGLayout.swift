import Glibc

/// The segments of a JPEG as they lie in its bytes, found without decoding anything.
struct JPEGLayout {
    /// What the segments of one kind hold, behind their signature.
    private(set) var exif: UnsafeRawBufferPointer?
    private(set) var profile = ProfilePieces()
    /// Whether Adobe wrote it: then inks are stored as their opposite.
    private(set) var isAdobe = false
    /// As the frame's header promises.
    private(set) var frame: (width: Int, height: Int, components: Int)?
    /// Whether it has an end. What lies behind that is not looked at: cameras put whole images there.
    private(set) var isWhole = false

    init(_ bytes: UnsafeRawBufferPointer) {
        var position = 2
        while let marker = Self.nextMarker(in: bytes, &position) {
            switch marker {
            case 0xD9:
                isWhole = true
                return
            // "Markers that stand alone": RST, TEM, and SOI, which has no business here.
            case 0x01, 0xD0...0xD8: continue
            default: break
            }
            guard position + 2 <= bytes.count else { return }
            let length = Int(bytes[position]) << 8 | Int(bytes[position + 1])
            guard length >= 2, position + length <= bytes.count else { return }
            take(marker, UnsafeRawBufferPointer(rebasing: bytes[(position + 2)..<(position + length)]))
            position += length
        }
    }

    /// Goes behind the next marker. Bytes of a scan are passed over too: "a 0 byte is stuffed" behind each FF of them.
    private static func nextMarker(in bytes: UnsafeRawBufferPointer, _ position: inout Int) -> UInt8? {
        while position < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            guard let found = firstFF(in: rest) else { return nil }
            position += found + 1
            // "Any marker may optionally be preceded by any number of fill bytes."
            while position < bytes.count, bytes[position] == 0xFF { position += 1 }
            guard position < bytes.count else { return nil }
            let marker = bytes[position]
            position += 1
            if marker != 0 { return marker }
        }
        return nil
    }

    private static func firstFF(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress, let found = memchr(start, 0xFF, bytes.count) else { return nil }
        return UnsafeRawPointer(found) - start
    }

    private mutating func take(_ marker: UInt8, _ content: UnsafeRawBufferPointer) {
        switch marker {
        case 0xE1 where exif == nil && content.starts(with: "Exif\0\0".utf8):
            exif = UnsafeRawBufferPointer(rebasing: content.dropFirst(6))
        case 0xE2: profile.take(content)
        // All SOF but for DHT, JPG and DAC, which have numbers among them (ITU-T T.81, table B.1).
        case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker) && frame == nil && content.count >= 6:
            frame = (
                width: Int(content[3]) << 8 | Int(content[4]),
                height: Int(content[1]) << 8 | Int(content[2]), components: Int(content[5])
            )
        case 0xEE where content.starts(with: "Adobe".utf8):
            isAdobe = true
        default: break
        }
    }
}
