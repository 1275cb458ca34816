/// Application segments (APP11) of noise that bring a JPEG to the size asked for.
///
/// All have the same size but the last two, so that any byte of any of them is found without walking.
struct PaddingSegments: Sendable {
    /// With marker and length; the length field counts itself and not the marker, and ends at 65,535.
    private static let regularSize: UInt64 = 64 << 10

    /// Marker and length.
    private static let headerSize = 4

    let length: UInt64
    private let regularCount: UInt64
    private let lastSizes: [UInt64]

    init(length: UInt64) {
        self.length = length
        let full = length / Self.regularSize
        let rest = length % Self.regularSize
        if rest == 0 {
            regularCount = full
            lastSizes = []
        } else if rest >= UInt64(Self.headerSize) {
            regularCount = full
            lastSizes = [rest]
        } else {
            // Too little for a segment of its own: the one before it gives some away.
            precondition(full > 0, "one to three bytes cannot be filled")
            regularCount = full - 1
            lastSizes = [Self.regularSize - UInt64(Self.headerSize), rest + UInt64(Self.headerSize)]
        }
    }

    /// Fills at most to the end of the segment that `offset` is in. Returns how much.
    func fill(_ memory: UnsafeMutableRawBufferPointer, at offset: UInt64, key: UInt64, _ noise: Noise) -> Int
    {
        let (index, start, size) = segment(at: offset)
        let within = Int(offset - start)
        let header: [UInt8] = [0xFF, 0xEB, UInt8((size - 2) >> 8), UInt8((size - 2) & 0xFF)]
        if within < header.count {
            let count = min(header.count - within, memory.count)
            memory.copyBytes(from: header[within..<within + count])
            return count
        }
        let count = min(Int(size) - within, memory.count)
        noise.fill(
            UnsafeMutableRawBufferPointer(rebasing: memory[..<count]), key: key &+ index,
            at: within - header.count)
        return count
    }

    private func segment(at offset: UInt64) -> (index: UInt64, start: UInt64, size: UInt64) {
        let index = offset / Self.regularSize
        if index < regularCount { return (index, index * Self.regularSize, Self.regularSize) }
        var start = regularCount * Self.regularSize
        for (extra, size) in lastSizes.enumerated() {
            if offset < start + size { return (regularCount + UInt64(extra), start, size) }
            start += size
        }
        preconditionFailure("offset \(offset) lies behind the filling")
    }
}
