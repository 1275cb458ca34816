public import PTP

/// What a generated photo says of itself.
public struct PhotoDescription: Sendable {
    public var make: String
    public var model: String
    public var serial: String
    public var number: Int
    public var date: DateTime
    public var seed: UInt64

    public init(make: String, model: String, serial: String, number: Int, date: DateTime, seed: UInt64) {
        self.make = make
        self.model = model
        self.serial = serial
        self.number = number
        self.date = date
        self.seed = seed
    }

    /// EXIF writes dates with colons.
    fileprivate var exifDate: String {
        let text = Array(date.description)
        func part(_ from: Int, _ to: Int) -> String { String(text[from..<to]) }
        return "\(part(0, 4)):\(part(4, 6)):\(part(6, 8)) \(part(9, 11)):\(part(11, 13)):\(part(13, 15))"
    }

    func exif(_ picture: Mosaic, thumbnail: [UInt8]?) -> [UInt8] {
        let main: [TIFFWriter.Tag] = [
            .init(0x010F, .ascii(make)), .init(0x0110, .ascii(model)), .init(0x0112, .short(1)),
            .init(0x0131, .ascii("camsim")), .init(0x0132, .ascii(exifDate)),
            .init(
                0x8769,
                .directory([
                    .init(0x829A, .rational(1, 250)), .init(0x829D, .rational(28, 10)),
                    .init(0x8827, .short(400)), .init(0x9000, .undefined(Array("0232".utf8))),
                    .init(0x9003, .ascii(exifDate)), .init(0x9004, .ascii(exifDate)),
                    .init(0x9291, .ascii(String(date.tenth ?? 0))), .init(0x920A, .rational(50, 1)),
                    .init(0xA002, .long(UInt32(picture.width))), .init(0xA003, .long(UInt32(picture.height))),
                    .init(0xA431, .ascii(serial)),
                ])
            ),
        ]
        guard let thumbnail else { return TIFFWriter.encode([main]) }
        return TIFFWriter.encode([
            main,
            [
                .init(0x0103, .short(6)), .init(0x0201, .blob(thumbnail)),
                .init(0x0202, .long(UInt32(thumbnail.count))),
            ],
        ])
    }
}

/// A photo made of a description and a size: a head, filling, and a tail, any part of which can be computed
/// without the rest.
public struct GeneratedPhoto: ObjectContent {
    private enum Filling: Sendable {
        /// Application segments that a decoder skips.
        case segments(PaddingSegments)
        case noise(UInt64)
    }

    public let length: UInt64
    public let width: Int
    public let height: Int
    public let thumbnail: [UInt8]?
    private let head: [UInt8]
    private let filling: Filling
    private let tail: [UInt8]
    private let noise: Noise
    private let key: UInt64

    /// The picture sizes tried, in blocks, from the one that a person likes to look at to the smallest.
    static let pictures: [(columns: Int, rows: Int, hasThumbnail: Bool)] = [
        (96, 64, true), (48, 32, true), (18, 12, false), (1, 1, false),
    ]

    /// From this size on a JPEG has the first picture and a thumbnail.
    static let fullPictureFrom: UInt64 = 64 << 10
    static let thumbnailLength = 4096

    /// No photo of ours is smaller: a picture of one block, its tables and its EXIF.
    public static let smallestJPEG: UInt64 = 1024

    /// A JPEG of exactly `size` bytes.
    package init(jpeg description: PhotoDescription, size: UInt64, noise: Noise) {
        precondition(size >= Self.smallestJPEG, "a JPEG cannot be that small")
        self.noise = noise
        key = Mixer.mix(description.seed &+ UInt64(description.number))
        length = size
        var choice = JPEGParts(description, Self.pictures[Self.pictures.count - 1])
        for picture in Self.pictures {
            let parts = JPEGParts(description, picture)
            // Nothing, or room for a segment's marker and length.
            let left = Int64(size) - Int64(parts.count)
            if left == 0 || left >= 4 {
                choice = parts
                break
            }
        }
        head = choice.head
        tail = choice.body
        thumbnail = choice.thumbnail
        width = choice.mosaic.width
        height = choice.mosaic.height
        filling = .segments(PaddingSegments(length: size - UInt64(choice.count)))
    }

