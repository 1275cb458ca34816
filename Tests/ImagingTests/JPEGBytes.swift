/// Segments of JPEGs, written by hand.
enum JPEGBytes {
    /// A profile in so many pieces, in this order, behind the beginning.
    static func withProfile(_ profile: [UInt8], in jpeg: [UInt8], pieces: [Int] = [1], of count: Int = 1)
        -> [UInt8]
    {
        let size = (profile.count + count - 1) / count
        let segments = pieces.flatMap { number -> [UInt8] in
            let start = min(max(0, (number - 1) * size), profile.count)
            let content =
                Array("ICC_PROFILE\0".utf8) + [UInt8(number), UInt8(count)]
                + profile[start..<min(start + size, profile.count)]
            return [0xFF, 0xE2] + ICCBytes.short(UInt16(content.count + 2)) + content
        }
        return Array(jpeg.prefix(2)) + segments + jpeg.dropFirst(2)
    }

    /// A TIFF as its EXIF, behind the beginning (Exif 2.32, §4.7.2).
    static func withExif(_ tiff: [UInt8], in jpeg: [UInt8]) -> [UInt8] {
        let content = Array("Exif\0\0".utf8) + tiff
        let segment = [0xFF, 0xE1] + ICCBytes.short(UInt16(content.count + 2)) + content
        return Array(jpeg.prefix(2)) + segment + jpeg.dropFirst(2)
    }
}
