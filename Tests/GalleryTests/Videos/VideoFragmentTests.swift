import TestSupport
import Testing

@testable import Gallery

/// Videos in fragments (ISO/IEC 14496-12, 8.8): bytes between the samples are blank in guests' copies, in whichever way a
/// fragment says where those lie.
@Suite struct VideoFragmentTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(in: TemporaryFolder.memory) }

    private static let hidden = Array("4812.51N".utf8)
    private static let first = Array("picture".utf8)
    private static let second = Array("another".utf8)
    private static let blank = [UInt8](repeating: 0, count: hidden.count)

    /// Two samples of seven bytes among others.
    private static func data(_ hidden: [UInt8]) -> [UInt8] { hidden + first + hidden + second + hidden }

    private static func box(_ name: String, _ flags: UInt32, _ numbers: UInt32...) -> [UInt8] {
        VideoFile.box(name, VideoFile.number(flags), numbers.flatMap(VideoFile.number))
    }

    private static func track(_ boxes: [UInt8]...) -> [UInt8] { VideoFile.box("traf", Array(boxes.joined())) }

    /// An index without samples, by which each has seven bytes if its fragment does not say it.
    private static func index() throws -> [UInt8] {
        var file = VideoFile()
        file.extras = VideoFile.box("mvex", VideoFile.full("trex", [1, 1, 0, 7, 0]))
        var tree = try VideoTree(file.ftyp + file.index(dataAt: 0))
        for (name, count) in [("stts", 8), ("stsc", 8), ("stsz", 12), ("stco", 8)] {
            tree = tree.with(name) { _ in [UInt8](repeating: 0, count: count) }
        }
        return tree.bytes
    }

    /// Where a fragment begins in the file, where its samples begin from there on, and what it says of its tracks.
    private typealias Tracks = @Sendable (_ fragment: UInt32, _ one: UInt32, _ other: UInt32) -> [UInt8]

    private static func video(_ tracks: Tracks, _ hidden: [UInt8]) throws -> [UInt8] {
        let index = try index()
        let start = UInt32(index.count)
        func fragment(_ one: UInt32, _ other: UInt32) -> [UInt8] {
            VideoFile.box("moof", VideoFile.full("mfhd", [1]), tracks(start, one, other))
        }
        // Numbers are as long as they are, whatever they say.
        let one = UInt32(fragment(0, 0).count + 8 + hidden.count)
        let other = one + UInt32(first.count + hidden.count)
        return index + fragment(one, other) + VideoFile.box("mdat", data(hidden))
    }

    private func copy(_ bytes: [UInt8]) throws -> [UInt8] {
        try folder.write(bytes, to: "video")
        try folder.write([], to: "copy")
        let job = VideoJob(
            file: folder.file("video"), declaredType: VideoType.mp4, copy: folder.file("copy"))
        _ = try VideoWork.prepare(job)
        return try readFile(folder.file("copy"))
    }

    private static let ways: [(name: String, tracks: Tracks)] = [
        (
            "from the fragment's beginning, with a size for each sample",
            { _, one, other in
                track(
                    box("tfhd", 0x20000, 1), box("trun", 0x201, 2, one, 3, 4),
                    box("trun", 0x301, 1, other, 99, 7))
            }
        ),
        (
            "from a place that is told, with a size for all samples of a track",
            { fragment, one, other in
                track(
                    box("tfhd", 0x11, 1, 0, fragment, 7), box("trun", 0x1, 1, one),
                    box("trun", 0x5, 1, other, 0))
            }
        ),
        (
            "from where nothing is said, with the size that the index has",
            { _, one, other in
                track(box("tfhd", 0, 1), box("trun", 0x1, 1, one), box("trun", 0x1, 1, other))
            }
        ),
        (
            "from where the track before it ends",
            { _, one, other in
                track(box("tfhd", 0, 1), box("trun", 0x1, 1, one))
                    + track(box("tfhd", 0, 1), box("trun", 0x1, 1, other &- one &- 7))
            }
        ),
        (
            "a run behind another",
            { _, one, other in
                track(
                    box("tfhd", 0x20000, 1), box("trun", 0x201, 1, one, 3), box("trun", 0x200, 1, 4),
                    box("trun", 0x1, 1, other))
            }
        ),
        (
            "with fields for all else that there is",
            { fragment, one, other in
                track(
                    box("tfhd", 0x3B, 1, 0, fragment, 1, 40, 7, 0),
                    box("trun", 0xB05, 1, one, 0, 40, 7, 0), box("trun", 0xD01, 1, other, 40, 0, 0))
            }
        ),
    ]

    @Test("what no run has is blank", arguments: 0..<ways.count)
    func runs(_ number: Int) throws {
        let (name, tracks) = Self.ways[number]
        let left = try Self.video(tracks, Self.blank)
        #expect(try copy(Self.video(tracks, Self.hidden)) == left, "\(name)")
    }

    @Test("a run that says to have more than there is keeps what there is")
    func beyond() throws {
        let tracks: Tracks = { _, one, _ in
            Self.track(Self.box("tfhd", 0x20000, 1), Self.box("trun", 0x1, .max, one))
        }
        let bytes = try Self.video(tracks, Self.hidden)
        let count = Self.data(Self.hidden).count
        let left = Self.blank + Array(Self.data(Self.hidden).dropFirst(Self.blank.count))
        #expect(try copy(bytes) == Array(bytes.dropLast(count)) + left)
    }

    @Test("fragments of which nothing lies in the data are damaged")
    func nothing() throws {
        let damaged: [Tracks] = [
            { _, _, _ in [] },
            { _, one, _ in Self.track(Self.box("trun", 0x1, 1, one)) },
            { _, one, _ in Self.track(Self.box("tfhd", 0x20000, 1), Self.box("trun", 0x1, 0, one)) },
            { _, _, _ in Self.track(Self.box("tfhd", 0x20000, 1), Self.box("trun", 0x1, 1, 0x8000_0000)) },
            { _, _, _ in Self.track(Self.box("tfhd", 0x1, 1, .max, .max), Self.box("trun", 0x1, 1, 1)) },
        ]
        for tracks in damaged {
            let bytes = try Self.video(tracks, Self.hidden)
            let problem = #expect(throws: VideoProblem.self) { try copy(bytes) }
            #expect(problem?.code == .truncated)
        }
    }
}
