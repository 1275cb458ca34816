import Basics
import Digest
import Imaging
import TestSupport
import Testing

@testable import Gallery

/// What is read out of a video, and what guests' copies have and have not.
@Suite struct VideoWorkTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder(in: TemporaryFolder.memory) }

    private func prepare(
        _ bytes: [UInt8], _ type: String = VideoType.mp4, _ limits: VideoLimits = VideoLimits()
    ) throws -> (video: PreparedVideo, copy: [UInt8]) {
        try folder.write(bytes, to: "video")
        try folder.write([], to: "copy")
        let job = VideoJob(file: folder.file("video"), declaredType: type, copy: folder.file("copy"))
        let video = try VideoWork.prepare(job, limits)
        return (video, try readFile(folder.file("copy")))
    }

    private func refusal(
        _ bytes: [UInt8], _ type: String = VideoType.mp4, _ limits: VideoLimits = VideoLimits()
    ) throws -> VideoProblem.Code? {
        do {
            _ = try prepare(bytes, type, limits)
            return nil
        } catch let problem as VideoProblem {
            return problem.code
        }
    }

    // MARK: Facts

    @Test("size, duration and time are those of the index")
    func facts() throws {
        let file = VideoFile()
        let (video, _) = try prepare(file.bytes)
        #expect(video.facts.width == 1920 && video.facts.height == 1080)
        #expect(video.facts.milliseconds == 42_000)
        #expect(video.facts.exif.time.satellites == Timestamp(rfc3339: "2026-11-21T20:15:00Z"))
        #expect(video.facts.exif.time.clock == nil)
        #expect(video.sha256 == "\(SHA256.of(file.bytes))" && video.size == UInt64(file.bytes.count))
    }

    @Test("a phone that was held on its side says so by a matrix, and width and height are as one sees them")
    func turned() throws {
        var file = VideoFile()
        file.matrix = VideoFile.turned
        let (video, _) = try prepare(file.bytes)
        #expect(video.facts.width == 1080 && video.facts.height == 1920)
        file.matrix = [0xFFFF_0000, 0, 0, 0, 0xFFFF_0000, 0, 0x780_0000, 0x438_0000, 0x4000_0000]
        #expect(try prepare(file.bytes).video.facts.width == 1920)
    }

    @Test("a clock that was never set says no time, and a length that is not known is none")
    func sparse() throws {
        var file = VideoFile()
        (file.created, file.duration) = (0, UInt32.max)
        let (video, _) = try prepare(file.bytes)
        #expect(video.facts.milliseconds == nil && video.facts.exif.time == .init())
    }

    @Test("a phone of Apple's says when by its clock and zone, and what it is")
    func apple() throws {
        var file = VideoFile()
        file.brands = ["qt  "]
        file.extras = VideoFile.keys([
            ("com.apple.quicktime.location.ISO6709", VideoFile.place), ("com.apple.quicktime.make", "Apple"),
            ("com.apple.quicktime.model", "iPhone 15"),
            ("com.apple.quicktime.creationdate", "2026-11-21T21:15:00+0100"),
        ])
        let (video, copy) = try prepare(file.bytes, VideoType.quickTime)
        #expect(video.facts.exif.time.clock == Timestamp(rfc3339: "2026-11-21T21:15:00Z"))
        #expect(video.facts.exif.time.offset == 60)
        #expect(video.facts.exif.make == "Apple" && video.facts.exif.model == "iPhone 15")
        #expect(!copy.holds(VideoFile.place) && !copy.holds("iPhone"))
    }

    // MARK: Guests' copies

    @Test("what says where it was recorded is blank in the copy, and all else is at its place as it was")
    func copy() throws {
        var file = VideoFile()
        file.extras =
            VideoFile.userData() + VideoFile.xmp + VideoFile.box("gps ", Array("index of places".utf8))
        file.ofTrack = VideoFile.userData("+47.0707+015.4395/")
        file.behind =
            VideoFile.xmp + VideoFile.box("free", Array("GPS 48.2085".utf8)) + VideoFile.keys([("a", "b")])
        let (video, copy) = try prepare(file.bytes)
        for text in ["+48.2085", "+47.0707", "GPSLatitude", "index of places", "GPS 48", "loci", "xyz"] {
            #expect(file.bytes.holds(text) && !copy.holds(text), "\(text)")
        }
        #expect(copy.count == file.bytes.count && copy.holds(String(decoding: file.pictures, as: UTF8.self)))
        let start = file.ftyp.count + file.data.count
        #expect(copy.prefix(start) == file.bytes.prefix(start))
        var crc = CRC32()
        copy.withUnsafeBytes { crc.update($0) }
        #expect(video.copyCRC == crc.value)
        // What was blanked is blank once more, and nothing else is.
        #expect(try prepare(copy).copy == copy)
        // Boxes follow each other as before.
        #expect(try prepare(copy).video.facts.milliseconds == 42_000)
    }

    @Test("a track of places is taken out with its samples, and the pictures beside them stay")
    func places() throws {
        var file = VideoFile()
        file.places = (0..<5).map { Array("GPS5 48.208\($0) 16.3731".utf8) }
        let (video, copy) = try prepare(file.bytes)
        #expect(file.bytes.holds("GPS5 48.2083") && !copy.holds("GPS5") && !copy.holds("gpmd"))
        #expect(copy.holds(String(decoding: file.pictures, as: UTF8.self)))
        #expect(video.facts.width == 1920)
    }

    @Test("a track that leads out of the data is refused, and nothing outside is written")
    func astray() throws {
        var file = VideoFile()
        file.places = [Array("GPS5".utf8)]
        var bytes = file.bytes
        let table = try #require(bytes.firstRange(of: VideoFile.full("stsz", [0, 1, 4])))
        bytes.replaceSubrange(table, with: VideoFile.full("stsz", [0, 1, 5000]))
        #expect(try refusal(bytes) == .truncated)
    }

    // MARK: Bad files

    private static let badFiles: [(name: String, bytes: [UInt8], code: VideoProblem.Code)] = {
        let good = VideoFile()
        var (still, none, tall, named) = (VideoFile(), VideoFile(), VideoFile(), VideoFile())
        still.handler = "soun"
        none.hasIndex = false
        tall.height = 60_000
        named.brands = ["heic", "mif1"]
        let index = good.index(dataAt: UInt32(good.ftyp.count + 8))
        func altered(_ name: String, _ size: UInt32) -> [UInt8] {
            guard let place = good.bytes.firstRange(of: Array(name.utf8)) else { return [] }
            var bytes = good.bytes
            bytes.replaceSubrange(place.lowerBound - 4..<place.lowerBound, with: VideoFile.number(size))
            return bytes
        }
        return [
            ("a text", Array("hello, this is no video at all".utf8), .notAVideo),
            ("a picture", named.bytes, .notAVideo), ("only sound", still.bytes, .notAVideo),
            ("no index", none.bytes, .truncated), ("a picture that no screen has", tall.bytes, .tooLarge),
            ("cut in its index", Array(good.bytes.dropLast(20)), .truncated),
            ("cut in its data", Array(good.bytes.prefix(good.ftyp.count + 20)), .truncated),
            ("nothing but a header", good.ftyp, .truncated),
            ("a box without an end inside", altered("tkhd", 0), .truncated),
            ("a box smaller than its header", altered("mdia", 4), .truncated),
            ("a box of 64 bits without them", altered("mvhd", 1), .truncated),
            ("a box larger than its parent", altered("hdlr", 0x7FFF_FFFF), .truncated),
            ("a first box that is too large", altered("ftyp", 0x7FFF_FFFF), .notAVideo),
            (
                "an index of eight exabytes",
                good.ftyp + [0, 0, 0, 1] + Array("moov".utf8) + [0x7F] + [UInt8](repeating: 0xFF, count: 7),
                .truncated
            ),
            ("two indexes", good.bytes + index, .unsupported),
            ("no time", altered("mvhd", 8), .truncated),
        ]
    }()

    @Test("what is damaged, cut or lies about itself is refused with a code", arguments: 0..<badFiles.count)
    func bad(_ index: Int) throws {
        let (name, bytes, code) = Self.badFiles[index]
        #expect(try refusal(bytes) == code, "\(name)")
    }

    @Test("every video that is cut anywhere is refused, or is one without what was behind its end")
    func everyCut() throws {
        var file = VideoFile()
        file.extras = VideoFile.userData()
        file.places = [Array("GPS5".utf8)]
        let end = file.bytes.count
        file.behind = VideoFile.box("free", [UInt8](repeating: 7, count: 12))
        let bytes = file.bytes
        for count in 0...bytes.count {
            // Fewer bytes than a header has may lie behind the last box.
            let isWhole = (end..<end + 8).contains(count) || count == bytes.count
            let code: VideoProblem.Code = count < file.ftyp.count ? .notAVideo : .truncated
            #expect(try refusal(Array(bytes.prefix(count))) == (isWhole ? nil : code), "\(count)")
        }
    }

    @Test("bytes that are changed at random make no trouble, and what is taken of them is whole")
    func random() throws {
        var file = VideoFile()
        file.extras = VideoFile.userData() + VideoFile.keys([("com.apple.quicktime.make", "Apple")])
        file.places = [Array("GPS5".utf8), Array("GPS6".utf8)]
        let random = SeededSource(77)
        var (taken, refused) = (0, 0)
        for _ in 0..<400 {
            var bytes = file.bytes
            for _ in 0..<1 + Int(random.next() % 4) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            // Either answer is right; what it must not do is to end this process.
            do {
                let (video, copy) = try prepare(bytes)
                #expect(video.sha256 == "\(SHA256.of(bytes))" && copy.count == bytes.count)
                taken += 1
            } catch is VideoProblem {
                refused += 1
            }
        }
        // Dozens of bytes are those of its pictures, and dozens are sizes of boxes.
        #expect(taken > 20 && refused > 20, "\(taken) were taken, and \(refused) were not")
    }

    @Test("a kind that was said wrong is told")
    func kinds() throws {
        var file = VideoFile()
        #expect(try refusal(file.bytes, VideoType.quickTime) == .typeMismatch)
        file.brands = ["qt  "]
        #expect(try refusal(file.bytes, VideoType.mp4) == .typeMismatch)
        #expect(try refusal(file.bytes, VideoType.quickTime) == nil)
        file.brands = ["qt  ", "isom"]
        #expect(try refusal(file.bytes, VideoType.mp4) == nil)
        // From before there were brands.
        let old = VideoFile.box("mdat", file.pictures) + file.index(dataAt: 8)
        #expect(try refusal(old, VideoType.quickTime) == nil)
        #expect(try refusal(old, VideoType.mp4) == .typeMismatch)
    }

    // MARK: Limits

    @Test("boxes within boxes lead no deeper than a video has them")
    func deep() throws {
        var nest: [UInt8] = []
        for _ in 0..<2000 { nest = VideoFile.number(UInt32(nest.count + 8)) + Array("trak".utf8) + nest }
        var file = VideoFile()
        file.ofTrack = nest
        let (_, copy) = try prepare(file.bytes)
        #expect(copy.ranges(of: Array("trak".utf8)).count == 1 && copy.count == file.bytes.count)
        file.extras = VideoFile.box("moov", nest)
        #expect(try refusal(file.bytes) == nil)
    }

    @Test("each limit is held")
    func limits() throws {
        var file = VideoFile()
        file.behind = (0..<10).flatMap { _ in VideoFile.box("free") }
        var limits = VideoLimits()
        limits.topBoxes = 12
        #expect(try refusal(file.bytes, VideoType.mp4, limits) == .unsupported)
        limits.topBoxes = 13
        #expect(try refusal(file.bytes, VideoType.mp4, limits) == nil)
        limits.index = 100
        #expect(try refusal(file.bytes, VideoType.mp4, limits) == .tooLarge)
        limits = VideoLimits()
        limits.boxes = 5
        #expect(try refusal(file.bytes, VideoType.mp4, limits) == .unsupported)
        limits = VideoLimits()
        limits.tracks = 0
        #expect(try refusal(file.bytes, VideoType.mp4, limits) == .unsupported)
        limits = VideoLimits()
        limits.blanks = 9
        #expect(try refusal(file.bytes, VideoType.mp4, limits) == .unsupported)
        limits = VideoLimits()
        limits.seconds = 41
        #expect(try prepare(file.bytes, VideoType.mp4, limits).video.facts.milliseconds == nil)
    }

    // MARK: What workers say

    @Test("an answer is read as it was written, and what makes no sense is told from it")
    func wire() throws {
        var file = VideoFile()
        file.extras = VideoFile.keys([("com.apple.quicktime.creationdate", "2026-11-21T21:15:00+0100")])
        try folder.write(file.bytes, to: "video")
        let job = VideoJob(
            file: folder.file("video"), declaredType: VideoType.mp4, copy: folder.file("one"))
        let line = VideoWire.answer(job.line)
        let video = try VideoWire.answer(to: line).get()
        #expect(video == (try prepare(file.bytes).video))
        for wrong in ["{}", "{\"sha256\":\"\",\"crc32\":1}", line.replacing("1920", with: "-1")] {
            #expect(throws: VideoWire.Nonsense.self) { try VideoWire.answer(to: wrong) }
        }
        guard case .failure(let problem) = try VideoWire.answer(to: VideoWire.answer("{}")) else {
            Issue.record("a job without a file was done")
            return
        }
        #expect(problem.code == .storage)
    }
}
