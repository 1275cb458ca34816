import Imaging
import TestSupport
import Testing

@Suite(.enabled(if: Studio.hasTools, "\(Studio.reason)"))
struct DamageTests {
    @Test("a file that lost its end is refused, wherever it was cut", arguments: Sample.kinds)
    func truncation(kind: String) throws {
        let studio = try Studio()
        let type = Sample.type(of: kind)
        let whole = try Sample.make(studio, kind)
        #expect(try studio.refusal(of: whole, type) == nil)
        var lengths = Array(stride(from: 0, to: whole.count, by: max(1, whole.count / 150)))
        lengths += Array(0..<40) + [whole.count - 3, whole.count - 2, whole.count - 1]
        for length in lengths {
            let code = try studio.refusal(of: Array(whole.prefix(length)), type)
            let early: [PictureRefusal.Code] = [.truncated, .notAnImage]
            #expect(
                code.map { (length < 40 ? early : [.truncated]).contains($0) } == true,
                "\(length) of \(whole.count): \(String(describing: code))")
        }
    }

    @Test("a hole in the middle of a JPEG is noticed")
    func hole() throws {
        let studio = try Studio()
        for kind in ["image/jpeg", "progressive"] {
            let whole = try Sample.make(studio, kind)
            var holed = whole
            holed.removeSubrange((whole.count / 2)..<(whole.count - 2))
            #expect(try studio.refusal(of: holed) == .truncated)
        }
    }

    @Test(
        "bytes that were changed anywhere make a refusal or a picture, and nothing else",
        arguments: Sample.kinds)
    func noise(kind: String) throws {
        let studio = try Studio()
        let whole = try Sample.make(studio, kind)
        var pictures = 0
        for seed in Cases.seeds(full: 2000) {
            var chance = Seeded(seed)
            var bytes = whole
            for _ in 0..<Int.random(in: 1...20, using: &chance) {
                bytes[Int.random(in: 0..<bytes.count, using: &chance)] = UInt8.random(
                    in: 0...255, using: &chance)
            }
            if try studio.refusal(of: bytes, Sample.type(of: kind)) == nil { pictures += 1 }
        }
        #expect(pictures > 0 || kind != "image/jpeg", "a JPEG bears some noise")
    }

    @Test("what is no image, or another kind than was said, is called so")
    func beginnings() throws {
        let studio = try Studio()
        for text in [
            "", "a", "<html>", "GIF89a\u{1}\0\u{1}\0", "RIFF....WEBPVP8 ", "%PDF-1.4", "....ftypisom",
        ] {
            #expect(try studio.refusal(of: Array(text.utf8)) == .notAnImage, "\(text)")
        }
        let jpeg = try Sample.make(studio, "image/jpeg")
        let png = try Sample.make(studio, "image/png")
        for type in ["image/png", "image/heic", "image/tiff", "image/x-nikon-nef", "text/html", ""] {
            #expect(try studio.refusal(of: jpeg, type) == .typeMismatch, "\(type)")
        }
        for type in ["image/jpeg", "image/x-fuji-raf", "image/x-canon-cr3"] {
            #expect(try studio.refusal(of: png, type) == .typeMismatch, "\(type)")
        }
    }

    @Test("a header that promises more pixels than are looked at is not believed")
    func bombs() throws {
        let studio = try Studio()
        var jpeg = try Sample.make(studio, "image/jpeg")
        let frame = try #require(jpeg.firstRange(of: [0xFF, 0xC0]))
        jpeg.replaceSubrange((frame.lowerBound + 5)..<(frame.lowerBound + 9), with: [0xFF, 0xDC, 0xFF, 0xDC])
        #expect(try studio.refusal(of: jpeg) == .tooLarge)
        jpeg.replaceSubrange((frame.lowerBound + 5)..<(frame.lowerBound + 9), with: [0, 0, 0, 1])
        #expect(try studio.refusal(of: jpeg) != nil)

        let python = try #require(Tool("python3"), "python3 makes the bombs")
        let sizes = [(60_000, 60_000), (65_536, 1), (1, 65_536), (1_000_001, 1)]
        let program = """
            import struct, sys, zlib
            chunk = lambda n, d: struct.pack('>I', len(d)) + n + d + struct.pack('>I', zlib.crc32(n + d))
            for number, (width, height) in enumerate([\(sizes.map { "(\($0.0), \($0.1))" }.joined(separator: ", "))]):
                with open(f'{sys.argv[1]}/{number}.png', 'wb') as file:
                    file.write(b'\\x89PNG\\r\\n\\x1a\\n'
                        + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0))
                        + chunk(b'IDAT', zlib.compress(bytes(1 << 20))) + chunk(b'IEND', b''))
            """
        #expect(try python.run(["-c", program, studio.folder.path]).code == 0)
        for (number, size) in sizes.enumerated() {
            let code = try studio.refusal(studio.folder.file("\(number).png"), "image/png")
            #expect(code == .tooLarge, "\(size)")
        }
    }

    @Test("what lies behind a picture's end, or in its comments, is ignored, and not in the renditions")
    func polyglots() throws {
        let studio = try Studio()
        let jpeg = try Sample.make(studio, "image/jpeg")
        let zip = Array("PK\u{3}\u{4}".utf8) + [UInt8](repeating: 0xFF, count: 3000)
        #expect(try studio.refusal(of: jpeg + zip) == nil)
        let script = Array("<script>alert(1)</script>\u{FF}\u{D9}".utf8)
        let comment = [0xFF, 0xFE, 0, UInt8(script.count + 2)] + script
        #expect(try studio.refusal(of: jpeg.prefix(2) + comment + jpeg.dropFirst(2)) == nil)
        for file in [studio.thumb, studio.screen] {
            #expect(try readFile(file).firstRange(of: Array("script".utf8)) == nil)
        }
        let thumbnail = try readFile(studio.plasma("small.jpg", 16, 16))
        let nested = [0xFF, 0xE1, UInt8((thumbnail.count + 2) >> 8), UInt8((thumbnail.count + 2) & 255)]
        let carrier = jpeg.prefix(2) + nested + thumbnail + jpeg.dropFirst(2)
        #expect(try studio.refusal(of: Array(carrier)) == nil)
        let cut = Array(carrier.dropLast(2000))
        #expect(try studio.refusal(of: cut) == .truncated, "the end of an inner picture is not the end")
    }
}

enum Sample {
    /// A small picture of each kind that can be decoded, as others' programs write it.
    static func make(_ studio: Studio, _ type: String) throws -> [UInt8] {
        switch type {
        case "image/jpeg": try readFile(studio.plasma("in.jpg", 601, 401, ["-quality", "90"]))
        case "progressive":
            try readFile(studio.plasma("in.jpg", 601, 401, ["-quality", "90", "-interlace", "JPEG"]))
        case "image/png": try readFile(studio.plasma("in.png", 301, 201))
        default: try readFile(studio.plasma("in.heic", 301, 201))
        }
    }

    static func type(of kind: String) -> String { kind == "progressive" ? "image/jpeg" : kind }

    static let kinds =
        ["image/jpeg", "progressive", "image/png"] + (Studio.makesHEIF ? ["image/heic"] : [])
}
