import Basics
import TestSupport
import Testing

@testable import Gallery

/// Photos whose colour profile is damaged, sent to the real program: each becomes a photo, as if there were none.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(
        if: ["convert", "exiftool", "curl", "python3"].allSatisfy(Tool.isThere)
            && BadProfiles.areThere,
        "ImageMagick, exiftool, curl, Python or colord-data is not installed"))
struct BadProfileTests {
    private let stage: DamageStage
    private let folder: TemporaryFolder
    private let profiles: BadProfiles

    init() throws {
        stage = try DamageStage.shared.get()
        folder = try TemporaryFolder(in: TemporaryFolder.memory)
        profiles = BadProfiles(
            jpeg: stage.photo(0), profile: try readFile("\(BadProfiles.folder)/\(BadProfiles.swapped)"),
            others: try BadProfiles.ofOthers.map { ($0, try readFile("\(BadProfiles.folder)/\($0)")) })
    }

    @Test("the profiles that are damaged here are good ones, and are what they are called")
    func good() throws {
        for (name, space) in zip(
            [BadProfiles.swapped] + BadProfiles.ofOthers, ["RGB", "CMYK", "GRAY", "Lab"])
        {
            let told = try #require(Tool("exiftool")).run([
                "-s3", "-ColorSpaceData", "-Warning", "\(BadProfiles.folder)/\(name)",
            ])
            #expect(told.lines.map { $0.filter { $0 != " " } } == [space], "\(name): \(told.text)")
        }
        try folder.write(profiles.photo(with: profiles.profile), to: "good.jpg")
        let taken = try #require(Tool("exiftool")).run(["-b", "-ICC_Profile", folder.file("good.jpg")])
        #expect(taken.output == profiles.profile)
    }

    /// A photo with the profile and one without look otherwise; each of the others as one of them.
    private func send(
        _ cases: [BadProfiles.Case], _ type: String = "image/jpeg", with: [UInt8], without: [UInt8]
    ) throws {
        let shown = try [with, without].map { try stage.thumb(of: try stage.program.upload($0, type)) }
        #expect(shown[0] != shown[1])
        for (number, one) in Cases.share(of: cases).enumerated() {
            let ended = try stage.program.upload(one.bytes, type)
            #expect(ended["status"] == "completed", "\(one.name): \(ended)")
            guard ended["status"] == "completed" else { continue }
            switch one.end {
            case .either: break
            case .asWithProfile: #expect(try stage.thumb(of: ended) == shown[0], "\(one.name)")
            case .asWithoutProfile: #expect(try stage.thumb(of: ended) == shown[1], "\(one.name)")
            }
            try stage.program.expectWell()
            if number % 10 == 0 { try stage.expectGood() }
        }
        try stage.expectGood()
        try stage.expectWhole()
    }

    private func send(_ cases: [BadProfiles.Case]) throws {
        try send(cases, with: profiles.photo(with: profiles.profile), without: profiles.jpeg)
    }

    @Test("a profile whose pieces are not all there, or are not so, counts as none")
    func segments() async throws { try await aside { try send(profiles.segments()) } }

    @Test("a profile that is cut, or is of other colours or of another table, counts as none")
    func headers() async throws { try await aside { try send(profiles.headers()) } }

    @Test(
        "a profile whose tags lead elsewhere or hold something else is no reason to lose a photo",
        arguments: Cases.seeds(full: 5, part: 5))
    func tags(seed: UInt64) async throws {
        try await aside {
            let all = profiles.places() + profiles.contents()
            let chosen = all.indices.filter {
                all[$0].end != .either ? seed == 0 : UInt64($0 % 5) == seed % 5
            }.map { all[$0] }
            try send(chosen + (seed * 20..<seed * 20 + 20).map(profiles.changed))
        }
    }

    /// Chunks of PNGs (PNG specification, 11.3.2.3) with what is packed in them.
    private static let maker = #"""
        import struct, sys, zlib
        folder, png, profile = sys.argv[1], open(sys.argv[2], "rb").read(), open(sys.argv[3], "rb").read()
        def chunk(kind, body, crc=0):
            return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body) ^ crc)
        end = 33
        def save(name, *chunks):
            open(f"{folder}/{name}", "wb").write(png[:end] + b"".join(chunks) + png[end:])
        def iccp(packed, name=b"a profile", method=0):
            return chunk(b"iCCP", name + b"\0" + bytes([method]) + packed)
        packed = zlib.compress(profile)
        bomb = zlib.compress(bytes(100_000_000), 9)
        save("with", iccp(packed))
        save("without")
        if len(sys.argv) == 4:
            sys.exit()
        save("none", iccp(zlib.compress(b"")))
        save("nothing-packed", iccp(b""))
        save("cut", iccp(packed[:len(packed) // 2]))
        save("not-packed", iccp(profile))
        save("no-separator", chunk(b"iCCP", b"x" * 500))
        save("empty", chunk(b"iCCP", b""))
        save("bomb", iccp(bomb))
        save("bomb-in-a-profile", iccp(zlib.compress(struct.pack(">I", 100_000_000) + profile[4:] + bytes(100_000_000), 9)))
        save("bombs", *[iccp(bomb, b"p%d" % number) for number in range(20)])
        save("long-name", iccp(packed, b"x" * 80))
        save("no-name", iccp(packed, b""))
        save("another-method", iccp(packed, method=1))
        save("wrong-crc", chunk(b"iCCP", b"a\0\0" + packed, crc=1))
        save("wrong-sum", iccp(packed[:-4] + b"\0\0\0\0"))
        save("twice", iccp(packed), iccp(packed))
        save("and-more", iccp(packed + bytes(1000)))
        save("grey", iccp(zlib.compress(profile[:16] + b"GRAY" + profile[20:])))
        """#

    /// Where it is not here, either will do: readers of PNGs differ about it.
    private static let spoiled: Set = [
        "none", "nothing-packed", "cut", "not-packed", "no-separator", "empty", "bomb", "bombs", "grey",
    ]

    @Test("a PNG whose profile is no profile, or very large once it is unpacked, is a photo all the same")
    func chunks() async throws { try await aside { try sendPNGs() } }

    /// One with the profile and one without, and those that are damaged.
    private func makePNGs(andDamaged isAll: Bool) throws {
        let made = try #require(Tool("convert")).run(
            ["-size", "160x120", "-seed", "3", "plasma:", "-strip", "PNG24:\(folder.file("base.png"))"])
        try #require(made.code == 0, "\(made.errors)")
        folder.makeFolder("made")
        let words = [
            "-c", Self.maker, folder.file("made"), folder.file("base.png"),
            "\(BadProfiles.folder)/\(BadProfiles.swapped)",
        ]
        let written = try #require(Tool("python3")).run(words + (isAll ? ["all"] : []))
        try #require(written.code == 0, "\(written.errors)")
        let told = try #require(Tool("exiftool")).run(["-b", "-ICC_Profile", folder.file("made/with")])
        #expect(told.output == profiles.profile)
    }

    private func sendPNGs() throws {
        try makePNGs(andDamaged: true)
        func read(_ name: String) throws -> [UInt8] { try readFile(folder.file("made/\(name)")) }
        let names = TemporaryFolder.contents(of: folder.file("made")).filter { !$0.hasPrefix("with") }
        #expect(names.count == 17 && Self.spoiled.isSubset(of: names), "\(names)")
        try send(
            names.map { name in
                BadProfiles.Case(
                    name, try read(name), Self.spoiled.contains(name) ? .asWithoutProfile : .either)
            }, "image/png", with: try read("with"), without: try read("without"))
    }

    @Test(
        "a HEIF whose profile is damaged is a photo all the same",
        .enabled(if: Tool.isThere("heif-enc"), "heif-enc of libheif-examples is not installed"))
    func boxes() async throws { try await aside { try sendHEIFs() } }

    private func sendHEIFs() throws {
        try makePNGs(andDamaged: false)
        try folder.write(try readFile(folder.file("made/with")), to: "with.png")
        let written = try #require(Tool("heif-enc")).run(
            ["-q", "90", "-o", folder.file("a.heic"), folder.file("with.png")])
        try #require(written.code == 0, "\(written.errors)")
        let good = try readFile(folder.file("a.heic"))
        let box = try #require(good.firstRange(of: Array("colrprof".utf8))).lowerBound
        let profile = box + 8
        #expect(Array(good[profile...].prefix(self.profiles.profile.count)) == self.profiles.profile)
        func changed(_ place: Int, _ bytes: [UInt8]) -> [UInt8] {
            var other = good
            other.replaceSubrange(place..<place + bytes.count, with: bytes)
            return other
        }
        // ISO/IEC 23008-12, 6.5.5: what is not known there is passed over.
        let without = changed(box, Array("none".utf8))
        let cases = [
            ("not signed", changed(profile + 36, [0, 0, 0, 0])),
            ("of greys", changed(profile + 16, Array("GRAY".utf8))),
            ("of inks", changed(profile + 16, Array("CMYK".utf8))),
            ("no tags", changed(profile + 128, [0, 0, 0, 0])),
            ("too many tags", changed(profile + 128, [255, 255, 255, 255])),
            ("zeros", changed(profile, [UInt8](repeating: 0, count: 1000))),
        ]
        try send(
            cases.map { BadProfiles.Case($0.0, $0.1, .asWithoutProfile) }, "image/heic", with: good,
            without: without)
        // The box itself is not so: whether there is a picture then is the file's own matter.
        for size in [
            [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 7], [0x7F, 255, 255, 255], [255, 255, 255, 255],
        ] as [[UInt8]] {
            let outcome = try stage.program.bring(changed(box - 4, size), "image/heic")
            #expect(
                [nil, "NOT_AN_IMAGE", "TRUNCATED", "UNSUPPORTED", "TOO_LARGE"].contains(outcome.code),
                "\(size): \(outcome)")
            try stage.program.expectWell()
        }
        try stage.expectGood()
    }
}
