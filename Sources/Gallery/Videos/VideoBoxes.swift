/// A part of a file that is in memory, and where it begins there. Numbers are as ISO/IEC 14496-12 has them, the highest byte
/// first.
struct BoxBytes: Sendable {
    let bytes: [UInt8]
    let base: UInt64

    /// Nothing where that is not there.
    func number(at place: Int, bytes count: Int) -> UInt64? {
        guard place >= 0, place <= bytes.count - count else { return nil }
        return bytes[place..<place + count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    func long(_ place: Int) -> UInt32? { number(at: place, bytes: 4).map { UInt32(truncatingIfNeeded: $0) } }

    /// Four letters: each a byte of ISO 8859-1.
    func name(_ place: Int) -> String? {
        guard place >= 0, place <= bytes.count - 4 else { return nil }
        return Self.name(bytes[place..<place + 4])
    }

    static func name(_ letters: some Sequence<UInt8>) -> String {
        var text = ""
        for letter in letters { text.unicodeScalars.append(Unicode.Scalar(letter)) }
        return text
    }
}

/// What a box says of itself.
struct BoxHeader: Equatable, Sendable {
    let name: String
    /// How many bytes stand before its content: 8, or 16 where its size needs more.
    let length: Int
    /// With the header; nothing for a box that goes to the end.
    let size: UInt64?

    /// "If size is 1 then the actual size is in the field largesize; if size is 0, then this box is the last one in the file."
    /// Nothing where the header itself is cut, or its size smaller than it.
    init?(_ bytes: BoxBytes, at place: Int) {
        guard let short = bytes.long(place), let name = bytes.name(place + 4) else { return nil }
        self.name = name
        switch short {
        case 0: (length, size) = (8, nil)
        case 1:
            guard let long = bytes.number(at: place + 8, bytes: 8), long >= 16 else { return nil }
            (length, size) = (16, long)
        default:
            guard short >= 8 else { return nil }
            (length, size) = (8, UInt64(short))
        }
    }
}

/// A box within one that is in memory.
struct BoxNode: Sendable {
    let name: String
    /// Where it begins in the file, and how long it is with its header.
    let start: UInt64
    let size: UInt64
    let header: Int
    /// In the bytes in memory.
    let content: Range<Int>
    var children: [BoxNode] = []

    func child(_ name: String) -> BoxNode? { children.first { $0.name == name } }

    func descendant(_ path: String...) -> BoxNode? {
        var node: BoxNode? = self
        for name in path { node = node?.child(name) }
        return node
    }

    var blank: VideoBlank { VideoBlank(start: start, header: header, size: size) }
}

/// A part of a file that is blanked in the copy for guests: a box, which becomes a `free` one, or bytes, where there is no header.
struct VideoBlank: Equatable, Sendable {
    let start: UInt64
    let header: Int
    let size: UInt64

    var end: UInt64 { start + size }
}

/// The boxes of an index, read by what each may hold. What stands where the grammar knows nothing of it is not looked into,
/// so that no file makes this go deeper than the grammar does.
struct BoxReader {
    private let limits: VideoLimits
    private var count = 0
    /// What is no part of playing.
    private(set) var strays: [BoxNode] = []

    init(_ limits: VideoLimits) {
        self.limits = limits
    }

    mutating func read(_ root: BoxNode, _ bytes: BoxBytes) throws(VideoProblem) -> BoxNode {
        var node = root
        guard let known = Self.grammar[root.name] else { return node }
        for child in try boxes(in: root.content, of: root.name, bytes) {
            if known.contains(child.name) {
                node.children.append(try read(child, bytes))
            } else {
                strays.append(child)
            }
        }
        return node
    }

    private mutating func boxes(
        in range: Range<Int>, of parent: String, _ bytes: BoxBytes
    ) throws(VideoProblem) -> [BoxNode] {
        var found: [BoxNode] = []
        var place = range.lowerBound
        // QuickTime ends some lists with a zero of four bytes.
        while range.upperBound - place >= 8 {
            count += 1
            guard count <= limits.boxes else {
                throw VideoProblem(.unsupported, "the video has more than \(limits.boxes) boxes in its index")
            }
            guard let header = BoxHeader(bytes, at: place), let size = header.size,
                size >= UInt64(header.length), size <= UInt64(range.upperBound - place)
            else {
                throw VideoProblem(
                    .truncated, "the video is damaged: a box in its '\(parent)' does not end within it")
            }
            let end = place + Int(size)
            found.append(
                BoxNode(
                    name: header.name, start: bytes.base + UInt64(place), size: size, header: header.length,
                    content: place + header.length..<end))
            place = end
        }
        return found
    }

    /// What playing takes (ISO/IEC 14496-12; the QuickTime File Format), by the box that it stands in.
    private static let grammar: [String: Set<String>] = [
        "moov": ["mvhd", "trak", "mvex", "iods", "pssh"],
        "trak": ["tkhd", "tref", "trgr", "edts", "mdia", "tapt", "clip", "load"],
        "mdia": ["mdhd", "hdlr", "elng", "minf"],
        "minf": ["vmhd", "smhd", "nmhd", "gmhd", "hdlr", "dinf", "stbl"],
        "stbl": [
            "stsd", "stts", "ctts", "cslg", "stss", "stsh", "stps", "stsc", "stsz", "stz2", "stco", "co64",
            "stdp", "padb", "subs", "sbgp", "sgpd", "saiz", "saio", "sdtp", "senc",
        ],
        "mvex": ["mehd", "trex", "leva", "trep"],
        "moof": ["mfhd", "traf", "pssh"],
        "traf": ["tfhd", "tfdt", "trun", "sbgp", "sgpd", "subs", "sdtp", "saiz", "saio", "senc"],
    ]

    /// The same of a file.
    static let topLevel: Set = [
        "ftyp", "styp", "moov", "moof", "mdat", "mfra", "sidx", "ssix", "pdin", "wide",
    ]
}
