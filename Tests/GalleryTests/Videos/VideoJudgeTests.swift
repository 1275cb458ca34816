import Basics
import TestSupport
import Testing

@testable import Gallery

/// Copies of real videos, as ffmpeg and exiftool see them.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(
        if: ["ffmpeg", "ffprobe", "exiftool"].allSatisfy(Tool.isThere), "ffmpeg or exiftool is not installed")
)
struct VideoJudgeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ tool: String, _ arguments: [String]) throws -> String {
        try Tool.judged(tool, arguments, in: folder)
    }

    /// Two seconds, with the place in all the ways that ffmpeg writes it.
    private func make(_ name: String, _ options: [String]) throws {
        _ = try run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=25:duration=2", "-f", "lavfi",
                "-i", "sine=duration=2", "-c:v", "mpeg4", "-c:a", "aac", "-metadata",
                "location=\(VideoFile.place)", "-metadata", "creation_time=2026-11-21T20:15:00Z",
            ] + options + [name])
    }

    private func copy(_ name: String, _ type: String) throws -> PreparedVideo {
        let job = VideoJob(
            file: folder.file(name), declaredType: type, copy: folder.file("copy-\(name)"))
        return try VideoWire.result(of: job).get()
    }

    @Test(
        "no judge finds a place in the copy, and both play the same",
        arguments: [
            ("a.mp4", VideoType.mp4, []), ("fast.mp4", VideoType.mp4, ["-movflags", "+faststart"]),
            (
                "a.mov", VideoType.quickTime,
                [
                    "-movflags", "use_metadata_tags", "-metadata",
                    "com.apple.quicktime.location.ISO6709=\(VideoFile.place)",
                ]
            ),
            // Of each packet of this sound the table of samples says less than it has.
            ("packets.mov", VideoType.quickTime, ["-c:a", "adpcm_ms"]),
            ("clock.mov", VideoType.quickTime, ["-timecode", "10:00:00:00"]),
            ("parts.mp4", VideoType.mp4, ["-movflags", "frag_keyframe+empty_moov"]),
            ("parts-begun.mp4", VideoType.mp4, ["-g", "10", "-movflags", "frag_keyframe"]),
            (
                "parts-of-moof.mp4", VideoType.mp4,
                ["-g", "10", "-movflags", "frag_keyframe+empty_moov+default_base_moof"]
            ),
            (
                "parts-in-turn.mp4", VideoType.mp4,
                ["-g", "10", "-movflags", "frag_keyframe+empty_moov+omit_tfhd_offset"]
            ),
        ] as [(String, String, [String])])
    func judges(name: String, type: String, options: [String]) throws {
        try make(name, options)
        let video = try copy(name, type)
        #expect(video.facts.width == 320 && video.facts.height == 180)
        let tags = try run("exiftool", ["-ee", "-G", "-s", "copy-\(name)"])
        #expect(!tags.contains("GPS") && !tags.contains("Location"), "\(tags)")
        for format in [["-map", "0", "-c", "copy"], ["-map", "0"]] {
            let sums = try [name, "copy-\(name)"].map {
                try run("ffmpeg", ["-v", "error", "-i", $0] + format + ["-f", "md5", "-"])
            }
            #expect(sums[0] == sums[1])
        }
        let says = try run(
            "ffprobe", ["-v", "error", "-show_entries", "format=duration:format_tags", "copy-\(name)"])
        #expect(!says.contains("location") && says.contains("duration=2."), "\(says)")
        if !name.hasPrefix("parts") {
            let milliseconds = try #require(video.facts.milliseconds)
            #expect((1990...2100).contains(milliseconds))
            #expect(try run("exiftool", ["-ee", "-G", "-s", name]).contains("GPS"))
        }
    }

    @Test("sound of one size stays whole, however few samples its table says there are", arguments: [0, 100])
    func counted(samples: UInt32) throws {
        try make("plain.mov", ["-c:a", "pcm_s16le", "-metadata", "location="])
        let tree = try VideoTree(try readFile(folder.file("plain.mov")))
        let few = tree.with("stsz") { content in
            let isCommon = content[4..<8].contains { $0 != 0 }
            return isCommon ? Array(content.prefix(8)) + VideoFile.number(samples) : content
        }
        try folder.write(few.bytes, to: "few.mov")
        _ = try copy("few.mov", VideoType.quickTime)
        let sums = try ["plain.mov", "few.mov", "copy-few.mov"].map {
            try run("ffmpeg", ["-v", "error", "-i", $0, "-map", "0:a", "-f", "md5", "-"])
        }
        #expect(Set(sums).count == 1, "\(sums)")
    }

    @Test("a video that is shown upright is as wide and high as ffprobe says that it is shown")
    func turned() throws {
        var file = VideoFile()
        file.matrix = VideoFile.turned
        try folder.write(file.bytes, to: "turned.mp4")
        let video = try copy("turned.mp4", VideoType.mp4)
        let rotation = try run("exiftool", ["-s3", "-Rotation", "turned.mp4"]).filter(\.isNumber)
        #expect(rotation == "90" && video.facts.width == 1080 && video.facts.height == 1920)
    }

    @Test("a picture is taken out of it by ffmpeg, and what is no video has none")
    func poster() async throws {
        try make("a.mp4", [])
        let ffmpeg = try #require(Tool("ffmpeg")).path
        let posters = FFmpegPosters(ffmpeg, launcher: Built.gallery, on: try GalleryThreads.time())
        let outcome = await posters.poster(
            of: folder.file("a.mp4"), at: .milliseconds(600), to: folder.file("frame"))
        #expect(outcome == .made)
        #expect(try run("exiftool", ["-s3", "-ImageSize", "frame"]).contains("320x180"))
        try folder.write(VideoFile().bytes, to: "none.mp4")
        let none = await posters.poster(
            of: folder.file("none.mp4"), at: .zero, to: folder.file("other"))
        guard case .none = none else {
            Issue.record("a picture was made of no pictures")
            return
        }
    }
}
