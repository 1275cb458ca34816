/// A video as dashboard cameras with chips of Novatek's write it: between the chunks of its tracks lie blocks that belong to
/// none and say where each second was recorded, and a box of the index leads to them.
struct DashcamVideo {
    let bytes: [UInt8]

    /// Where every twentieth chunk was. The video's index lies behind its data, so that nothing moves but chunks.
    init(_ video: VideoTree, isListed: Bool) throws {
        guard let box = video.boxes.firstIndex(where: { $0.name == "mdat" }) else {
            throw VideoTree.Damaged()
        }
        let old = video.boxes[box].content
        let start = video.boxes[..<box].reduce(8) { $0 + $1.count }
        let chunks = video.paths(named: "stco").flatMap { Self.places(video[$0].content) }.sorted()
        let holes = stride(from: 5, to: chunks.count, by: 20).map { chunks[$0] }
        var (data, list): ([UInt8], [UInt8]) = ([], [])
        var done = 0
        for (second, hole) in holes.enumerated() {
            data += old[done..<hole - start]
            done = hole - start
            list += VideoFile.number(UInt32(start + data.count)) + VideoFile.number(UInt32(Self.length))
            data += Self.block(second)
        }
        data += old[done...]
        var tree = video.with("stco") { content in
            let moved = Self.places(content).map { place in
                place + Self.length * holes.count { $0 <= place }
            }
            return Array(content.prefix(8)) + moved.flatMap { VideoFile.number(UInt32($0)) }
        }
        tree.boxes[box].content = data
        let head = VideoFile.number(0x101) + VideoFile.number(UInt32(holes.count))
        bytes = (isListed ? tree.withMore([VideoTree.Box(name: "gps ", content: head + list)]) : tree).bytes
    }

    /// Of those that such a video has, none may be in the copy for guests.
    static let signs = [Array("freeGPS ".utf8), Array("ANE\0".utf8) + numbers, words]

    /// Those of a table of chunks ('stco').
    private static func places(_ table: [UInt8]) -> [Int] {
        stride(from: 8, to: table.count, by: 4).map { start in
            table[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        }
    }

    // MARK: Blocks

    private static let length = 1024
    /// 48.2085 and 16.3731 degrees, as 48° 12.51′ and 16° 22.386′; how fast, and where to.
    private static let numbers = ([4812.51, 1622.386, 3.5, 90] as [Float]).flatMap { little($0.bitPattern) }
    private static let words = Array("4812.51N 1622.386E".utf8)

    /// As exiftool takes them apart ('ProcessFreeGPS' in its QuickTimeStream.pl): a size and a name, and from the 48th byte on
    /// hour, minute, second, year, month and day, and the place.
    private static func block(_ second: Int) -> [UInt8] {
        var bytes = VideoFile.number(UInt32(length)) + Array("freeGPS ".utf8) + little(UInt32(length - 16))
        bytes += [UInt8](repeating: 0, count: 32)
        bytes += ([20, 15, UInt32(second), 26, 11, 21] as [UInt32]).flatMap(little)
        bytes += Array("ANE\0".utf8) + numbers + words
        return bytes + [UInt8](repeating: 0, count: length - bytes.count)
    }

    /// The lowest byte first.
    private static func little(_ number: UInt32) -> [UInt8] { VideoFile.number(number).reversed() }
}
