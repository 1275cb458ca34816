/// The boxes of a file like ISO/IEC 14496-12, those inside of others too.
struct BoxReader {
    struct Box {
        let name: String
        let content: UnsafeRawBufferPointer
        /// Where that begins in the file.
        let offset: Int

        /// A number of 32 bits in it.
        func long(_ place: Int) -> UInt32? {
            TIFFReader.Words(bytes: content, isLittle: false).long(place)
        }
    }

    private(set) var all: [Box] = []
    /// Whether no box ends behind the file.
    private(set) var isWhole = true

    private static let most = 1000
    private static let deepest = 8
    /// Boxes of boxes, as far as raw files have them.
    private static let parents: Set = ["moov", "trak", "mdia", "minf", "stbl", "uuid"]

    init(_ bytes: UnsafeRawBufferPointer) {
        read(bytes, at: 0, depth: 0)
    }

    /// What a `uuid` holds need not be boxes, so that only outside of them a wrong length says that bytes are missing.
    private mutating func read(_ bytes: UnsafeRawBufferPointer, at base: Int, depth: Int) {
        let words = TIFFReader.Words(bytes: bytes, isLittle: false)
        var position = 0
        while let short = words.long(position), all.count < Self.most, position + 8 <= bytes.count {
            var header = 8
            var length = Int(short)
            // "If size is 1 then the actual size is in the field largesize; 0: this box is the last one."
            if short == 1 {
                guard let high = words.long(position + 8), let low = words.long(position + 12), high < 1 << 16
                else {
                    isWhole = depth > 0 && isWhole
                    return
                }
                header = 16
                length = Int(high) << 32 | Int(low)
            } else if short == 0 {
                length = bytes.count - position
            }
            guard length >= header, length <= bytes.count - position else {
                isWhole = depth > 0 && isWhole
                return
            }
            let name = String(decoding: bytes[(position + 4)..<(position + 8)], as: UTF8.self)
            let start = position + header
            let content = UnsafeRawBufferPointer(rebasing: bytes[start..<(position + length)])
            all.append(Box(name: name, content: content, offset: base + start))
            if Self.parents.contains(name), depth < Self.deepest {
                enter(content, skipping: name == "uuid" ? Self.inside(content) : 0, base + start, depth)
            }
            position += length
        }
    }

    private mutating func enter(_ content: UnsafeRawBufferPointer, skipping: Int, _ base: Int, _ depth: Int) {
        guard skipping < content.count else { return }
        read(UnsafeRawBufferPointer(rebasing: content[skipping...]), at: base + skipping, depth: depth + 1)
    }

    /// The name of a `uuid` box has 16 bytes; Canon's preview has two numbers more before its box.
    private static func inside(_ content: UnsafeRawBufferPointer) -> Int {
        let preview: [UInt8] = [0xEA, 0xF4, 0x2B, 0x5E, 0x1C, 0x98, 0x4B, 0x88]
        return content.starts(with: preview) ? 24 : 16
    }
}
