/// A TIFF written by hand, as the specification has it: each directory hangs on an entry of the one before.
struct TIFFBytes {
    enum Entry {
        case short(UInt16, UInt16)
        case text(UInt16, String)
        /// Bytes elsewhere in the file: by offset and length, or as what one tag of undefined type holds.
        case blob(UInt16, UInt16?, [UInt8])
        case pair(UInt16, UInt16, [UInt8])
        /// The next directory that is written.
        case below(UInt16)
    }

    private(set) var bytes: [UInt8]
    private let isLittle: Bool
    /// Where the offset of the next directory is to be written.
    private var hook: Int

    init(isLittle: Bool, magic: UInt16 = 42, extra: [UInt8] = []) {
        self.isLittle = isLittle
        bytes = isLittle ? Array("II".utf8) : Array("MM".utf8)
        hook = 4
        bytes += short(magic) + long(0) + extra
    }

    mutating func directory(_ entries: [Entry]) {
        let start = UInt32(bytes.count)
        write(long(start), at: hook)
        let rows = entries.flatMap(expanded).sorted { $0.tag < $1.tag }
        let base = bytes.count + 2
        bytes += short(UInt16(rows.count)) + [UInt8](repeating: 0, count: rows.count * 12 + 4)
        for (index, row) in rows.enumerated() {
            let place = base + index * 12
            write(short(row.tag) + short(row.type) + long(row.count), at: place)
            switch row.value {
            case .inline(let value): write(value, at: place + 8)
            case .elsewhere(let content):
                write(long(UInt32(bytes.count)), at: place + 8)
                bytes += content
            case .below: hook = place + 8
            }
        }
    }

    private struct Row {
        enum Value {
            case inline([UInt8])
            case elsewhere([UInt8])
            case below
        }

        let tag: UInt16
        let type: UInt16
        let count: UInt32
        let value: Value
    }

    private func expanded(_ entry: Entry) -> [Row] {
        switch entry {
        case .short(let tag, let value):
            return [Row(tag: tag, type: 3, count: 1, value: .inline(short(value) + [0, 0]))]
        case .text(let tag, let text):
            let content = Array(text.utf8) + [0]
            return [Row(tag: tag, type: 2, count: UInt32(content.count), value: .elsewhere(content))]
        case .blob(let tag, nil, let content):
            return [Row(tag: tag, type: 7, count: UInt32(content.count), value: .elsewhere(content))]
        case .blob(let tag, let length?, let content), .pair(let tag, let length, let content):
            return [
                // An offset is the place of what lies elsewhere, as one long.
                Row(tag: tag, type: 4, count: 1, value: .elsewhere(content)),
                Row(tag: length, type: 4, count: 1, value: .inline(long(UInt32(content.count)))),
            ]
        case .below(let tag): return [Row(tag: tag, type: 4, count: 1, value: .below)]
        }
    }

    private mutating func write(_ content: [UInt8], at place: Int) {
        bytes.replaceSubrange(place..<(place + content.count), with: content)
    }

    private func short(_ value: UInt16) -> [UInt8] {
        let big = [UInt8(value >> 8), UInt8(value & 255)]
        return isLittle ? big.reversed() : big
    }

    private func long(_ value: UInt32) -> [UInt8] {
        let big = [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
        return isLittle ? big.reversed() : big
    }

    /// Files in which a reader that believes all gets lost.
    static func mazes() -> [[UInt8]] {
        var itself = TIFFBytes(isLittle: true)
        itself.directory([.below(0x14A)])
        itself.write(itself.long(8), at: itself.hook)
        var next = TIFFBytes(isLittle: true)
        next.directory([.short(0x112, 1)])
        next.write(next.long(8), at: next.bytes.count - 4)
        var far = TIFFBytes(isLittle: true)
        far.directory([.below(0x8769)])
        far.write(far.long(0xFFFF_FFF0), at: far.hook)
        // Each directory is empty and leads on, ten thousand times.
        var chain = TIFFBytes(isLittle: true)
        chain.write(chain.long(8), at: 4)
        for _ in 0..<10_000 {
            let after = UInt32(chain.bytes.count + 6)
            chain.bytes += chain.short(0) + chain.long(after)
        }
        // "Count" says four billion entries of eight bytes.
        var entries = TIFFBytes(isLittle: true)
        entries.write(entries.long(8), at: 4)
        entries.bytes += entries.short(1) + entries.short(0x9003) + entries.short(5)
        entries.bytes += entries.long(.max) + entries.long(.max) + entries.long(0)
        return [itself.bytes, next.bytes, far.bytes, chain.bytes, entries.bytes]
    }
}
