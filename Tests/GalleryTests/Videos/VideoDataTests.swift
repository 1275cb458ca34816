import TestSupport
import Testing

@testable import Gallery

/// What of a video's data stays in guests' copies: bytes to which a track of pictures or of sound refers, as ISO/IEC 14496-12
/// lays them out.
@Suite struct VideoDataTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(in: TemporaryFolder.memory) }

    private func copy(_ bytes: [UInt8], _ limits: VideoLimits = VideoLimits()) throws -> [UInt8] {
        try folder.write(bytes, to: "video")
        try folder.write([], to: "copy")
        let job = VideoJob(
            file: folder.file("video"), declaredType: VideoType.mp4, copy: folder.file("copy"))
        _ = try VideoWork.prepare(job, limits)
        return try readFile(folder.file("copy"))
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// Its pictures are samples of one size, each of which is a chunk somewhere in the data.
    private func video(_ data: [UInt8], chunks: [Int], of size: Int) throws -> VideoTree {
        let file = VideoFile()
        let start = file.ftyp.count + 8
        let places = chunks.flatMap { VideoFile.number(UInt32(start + $0)) }
        let count = VideoFile.number(UInt32(chunks.count))
        // The index lies behind the data, and may grow.
        return try VideoTree(file.bytes)
            .with("mdat") { _ in data }
            .with("stco") { _ in VideoFile.number(0) + count + places }
            .with("stsc") { _ in ([0, 1, 1, 1, 1] as [UInt32]).flatMap(VideoFile.number) }
            .with("stsz") { _ in VideoFile.number(0) + VideoFile.number(UInt32(size)) + count }
    }

    // MARK: Gaps

    @Test("what lies behind the samples and belongs to no track is blank, and nothing else is")
    func between() throws {
        var file = VideoFile()
        file.extras = VideoFile.box("gps ", Array("where the blocks are".utf8))
        file.between = Array("freeGPS 4812.51N 1622.386E".utf8)
        var blank = file
        blank.extras = VideoFile.box("free", Self.zeros(file.extras.count - 8))
        blank.between = Self.zeros(file.between.count)
        #expect(try copy(file.bytes) == blank.bytes)
    }

    @Test("so it is in each box of data, also in one whose size is a long one")
    func boxes() throws {
        let file = VideoFile()
        func bytes(_ hidden: [UInt8]) -> [UInt8] {
            let first = VideoFile.box("mdat", hidden)
            let content = hidden + file.pictures + hidden
            let header = VideoFile.number(1) + Array("mdat".utf8)
            let second = header + VideoTree.number(UInt64(16 + content.count)) + content
            let place = file.ftyp.count + first.count + 16 + hidden.count
            return file.ftyp + first + second + file.index(dataAt: UInt32(place))
        }
        let hidden = Array("4812.51N".utf8)
        #expect(try copy(bytes(hidden)) == bytes(Self.zeros(hidden.count)))
    }

    @Test("a byte stays if a sample has it, in whatever order they lie", arguments: Cases.seeds(full: 500))
    func bytewise(seed: UInt64) throws {
        var random = Seeded(seed)
        let data = random.bytes(300).map { $0 | 1 }
        let size = Int.random(in: 1...30, using: &random)
        // Some lead out of the data, into the index behind it or farther.
        var chunks = [Int.random(in: 0..<data.count, using: &random)]
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            chunks.append(Int.random(in: 0..<data.count + 40, using: &random))
        }
        chunks.shuffle(using: &random)
        let left = data.indices.map { place in
            chunks.contains { ($0..<$0 + size).contains(place) } ? data[place] : 0
        }
        let video = try video(data, chunks: chunks, of: size)
        #expect(try copy(video.bytes) == video.with("mdat") { _ in left }.bytes)
    }

    @Test("a gap before each of many chunks is no reason to refuse a video")
    func padding() throws {
        let count = 3000
        let places = (0..<count).map { $0 * 10 + 3 }
        func padded(_ padding: [UInt8]) throws -> [UInt8] {
            let data = (0..<count).flatMap { _ in padding + Array("picture".utf8) }
            return try video(data, chunks: places, of: 7).bytes
        }
        var limits = VideoLimits()
        limits.blanks = 0
        let blank = try padded(Self.zeros(3))
        #expect(try copy(padded(Array("gap".utf8)), limits) == blank)
    }

    @Test("a sample of a track that is taken out is blank also where a picture has its bytes")
    func shared() throws {
        var file = VideoFile()
        file.places = [Array("GPS5".utf8)]
        var tree = try VideoTree(file.bytes)
        let path = tree.paths(named: "stco")[1]
        let start = file.ftyp.count + 8
        tree[path].content = Array(tree[path].content.prefix(8)) + VideoFile.number(UInt32(start))
        let left = Self.zeros(4) + Array(file.pictures.dropFirst(4)) + Self.zeros(4)
        #expect(try Array(copy(tree.bytes)[start..<start + left.count]) == left)
    }

    // MARK: Tables that are damaged

    @Test("a table that leads beyond the data keeps what of it is there")
    func beyond() throws {
        let data = Array("one two three".utf8)
        let long = try video(data, chunks: [4], of: 5000)
        let clipped = Self.zeros(4) + Array("two three".utf8)
        #expect(try copy(long.bytes) == long.with("mdat") { _ in clipped }.bytes)
        let far = try video(data, chunks: [4, 0x7000_0000], of: 3)
        let middle = Self.zeros(4) + Array("two".utf8) + Self.zeros(6)
        #expect(try copy(far.bytes) == far.with("mdat") { _ in middle }.bytes)
    }

    @Test("where there are fewer samples than chunks have, those that there are stay")
    func short() throws {
        let cut = try video(Array("one two three".utf8), chunks: [4, 8], of: 3)
            .with("stsz") { Array($0.prefix(8)) + VideoFile.number(1) }
        let left = Self.zeros(4) + Array("two".utf8) + Self.zeros(6)
        #expect(try copy(cut.bytes) == cut.with("mdat") { _ in left }.bytes)
    }

    @Test("a track of sound without tables is no reason to refuse the pictures")
    func silent() throws {
        var file = VideoFile()
        let kind = VideoFile.full("hdlr", [0], Array("soun".utf8) + Self.zeros(13))
        file.extras = VideoFile.box("trak", VideoFile.box("mdia", kind))
        #expect(try copy(file.bytes) == file.bytes)
    }

    @Test("a video of which nothing lies in its data is damaged")
    func nothing() throws {
        let far = try video(Array("one two three".utf8), chunks: [0x7000_0000], of: 3)
        let none = try video(Array("one two three".utf8), chunks: [], of: 3)
        for bytes in [far.bytes, none.bytes] {
            let problem = #expect(throws: VideoProblem.self) { try copy(bytes) }
            #expect(problem?.code == .truncated)
        }
    }
}
