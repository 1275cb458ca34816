import TestSupport

@testable import Gallery

/// Videos as ffmpeg makes them, and what is made of them by damage.
struct BadVideos: Sendable {
    /// What has to become of one.
    enum End: Sendable {
        /// The standard allows it.
        case plays
        case fails
        /// A photo or a failure: what is damaged may be of no use to players, either.
        case either
    }

    struct Case: Sendable {
        let name: String
        let end: End
        let type: String
        private let make: @Sendable () -> [UInt8]

        /// There are many, and each is made when it is sent.
        init(
            _ name: String, _ bytes: @escaping @autoclosure @Sendable () -> [UInt8], _ end: End,
            type: String = VideoType.mp4
        ) {
            (self.name, self.end, self.type, make) = (name, end, type, bytes)
        }

        var bytes: [UInt8] { make() }
    }

    /// With the index behind its pictures, before them, and with pictures in fragments; the first with a track of words, which
    /// guests are not given, so that its samples are looked for.
    let (plain, fast, parts): (VideoTree, VideoTree, VideoTree)

    // MARK: Sizes and ends

    /// Cut where a box begins, in its header, and behind that.
    func cuts() -> [Case] {
        [("plain", plain), ("fast", fast)].flatMap { kind, tree in
            let bytes = tree.bytes
            let places = tree.starts.flatMap { start in
                [0, 4, 8, 13].map { (start.name, start.place + $0) }
            }
            return places.filter { (1..<bytes.count).contains($0.1) }.map { name, place in
                // Whichever it is, the last box has to be there whole: the index, or the pictures.
                Case("\(kind), cut at \(place), \(name)", Array(bytes.prefix(place)), .fails)
            }
        }
    }

    static let sizes: [(UInt32, UInt64?)] =
        [(0, nil), (1, nil), (7, nil), (.max, nil)]
        + [0, 15, 1 << 32, 1 << 63, .max].map { (UInt32(1), UInt64?.some($0)) }

    /// A size that is none, too much or of the longer kind, at each box.
    func wrongSizes() -> [Case] {
        [("plain", plain), ("fast", fast), ("parts", parts)].flatMap { kind, tree in
            // What is in an index does not depend on where it lies.
            tree.paths.filter { kind != "fast" || $0.count == 1 }.flatMap { path in
                Self.sizes.map { size in
                    let long = size.1.map { " \($0)" } ?? ""
                    let name = "\(kind), \(tree.name(of: path)) of \(size.0)\(long)"
                    let isOfTop = path.count == 1 && size.0 != 0
                    // "If size is 0, then this box shall be in a top-level container and be the last box."
                    let mayEnd = path == [tree.boxes.count - 1] && size.0 == 0
                    return Case(
                        name, tree.saying(size, at: path).bytes,
                        isOfTop ? .fails : mayEnd && kind != "parts" ? .plays : .either)
                }
            }
        }
    }

    /// As the standard has it: a size of 64 bits, where none is needed. Nothing lies behind, which would move by eight bytes.
    func longSizes() -> [Case] {
        let last = plain.boxes.count - 1
        let size = UInt64(plain.boxes[last].count + 8)
        return [Case("the index by a long size", plain.saying((1, size), at: [last]).bytes, .plays)]
    }

    // MARK: Boxes that are there, and how often

    func others() -> [Case] {
        let index = plain.boxes[plain.boxes.count - 1].bytes
        return [
            Case("no index", plain.without("moov").bytes, .fails),
            Case("no pictures", plain.without("mdat").bytes, .fails),
            Case("no beginning", plain.without("ftyp").bytes, .fails),
            Case("two indexes", plain.bytes + index, .fails),
            Case("fragments without an index", parts.without("moov").bytes, .fails),
            Case("fragments and two indexes", parts.bytes + index, .fails),
            Case("an index without tracks", withoutTracks().bytes, .fails),
            Case("indexes in indexes", plain.without("moov").bytes + nested("moov", 1000), .fails),
            Case("deep in the index", deepInIndex().bytes, .either),
            Case(
                "many boxes", plain.bytes + Array(repeatElement(Self.empty, count: 60_000).joined()), .either),
            Case("many boxes in the index", plain.withMore(Self.many).bytes, .either),
            Case("nothing but a beginning", plain.boxes[0].bytes, .fails),
        ]
    }

    private static let empty = VideoFile.box("free")
    private static var many: [VideoTree.Box] {
        Array(repeating: VideoTree.Box(name: "free", content: []), count: 210_000)
    }

    private func deepInIndex() -> VideoTree {
        plain.withMore([
            VideoTree.Box(name: "udta", content: nested("udta", 2000)),
            VideoTree.Box(name: "trak", content: nested("trak", 5000)),
        ])
    }

    private func withoutTracks() -> VideoTree {
        var tree = plain
        tree.boxes[tree.boxes.count - 1].children.removeAll { $0.name == "trak" }
        return tree
    }

    private func nested(_ name: String, _ depth: Int) -> [UInt8] {
        (1...depth).reversed().flatMap { VideoFile.number(UInt32(8 * $0)) + Array(name.utf8) }
    }

