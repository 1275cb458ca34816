/// The words that a database's full text search knows of a block of photos: one for every character that is in its texts,
/// every two and every three that follow each other, each of one event. A database needs to know no language for that, nor
/// where words begin.
///
/// Two different groups of characters may share a word: what is found by words is looked at once more.
struct SearchGrams {
    private let event: [UInt8]
    private var hashes: Set<UInt32> = []

    /// No character has that number.
    private static let none: UInt64 = 0x1F_FFFF
    /// Beyond the last character.
    private static let visible: UInt64 = 0x11_0000

    init(event: String) {
        // FNV-1a, of which words keep 35 bits.
        let hash = event.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        self.event = Self.digits(hash >> 29, 7)
    }

    // MARK: What a block holds

    init(event: String, _ block: SearchBlock) { self.init(event: event, block.sealedRecords) }

    init(event: String, _ records: [SearchBlock.Record]) {
        self.init(event: event)
        for record in records {
            insert(record.text)
            if !record.isHidden { insert(group: Self.alone(Self.visible)) }
            // Who wants three stars wants four as well.
            for stars in 0..<record.rating { insert(group: Self.alone(Self.visible + UInt64(stars) + 1)) }
        }
    }

    private mutating func insert(_ text: [UInt8]) {
        var (first, second) = (Self.none, Self.none)
        Self.scalars(text) { scalar in
            guard let scalar else {
                (first, second) = (Self.none, Self.none)
                return
            }
            insert(group: Self.alone(scalar))
            if second != Self.none { insert(group: second << 21 | scalar) }
            if first != Self.none { insert(group: first << 42 | second << 21 | scalar) }
            (first, second) = (second, scalar)
        }
    }

    private mutating func insert(group: UInt64) {
        hashes.insert(UInt32(truncatingIfNeeded: (group &* 0x9E37_79B9_7F4A_7C15) >> 39))
    }

    private static func alone(_ scalar: UInt64) -> UInt64 { none << 21 | scalar }

    /// In order, with a blank between two.
    var words: String {
        var text: [UInt8] = []
        text.reserveCapacity(hashes.count * 13)
        for hash in hashes.sorted() {
            if !text.isEmpty { text.append(UInt8(ascii: " ")) }
            text += event
            text += Self.digits(UInt64(hash), 5)
        }
        return String(decoding: text, as: UTF8.self)
    }

    // MARK: What is looked for

    /// More make the answer no smaller, and its search slower.
    private static let mostWords = 24

    /// The words that every block has which holds a photo with these texts and so many stars.
    static func wanted(_ texts: [[UInt8]], rating: Int, showsHidden: Bool, in event: String) -> [String] {
        var grams = SearchGrams(event: event)
        for text in texts.prefix(mostWords) {
            grams.insert(text, most: mostWords / min(texts.count, mostWords))
        }
        if rating > 0 { grams.insert(group: alone(visible + UInt64(rating))) }
        if !showsHidden { grams.insert(group: alone(visible)) }
        return grams.words.split(separator: " ").map(String.init)
    }

    /// The words that every block has whose texts are folded as they are now. Another group of characters may have one of them;
    /// no block has all three otherwise.
    static func ofNewestSeal(in event: String) -> [String] {
        SearchGrams(event: event, [SearchBlock.newestSeal]).words.split(separator: " ").map(String.init)
    }

    private mutating func insert(_ text: [UInt8], most: Int) {
        var scalars: [UInt64] = []
        Self.scalars(text) { if let scalar = $0 { scalars.append(scalar) } }
        let length = min(3, scalars.count)
        guard length > 0 else { return }
        let count = scalars.count - length + 1
        for start in stride(from: 0, to: count, by: max(1, (count + most - 1) / most)) {
            insert(group: Self.group(scalars[start..<start + length]))
        }
    }

    /// One to three that follow each other.
    private static func group(_ scalars: ArraySlice<UInt64>) -> UInt64 {
        scalars.count == 1 ? alone(scalars[scalars.startIndex]) : scalars.reduce(0) { $0 << 21 | $1 }
    }

    // MARK: Characters and digits

    /// The characters of UTF-8 that is known to be good; nothing between two texts.
    private static func scalars(_ text: [UInt8], _ body: (UInt64?) -> Void) {
        var scalar: UInt64 = 0
        var missing = 0
        for byte in text {
            switch byte {
            case 0x00..<0x80: body(UInt64(byte))
            case 0x80..<0xC0:
                scalar = scalar << 6 | UInt64(byte & 0x3F)
                missing -= 1
                if missing == 0 { body(scalar) }
            case 0xC0..<0xE0: (scalar, missing) = (UInt64(byte & 0x1F), 1)
            case 0xE0..<0xF0: (scalar, missing) = (UInt64(byte & 0x0F), 2)
            case 0xF0..<0xF8: (scalar, missing) = (UInt64(byte & 0x07), 3)
            default: body(nil)
            }
        }
    }

    private static let alphabet = Array("0123456789abcdefghijklmnopqrstuv".utf8)

    /// Five bits each.
    private static func digits(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { alphabet[Int(number >> UInt64(5 * (count - 1 - $0)) & 31)] }
    }
}
