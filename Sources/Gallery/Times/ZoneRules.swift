/// A place's time zone as its file in the IANA's database has it (RFC 9636): when its clocks were set, and what they go by
/// after the last time that is listed.
package struct ZoneRules: Equatable, Sendable {
    private var times: [Int64] = []
    /// From the time of the same place on.
    private var offsets: [Int64] = []
    private var first: Int64 = 0
    private var footer: ZoneFooter?

    package struct Damage: Error, Equatable {}

    /// The largest has 3,500 bytes; those with every year written out have 10,000.
    package static let longest = 64 << 10
    private static let header = 44

    package init(_ file: [UInt8]) throws(Damage) {
        var block = try Block(file[...], wordSize: 4)
        // "A version 2 file … a second header and data block", with times of 64 bits, and a rule behind it.
        if block.version >= UInt8(ascii: "2") {
            block = try Block(block.rest, wordSize: 8)
            let line = block.rest.dropFirst().prefix { $0 != UInt8(ascii: "\n") }
            guard block.rest.first == UInt8(ascii: "\n"), line.endIndex < block.rest.endIndex else {
                throw Damage()
            }
            if !line.isEmpty {
                guard let footer = ZoneFooter(String(decoding: line, as: UTF8.self)) else { throw Damage() }
                self.footer = footer
            }
        }
        // With leap seconds it counts other seconds than Unix time does.
        guard block.leaps == 0, let first = block.types.first else { throw Damage() }
        self.first = first
        times = block.times
        for index in block.indices {
            guard block.types.indices.contains(index) else { throw Damage() }
            offsets.append(block.types[index])
        }
        guard zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else { throw Damage() }
    }

    /// By how many seconds its clocks are ahead of UTC, so many seconds after 1970 began.
    package func offset(at seconds: Int64) -> Int64 {
        guard let last = times.last else { return footer?.offset(at: seconds) ?? first }
        if seconds >= last, let footer { return footer.offset(at: seconds) }
        var low = 0
        var high = times.count
        while low < high {
            let middle = (low + high) / 2
            if times[middle] <= seconds { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? first : offsets[low - 1]
    }

    /// One header and what it counts.
    private struct Block {
        let version: UInt8
        var times: [Int64] = []
        var indices: [Int] = []
        var types: [Int64] = []
        let leaps: Int
        let rest: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>, wordSize: Int) throws(Damage) {
            guard bytes.count >= header, bytes.starts(with: "TZif".utf8) else { throw Damage() }
            var reader = Reader(bytes: bytes)
            version = reader.take(5).last ?? 0
            _ = reader.take(15)
            let counts = (0..<6).map { _ in Int(reader.number(4)) }
            let (isUTC, isStandard, leaps, times) = (counts[0], counts[1], counts[2], counts[3])
            let (types, letters) = (counts[4], counts[5])
            guard counts.allSatisfy({ (0...longest).contains($0) }) else { throw Damage() }
            let size =
                times * (wordSize + 1) + types * 6 + letters + leaps * (wordSize + 4) + isStandard + isUTC
            guard reader.bytes.count >= size else { throw Damage() }
            self.leaps = leaps
            self.times = (0..<times).map { _ in reader.number(wordSize) }
            indices = reader.take(times).map(Int.init)
            for _ in 0..<types {
                let offset = reader.number(4)
                // "SHOULD be in the range [-89999, 93599]".
                guard abs(offset) < 100_000 else { throw Damage() }
                self.types.append(offset)
                _ = reader.take(2)
            }
            _ = reader.take(letters + leaps * (wordSize + 4) + isStandard + isUTC)
            rest = reader.bytes
        }
    }

    private struct Reader {
        var bytes: ArraySlice<UInt8>

        mutating func take(_ count: Int) -> ArraySlice<UInt8> {
            defer { bytes = bytes.dropFirst(count) }
            return bytes.prefix(count)
        }

        /// Two's complement, the highest byte first.
        mutating func number(_ size: Int) -> Int64 {
            let value = take(size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
        }
    }
}
