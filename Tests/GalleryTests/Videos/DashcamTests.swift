import TestSupport
import Testing

@testable import Gallery

/// Places that dashboard cameras hide among the samples of a video, as ffmpeg and exiftool see them.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(if: ["ffmpeg", "exiftool"].allSatisfy(Tool.isThere), "ffmpeg or exiftool is not installed"))
struct DashcamTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ tool: String, _ arguments: [String]) throws -> String {
        try Tool.judged(tool, arguments, in: folder)
    }

    /// Sums of all packets, and of all that they are decoded to.
    private func frames(_ name: String) throws -> [String] {
        try [["-c", "copy"], []].map { format in
            try run(
                "ffmpeg",
                ["-v", "error", "-i", name, "-map", "0"] + format + ["-f", "framemd5", "-"])
        }
    }

    /// Two seconds, of which nothing says where they were recorded. QuickTime counted sound that is not compressed in samples
    /// of one byte each, whatever they have.
    private func video(_ name: String, _ sound: [String]) throws -> VideoTree {
        let made = try run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=25:duration=2", "-f", "lavfi",
                "-i", "sine=duration=2", "-c:v", "mpeg4", "-c:a",
            ] + sound + ["-fflags", "+bitexact", name])
        #expect(made.isEmpty)
        let tree = try VideoTree(try readFile(folder.file(name)))
        guard name.hasSuffix(".mov") else { return tree }
        return tree.with("stsz") { content in
            let isCommon = content[4..<8].contains { $0 != 0 }
            return isCommon
                ? Array(content.prefix(4)) + VideoFile.number(1) + Array(content.dropFirst(8)) : content
        }
    }

    @Test(
        "places among the samples are blank in the copy, which plays as the video did",
        arguments: [
            "dash.mp4 aac", "dash.mov pcm_s16le", "dash.mov pcm_s24be", "dash.mov pcm_s16le -ar 96000",
        ], [true, false])
    func places(kind: String, isListed: Bool) throws {
        let words = kind.split(separator: " ").map(String.init)
        let plain = try video(words[0], Array(words.dropFirst()))
        let bytes = try DashcamVideo(plain, isListed: isListed).bytes
        let original = "dashcam-\(words[0])"
        try folder.write(bytes, to: original)
        let tags = try run("exiftool", ["-ee", "-n", "-s", original])
        #expect(tags.contains("48.208") && tags.contains("16.373"), "\(tags)")

        let job = VideoJob(
            file: folder.file(original),
            declaredType: words[0].hasSuffix(".mov") ? VideoType.quickTime : VideoType.mp4,
            copy: folder.file("copy-\(words[0])"))
        _ = try VideoWire.result(of: job).get()
        let copy = try readFile(job.copy)
        #expect(copy.count == bytes.count)
        for sign in DashcamVideo.signs {
            #expect(bytes.firstRange(of: sign) != nil && copy.firstRange(of: sign) == nil, "\(sign)")
        }
        let left = try run("exiftool", ["-ee", "-s", "copy-\(words[0])"])
        #expect(!left.contains("GPS"), "\(left)")
        let sums = try frames("copy-\(words[0])")
        #expect(try frames(words[0]) == sums)
        #expect(try frames(original) == sums)
        // A line for each packet and each picture.
        #expect(sums.allSatisfy { $0.split(separator: "\n").count > 50 })
    }
}
