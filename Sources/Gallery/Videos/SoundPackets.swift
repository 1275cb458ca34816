/// How many bytes sound has whose samples are all of one size.
///
/// QuickTime counts moments of sound, each of which has a number for each channel or is one of many in a packet, and its
/// programs have written that each has one byte. Players go by the description of the sound instead (QuickTime File Format,
/// "Sound Sample Descriptions"), and so does what is kept: otherwise three quarters of a camera's sound would be blank.
struct SoundPackets {
    /// In each packet, which has so many bytes.
    private let samples: UInt64
    private let size: UInt64

    /// By the first description that the track has.
    init?(of table: BoxNode, _ bytes: BoxBytes) {
        guard let node = table.child("stsd"), node.content.count >= 44 else { return nil }
        let entry = node.content.lowerBound + 8
        func field(_ place: Int, bytes width: Int = 4) -> UInt64 {
            guard entry + place + width <= node.content.upperBound else { return 0 }
            return bytes.number(at: entry + place, bytes: width) ?? 0
        }
        // Where the box itself has another version, the standard has given the entry's another meaning.
        let isQuickTime = bytes.number(at: node.content.lowerBound, bytes: 1) == 0
        let width = bytes.name(entry + 4).flatMap { Self.widths[$0] }
        var moment = field(24, bytes: 2) * (width ?? Self.bytes(ofBits: field(26, bytes: 2)))
        var packet: (samples: UInt64, size: UInt64) = (1, 0)
        switch isQuickTime ? field(16, bytes: 2) : 0 {
        case 1: packet = (field(36), field(44))
        case 2:
            moment = field(48) * Self.bytes(ofBits: field(56))
            packet = (field(68), field(64))
        default: break
        }
        // A packet of one moment, or of none, says no more than that.
        if packet.samples <= 1 || packet.size == 0 { packet = (1, max(moment, packet.size)) }
        (samples, size) = (packet.samples, min(packet.size, UInt64(UInt32.max)))
    }

    /// Kinds for which the field of bits says 16, whatever they have (the same).
    private static let widths: [String: UInt64] = [
        "in24": 3, "in32": 4, "fl32": 4, "fl64": 8, "ulaw": 1, "alaw": 1,
    ]

    private static func bytes(ofBits bits: UInt64) -> UInt64 { (bits + 7) / 8 }

    /// A packet that is begun is there whole.
    func bytes(of count: Int) -> UInt64 { (UInt64(count) + samples - 1) / samples * size }
}
