/// The JPEGs that cameras put into their raw files, for programs that cannot develop those.
struct RawPreviews {
    /// In the order they were found.
    private(set) var candidates: [UnsafeRawBufferPointer] = []
    private(set) var exif = ExifFacts()
    /// What the file says of the colours of them all; the first counts most.
    private(set) var colours: [ColourClaim] = []
    /// Whether everything that it refers to is in the file.
    private(set) var isWhole = true

    private let bytes: UnsafeRawBufferPointer
    static let most = 32

    init(_ bytes: UnsafeRawBufferPointer, _ kind: PictureKind) {
        self.bytes = bytes
        switch kind {
        case .tiff, .canon2, .panasonic: findInTIFF()
        case .canon3: findInBoxes()
        case .fuji: findInFuji()
        case .jpeg, .png, .heif: break
        }
    }

    /// What may be a JPEG, when it lies in the file and begins as one.
    private mutating func consider(_ offset: Int, _ length: Int) {
        guard offset >= 0, length > 0, offset <= bytes.count, length <= bytes.count - offset else {
            isWhole = false
            return
        }
        let piece = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + length)])
        guard piece.starts(with: [0xFF, 0xD8, 0xFF]), candidates.count < Self.most else { return }
        candidates.append(piece)
    }

    // MARK: TIFF

    private mutating func findInTIFF() {
        guard let reader = TIFFReader(bytes) else { return }
        let directories = reader.directories()
        if directories.isEmpty { isWhole = false }
        exif = ExifFacts(directories, gps: reader.directory(below: Tag.gps, of: directories))
        colours = [Self.profile(in: directories), ExifColour.claim(reader, directories)].compactMap(\.self)
        for directory in directories {
            if let offset = directory[Tag.jpegOffset]?.number, let length = directory[Tag.jpegLength]?.number
            {
                consider(offset, length)
            }
            if let preview = directory[Tag.panasonicJPEG], preview.type == 7 {
                consider(preview.offset, preview.count)
            }
            consider(directory, Tag.stripOffsets, Tag.stripByteCounts)
            consider(directory, Tag.tileOffsets, Tag.tileByteCounts)
        }
    }

    /// "The ICC profile is embedded as the value of tag 34675" (ICC.1:2010, annex B.3), beside the image that it is about.
    private static func profile(in directories: [TIFFReader.DirectoryOfTags]) -> ColourClaim? {
        guard let tag = directories.lazy.compactMap({ $0[Tag.profile] }).first else { return nil }
        guard let content = tag.content, content.count <= ProfilePieces.most else {
            return .damaged("the colour profile in the file cannot be used: it has \(tag.count) bytes")
        }
        return .profile(Array(content))
    }

    /// A JPEG is one strip; the strips of other images only have to be there.
    private mutating func consider(
        _ directory: TIFFReader.DirectoryOfTags, _ offsets: UInt16, _ lengths: UInt16
    ) {
        guard let offsets = directory[offsets], let lengths = directory[lengths] else { return }
        let pairs = zip(offsets.numbers(limit: Self.mostStrips), lengths.numbers(limit: Self.mostStrips))
        for (offset, length) in pairs where length > 0 {
            if offsets.count == 1 {
                consider(offset, length)
            } else if offset + length > bytes.count {
                isWhole = false
            }
        }
    }

    private static let mostStrips = 100_000

    // MARK: Fujifilm

    /// The header says where its JPEG lies, and where everything else does.
    private mutating func findInFuji() {
        let words = TIFFReader.Words(bytes: bytes, isLittle: false)
        guard let offset = words.long(84), let length = words.long(88) else {
            isWhole = false
            return
        }
        consider(Int(offset), Int(length))
        for place in [92, 100] {
            guard let offset = words.long(place), let length = words.long(place + 4) else { continue }
            if Int(offset) + Int(length) > bytes.count { isWhole = false }
        }
    }

    // MARK: Canon's third kind

    /// ISO/IEC 14496-12 with Canon's own boxes: the tracks of `moov`, the first of which is a JPEG of full size, and a
    /// smaller one in `PRVW`.
    private mutating func findInBoxes() {
        let boxes = BoxReader(bytes)
        isWhole = boxes.isWhole
        for box in boxes.all where box.name == "PRVW" || box.name == "THMB" {
            // Both begin with a few numbers; the JPEG is what follows.
            let header = box.content.prefix(32)
            guard
                let start = header.indices.first(where: {
                    box.content[$0...].starts(with: [0xFF, 0xD8, 0xFF])
                })
            else { continue }
            consider(box.offset + start, box.content.count - start)
        }
        for (sizes, offsets) in zip(
            boxes.all.filter { $0.name == "stsz" }, boxes.all.filter { $0.name == "co64" })
        {
            guard let size = sizes.long(4).flatMap({ $0 > 0 ? $0 : sizes.long(12) }),
                offsets.long(4) ?? 0 > 0,
                let high = offsets.long(8), let low = offsets.long(12), high < 1 << 16
            else { continue }
            consider(Int(high) << 32 | Int(low), Int(size))
        }
        // What others have in one TIFF lies in three here: the main directory, that of EXIF and that of the place.
        let readers = ["CMT1", "CMT2", "CMT4"].map { name in
            boxes.all.first { $0.name == name }.flatMap { TIFFReader($0.content) }
        }
        let directories = readers.map { $0?.directories() ?? [] }
        exif = ExifFacts(directories[0] + directories[1], gps: directories[2].first)
        colours = zip(readers, directories).prefix(2).compactMap { reader, directories in
            reader.flatMap { ExifColour.claim($0, directories) }
        }
    }
}
