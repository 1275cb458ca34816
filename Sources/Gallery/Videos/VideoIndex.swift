import Basics
package import Imaging

/// What the index of a video ('moov') says.
struct VideoIndex: Sendable {
    struct Track: Sendable {
        let node: BoxNode
        /// "vide", "soun", and others for what is neither.
        let handler: String
    }

    let root: BoxNode
    let tracks: [Track]
    let strays: [BoxNode]
    private let bytes: BoxBytes
    private let limits: VideoLimits

    /// Of a track whose samples are pictures, sound, or the time code of both. What others hold, such as the places where each
    /// second was recorded, guests are not given.
    private static let shown: Set = ["vide", "soun", "tmcd"]

    init(_ bytes: BoxBytes, _ box: VideoLayout.TopBox, _ limits: VideoLimits) throws(VideoProblem) {
        var reader = BoxReader(limits)
        let start = BoxNode(
            name: "moov", start: box.start, size: box.size, header: box.header,
            content: box.header..<bytes.bytes.count)
        root = try reader.read(start, bytes)
        strays = reader.strays
        self.bytes = bytes
        self.limits = limits
        guard !strays.contains(where: { $0.name == "cmov" }) else {
            throw VideoProblem(.unsupported, "the video's index is compressed, which is not understood here")
        }
        let nodes = root.children.filter { $0.name == "trak" }
        guard nodes.count <= limits.tracks else {
            throw VideoProblem(
                .unsupported, "the video has \(nodes.count) tracks, more than \(limits.tracks)")
        }
        tracks = nodes.map { node in
            let place = node.descendant("mdia", "hdlr").map { $0.content.lowerBound + 8 }
            return Track(node: node, handler: place.flatMap(bytes.name) ?? "")
        }
    }

    /// Tracks that are seen and heard.
    var played: [Track] { tracks.filter { Self.shown.contains($0.handler) } }

    /// Tracks that are no part of that.
    var others: [Track] { tracks.filter { !Self.shown.contains($0.handler) } }

    // MARK: Facts

    func facts() throws(VideoProblem) -> VideoFacts {
        guard let header = root.child("mvhd"), let clock = clock(header) else {
            throw VideoProblem(.truncated, "the video's index does not say how its time is counted ('mvhd')")
        }
        let pictures = tracks.filter { $0.handler == "vide" }
        guard !pictures.isEmpty else {
            throw VideoProblem(.notAVideo, "the file has no pictures that move: no track of it is a video")
        }
        guard let size = pictures.lazy.compactMap({ size(of: $0.node) }).first else {
            throw VideoProblem(.truncated, "the video does not say how large its picture is")
        }
        guard size.width <= limits.side, size.height <= limits.side else {
            throw VideoProblem(
                .tooLarge,
                "its picture has \(size.width) × \(size.height) pixels, and more than \(limits.side) "
                    + "on a side are not taken")
        }
        let tags = VideoTags(strays, bytes, limits)
        return VideoFacts(
            width: size.width, height: size.height, milliseconds: duration(clock),
            exif: tags.exif(createdAt: clock.created))
    }

    private struct Clock {
        /// Since 1904, as the standard counts; zero where it was not said.
        let created: UInt64
        let timescale: UInt64
        let duration: UInt64
        let isLong: Bool
    }

    private func clock(_ header: BoxNode) -> Clock? {
        let start = header.content.lowerBound
        guard header.content.count >= 20, let version = bytes.number(at: start, bytes: 1) else { return nil }
        let long = version == 1
        let wide = long ? 8 : 4
        guard !long || header.content.count >= 32,
            let created = bytes.number(at: start + 4, bytes: wide),
            let timescale = bytes.number(at: start + 4 + 2 * wide, bytes: 4), timescale > 0,
            let duration = bytes.number(at: start + 8 + 2 * wide, bytes: wide)
        else { return nil }
        return Clock(created: created, timescale: timescale, duration: duration, isLong: long)
    }

    /// Of a recording in fragments the index may say it elsewhere, or not at all.
    private func duration(_ clock: Clock) -> Int64? {
        var units = clock.duration
        let unknown = clock.isLong ? UInt64.max : UInt64(UInt32.max)
        if units == 0 || units == unknown, let extent = root.descendant("mvex", "mehd") {
            let start = extent.content.lowerBound
            let wide = bytes.number(at: start, bytes: 1) == 1 ? 8 : 4
            units = extent.content.count >= 4 + wide ? bytes.number(at: start + 4, bytes: wide) ?? 0 : 0
        }
        guard units > 0, units / clock.timescale <= limits.seconds else { return nil }
        // In two steps, neither of which can overflow below that limit.
        let (whole, rest) = units.quotientAndRemainder(dividingBy: clock.timescale)
        return Int64(whole * 1000 + rest * 1000 / clock.timescale)
    }

    // MARK: Size

    /// Upright: a phone that was held on its side says so by a matrix, and players turn the picture by it.
    private func size(of track: BoxNode) -> (width: Int, height: Int)? {
        guard let header = track.child("tkhd"),
            let version = bytes.number(at: header.content.lowerBound, bytes: 1)
        else { return nil }
        let matrix = header.content.lowerBound + (version == 1 ? 52 : 40)
        guard matrix + 44 <= header.content.upperBound else { return nil }
        func fixed(_ place: Int) -> Double {
            Double(Int32(bitPattern: bytes.long(matrix + place) ?? 0)) / 65_536
        }
        let (a, b, c, d) = (abs(fixed(0)), abs(fixed(4)), abs(fixed(12)), abs(fixed(16)))
        var (width, height) = (unsigned(matrix + 36), unsigned(matrix + 40))
        if width < 1 || height < 1, let stored = storedSize(of: track) { (width, height) = stored }
        guard width >= 1, height >= 1 else { return nil }
        // A matrix of zeros says nothing.
        guard a + b + c + d > 0 else { return Self.rounded(width, height) }
        let isTurned = b > a && c > d
        return isTurned ? Self.rounded(height, width) : Self.rounded(width, height)
    }

    private func unsigned(_ place: Int) -> Double { Double(bytes.long(place) ?? 0) / 65_536 }

    private static func rounded(_ width: Double, _ height: Double) -> (width: Int, height: Int) {
        (max(1, Int(width.rounded())), max(1, Int(height.rounded())))
    }

    /// Of the first description of samples, where the track itself says none.
    private func storedSize(of track: BoxNode) -> (Double, Double)? {
        guard let node = track.descendant("mdia", "minf", "stbl", "stsd"), node.content.count >= 44,
            let width = bytes.number(at: node.content.lowerBound + 40, bytes: 2),
            let height = bytes.number(at: node.content.lowerBound + 42, bytes: 2)
        else { return nil }
        return (Double(width), Double(height))
    }
}

/// What is known of a video without decoding it.
package struct VideoFacts: Equatable, Sendable {
    /// Upright.
    package let width: Int
    package let height: Int
    /// How long it is; nothing where its file does not say it.
    package let milliseconds: Int64?
    package let exif: ExifFacts
}
