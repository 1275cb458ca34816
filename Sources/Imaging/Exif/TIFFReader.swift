/// Reads the directories of a TIFF ("TIFF Revision 6.0", section 2), which is what EXIF and most raw files are inside.
///
/// Offsets in it may lead anywhere: nothing is read outside the bytes, no directory twice, and no more than so many.
struct TIFFReader {
    private let bytes: UnsafeRawBufferPointer
    private let isLittle: Bool
    private let first: Int

    /// A camera has a few hundred.
    static let mostEntries = 2000
    static let mostDirectories = 32

    /// "II" or "MM", then 42. Panasonic's raw files say 85 there.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 8 else { return nil }
        switch (bytes[0], bytes[1]) {
        case (UInt8(ascii: "I"), UInt8(ascii: "I")): isLittle = true
        case (UInt8(ascii: "M"), UInt8(ascii: "M")): isLittle = false
        default: return nil
        }
        self.bytes = bytes
        let words = Words(bytes: bytes, isLittle: isLittle)
        guard let magic = words.short(2), magic == 42 || magic == 85, let first = words.long(4) else {
            return nil
        }
        self.first = Int(first)
    }

    struct Words {
        let bytes: UnsafeRawBufferPointer
        let isLittle: Bool

        func short(_ offset: Int) -> UInt16? {
            guard offset >= 0, offset + 2 <= bytes.count else { return nil }
            let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
            return isLittle ? UInt16(littleEndian: value) : UInt16(bigEndian: value)
        }

        func long(_ offset: Int) -> UInt32? {
            guard offset >= 0, offset + 4 <= bytes.count else { return nil }
            let value = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return isLittle ? UInt32(littleEndian: value) : UInt32(bigEndian: value)
        }
    }

    /// What a tag has, wherever it lies.
    struct Entry {
        let tag: UInt16
        let type: UInt16
        let count: Int
        /// All of it; nothing when it leads out of the file.
        let content: UnsafeRawBufferPointer?
        /// Where that begins in the file.
        let offset: Int
        fileprivate let words: Words

        /// Shorts or longs, the first so many.
        func numbers(limit: Int = 64) -> [Int] {
            guard let content else { return [] }
            let words = Words(bytes: content, isLittle: words.isLittle)
            return (0..<min(count, limit)).compactMap { index in
                switch type {
                case 3: words.short(index * 2).map(Int.init)
                case 4, 13: words.long(index * 4).map(Int.init)
                default: nil
                }
            }
        }

        var number: Int? { numbers(limit: 1).first }

        /// "Two LONGs: the first represents the numerator of a fraction; the second, the denominator." Those that are no
        /// number are left out.
        func rationals(limit: Int) -> [Double] {
            guard type == 5, let content else { return [] }
            let words = Words(bytes: content, isLittle: words.isLittle)
            return (0..<min(count, limit)).compactMap { index in
                guard let above = words.long(index * 8), let below = words.long(index * 8 + 4), below > 0
                else {
                    return nil
                }
                return Double(above) / Double(below)
            }
        }

        /// "8-bit byte that contains a 7-bit ASCII code"; many write UTF-8, and some pad with blanks.
        var text: String? {
            guard type == 2 || type == 129, let content else { return nil }
            return TIFFReader.text(content.prefix { $0 != 0 })
        }
    }

    struct DirectoryOfTags {
        let entries: [Entry]

        subscript(_ tag: UInt16) -> Entry? { entries.first { $0.tag == tag } }
    }

    /// The chain that begins in the header, and whatever a directory of it refers to as one.
    func directories() -> [DirectoryOfTags] {
        var found: [DirectoryOfTags] = []
        var seen: Set<Int> = []
        var waiting = [first]
        while let offset = waiting.popLast(), found.count < Self.mostDirectories {
            guard offset > 0, seen.insert(offset).inserted, let read = directory(at: offset) else { continue }
            found.append(read.directory)
            // What hangs on this one comes before the next of the chain.
            var next = read.next > 0 ? [read.next] : []
            for tag in [Tag.exif, Tag.subDirectories] {
                next += read.directory[tag]?.numbers(limit: Self.mostDirectories) ?? []
            }
            waiting += next
        }
        return found
    }

    /// The one that the first of these refers to by that tag, for tags that are numbered anew in there.
    func directory(below tag: UInt16, of directories: [DirectoryOfTags]) -> DirectoryOfTags? {
        directories.lazy.compactMap { $0[tag]?.number }.first.flatMap { directory(at: $0) }?.directory
    }

    private func directory(at offset: Int) -> (directory: DirectoryOfTags, next: Int)? {
        let words = Words(bytes: bytes, isLittle: isLittle)
        guard let count = words.short(offset).map(Int.init), count <= Self.mostEntries else { return nil }
        let entries = (0..<count).compactMap { entry(at: offset + 2 + $0 * 12, words) }
        let next = words.long(offset + 2 + count * 12).map(Int.init) ?? 0
        return (DirectoryOfTags(entries: entries), next)
    }

    private func entry(at offset: Int, _ words: Words) -> Entry? {
        guard let tag = words.short(offset), let type = words.short(offset + 2),
            let count = words.long(offset + 4).map(Int.init), let value = words.long(offset + 8),
            let size = Self.size(of: type)
        else { return nil }
        let length = count * size
        let place = length <= 4 ? offset + 8 : Int(value)
        let isInside = place + length <= bytes.count
        return Entry(
            tag: tag, type: type, count: count,
            content: isInside ? UnsafeRawBufferPointer(rebasing: bytes[place..<(place + length)]) : nil,
            offset: place, words: words)
    }

    /// BYTE, ASCII, SHORT, LONG, RATIONAL and their likes; 13 is a directory's offset, 129 is UTF-8 (Exif 3.0).
    private static func size(of type: UInt16) -> Int? {
        switch type {
        case 1, 2, 6, 7, 129: 1
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        case 5, 10, 12: 8
        default: nil
        }
    }

    private static let longestText = 400

    static func text(_ bytes: some Collection<UInt8>) -> String? {
        let text = String(decoding: bytes.prefix(longestText), as: UTF8.self)
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                " "
            default: scalar
            }
        }
        let words = String(String.UnicodeScalarView(scalars)).split(separator: " ")
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}

