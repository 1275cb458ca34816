import Glibc

/// So many photos of an event, the next in the order of their coming, as a search reads them: one row of the database and one
/// document of its full text search.
///
/// A block is looked through faster than as many rows are read, and a database's index of blocks is small and quickly kept.
struct SearchBlock: Equatable, Sendable {
    struct Record: Equatable, Sendable {
        let sequence: Int64
        /// In milliseconds, as in ``PhotoCursor``.
        let place: Int64
        let rating: Int
        let isHidden: Bool
        /// As ``SearchText`` folds it.
        let text: [UInt8]
    }

    var records: [Record]
    /// Says how the texts of the records are folded. Blocks from before there were two ways have none.
    var seal: Record?

    static let length: Int64 = 32

    static func number(of sequence: Int64) -> Int64 { sequence / length }

    static func sequences(in number: Int64) -> Range<Int64> { number * length..<(number + 1) * length }

    // MARK: The seal

    /// What blocks have whose texts are folded as they are now: a record that no search finds, since its text is three times a
    /// number beyond the last character. The full text search knows words of it as of any text (``SearchGrams``), and by them
    /// the blocks that have it. A program of before reads on over it; where that makes the block anew, it takes these words away
    /// with all others, and the block has no seal any more.
    static let newestSeal = Record(
        sequence: sequenceOfSeal, place: 0, rating: 0, isHidden: true,
        text: [[UInt8]](repeating: [0xF4, 0x91, 0x80, 0x80 | SearchText.folding], count: 3).flatMap(\.self))

    /// No photo has it.
    private static let sequenceOfSeal: Int64 = -1

    /// The seal is the last of them.
    var sealedRecords: [Record] { seal.map { records + [$0] } ?? records }

    // MARK: Bytes

    /// What a block begins with whose best photos come first: where those with a star end, with two, and so on to five, three
    /// bytes each. Who wants the best only reads no further. Blocks of older versions have no such beginning: theirs is a
    /// length, and of no text that long.
    private static let mark: UInt8 = 0xB1
    private static let mostStars = 5
    private static let endLength = 3
    private static let beginning = 1 + mostStars * endLength

    /// Where in a block it says, from zero, where those with so many stars end.
    static func placeOfEnd(stars: Int) -> Int { 1 + (min(stars, mostStars) - 1) * endLength }

    /// Length of the text, sequence, place, rating, whether hidden.
    private static let headLength = 4 + 8 + 8 + 1 + 1

    var bytes: [UInt8] {
        let best = records.enumerated().sorted { one, other in
            (other.element.rating, one.offset) < (one.element.rating, other.offset)
        }.map(\.element)
        var bytes = [UInt8](repeating: 0, count: Self.beginning)
        bytes.reserveCapacity(sealedRecords.reduce(bytes.count) { $0 + Self.headLength + $1.text.count })
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }
        var ends = [Int](repeating: Self.beginning, count: Self.mostStars)
        // The seal has no star, and comes last.
        for record in best + (seal.map { [$0] } ?? []) {
            append(UInt32(record.text.count))
            append(record.sequence)
            append(record.place)
            append(UInt8(clamping: record.rating))
            append(UInt8(record.isHidden ? 1 : 0))
            bytes += record.text
            for star in 0..<min(record.rating, Self.mostStars) { ends[star] = bytes.count }
        }
        // What is longer than three bytes can say is read as a whole.
        guard bytes.count < 1 << (8 * Self.endLength) else { return Array(bytes.dropFirst(Self.beginning)) }
        bytes[0] = Self.mark
        for (star, end) in ends.enumerated() {
            let place = Self.placeOfEnd(stars: star + 1)
            for byte in 0..<Self.endLength {
                bytes[place + byte] = UInt8(truncatingIfNeeded: end >> (8 * (Self.endLength - 1 - byte)))
            }
        }
        return bytes
    }

    /// Nothing for what was not written here.
    init?(_ bytes: [UInt8]) {
        self.init(bytes, holding: [])
    }

    /// Those with so many stars or more whose texts hold the bytes that are looked for. What comes behind the last that may
    /// have as many need not be there.
    init?(_ bytes: [UInt8], holding wanted: [UInt8], stars: Int = 0) {
        records = []
        let isWhole = bytes.withUnsafeBytes { memory in
            guard let part = Self.part(of: memory, stars: stars) else { return false }
            let memory = memory[..<part.upperBound]
            var start = part.lowerBound
            while start < part.upperBound {
                guard let record = Self.record(memory[start...], wanted) else { return false }
                start += record.length
                guard let found = record.found else { continue }
                if found.sequence == Self.sequenceOfSeal {
                    seal = found
                } else if found.rating >= stars {
                    records.append(found)
                }
            }
            return true
        }
        if !isWhole { return nil }
    }

    /// Of several words, those with the first are looked at for the others.
    init?(_ bytes: [UInt8], holding wanted: SearchTerms, stars: Int) {
        self.init(bytes, holding: wanted.first, stars: stars)
        if wanted.all.count > 1 { records.removeAll { !wanted.areHeld(by: $0) } }
    }

    /// Their texts are folded as they are now.
    init(records: [Record]) {
        self.records = records
        seal = Self.newestSeal
    }

    /// Where the records are that may have so many stars.
    private static func part(of memory: UnsafeRawBufferPointer, stars: Int) -> Range<Int>? {
        guard memory.first == mark else { return 0..<memory.count }
        guard memory.count >= beginning else { return nil }
        guard stars > 0 else { return beginning..<memory.count }
        let place = placeOfEnd(stars: stars)
        let end = memory[place..<place + endLength].reduce(0) { $0 << 8 | Int($1) }
        return (beginning...memory.count).contains(end) ? beginning..<end : nil
    }

    private static func record(
        _ memory: Slice<UnsafeRawBufferPointer>, _ wanted: [UInt8]
    ) -> (length: Int, found: Record?)? {
        guard memory.count >= headLength else { return nil }
        let memory = UnsafeRawBufferPointer(rebasing: memory)
        func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number {
            Number(bigEndian: memory.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }
        let length = headLength + Int(number(0, UInt32.self))
        guard memory.count >= length else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: memory[headLength..<length])
        guard holds(text, wanted) else { return (length, nil) }
        let record = Record(
            sequence: number(4, Int64.self), place: number(12, Int64.self), rating: Int(memory[20]),
            isHidden: memory[21] != 0, text: Array(text))
        return (length, record)
    }

    static func holds(_ text: UnsafeRawBufferPointer, _ wanted: [UInt8]) -> Bool {
        guard let first = wanted.first else { return true }
        guard let base = text.baseAddress else { return false }
        var start = 0
        while start + wanted.count <= text.count {
            // Only where as much may follow.
            let count = text.count - wanted.count - start + 1
            guard let found = memchr(base + start, Int32(first), count) else { return false }
            if memcmp(found, wanted, wanted.count) == 0 { return true }
            start = UnsafeRawPointer(found) - base + 1
        }
        return false
    }
}

extension SearchBlock.Record {
    func holds(_ wanted: [UInt8]) -> Bool { text.withUnsafeBytes { SearchBlock.holds($0, wanted) } }
}
