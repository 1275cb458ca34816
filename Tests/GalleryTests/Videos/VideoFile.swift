/// A small video, laid out box by box as ISO/IEC 14496-12 says: no player has to show its pictures, which are some bytes.
struct VideoFile {
    var brands = ["isom", "mp42"]
    /// Of `mvhd`: how long, and in which parts of a second.
    var (duration, timescale): (UInt32, UInt32) = (42_000, 1000)
    /// Since 1904, in seconds: 21 November 2026, 20:15 UTC.
    var created: UInt32 = 3_878_136_900
    var (width, height): (UInt32, UInt32) = (1920, 1080)
    /// Of `tkhd`: a, b, u, c, d, v, x, y, w.
    var matrix = Self.upright
    var handler = "vide"
    var pictures = Array("the pictures of a video, which stay as they are".utf8)
    /// Bytes of the data behind the pictures that belong to no track.
    var between: [UInt8] = []
    /// Where each second was recorded, in a track of its own.
    var places: [[UInt8]] = []
    /// Boxes in the index besides, in the track, and behind everything.
    var (extras, ofTrack, behind): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
    /// A recording that did not come to its end has none.
    var hasIndex = true

    static let upright: [UInt32] = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]
    /// Held with the right side up: a quarter to the right.
    static let turned: [UInt32] = [0, 0x10000, 0, 0xFFFF_0000, 0, 0, 0x438_0000, 0, 0x4000_0000]

    static func box(_ name: String, _ content: [UInt8]...) -> [UInt8] {
        let letters = name.unicodeScalars.map { UInt8($0.value) }
        return number(UInt32(8 + content.reduce(0) { $0 + $1.count })) + letters + content.joined()
    }

    static func number(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }

    /// A box with a version and flags, all zero.
    static func full(_ name: String, _ numbers: [UInt32], _ more: [UInt8] = []) -> [UInt8] {
        box(name, number(0), numbers.flatMap(number), more)
    }

    var ftyp: [UInt8] {
        Self.box(
            "ftyp", Array(brands[0].utf8), Self.number(512), brands.dropFirst().flatMap { Array($0.utf8) })
    }

    var data: [UInt8] { Self.box("mdat", pictures, between, places.flatMap(\.self)) }

    var bytes: [UInt8] {
        let start = UInt32(ftyp.count + 8)
        return ftyp + data + (hasIndex ? index(dataAt: start) : []) + behind
    }

    func index(dataAt start: UInt32) -> [UInt8] {
        var tracks = track(1, handler, [pictures.count], at: start)
        if !places.isEmpty {
            let place = start + UInt32(pictures.count + between.count)
            tracks += track(2, "meta", places.map(\.count), at: place)
        }
        let header = Self.full(
            "mvhd",
            [created, created, timescale, duration, 0x10000, 0x100_0000, 0, 0] + Self.upright
                + [0, 0, 0, 0, 0, 0, 3])
        return Self.box("moov", header, tracks, extras)
    }

    private func track(_ id: UInt32, _ handler: String, _ samples: [Int], at start: UInt32) -> [UInt8] {
        let isVideo = id == 1
        let header = Self.full(
            "tkhd",
            [created, created, id, 0, duration, 0, 0, 0, 0] + matrix
                + (isVideo ? [width << 16, height << 16] : [0, 0]))
        let media = Self.full("mdhd", [created, created, timescale, duration, 0x55C4_0000])
        let kind = Self.full("hdlr", [0], Array(handler.utf8) + [UInt8](repeating: 0, count: 13))
        let entry = isVideo ? visualEntry : Self.box("gpmd", [UInt8](repeating: 0, count: 8))
        let count = UInt32(samples.count)
        let table = Self.box(
            "stbl", Self.full("stsd", [1], entry), Self.full("stts", [1, count, 1000]),
            Self.full("stsc", [1, 1, count, 1]),
            Self.full("stsz", [0, count] + samples.map(UInt32.init)), Self.full("stco", [1, start]))
        let information = Self.box(
            "minf", isVideo ? Self.full("vmhd", [0, 0]) : Self.full("nmhd", []),
            Self.box("dinf", Self.full("dref", [1], Self.full("url ", []))), table)
        return Self.box(
            "trak", header, Self.box("mdia", media, kind, information), isVideo ? ofTrack : [])
    }

    private var visualEntry: [UInt8] {
        Self.box(
            "avc1", [0, 0, 0, 0, 0, 0, 0, 1], [UInt8](repeating: 0, count: 16),
            [UInt8(width >> 8), UInt8(width & 255), UInt8(height >> 8), UInt8(height & 255)],
            [UInt8](repeating: 0, count: 50))
    }

    // MARK: What cameras write

    /// Vienna's cathedral, as QuickTime has it, as 3GPP has it, and as Apple has it under keys.
    static let place = "+48.2085+016.3731/"

    static func userData(_ text: String = place) -> [UInt8] {
        let words = Array(text.utf8)
        let old = box("\u{A9}xyz", [0, UInt8(words.count), 0x15, 0xC7], words)
        let loci = full(
            "loci", [], [0x55, 0xC4] + Array("Dom\0".utf8) + [0] + words + Array("earth\0\0".utf8))
        return box("udta", old, loci)
    }

    static func keys(_ values: [(String, String)]) -> [UInt8] {
        let names = values.flatMap { box("mdta", Array($0.0.utf8)) }
        let items = values.enumerated().flatMap { index, value in
            number(UInt32(24 + value.1.utf8.count)) + number(UInt32(index + 1))
                + box("data", number(1), number(0), Array(value.1.utf8))
        }
        return box(
            "meta", full("hdlr", [0], Array("mdta".utf8) + [UInt8](repeating: 0, count: 13)),
            box("keys", number(0), number(UInt32(values.count)), names), box("ilst", items))
    }

    /// XMP in a box with the name that Adobe has given it.
    static var xmp: [UInt8] {
        let name: [UInt8] = [
            0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF, 0xAC,
        ]
        return box("uuid", name, Array("<x:xmpmeta><exif:GPSLatitude>48,12.51N</exif:GPSLatitude>".utf8))
    }
}

extension [UInt8] {
    func holds(_ text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }
}