    /// Brands (4.3), and files of other kinds under the name of a video.
    func kinds(jpeg: [UInt8]) -> [Case] {
        let images = ["heic", "mif1", "avif", "jp2 ", "jxl ", "crx ", "M4A ", "\0\0\0\0", "isoM"]
        return images.map { Case("of the brand \($0)", branded($0), .fails) } + [
            Case("of no brand", VideoFile.box("ftyp") + plain.without("ftyp").bytes, .fails),
            Case(
                "of half a brand", VideoFile.box("ftyp", [0x69, 0x73]) + plain.without("ftyp").bytes, .fails),
            Case("of five hundred brands", branded("isom", String(repeating: "abcd", count: 500)), .fails),
            Case("QuickTime called an MP4", branded("qt  "), .fails),
            Case("an MP4 called QuickTime", plain.bytes, .fails, type: VideoType.quickTime),
            Case("a JPEG called a video", jpeg, .fails),
            Case("a video called a JPEG", plain.bytes, .fails, type: "image/jpeg"),
            Case("a video called a PNG", plain.bytes, .fails, type: "image/png"),
            Case("a video called a HEIF", plain.bytes, .fails, type: "image/heic"),
        ]
    }

    private func branded(_ brand: String, _ others: String = "") -> [UInt8] {
        let box = VideoFile.box("ftyp", Array(brand.utf8), VideoFile.number(0), Array(others.utf8))
        return box + plain.without("ftyp").bytes
    }

    // MARK: Tables

    /// Behind a version and flags of four bytes, numbers of the tables of samples are not so (8.6 and 8.7).
    func tables() -> [Case] {
        var cases: [Case] = []
        for name in ["stco", "stsc", "stsz", "stts", "stsd", "elst", "dref"] {
            let count = name == "stsz" ? 8 : 4
            for number in [0, 0x10000, 0x7FFF_FFFF, .max] as [UInt32] {
                cases.append(
                    Case("\(name) of \(number)", numbered(name, [(count, number)]).bytes, .either))
            }
        }
        for (name, places) in [
            ("one size for four thousand million samples", [(4, 1), (8, .max)]),
            ("samples of four gigabytes", [(4, .max)]),
        ] as [(String, [(Int, UInt32)])] {
            cases.append(Case(name, numbered("stsz", places).bytes, .either))
        }
        // The words lie where there is nothing: they cannot be taken out.
        for (name, place) in [
            ("behind the end", 0x7FFF_FFFF), ("in the first box", 4), ("at the very end", .max),
        ]
            as [(String, UInt32)]
        {
            cases.append(Case("samples \(name)", numbered("stco", [(8, place)]).bytes, .fails))
        }
        cases.append(
            Case("chunks of all samples", numbered("stsc", [(12, .max)]).bytes, .fails))
        for place in [UInt64(UInt32.max) + 1, 1 << 63, .max] {
            cases.append(Case("co64 at \(place)", longPlaces { _ in place }.bytes, .fails))
        }
        cases.append(Case("co64", longPlaces { $0 }.bytes, .plays))
        cases.append(Case("no time", numbered("mvhd", [(12, 0)]).bytes, .fails))
        cases.append(Case("more time than there is", numbered("mvhd", [(16, .max)]).bytes, .either))
        cases.append(
            Case("a picture of 65,535 pixels", numbered("tkhd", [(76, .max), (80, .max)]).bytes, .fails))
        return cases
    }

    private func numbered(_ name: String, _ numbers: [(Int, UInt32)]) -> VideoTree {
        plain.with(name) { content in
            var content = content
            for (place, number) in numbers where place + 4 <= content.count {
                content.replaceSubrange(place..<place + 4, with: VideoFile.number(number))
            }
            return content
        }
    }

    /// With `co64` instead of `stco` in all tracks. The index is behind the pictures, so that they stay where they are.
    private func longPlaces(_ change: (UInt64) -> UInt64) -> VideoTree {
        var tree = plain
        for path in plain.paths(named: "stco") {
            let content = tree[path].content
            let places = stride(from: 8, to: content.count, by: 4).map { start in
                content[start..<start + 4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            }
            tree[path] = VideoTree.Box(
                name: "co64",
                content: Array(content.prefix(8)) + places.flatMap { VideoTree.number(change($0)) })
        }
        return tree
    }

    // MARK: By chance

    /// Some bytes of the index are others.
    func changed(_ seed: UInt64) -> Case {
        Case("changed by chance, seed \(seed)", changedBytes(seed), .either)
    }

    private func changedBytes(_ seed: UInt64) -> [UInt8] {
        var random = Seeded(seed)
        let tree = [plain, fast, parts][Int(seed % 3)]
        var bytes = tree.bytes
        let index = tree.starts.first { $0.name == "moov" }?.place ?? 0
        let count = tree[tree.paths(named: "moov")[0]].bytes.count
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let place = index + 8 + Int.random(in: 0..<count - 8, using: &random)
            bytes[place] = random.chance(50) ? UInt8.random(in: .min ... .max, using: &random) : 0xFF
        }
        return bytes
    }
}

extension BadVideos {
    /// Without those that follow from a seed.
    var all: [Case] { cuts() + wrongSizes() + longSizes() + others() + tables() }
}
