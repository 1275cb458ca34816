/// What of a video's data ('mdat') stays in the copy for guests: that to which its pictures and its sound refer.
///
/// Between those may lie what belongs to no track and what no player reads. Dashboard cameras hide there where each second
/// was recorded.
struct KeptData {
    /// What the boxes of data have in them, in the order of the file.
    private let parts: [Range<UInt64>]
    /// There are no more than runs and chunks, each of which has four bytes or more of an index that is in memory.
    private var ranges: [Range<UInt64>] = []

    init(in boxes: [VideoLayout.TopBox]) {
        parts = boxes.map { $0.start + UInt64($0.header)..<$0.end }
    }

    var isEmpty: Bool { ranges.isEmpty }

    /// Where a table leads out of the data, as that of a recording which was cut may, players find nothing, and there is
    /// nothing to keep.
    mutating func keep(_ range: Range<UInt64>) {
        guard !range.isEmpty, isInData(range) else { return }
        if let last = ranges.last, last.lowerBound <= range.lowerBound, range.lowerBound <= last.upperBound {
            ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
        } else {
            ranges.append(range)
        }
    }

    /// A part of it is.
    private func isInData(_ range: Range<UInt64>) -> Bool {
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low < parts.count && parts[low].lowerBound < range.upperBound
    }

    /// Once all that is kept is known, and before its gaps are gone through.
    mutating func sort() { ranges.sort { $0.lowerBound < $1.lowerBound } }

    /// All of the data that is not kept, from its beginning to its end.
    func walkGaps(_ take: (Range<UInt64>) throws -> Void) rethrows {
        var next = 0
        for part in parts {
            var place = part.lowerBound
            while next < ranges.count, ranges[next].lowerBound < part.upperBound {
                let range = ranges[next]
                if place < range.lowerBound { try take(place..<range.lowerBound) }
                place = max(place, min(range.upperBound, part.upperBound))
                // It may reach into the next part.
                if range.upperBound > part.upperBound { break }
                next += 1
            }
            if place < part.upperBound { try take(place..<part.upperBound) }
        }
    }
}
