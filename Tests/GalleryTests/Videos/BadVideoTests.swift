import Basics
import TestSupport
import Testing

@testable import Gallery

/// Damaged videos, sent to the real program: each becomes a photo or fails by name, and what comes after it is as well as before.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(
        if: ["ffmpeg", "ffprobe", "convert"].allSatisfy(Tool.isThere),
        "ffmpeg or ImageMagick is not installed"))
struct BadVideoTests {
    /// The host's guide names these.
    private static let codes: Set = ["NOT_A_VIDEO", "TRUNCATED", "TYPE_MISMATCH", "TOO_LARGE", "UNSUPPORTED"]
    /// What photos fail with, whatever they are made of.
    private static let codesOfPhotos: Set = [
        "NOT_AN_IMAGE", "TRUNCATED", "TYPE_MISMATCH", "TOO_LARGE", "UNSUPPORTED",
    ]

    private let stage: DamageStage
    private let folder: TemporaryFolder
    private let videos: BadVideos

    init() throws {
        stage = try DamageStage.shared.get()
        let folder = try TemporaryFolder(in: TemporaryFolder.memory)
        self.folder = folder
        try folder.write("1\n00:00:00,100 --> 00:00:00,800\nwords\n", to: "words.srt")
        let source = ["-v", "error", "-f", "lavfi", "-i", "testsrc=size=160x120:rate=10:duration=1"]
        let sound = ["-f", "lavfi", "-i", "sine=duration=1"]
        let words = [
            "-i", folder.file("words.srt"), "-map", "0", "-map", "1", "-map", "2", "-c:s", "mov_text",
        ]
        let coded = ["-c:v", "mpeg4", "-c:a", "aac"]
        func made(_ name: String, _ options: [String]) throws -> VideoTree {
            let path = folder.file(name)
            let made = try #require(Tool("ffmpeg")).run(source + sound + options + [path])
            try #require(made.code == 0, "\(made.errors)")
            return try VideoTree(try readFile(path))
        }
        videos = BadVideos(
            plain: try made("plain.mp4", words + coded),
            fast: try made("fast.mp4", words + coded + ["-movflags", "+faststart"]),
            parts: try made("parts.mp4", coded + ["-movflags", "frag_keyframe+empty_moov"]))
    }

    /// All that a player of others' finds in it, and what it says of that.
    private func played(_ bytes: [UInt8]) throws -> String {
        try folder.write(bytes, to: "played.mp4")
        let played = try #require(Tool("ffmpeg")).run([
            "-v", "error", "-i", folder.file("played.mp4"), "-map", "0:v", "-map", "0:a", "-f", "md5", "-",
        ])
        return "\(played.code) \(played.text)\(played.errors)"
    }

    @Test("ffmpeg plays what is not damaged, or only told in another way, and so does the program")
    func good() async throws { try await aside { try playing() } }

    private func playing() throws {
        for tree in [videos.plain, videos.fast, videos.parts] {
            try folder.write(tree.bytes, to: "good.mp4")
            let told = try #require(Tool("ffprobe")).run([
                "-v", "error", "-show_entries", "stream=codec_type", "-of", "csv=p=0",
                folder.file("good.mp4"),
            ])
            #expect(told.code == 0 && told.errors.isEmpty && told.lines.prefix(2) == ["video", "audio"])
            #expect(try stage.program.bring(tree.bytes, VideoType.mp4) == ("completed", nil))
        }
        let sum = try played(videos.plain.bytes)
        #expect(sum.wholeMatch(of: /0 MD5=[0-9a-f]{32}\n/) != nil, "\(sum)")
        let others = videos.all.filter { $0.end == .plays }
        #expect(others.count >= 4)
        for other in others { #expect(try played(other.bytes) == sum, "\(other.name)") }
        try send(others)
    }

    @Test(
        "a video that is damaged becomes one or fails by name, and the program is as well as before",
        arguments: Cases.seeds(full: 20, part: 20))
    func damaged(seed: UInt64) async throws {
        try await aside {
            let all = videos.all
            let chosen = all.indices.filter { UInt64($0 % 20) == seed % 20 }.map { all[$0] }
            try send(chosen + (seed * 20..<seed * 20 + 20).map(videos.changed))
        }
    }

    @Test("what is another kind of file, or lies about its kind, is no video")
    func kinds() async throws { try await aside { try send(videos.kinds(jpeg: stage.photo(0))) } }

    @Test("an index that is larger than any is not taken in", arguments: [40, 70])
    func large(megabytes: Int) async throws {
        try await aside {
            let filler = VideoTree.Box(name: "free", content: [UInt8](repeating: 0, count: megabytes << 20))
            let tree = videos.plain.withMore([filler])
            try send([BadVideos.Case("\(megabytes) MB of index", tree.bytes, .either)])
        }
    }

    private func send(_ cases: [BadVideos.Case]) throws {
        for (number, one) in cases.enumerated() {
            let outcome = try stage.program.bring(one.bytes, one.type)
            switch (outcome.status, outcome.code) {
            case ("completed", nil): #expect(one.end != .fails, "\(one.name)")
            case ("failed", let code?):
                let codes = VideoType.isVideo(one.type) ? Self.codes : Self.codesOfPhotos
                #expect(one.end != .plays && codes.contains(code), "\(one.name): \(code)")
            default: Issue.record("\(one.name): \(outcome)")
            }
            try stage.program.expectWell()
            if number % 10 == 0 { try stage.expectGood() }
        }
        try stage.expectGood()
        try stage.expectWhole()
    }
}