/// The tags that are looked at (TIFF 6.0; Exif 2.32 §4.6; TIFF/EP; DNG).
enum Tag {
    static let imageWidth: UInt16 = 0x0100
    static let compression: UInt16 = 0x0103
    static let make: UInt16 = 0x010F
    static let model: UInt16 = 0x0110
    static let stripOffsets: UInt16 = 0x0111
    static let orientation: UInt16 = 0x0112
    static let stripByteCounts: UInt16 = 0x0117
    static let artist: UInt16 = 0x013B
    static let tileOffsets: UInt16 = 0x0144
    static let tileByteCounts: UInt16 = 0x0145
    static let subDirectories: UInt16 = 0x014A
    static let jpegOffset: UInt16 = 0x0201
    static let jpegLength: UInt16 = 0x0202
    static let panasonicJPEG: UInt16 = 0x002E
    static let copyright: UInt16 = 0x8298
    static let profile: UInt16 = 0x8773
    static let exif: UInt16 = 0x8769
    static let gps: UInt16 = 0x8825
    static let colourSpace: UInt16 = 0xA001
    static let interoperability: UInt16 = 0xA005
    static let bodySerial: UInt16 = 0xA431
    static let cameraSerial: UInt16 = 0xC62F

    /// DateTimeOriginal, DateTimeDigitized and DateTime, each with the decimals of its second and its zone.
    static let times: [(date: UInt16, fraction: UInt16, zone: UInt16)] = [
        (0x9003, 0x9291, 0x9011), (0x9004, 0x9292, 0x9012), (0x0132, 0x9290, 0x9010),
    ]

    /// In the directory below ``interoperability``.
    enum Interoperability {
        static let index: UInt16 = 1
    }

    /// In the directory below ``gps``.
    enum GPS {
        static let time: UInt16 = 7
        static let date: UInt16 = 29
    }
}
