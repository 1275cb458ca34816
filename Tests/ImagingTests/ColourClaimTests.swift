import Imaging
import TestSupport
import Testing

/// What a file says about its colours, in many places, and what of it counts.
@Suite(.enabled(if: Studio.hasTools, "\(Studio.reason)"))
struct ColourClaimTests {
    let studio: Studio
    let chart = ColourChart(in: .swapped)
    let profile = ICCBytes.colours(.swapped)
    let plain: [UInt8]

    init() throws {
        studio = try Studio()
        plain = try readFile(studio.jpeg(chart))
    }

    /// The renditions' bytes, and what was said of the colours.
    func rendered(_ bytes: [UInt8]) throws -> (screen: [UInt8], facts: ColourFacts) {
        try studio.folder.write(bytes, to: "in.jpg")
        let facts = try studio.render(studio.folder.file("in.jpg")).colours
        return (try readFile(studio.screen), facts)
    }

    @Test("a profile's pieces may come in any order, and twice")
    func order() throws {
        let whole = try rendered(JPEGBytes.withProfile(profile, in: plain))
        #expect(whole.facts == ColourFacts(isConverted: true))
        for pieces in [[1, 2, 3, 4], [4, 2, 3, 1], [2, 1, 1, 3, 4, 4]] {
            let other = try rendered(JPEGBytes.withProfile(profile, in: plain, pieces: pieces, of: 4))
            #expect(other.facts == whole.facts && other.screen == whole.screen, "\(pieces)")
        }
    }

