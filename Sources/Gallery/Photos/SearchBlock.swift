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

    static let length: Int64 = 32

    static func number(of sequence: Int64) -> Int64 { sequence / length }

    static func sequences(in number: Int64) -> Range<Int64> { number * length..<(number + 1) * length }

    // MARK: Bytes

    /// Length of the text, sequence, place, rating, whether hidden.
    private static let headLength = 4 + 8 + 8 + 1 + 1

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(records.reduce(0) { $0 + Self.headLength + $1.text.count })
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }
        for record in records {
            append(UInt32(record.text.count))
            append(record.sequence)
            append(record.place)
            append(UInt8(clamping: record.rating))
            append(UInt8(record.isHidden ? 1 : 0))
            bytes += record.text
        }
        return bytes
    }

    /// Nothing for what was not written here.
    init?(_ bytes: [UInt8]) {
        self.init(bytes, holding: [])
    }

    /// Those whose texts hold the bytes that are looked for.
    init?(_ bytes: [UInt8], holding wanted: [UInt8]) {
        records = []
        let isWhole = bytes.withUnsafeBytes { memory in
            var start = 0
            while start < memory.count {
                guard let record = Self.record(memory[start...], wanted) else { return false }
                start += record.length
                if let record = record.found { records.append(record) }
            }
            return true
        }
        if !isWhole { return nil }
    }

    init(records: [Record]) {
        self.records = records
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
