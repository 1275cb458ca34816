/// Where the samples of a track lie in the file, chunk by chunk.
struct SampleRanges {
    private let bytes: BoxBytes
    private let places: Entries
    private let runs: Entries
    private let sizes: SampleSizes

    init(of track: VideoIndex.Track, _ bytes: BoxBytes) {
        let table = track.node.descendant("mdia", "minf", "stbl")
        let long = table?.child("co64")
        self.bytes = bytes
        places = Entries(long ?? table?.child("stco"), width: long == nil ? 4 : 8, bytes)
        runs = Entries(table?.child("stsc"), width: 12, bytes)
        sizes = SampleSizes(of: table, bytes, isSound: track.handler == "soun")
    }

    /// Chunks of one track that is taken out: days, where each has a second.
    private static let most = 2_000_000

    /// Of a track that is taken out, so that none may be missed. There are as many as its table has entries, which are in
    /// memory.
    func all() throws(VideoProblem) -> [Range<UInt64>] {
        guard places.count <= Self.most else {
            throw VideoProblem(.unsupported, "a track of the video has more than \(Self.most) parts")
        }
        var ranges: [Range<UInt64>] = []
        ranges.reserveCapacity(places.count)
        guard walk({ ranges.append($0) }) else {
            throw VideoProblem(
                .truncated, "the video is damaged: one of its tracks does not say where its samples lie")
        }
        return ranges
    }

    /// From chunk to chunk, in the order of the table, as players go, which show what they find. False where something is
    /// missing: a table is cut, there are fewer samples than chunks have, or one lies where no file has bytes.
    func walk(_ take: (Range<UInt64>) -> Void) -> Bool {
        var left = sizes
        var isWhole = places.isWhole && runs.isWhole && sizes.isWhole
        var run = 0
        for chunk in 0..<places.count {
            while run + 1 < runs.count, long(runs.place(of: run + 1)) <= chunk + 1 { run += 1 }
            guard run < runs.count else { return false }
            // Behind the number of the first chunk.
            let size = left.next(long(runs.place(of: run) + 4))
            let start = bytes.number(at: places.place(of: chunk), bytes: places.width) ?? 0
            let (end, isBeyond) = start.addingReportingOverflow(size.bytes)
            if size.bytes > 0 { take(start..<(isBeyond ? UInt64.max : end)) }
            if isBeyond || !size.isAll { isWhole = false }
        }
        return isWhole
    }

    private func long(_ place: Int) -> Int { Int(bytes.long(place) ?? 0) }

    /// A table behind a version and a count: so much of it as its box holds.
    private struct Entries {
        let width: Int
        let count: Int
        /// What it says of itself is there.
        let isWhole: Bool
        private let start: Int

        init(_ node: BoxNode?, width: Int, _ bytes: BoxBytes) {
            self.width = width
            guard let node, node.content.count >= 8, let said = bytes.long(node.content.lowerBound + 4) else {
                (start, count, isWhole) = (0, 0, false)
                return
            }
            let room = (node.content.count - 8) / width
            (start, count) = (node.content.lowerBound + 8, min(Int(said), room))
            isWhole = Int(said) <= room
        }

        func place(of entry: Int) -> Int { start + entry * width }
    }
}
