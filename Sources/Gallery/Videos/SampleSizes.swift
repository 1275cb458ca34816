/// How many bytes the samples of a track have, one after the other.
struct SampleSizes {
    private let bytes: BoxBytes
    /// The same for all of them; zero where each has its own.
    private let common: UInt64
    private let sound: SoundPackets?
    private let count: Int
    private let start: Int
    /// In bits.
    private let width: Int
    /// What the table says of itself is there.
    let isWhole: Bool
    private var done = 0

    init(of table: BoxNode?, _ bytes: BoxBytes, isSound: Bool) {
        self.bytes = bytes
        guard let table, let node = table.child("stsz") ?? table.child("stz2"), node.content.count >= 12,
            let said = bytes.long(node.content.lowerBound + 8)
        else {
            (common, sound, count, start, width, isWhole) = (0, nil, 0, 0, 32, false)
            return
        }
        let field = node.content.lowerBound + 4
        let (same, bits): (UInt64, Int) =
            node.name == "stsz"
            ? (UInt64(bytes.long(field) ?? 0), 32) : (0, Int(bytes.number(at: field + 3, bytes: 1) ?? 0))
        let isKnown = [4, 8, 16, 32].contains(bits)
        let room = same > 0 ? Int.max : isKnown ? (node.content.count - 12) * 8 / bits : 0
        (common, width, start) = (same, bits, node.content.lowerBound + 12)
        sound = isSound && same > 0 ? SoundPackets(of: table, bytes) : nil
        (count, isWhole) = (min(Int(said), room), Int(said) <= room)
    }

    /// Of the next ones together; of so many as there are, where those are fewer.
    mutating func next(_ wanted: Int) -> (bytes: UInt64, isAll: Bool) {
        let samples = min(wanted, count - done)
        defer { done += samples }
        guard common > 0 else {
            return ((done..<done + samples).reduce(0) { $0 + size($1) }, samples == wanted)
        }
        // Players of such sound go by its chunks, and not by how many samples the table says there are.
        let counted = sound == nil ? samples : wanted
        return (max(UInt64(counted) * common, sound?.bytes(of: counted) ?? 0), samples == wanted)
    }

    private func size(_ sample: Int) -> UInt64 {
        guard width == 4 else {
            return bytes.number(at: start + sample * (width / 8), bytes: width / 8) ?? 0
        }
        let pair = bytes.number(at: start + sample / 2, bytes: 1) ?? 0
        return sample.isMultiple(of: 2) ? pair >> 4 : pair & 0xF
    }
}
