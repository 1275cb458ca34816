import Basics
import Digest
import TestSupport
import Testing

@testable import Gallery

/// Places whose URL or whose bytes are not what was agreed, and bytes that are no photo.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct BadUploadTests {
    let program: GalleryProgram

    init() throws {
        program = try GalleryProgram.shared.get()
    }

    private static let bytes = Array("these bytes are no photo".utf8)

    // A bucket's places are tried in StorageConformanceTests: what they answer is the bucket's own.
    @Test("a URL with any claim changed, or from before, is none", .inFolder)
    func claims() throws {
        let place = try program.place(for: Self.bytes)
        let query = try #require(place.target.split(separator: "?").last)
        let items = query.split(separator: "&").map(String.init)
        #expect(
            items.map { $0.prefix { $0 != "=" } } == ["type", "length", "sha256", "expires", "signature"])
        let other = try program.place(for: Array("others".utf8))
        var targets = [
            "/objects/\(place.key)", "/objects/\(place.key)?", "/objects/\(other.key)?\(query)",
            "/objects/\(place.key.uppercased())?\(query)", "/objects/\(place.key)0?\(query)",
            // The claims of one and the signature of another.
            "/objects/\(place.key)?\(items.dropLast().joined(separator: "&"))&\(other.target.split(separator: "&").last ?? "")",
        ]
        for (index, item) in items.enumerated() {
            for wrong in ["", "0", "x", "%0a", "-1", "99999999999999999999", "image/png"] {
                var changed = items
                changed[index] = "\(item.prefix { $0 != "=" })=\(wrong)"
                targets.append("/objects/\(place.key)?\(changed.joined(separator: "&"))")
            }
            // A second value behind the right one changes nothing, and before it everything.
            targets.append("/objects/\(place.key)?\(item.prefix { $0 != "=" })=x&\(query)")
        }
        let signature = PlaceSignature(KeyRing(program.secret))
        let expired = PlaceClaim(
            key: place.key, contentType: "image/jpeg", length: UInt64(Self.bytes.count), sha256: nil,
            expiresAt: Timestamp(milliseconds: 1_700_000_000_000))
        targets.append("/objects/\(place.key)?\(signature.query(for: expired))")
        for target in targets {
            let answer = try Wire(program.port).put(target, place.headers, Self.bytes)
            #expect(answer.status == 403 && answer.code == "FORBIDDEN", "\(target): \(answer.head)")
        }
        // None of them has taken the place.
        #expect(try Wire(program.port).put(place.target, place.headers, Self.bytes).status == 200)
        #expect(try Wire(program.port).put(place.target, place.headers, Self.bytes).status == 412)
        try program.expectWell()
    }

    @Test("bytes and headers that are not what was announced leave the place as it was", .inFolder)
    func announced() throws {
        let place = try program.place(for: Self.bytes)
        func headers(_ name: String, _ value: String?) -> [(String, String)] {
            place.headers.filter { $0.0.lowercased() != name.lowercased() }
                + (value.map { [(name, $0)] } ?? [])
        }
        let wrongs: [(String, [(String, String)], [UInt8], Int)] = [
            ("another type", headers("Content-Type", "image/png"), Self.bytes, 403),
            ("no type", headers("Content-Type", nil), Self.bytes, 403),
            ("no condition", headers("If-None-Match", nil), Self.bytes, 403),
            ("another condition", headers("If-None-Match", "\"x\""), Self.bytes, 403),
            ("a byte more", headers("Content-Length", "\(Self.bytes.count + 1)"), Self.bytes + [0], 400),
            (
                "a byte less", headers("Content-Length", "\(Self.bytes.count - 1)"),
                Array(Self.bytes.dropLast()), 400
            ),
            ("no length", headers("Content-Length", nil), [], 411),
            (
                "pieces", headers("Content-Length", nil) + [("Transfer-Encoding", "chunked")],
                Array("0\r\n\r\n".utf8), 411
            ),
            ("no checksum", headers("x-amz-checksum-sha256", nil), Self.bytes, 400),
            (
                "another checksum", headers("x-amz-checksum-sha256", Base64.text(SHA256.of([1]).bytes)),
                Self.bytes, 400
            ),
            ("other bytes", place.headers, Self.bytes.reversed(), 400),
            ("two lengths", place.headers + [("Content-Length", "5")], Self.bytes, 400),
            ("a length and pieces", place.headers + [("Transfer-Encoding", "chunked")], Self.bytes, 400),
        ]
        for (name, headers, bytes, status) in wrongs {
            let answer = try Wire(program.port).put(place.target, headers, bytes)
            #expect(answer.status == status, "\(name): \(answer.head)")
        }
        // Cut: half of it comes, and then the end.
        let wire = try Wire(program.port)
        wire.send(Array(Wire.head("PUT", place.target, place.headers).utf8) + Self.bytes.prefix(9))
        wire.endSending()
        #expect([0, 400, 408].contains(try wire.answer().status))
        let state = try program.ask("GET", "/uploads/status?ids=\(place.upload)").data?.array?.first
        #expect(state?["status"]?.string == "pending")
        #expect(try Wire(program.port).put(place.target, place.headers, Self.bytes).status == 200)
        try program.expectWell()
    }

    @Test("a body that drips is cut, and who asks meanwhile is answered", .inFolder)
    func slow() throws {
        let bytes = [UInt8](repeating: 7, count: 100_000)
        let place = try program.place(for: bytes)
        let wire = try Wire(program.port)
        wire.send(Array(Wire.head("PUT", place.target, place.headers).utf8))
        var sent = 0
        // A hundred bytes a second are a tenth of what is the least.
        while sent < 4000, !wire.hears(within: 1000) {
            guard wire.send(Array(bytes[sent..<sent + 100])) else { break }
            sent += 100
            #expect(try program.ask("GET", "/health").status == 200)
        }
        #expect(sent < 4000, "it was listened to for forty seconds")
        #expect([0, 408].contains(try wire.answer().status))
        try program.expectWell()
    }

    // MARK: Bytes that are no photo

    /// Writes each kind into a folder, with nothing but Python.
    private static let makers = #"""
        import struct, sys, zlib
        folder, jpeg = sys.argv[1], open(sys.argv[2], "rb").read()
        def chunk(kind, body):
            return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        def png(width, height, data, more=b""):
            head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
            return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + more + chunk(b"IDAT", data) + chunk(b"IEND", b"")
        def save(name, data):
            open(f"{folder}/{name}", "wb").write(data)
        def app1(tiff):
            body = b"Exif\0\0" + tiff
            return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + jpeg[2:]
        def entry(tag, kind, count, value):
            return struct.pack("<HHII", tag, kind, count, value)
        def ifd(entries, after):
            return struct.pack("<H", len(entries)) + b"".join(entries) + struct.pack("<I", after)
        good = zlib.compress(b"".join(b"\0" + bytes(range(96)) for _ in range(32)))
        frame = jpeg.index(b"\xff\xc0")
        save("text", b"this is no picture at all\n" * 20)
        save("zeros", bytes(5000))
        save("magic-only", b"\xff\xd8\xff\xe0")
        save("html", b"<html><script>alert(1)</script></html>")
        save("svg", b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
        save("gif", b"GIF89a" + bytes(100))
        save("png-as-jpeg", png(32, 32, good))
        save("cut", jpeg[:len(jpeg) // 2])
        save("no-end", jpeg[:frame])
        save("wide-jpeg", jpeg[:frame + 5] + b"\xfd\xe8\xfd\xe8" + jpeg[frame + 9:])
        save("no-size", jpeg[:frame + 5] + b"\0\0\0\0" + jpeg[frame + 9:])
        save("wide.png", png(0x7fffffff, 0x7fffffff, good))
        save("bomb.png", png(30000, 30000, zlib.compress(bytes(60_000_000), 9)))
        save("cut.png", png(32, 32, good[:20]))
        save("short.png", png(32, 3200, good))
        save("crc.png", png(32, 32, good)[:-6] + b"xx" + png(32, 32, good)[-4:])
        save("profile.png", png(32, 32, good, chunk(b"iCCP", b"x\0\0" + zlib.compress(bytes(200_000_000), 9))))
        save("text.png", png(32, 32, good, chunk(b"zTXt", b"x\0\0" + zlib.compress(bytes(200_000_000), 9))))
        save("loop.jpg", app1(b"II*\0" + struct.pack("<I", 8) + ifd([entry(0x8769, 4, 1, 8)], 8)))
        save("far.jpg", app1(b"II*\0" + struct.pack("<I", 8) + ifd([entry(0x010f, 2, 0xfffffff0, 0xfffffff0)], 0xfffffff0)))
        save("many.jpg", app1(b"II*\0" + struct.pack("<I", 8) + struct.pack("<H", 65535) + bytes(2000)))
        save("turned.jpg", app1(b"II*\0" + struct.pack("<I", 8) + ifd([entry(0x0112, 3, 1, 60000)], 0)))
        save("zip.jpg", jpeg + b"PK\3\4" + bytes(200) + b"PK\5\6" + bytes(18))
        save("script.jpg", jpeg[:2] + b"\xff\xfe" + struct.pack(">H", 42) + b"<script>alert(document.cookie)</script>*/" [:40] + jpeg[2:])
        save("tiff-loop.tif", b"II*\0" + struct.pack("<I", 8) + ifd([entry(0x014a, 4, 1, 8)], 8))
        """#

    /// What becomes of each; nothing stands for a photo.
    private static let kinds: [(name: String, type: String, codes: Set<String?>)] = [
        ("text", "image/jpeg", ["NOT_AN_IMAGE"]), ("zeros", "image/jpeg", ["NOT_AN_IMAGE"]),
        ("magic-only", "image/jpeg", ["NOT_AN_IMAGE", "TRUNCATED"]), ("html", "image/jpeg", ["NOT_AN_IMAGE"]),
        ("svg", "image/png", ["NOT_AN_IMAGE"]),
        ("gif", "image/jpeg", ["NOT_AN_IMAGE", "TYPE_MISMATCH", "UNSUPPORTED"]),
        ("png-as-jpeg", "image/jpeg", ["TYPE_MISMATCH"]), ("cut", "image/jpeg", ["TRUNCATED"]),
        ("no-end", "image/jpeg", ["TRUNCATED", "NOT_AN_IMAGE"]),
        ("wide-jpeg", "image/jpeg", ["TOO_LARGE", "TRUNCATED"]),
        ("no-size", "image/jpeg", ["UNSUPPORTED"]),
        ("wide.png", "image/png", ["TOO_LARGE", "NOT_AN_IMAGE"]),
        ("bomb.png", "image/png", ["TOO_LARGE", "TRUNCATED"]),
        ("cut.png", "image/png", ["TRUNCATED", "NOT_AN_IMAGE"]),
        ("short.png", "image/png", ["TRUNCATED"]),
        ("crc.png", "image/png", [nil, "TRUNCATED", "NOT_AN_IMAGE"]),
        // What stands beside the picture is not worth losing it for.
        ("profile.png", "image/png", [nil]), ("text.png", "image/png", [nil]),
        ("loop.jpg", "image/jpeg", [nil]),
        ("far.jpg", "image/jpeg", [nil]), ("many.jpg", "image/jpeg", [nil]),
        ("turned.jpg", "image/jpeg", [nil]),
        ("zip.jpg", "image/jpeg", [nil]), ("script.jpg", "image/jpeg", [nil]),
        ("tiff-loop.tif", "image/tiff", ["UNSUPPORTED", "NOT_AN_IMAGE", "TRUNCATED"]),
    ]

    @Test(
        "bytes that are no photo, or too much of one, are refused by name, and the others become photos",
        .enabled(if: Tool.isThere("python3") && Tool.isThere("cjpeg"), "python3 or cjpeg is not installed"))
    func pictures() throws {
        let folder = try TemporaryFolder(in: TemporaryFolder.memory)
        let pixels = (0..<64 * 48 * 3).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let jpeg = try #require(Tool("cjpeg")).run(
            ["-quality", "90"], input: Array("P6 64 48 255\n".utf8) + pixels)
        #expect(jpeg.code == 0)
        try folder.write(jpeg.output, to: "good")
        let made = try #require(Tool("python3")).run(["-c", Self.makers, folder.path, folder.file("good")])
        #expect(made.code == 0, "\(made.errors)")
        for kind in Self.kinds {
            let outcome = try program.bring(try readFile(folder.file(kind.name)), kind.type)
            #expect(kind.codes.contains(outcome.code), "\(kind.name): \(outcome)")
            #expect(
                outcome.status == (outcome.code == nil ? "completed" : "failed"), "\(kind.name): \(outcome)")
            // A refused file does the program no harm.
            try program.expectWell()
        }
        let good = try program.bring(jpeg.output)
        #expect(good.status == "completed")
        try originals()
    }

    /// What is also something else is served as what it was said to be, and as nothing else.
    private func originals() throws {
        let photos = try program.ask("GET", "/events/\(program.event)/photos")["photos"]?.array ?? []
        #expect(photos.count >= 8)
        for photo in photos {
            let key = try #require(photo["originalKey"]?.string)
            let cookie = try #require(
                try program.ask("GET", "/events/\(program.event)").head.split(separator: "\r\n").first {
                    $0.lowercased().hasPrefix("set-cookie: ")
                }?.dropFirst(12).split(separator: ";").first)
            let answer = try Wire(program.port).ask(
                "GET", "/images/\(key)", headers: [("Cookie", String(cookie))])
            #expect(answer.status == 200, "\(answer.head)")
            let head = answer.head.lowercased()
            #expect(head.contains("x-content-type-options: nosniff"))
            #expect(head.contains("content-type: \(photo["contentType"]?.string ?? "?")"))
        }
    }
}
