/// Where the samples of a track lie in the file, chunk by chunk.
struct SampleRanges {
    private let bytes: BoxBytes
    private let table: BoxNode

    init(of track: BoxNode, _ bytes: BoxBytes) throws(VideoProblem) {
        guard let table = track.descendant("mdia", "minf", "stbl") else { throw Self.damaged }
        self.table = table
        self.bytes = bytes
    }

    /// Chunks of one track: days, where each has a second.
    private static let most = 2_000_000
    private static let damaged = VideoProblem(
        .truncated, "the video is damaged: one of its tracks does not say where its samples lie")

    /// In the order of the table. There are as many as it has entries, which are in memory.
    func all() throws(VideoProblem) -> [Range<UInt64>] {
        let places = try chunks()
        let runs = try entries("stsc", width: 12) { start in
            (first: bytes.long(start) ?? 0, samples: bytes.long(start + 4) ?? 0)
        }
        var sizes = try Sizes(table, bytes)
        var ranges: [Range<UInt64>] = []
        ranges.reserveCapacity(places.count)
        var run = 0
        for (index, place) in places.enumerated() {
            while run + 1 < runs.count, Int(runs[run + 1].first) <= index + 1 { run += 1 }
            guard run < runs.count else { throw Self.damaged }
            guard let size = sizes.next(Int(runs[run].samples)), place <= UInt64.max - size else {
                throw Self.damaged
            }
            if size > 0 { ranges.append(place..<place + size) }
        }
        return ranges
    }

    private func chunks() throws(VideoProblem) -> [UInt64] {
        if table.child("co64") != nil {
            return try entries("co64", width: 8) { bytes.number(at: $0, bytes: 8) ?? 0 }
        }
        return try entries("stco", width: 4) { UInt64(bytes.long($0) ?? 0) }
    }

    /// Behind a version and a count.
    private func entries<Entry>(
        _ name: String, width: Int, _ read: (Int) -> Entry
    ) throws(VideoProblem) -> [Entry] {
        guard let node = table.child(name), node.content.count >= 8,
            let count = bytes.long(node.content.lowerBound + 4),
            Int(count) <= (node.content.count - 8) / width
        else { throw Self.damaged }
        guard Int(count) <= Self.most else {
            throw VideoProblem(.unsupported, "a track of the video has more than \(Self.most) parts")
        }
        return (0..<Int(count)).map { read(node.content.lowerBound + 8 + $0 * width) }
    }

    /// How many bytes each sample has.
    private struct Sizes {
        private let bytes: BoxBytes
        /// The same for all of them; zero where each has its own.
        private var common: UInt64 = 0
        private var count: Int
        private var start = 0
        /// In bits.
        private var width = 32
        private var done = 0

        init(_ table: BoxNode, _ bytes: BoxBytes) throws(VideoProblem) {
            self.bytes = bytes
            guard let node = table.child("stsz") ?? table.child("stz2"), node.content.count >= 12,
                let count = bytes.long(node.content.lowerBound + 8)
            else { throw SampleRanges.damaged }
            self.count = Int(count)
            start = node.content.lowerBound + 12
            if node.name == "stsz" {
                common = UInt64(bytes.long(node.content.lowerBound + 4) ?? 0)
            } else {
                width = Int(bytes.number(at: node.content.lowerBound + 7, bytes: 1) ?? 0)
            }
            let room = (node.content.count - 12) * 8
            guard common > 0 || [4, 8, 16, 32].contains(width) && self.count <= room / width else {
                throw SampleRanges.damaged
            }
        }

        /// Of the next ones together; nothing where there are not so many.
        mutating func next(_ samples: Int) -> UInt64? {
            guard samples <= count - done else { return nil }
            defer { done += samples }
            if common > 0 { return UInt64(samples) * common }
            return (done..<done + samples).reduce(0) { $0 + size($1) }
        }

        private func size(_ sample: Int) -> UInt64 {
            guard width == 4 else {
                return bytes.number(at: start + sample * (width / 8), bytes: width / 8) ?? 0
            }
            let pair = bytes.number(at: start + sample / 2, bytes: 1) ?? 0
            return sample.isMultiple(of: 2) ? pair >> 4 : pair & 0xF
        }
    }
}