    @Test("a profile that is damaged counts as none, and that is said")
    func damaged() throws {
        let expected = try rendered(plain)
        #expect(expected.facts == ColourFacts())
        func isLeftOut(_ bytes: [UInt8], _ what: Comment) throws {
            let found = try rendered(bytes)
            #expect(found.screen == expected.screen, what)
            #expect(
                found.facts.isConverted == false && found.facts.problem?.contains("profile") == true, what)
        }
        for pieces in [[1, 2, 4], [2, 3, 4], [1, 2, 3, 5], [0, 1, 2, 3, 4]] {
            try isLeftOut(JPEGBytes.withProfile(profile, in: plain, pieces: pieces, of: 4), "\(pieces)")
        }
        var differing = JPEGBytes.withProfile(profile, in: plain, pieces: [1, 2, 2], of: 2)
        let second = try #require(
            differing.firstRange(of: [2, 2] + profile[profile.count / 2..<profile.count / 2 + 9]))
        differing[second.lowerBound + 2] ^= 1
        try isLeftOut(differing, "a piece twice, and differing")
        try isLeftOut(JPEGBytes.withProfile(Array(profile.prefix(200)), in: plain), "cut")
        try isLeftOut(JPEGBytes.withProfile(Array("sRGB".utf8), in: plain), "four letters")
        var kinds = profile
        kinds.replaceSubrange(12..<16, with: Array("link".utf8))
        try isLeftOut(JPEGBytes.withProfile(kinds, in: plain), "from one device to another")
    }

    @Test("a profile for other samples than the picture has is left out, and that is said")
    func otherSamples() throws {
        let expected = try rendered(plain)
        for other in [ICCBytes.grey(.power(1.8)), ColourTests.printer] {
            let found = try rendered(JPEGBytes.withProfile(other, in: plain))
            #expect(found.screen == expected.screen)
            #expect(found.facts.problem?.contains("other colours") == true)
        }
        let inks = try readFile(studio.plasma("inks.jpg", 100, 100, ["-colorspace", "CMYK"]))
        let facts = try rendered(JPEGBytes.withProfile(profile, in: inks)).facts
        #expect(facts.isConverted == false && facts.problem?.contains("other colours") == true)
    }

    @Test("a TIFF's own profile is that of the JPEG in it, and counts before what its camera says")
    func tiff() throws {
        let expected = try rendered(JPEGBytes.withProfile(profile, in: plain))
        var file = TIFFBytes(isLittle: false)
        file.directory([.blob(0x111, 0x117, plain), .blob(0x8773, nil, profile), .short(0xA001, 2)])
        try studio.folder.write(file.bytes, to: "in.tif")
        let facts = try studio.render(studio.folder.file("in.tif"), "image/tiff")
        #expect(facts.colours == ColourFacts(isConverted: true))
        #expect(try readFile(studio.screen) == expected.screen)
    }

    @Test("a raw file says it for the JPEG in it")
    func raw() throws {
        var exif = TIFFBytes(isLittle: true)
        exif.directory([.blob(0x111, 0x117, plain), .short(0xA001, 2)])
        try studio.folder.write(exif.bytes, to: "in.dng")
        let facts = try studio.render(studio.folder.file("in.dng"), "image/x-adobe-dng")
        #expect(facts.colours.isConverted)
    }

    // MARK: PNG

    struct Statement: Sendable, CustomStringConvertible {
        let chunks: [(name: String, content: [UInt8])]
        /// What the samples are by them.
        let space: RGBSpace
        /// Whether something in them is of no use.
        var isDamaged = false

        var description: String { chunks.map(\.name).joined(separator: " ") }
    }

    static let statements: [Statement] = {
        let p3 = PNGBytes.profile(ICCBytes.colours(.displayP3))
        let adobe = PNGBytes.primaries(.adobeRGB)
        let oneEight = RGBSpace([(0.64, 0.33), (0.30, 0.60), (0.15, 0.06)], .power(1.8))
        let damaged = (name: "iCCP", content: Array("a profile".utf8) + [0, 0, 1, 2, 3])
        func said(_ chunks: [(name: String, content: [UInt8])], _ space: RGBSpace) -> Statement {
            Statement(chunks: chunks, space: space)
        }
        return [
            said([], .sRGB), said([p3], .displayP3), said([PNGBytes.gamma(45455), adobe, p3], .displayP3),
            said([("sRGB", [0]), p3], .displayP3), said([("sRGB", [0]), PNGBytes.gamma(55556)], .sRGB),
            said([PNGBytes.gamma(45455)], .sRGB),
            said([PNGBytes.gamma(45455), PNGBytes.primaries(.sRGB)], .sRGB),
            said([PNGBytes.gamma(45470), adobe], .adobeRGB), said([PNGBytes.gamma(55556)], oneEight),
            said([PNGBytes.primaries(.bt2020)], .bt2020),
            said([("cICP", [12, 13, 0, 1]), ("sRGB", [0])], .displayP3),
            said([("cICP", [9, 13, 0, 1]), p3], .bt2020), said([("cICP", [2, 2, 0, 1]), p3], .displayP3),
            Statement(chunks: [damaged, PNGBytes.primaries(.bt2020)], space: .bt2020, isDamaged: true),
            Statement(chunks: [PNGBytes.gamma(0)], space: .sRGB, isDamaged: true),
            Statement(
                chunks: [("cHRM", [UInt8](repeating: 0, count: 32))], space: .sRGB, isDamaged: true),
            Statement(chunks: [("cICP", [9, 13, 9, 0]), p3], space: .displayP3, isDamaged: true),
        ]
    }()

    @Test("of what a PNG says about its colours the specification's order decides", arguments: statements)
    func portable(said: Statement) throws {
        let chart = ColourChart(in: said.space)
        try studio.folder.write(PNGBytes.file(chart, said.chunks), to: "in.png")
        let facts = try studio.render(studio.folder.file("in.png"), "image/png")
        let verdict = try studio.judge(chart, against: ColourTests.truth(chart, said.space))
        #expect(verdict.isRight, "\(verdict), \(facts.colours)")
        #expect((facts.colours.problem != nil) == said.isDamaged, "\(facts.colours)")
    }

    @Test("what is dark in a PNG of light itself is there, as it has 16 bits; so has one without a word")
    func deep() throws {
        let profile = PNGBytes.profile(ICCBytes.colours(.linear, name: "light itself"))
        for (chunks, space) in [
            ([PNGBytes.gamma(100_000)], RGBSpace.linear), ([profile], .linear), ([], .sRGB),
        ] {
            let chart = ColourChart(in: space)
            try studio.folder.write(PNGBytes.file(chart, depth: 16, chunks), to: "in.png")
            _ = try studio.render(studio.folder.file("in.png"), "image/png")
            let verdict = try studio.judge(
                chart, against: chart.patches.map { space.converted($0, to: .sRGB) })
            #expect(verdict.isRight, "\(verdict)")
        }
    }

    @Test(
        "what is darkest in a PNG of light itself is told apart, whatever says that it is that",
        arguments: 0..<3)
    func darkest(kind: Int) throws {
        let levels = Array(stride(from: 2.0, through: 40, by: 2))
        let light = levels.map { RGBSpace.Curve.sRGB.light($0 / 255) }
        let chart = ColourChart(light.map { [Double](repeating: $0, count: kind == 2 ? 1 : 3) })
        let said = [
            PNGBytes.gamma(100_000), PNGBytes.profile(ICCBytes.colours(.linear)),
            PNGBytes.profile(ICCBytes.grey(.power(1))),
        ]
        try studio.folder.write(PNGBytes.file(chart, depth: 16, [said[kind]]), to: "in.png")
        _ = try studio.render(studio.folder.file("in.png"), "image/png")
        // Eight bits of light have nothing between 0 and 13 of 255 here.
        let seen = try studio.colours(of: studio.screen, chart).map { $0[1] * 255 }
        #expect(zip(seen, levels).allSatisfy { abs($0 - $1) < 2 }, "\(seen)")
    }

    @Test("a grey PNG has a profile for grey")
    func greyPortable() throws {
        let chart = ColourChart((0...35).map { [Double($0 * 7 + 10) / 255] })
        let curve = RGBSpace.Curve.power(1)
        try studio.folder.write(PNGBytes.file(chart, [PNGBytes.profile(ICCBytes.grey(curve))]), to: "in.png")
        let facts = try studio.render(studio.folder.file("in.png"), "image/png")
        #expect(facts.colours == ColourFacts(isConverted: true))
        let truth = chart.rounded.patches.map {
            [Double](repeating: RGBSpace.Curve.sRGB.sample($0[0]), count: 3)
        }
        #expect(try studio.judge(chart, against: truth).isRight)
    }
}
