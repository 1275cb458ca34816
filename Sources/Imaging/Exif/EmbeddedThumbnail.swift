/// The small picture that a camera has put into a JPEG ("Exif 2.32", §4.5.5): there without decoding anything.
package enum EmbeddedThumbnail {
    /// All of it lies in the first segments, each of which has 64 KiB at most.
    package static let lookedAt = 256 << 10
    /// "The JPEG thumbnail shall be no larger than 64 Kbytes."
    private static let most = 64 << 10

    /// Of the first bytes of a file; nothing where there is none. It says itself how it is to be turned, as the photo does.
    package static func jpeg(in first: [UInt8]) -> [UInt8]? {
        first.withUnsafeBytes { bytes -> [UInt8]? in
            guard PictureKind(bytes.prefix(PictureKind.length)) == .jpeg,
                let exif = JPEGLayout(bytes).exif, let reader = TIFFReader(exif)
            else { return nil }
            let directories = reader.directories()
            for directory in directories.dropFirst() {
                guard let offset = directory[Tag.jpegOffset]?.number,
                    let length = directory[Tag.jpegLength]?.number,
                    offset > 0, (4...most).contains(length), offset <= exif.count - length
                else { continue }
                let picture = Array(exif[offset..<offset + length])
                guard picture.starts(with: [0xFF, 0xD8, 0xFF]) else { continue }
                let turn = ExifFacts(exif).orientation ?? .topLeft
                return [0xFF, 0xD8] + orientationSegment(turn) + picture.dropFirst(2)
            }
            return nil
        }
    }

    /// An APP1 with nothing but the tag: a thumbnail seldom has one of its own, and a browser goes by the first.
    private static func orientationSegment(_ turn: Orientation) -> [UInt8] {
        let tiff: [UInt8] =
            Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1]
            + [0, UInt8(turn.rawValue), 0, 0, 0, 0, 0, 0]
        let content = Array("Exif\0\0".utf8) + tiff
        let length = content.count + 2
        return [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + content
    }
}
