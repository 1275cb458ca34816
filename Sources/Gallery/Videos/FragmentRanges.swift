/// Where the samples of fragments ('moof') lie in the file (ISO/IEC 14496-12, 8.8).
struct FragmentRanges {
    /// How many bytes a sample has where its fragment does not say it ('trex'), by the number of its track.
    private let sizes: [UInt32: UInt32]

    init(_ index: BoxNode, _ bytes: BoxBytes) {
        var sizes: [UInt32: UInt32] = [:]
        for node in index.child("mvex")?.children ?? [] where node.name == "trex" {
            let start = node.content.lowerBound
            guard node.content.count >= 20, let track = bytes.long(start + 4) else { continue }
            sizes[track] = bytes.long(start + 16)
        }
        self.sizes = sizes
    }

    /// One for each run of samples, which lie beside each other. Of a track that is damaged those before that are told, as
    /// players show them.
    func all(of fragment: BoxNode, _ bytes: BoxBytes) -> [Range<UInt64>] {
        var ranges: [Range<UInt64>] = []
        // "the base-data-offset for the first track in the movie fragment is the position of the first byte of the enclosing
        // Movie Fragment Box, and for second and subsequent track fragments, the default is the end of the data defined by
        // the preceding track fragment" (8.8.7)
        var end = fragment.start
        for track in fragment.children where track.name == "traf" {
            guard let header = TrackHeader(track.child("tfhd"), bytes) else { continue }
            let base = header.base ?? (header.isFromFragment ? fragment.start : end)
            let common = header.size ?? sizes[header.track] ?? 0
            end = base
            for node in track.children where node.name == "trun" {
                guard let run = Run(node, bytes, common) else { break }
                // "If the data-offset is not present, then the data for this run starts immediately after the data of the
                // previous run" (8.8.8). A sum that is none lies beyond all data.
                let start = run.offset.map { base &+ UInt64(bitPattern: Int64($0)) } ?? end
                let (sum, isBeyond) = start.addingReportingOverflow(run.size)
                end = isBeyond ? UInt64.max : sum
                ranges.append(start..<end)
            }
        }
        return ranges
    }

    /// What the runs of a track have in common ('tfhd', 8.8.7). Each field is there if its flag is set.
    private struct TrackHeader {
        let track: UInt32
        let base: UInt64?
        /// Its places count from the beginning of the fragment.
        let isFromFragment: Bool
        let size: UInt32?

        init?(_ node: BoxNode?, _ bytes: BoxBytes) {
            guard let node, node.content.count >= 8, let flags = bytes.long(node.content.lowerBound),
                let track = bytes.long(node.content.lowerBound + 4)
            else { return nil }
            var place = node.content.lowerBound + 8
            let hasBase = flags & 0x1 != 0
            let others = 4 * (flags & 0x3A).nonzeroBitCount
            guard place + (hasBase ? 8 : 0) + others <= node.content.upperBound else { return nil }
            base = hasBase ? bytes.number(at: place, bytes: 8) : nil
            // The number of a description and a duration stand before the size.
            place += (hasBase ? 8 : 0) + 4 * (flags & 0xA).nonzeroBitCount
            size = flags & 0x10 != 0 ? bytes.long(place) : nil
            isFromFragment = flags & 0x20000 != 0
            self.track = track
        }
    }

    /// Samples beside each other ('trun', 8.8.8).
    private struct Run {
        let offset: Int32?
        let size: UInt64

        init?(_ node: BoxNode, _ bytes: BoxBytes, _ common: UInt32) {
            let start = node.content.lowerBound
            guard node.content.count >= 8, let flags = bytes.long(start), let said = bytes.long(start + 4)
            else { return nil }
            // The place, and flags of the first sample.
            let first = start + 8 + 4 * (flags & 0x5).nonzeroBitCount
            guard first <= node.content.upperBound else { return nil }
            offset = flags & 0x1 != 0 ? bytes.long(start + 8).map { Int32(bitPattern: $0) } : nil
            // Duration, size, flags and offset in time of each.
            let width = 4 * (flags & 0xF00).nonzeroBitCount
            let count = width == 0 ? Int(said) : min(Int(said), (node.content.upperBound - first) / width)
            guard flags & 0x200 != 0 else {
                size = UInt64(count) * UInt64(common)
                return
            }
            let field = first + (flags & 0x100 != 0 ? 4 : 0)
            size = (0..<count).reduce(0) { $0 + UInt64(bytes.long(field + $1 * width) ?? 0) }
        }
    }
}
