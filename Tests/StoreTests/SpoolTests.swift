import Basics
import Bridge
import Digest
import Glibc
import Store
import TestSupport
import Testing
import WorldSupport

/// The spool on a real folder, and on the model of a disk, behaves alike.
@Suite struct SpoolTests {
    static let photo = Capture(id: CaptureID(7), state: .announced)
    static let bytes = jpeg(1)

    func open(
        _ ground: SpoolGround, _ bytes: [UInt8], _ capture: Capture = photo
    ) async throws -> (Spool, IncomingPhoto) {
        let spool = ground.spool()
        let incoming = try await spool.open(capture, offer(UInt64(bytes.count)), mayResume: true)
        try incoming.file.write(bytes)
        return (spool, incoming)
    }

    @Test(
        "a whole photo stands under its number and its name, and nowhere else",
        arguments: SpoolGround.Kind.allCases)
    func whole(kind: SpoolGround.Kind) async throws {
        let ground = try SpoolGround(kind)
        #expect(
            try await ground.spool().keep(Self.bytes, of: Self.photo)
                == .whole(file: "7-IMG_0001.JPG", doubts: []))
        #expect(try ground.contents() == ["\(someEvent)/7-IMG_0001.JPG": Self.bytes])
    }

    @Test("a photo of another length than it should have gets no name", arguments: SpoolGround.Kind.allCases)
    func wrongLength(kind: SpoolGround.Kind) async throws {
        let ground = try SpoolGround(kind)
        let (spool, incoming) = try await open(ground, Self.bytes)
        for length in [299, 301] as [UInt64] {
            let end = try await spool.finish(
                incoming, finish(Self.photo.id, length, name: "A.JPG"), modified: nil)
            #expect(end == .wrongLength(found: 300))
        }
        #expect(try ground.contents() == ["incoming/7.part": Self.bytes])
    }

    @Test(
        "what does not begin like a JPEG gets no JPEG's name until that is accepted, and then keeps the doubt",
        arguments: SpoolGround.Kind.allCases)
    func foreignBeginning(kind: SpoolGround.Kind) async throws {
        let ground = try SpoolGround(kind)
        let wrong = [UInt8](repeating: 0, count: 300)
        let spool = ground.spool()
        #expect(
            try await spool.keep(wrong, of: Self.photo)
                == .foreignBeginning("begins with zeros, not like a JPEG"))
        #expect(try ground.contents() == ["incoming/7.part": wrong])
        let kept = try await spool.keep(wrong, of: Self.photo) { $0.accepts = [.beginning] }
        #expect(kept == .whole(file: "7-IMG_0001.JPG", doubts: [.beginning]))
        #expect(try ground.contents() == ["\(someEvent)/7-IMG_0001.JPG": wrong])
    }

    @Test(
        "what its own structure calls cut gets no name where that is looked at, until it is accepted",
        arguments: SpoolGround.Kind.allCases)
    func cutShort(kind: SpoolGround.Kind) async throws {
        let ground = try SpoolGround(kind)
        // A PNG's first chunk says 13 bytes and a checksum; there are 4 bytes of it.
        let cut: [UInt8] =
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [0, 0, 0, 13] + Array("IHDR".utf8) + [
                0, 0, 0, 1,
            ]
        let spool = ground.spool()
        let refused = try await spool.keep(cut, of: Self.photo, name: "A.PNG", format: 0x380B) {
            $0.checksStructure = true
        }
        guard case .cutShort(let reason) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(!reason.isEmpty)
        let kept = try await spool.keep(cut, of: Self.photo, name: "A.PNG", format: 0x380B) {
            $0.checksStructure = true
            $0.accepts = [.structure, .size]
        }
        #expect(kept == .whole(file: "7-A.PNG", doubts: [.structure, .size]))
        // Where the count is what the camera said, the structure is not checked.
        let other = Capture(id: CaptureID(8), state: .announced)
        #expect(
            try await spool.keep(cut, of: other, name: "A.PNG", format: 0x380B)
                == .whole(file: "8-A.PNG", doubts: []))
    }

    static let hostileNames = [
        "../../x", "..", ".", "", "/etc/passwd", "a\\..\\b", "\0",
        String(repeating: "n", count: 300) + ".JPG",
        String(repeating: "\u{1F600}", count: 300), "-rf", ".hidden", "new\nline",
    ]

    @Test(
        "no name of a camera's leaves the event's folder or is longer than a disk takes",
        arguments: SpoolGround.Kind.allCases)
    func hostileNames(kind: SpoolGround.Kind) async throws {
        for name in Self.hostileNames {
            let ground = try SpoolGround(kind)
            let finish = try await ground.spool().keep(Self.bytes, of: Self.photo, name: name)
            guard case .whole(let file, []) = finish else {
                Issue.record("\(name): \(finish)")
                continue
            }
            #expect(file.hasPrefix("7-") && file.utf8.count <= 255 && file.utf8.count > 2, "\(name)")
            #expect(!file.contains("/") && !file.contains("\\"), "\(name)")
            #expect(try ground.contents() == ["\(someEvent)/\(file)": Self.bytes], "\(name)")
            if let folder = ground.folder {
                #expect(folder.contents() == ["spool/\(someEvent)/\(file)"], "\(name)")
            }
        }
    }

    @Test("a whole file is for reading only")
    func readOnly() async throws {
        let ground = try SpoolGround(.real)
        _ = try await ground.spool().keep(Self.bytes, of: Self.photo)
        var facts = stat()
        let path = try #require(ground.folder).file("spool/\(someEvent)/7-IMG_0001.JPG")
        #expect(stat(path, &facts) == 0)
        // The umask may have taken the group's and the others' right away before.
        #expect(facts.st_mode & 0o777 | 0o044 == 0o444)

        let disk = ForgetfulDisk()
        _ = try await SpoolGround(disk).spool().keep(Self.bytes, of: Self.photo)
        let refused = #expect(throws: DiskError.self) {
            try disk.root().folder(someEvent).open("7-IMG_0001.JPG")
        }
        #expect(refused?.meaning == .notWritable)
    }

    @Test("when any effect of keeping a photo fails, finish throws and the photo is not committed")
    func everyFailure() async throws {
        let rehearsal = ForgetfulDisk()
        _ = try await SpoolGround(rehearsal).spool().keep(Self.bytes, of: Self.photo)
        let effects = rehearsal.effects
        #expect(effects.filter { $0 == .sync }.count == 1)
        for (number, effect) in effects.enumerated() {
            for meaning in [DiskError.Meaning.noRoom, .failing, .notWritable] {
                let disk = ForgetfulDisk(ForgetfulDisk.Options(failure: (number, meaning)))
                let ground = SpoolGround(disk)
                let spool = ground.spool()
                let error = await #expect(throws: DiskError.self) {
                    _ = try await spool.keep(Self.bytes, of: Self.photo)
                }
                #expect(error?.meaning == meaning, "\(effect)")
                let contents = try ground.contents()
                if effect == .sync { #expect(Array(contents.keys) == ["incoming/7.part"]) }
                // What a failed fsync left is not trusted: written again from the first byte.
                try await spool.discard(Self.photo.id)
                #expect(try ground.contents()["incoming/7.part"] == nil)
                #expect(
                    try await spool.keep(Self.bytes, of: Self.photo)
                        == .whole(file: "7-IMG_0001.JPG", doubts: []),
                    "\(effect) \(meaning)")
                #expect(try ground.contents() == ["\(someEvent)/7-IMG_0001.JPG": Self.bytes])
            }
        }
    }

    @Test("2 GiB stay free, or a twentieth of the disk where that is less, or what the settings say")
    func reserve() async throws {
        let giga: UInt64 = 1 << 30
        let usual = Spool.Reserve()
        #expect(usual.size(on: DiskSpace(free: 0, total: 1000 * giga)) == 2 * giga)
        #expect(usual.size(on: DiskSpace(free: 0, total: 40 * giga)) == 2 * giga)
        #expect(usual.size(on: DiskSpace(free: 0, total: 20 * giga)) == giga)
        #expect(Spool.Reserve(bytes: 5).size(on: DiskSpace(free: 0, total: 1000 * giga)) == 5)

        var options = ForgetfulDisk.Options()
        options.space = DiskSpace(free: 3 * giga, total: 1000 * giga)
        let ground = SpoolGround(ForgetfulDisk(options))
        let spool = ground.spool(reserve: usual)
        #expect(try await spool.lack(ofRoomFor: giga) == nil)
        #expect(try await spool.lack(ofRoomFor: giga + 1) != nil)
        // Waiting for room would not help: it would hold up everything else for ever.
        let tooLarge = await #expect(throws: DiskError.self) {
            try await spool.lack(ofRoomFor: 1000 * giga + 1)
        }
        #expect(tooLarge?.meaning == .tooLarge)
        let thrifty = ground.spool(reserve: Spool.Reserve(bytes: 10))
        #expect(try await thrifty.lack(ofRoomFor: 3 * giga - 10) == nil)
        #expect(try await thrifty.lack(ofRoomFor: 3 * giga - 9) != nil)
    }

    @Test("a spool that another process removed is made again", arguments: SpoolGround.Kind.allCases)
    func vanished(kind: SpoolGround.Kind) async throws {
        let ground = try SpoolGround(kind)
        let spool = ground.spool()
        #expect(
            try await spool.keep(Self.bytes, of: Self.photo) == .whole(file: "7-IMG_0001.JPG", doubts: []))
        try ground.vanish()
        let next = Capture(id: CaptureID(8), state: .announced)
        #expect(try await spool.keep(Self.bytes, of: next) == .whole(file: "8-IMG_0001.JPG", doubts: []))
        #expect(try ground.contents() == ["\(someEvent)/8-IMG_0001.JPG": Self.bytes])
        try ground.vanish()
        try await spool.discard(next.id)
        try await spool.remove("8-IMG_0001.JPG")
        #expect(try ground.contents() == [:])
    }

    @Test(
        "the final name of an earlier try of the same photo is given to the new one",
        arguments: SpoolGround.Kind.allCases)
    func earlierTry(kind: SpoolGround.Kind) async throws {
        let ground = try SpoolGround(kind)
        let spool = ground.spool()
        _ = try await spool.keep(jpeg(2), of: Self.photo)
        #expect(
            try await spool.keep(Self.bytes, of: Self.photo) == .whole(file: "7-IMG_0001.JPG", doubts: []))
        #expect(try ground.contents() == ["\(someEvent)/7-IMG_0001.JPG": Self.bytes])
    }

    @Test(
        "discard removes the partial file, remove a whole one; both are content when it is gone",
        arguments: SpoolGround.Kind.allCases)
    func discards(kind: SpoolGround.Kind) async throws {
        let ground = try SpoolGround(kind)
        let (spool, _) = try await open(ground, Self.bytes)
        for _ in 0..<2 {
            try await spool.discard(Self.photo.id)
            #expect(try ground.contents() == [:])
        }
        _ = try await spool.keep(Self.bytes, of: Self.photo)
        for _ in 0..<2 {
            try await spool.remove("7-IMG_0001.JPG")
            #expect(try ground.contents() == [:])
        }
    }

    @Test(
        "what is kept is what may be trusted, and the rest is cut off", arguments: SpoolGround.Kind.allCases)
    func trust(kind: SpoolGround.Kind) async throws {
        struct Case {
            let verified: UInt64
            let boot: String?
            let size: UInt64?
            let mayResume: Bool
            let kept: UInt64
        }
        let cases = [
            // The same boot: all of it.
            Case(verified: 0, boot: "boot 1", size: 400, mayResume: true, kept: 300),
            Case(verified: 0, boot: "boot 1", size: nil, mayResume: true, kept: 300),
            Case(verified: 0, boot: "boot 1", size: 300, mayResume: true, kept: 300),
            // Another: what was noted, and never more than there is.
            Case(verified: 120, boot: "boot 0", size: 400, mayResume: true, kept: 120),
            Case(verified: 999, boot: "boot 0", size: 400, mayResume: true, kept: 300),
            Case(verified: 0, boot: nil, size: 400, mayResume: true, kept: 0),
            // More than the photo has: it is another photo's.
            Case(verified: 0, boot: "boot 1", size: 299, mayResume: true, kept: 0),
            Case(verified: 120, boot: "boot 0", size: 100, mayResume: true, kept: 0),
            // No partial reads on this body.
            Case(verified: 120, boot: "boot 1", size: 400, mayResume: false, kept: 0),
        ]
        for test in cases {
            let ground = try SpoolGround(kind)
            try ground.put(Self.bytes, "incoming", "7.part")
            let spool = ground.spool()
            let capture = Capture(
                id: CaptureID(7), state: .receiving, verified: test.verified, boot: test.boot)
            let incoming = try await spool.open(capture, offer(test.size), mayResume: test.mayResume)
            #expect(incoming.kept == test.kept, "\(test)")
            #expect(
                try ground.contents() == ["incoming/7.part": Array(Self.bytes[..<Int(test.kept)])], "\(test)")
            let hasher = SHA256()
            try await spool.hash(incoming, into: hasher)
            #expect(hasher.finish() == SHA256.of(Array(Self.bytes[..<Int(test.kept)])), "\(test)")
        }
    }
}