    /// A TIFF-based raw file with an embedded preview, of exactly `size` bytes; the rest of it is what a sensor
    /// would have said.
    package init(raw description: PhotoDescription, size: UInt64, noise: Noise) {
        self.noise = noise
        key = Mixer.mix(~description.seed &+ UInt64(description.number))
        let preview = JPEGParts(description, Self.pictures[1])
        let jpeg = preview.head + preview.body
        head = TIFFWriter.encode([
            [
                .init(0x00FE, .long(1)), .init(0x0100, .long(UInt32(preview.mosaic.width))),
                .init(0x0101, .long(UInt32(preview.mosaic.height))), .init(0x0103, .short(7)),
                .init(0x0106, .short(6)), .init(0x010F, .ascii(description.make)),
                .init(0x0110, .ascii(description.model)), .init(0x0111, .blob(jpeg)),
                .init(0x0112, .short(1)),
                .init(0x0115, .short(3)), .init(0x0117, .long(UInt32(jpeg.count))),
                .init(0x0132, .ascii(description.exifDate)), .init(0xC612, .bytes([1, 4, 0, 0])),
                .init(0xC614, .ascii("\(description.make) \(description.model)")),
            ]
        ])
        precondition(size >= UInt64(head.count), "a raw file cannot be that small")
        length = size
        thumbnail = preview.thumbnail
        width = preview.mosaic.width
        height = preview.mosaic.height
        tail = []
        filling = .noise(size - UInt64(head.count))
    }

    /// No raw file of ours is smaller.
    public static let smallestRaw: UInt64 = 32 << 10

    public func fill(_ memory: UnsafeMutableRawBufferPointer, at offset: UInt64) {
        var rest = memory
        var position = offset
        while !rest.isEmpty {
            let count = fillPart(rest, at: position)
            rest = UnsafeMutableRawBufferPointer(rebasing: rest[count...])
            position += UInt64(count)
        }
    }

    private func fillPart(_ memory: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        let tailStart = length - UInt64(tail.count)
        if offset < UInt64(head.count) { return copy(head[Int(offset)...], to: memory) }
        if offset >= tailStart { return copy(tail[Int(offset - tailStart)...], to: memory) }
        let inFilling = offset - UInt64(head.count)
        let most = Int(min(UInt64(memory.count), tailStart - offset))
        let room = UnsafeMutableRawBufferPointer(rebasing: memory[..<most])
        switch filling {
        case .segments(let segments):
            return segments.fill(room, at: inFilling, key: key, noise)
        case .noise:
            let stretch = inFilling / UInt64(Noise.longestStretch)
            let within = Int(inFilling % UInt64(Noise.longestStretch))
            let count = min(room.count, Noise.longestStretch - within)
            noise.fill(
                UnsafeMutableRawBufferPointer(rebasing: room[..<count]), key: key &+ stretch, at: within)
            return count
        }
    }

    private func copy(_ bytes: ArraySlice<UInt8>, to memory: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(bytes.count, memory.count)
        memory.copyBytes(from: bytes.prefix(count))
        return count
    }
}

/// A JPEG without filling: what stands in front of it and what behind.
private struct JPEGParts {
    let mosaic: Mosaic
    let thumbnail: [UInt8]?
    let head: [UInt8]
    let body: [UInt8]

    var count: Int { head.count + body.count }

    init(_ description: PhotoDescription, _ picture: (columns: Int, rows: Int, hasThumbnail: Bool)) {
        mosaic = Mosaic(
            columns: picture.columns, rows: picture.rows, number: description.number, seed: description.seed)
        let small = Mosaic(columns: 20, rows: 15, number: description.number, seed: description.seed)
        thumbnail = picture.hasThumbnail ? JPEGParts.padded(JPEGEncoder.body(of: small)) : nil
        var head = BigEndianWriter()
        head.append(contentsOf: [0xFF, 0xD8])
        let exif = description.exif(mosaic, thumbnail: thumbnail)
        head.segment(0xE1) { $0.append(contentsOf: Array("Exif\0\0".utf8) + exif) }
        self.head = head.bytes
        body = JPEGEncoder.body(of: mosaic)
    }

    /// Brought to one size by a comment, so that ObjectInfo can say it without drawing the picture.
    private static func padded(_ body: [UInt8]) -> [UInt8] {
        let soi: [UInt8] = [0xFF, 0xD8]
        let left = GeneratedPhoto.thumbnailLength - soi.count - 4 - body.count
        precondition(left >= 0, "a thumbnail of \(body.count) bytes is larger than was thought possible")
        var comment = BigEndianWriter()
        comment.segment(0xFE) { $0.append(contentsOf: [UInt8](repeating: 0x20, count: left)) }
        return soi + comment.bytes + body
    }
}
