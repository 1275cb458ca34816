import Glibc
import Imaging
import TestSupport
import Testing

/// Colours against two judges: the arithmetic of the specifications, done here (``RGBSpace``), and Little CMS's own
/// program. That one shares its library with what is judged, and so only says that the library is asked rightly.
@Suite(.enabled(if: Studio.hasTools, "\(Studio.reason)"))
struct ColourTests {
    static let hasLittleCMS = Tool.isThere("jpgicc")

    @Test("the differences of the paper that defines them come out as it has them")
    func differences() {
        for (one, other, difference) in [
            ([50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425),
            ([50, 3.1571, -77.2803], [50, 0, -82.7485], 2.8615), ([50, 2.5, 0], [50, 0, -2.5], 4.3065),
            ([50, 2.5, 0], [73, 25, -18], 27.1492),
            ([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644),
            ([2.0776, 0.0795, -1.1350], [0.9033, -0.0636, -0.5514], 0.9082),
        ] as [([Double], [Double], Double)] {
            #expect(abs(ColourDifference.ciede2000(one, other) - difference) < 0.0001)
        }
    }

    /// What the samples of a chart are in sRGB.
    static func truth(_ chart: ColourChart, _ space: RGBSpace) -> [[Double]] {
        chart.rounded.patches.map { space.converted($0, to: .sRGB) }
    }

    static let spaces: [(String, RGBSpace)] = [
        ("Display P3", .displayP3), ("Adobe RGB (1998)", .adobeRGB), ("ProPhoto", .proPhoto),
        ("sRGB", .swapped),
        ("sRGB IEC61966-2.1 with Rec. 2020", .bt2020),
    ]

    @Test(
        "a JPEG's profile is what its colours are shown by, whatever it is called",
        arguments: 0..<spaces.count)
    func profiles(index: Int) throws {
        let (name, space) = Self.spaces[index]
        let studio = try Studio()
        let chart = ColourChart(in: space)
        let path = try studio.jpeg(chart, profile: ICCBytes.colours(space, name: name))
        let facts = try studio.render(path)
        #expect(facts.colours == ColourFacts(isConverted: true))
        var verdict = try studio.judge(chart, against: Self.truth(chart, space))
        #expect(verdict.isRight, "\(name): \(verdict)")
        if Self.hasLittleCMS {
            let judged = studio.folder.file("judged.jpg")
            try studio.run("jpgicc", ["-t1", "-b", "-q100", path, judged])
            verdict = try studio.judge(chart, against: studio.colours(of: judged, chart))
            #expect(verdict.isRight, "\(name), jpgicc: \(verdict)")
        }
        let left = try studio.run(
            "exiftool", ["-q", "-G", "-ICC_Profile:all", studio.thumb, studio.screen])
        #expect(left.isEmpty, "\(left)")
    }

    @Test("a profile of sRGB changes nothing, whatever it is called")
    func same() throws {
        let studio = try Studio()
        let chart = ColourChart(in: .sRGB)
        let plain = try studio.jpeg(chart)
        #expect(try studio.render(plain).colours == ColourFacts())
        let expected = try readFile(studio.screen)
        let tagged = try studio.jpeg(chart, profile: ICCBytes.colours(.sRGB, name: "Display P3"))
        #expect(try studio.render(tagged).colours == ColourFacts())
        #expect(try readFile(studio.screen) == expected)
    }

    @Test("cameras say Adobe RGB without a profile, and a profile counts more")
    func exif() throws {
        let studio = try Studio()
        let chart = ColourChart(in: .adobeRGB)
        func renders(_ profile: [UInt8]?, _ tags: [String], as space: RGBSpace) throws {
            let path = try studio.jpeg(chart, profile: profile)
            try studio.run(
                "exiftool", ["-q", "-overwrite_original", "-n"] + tags.map { "-EXIF:\($0)" } + [path])
            _ = try studio.render(path)
            let verdict = try studio.judge(chart, against: Self.truth(chart, space))
            #expect(verdict.isRight, "\(tags): \(verdict)")
        }
        try renders(nil, ["ColorSpace=65535", "InteropIndex=R03"], as: .adobeRGB)
        try renders(nil, ["ColorSpace=2"], as: .adobeRGB)
        try renders(nil, ["ColorSpace=65535", "InteropIndex=R98"], as: .sRGB)
        try renders(nil, ["ColorSpace=1", "InteropIndex=R03"], as: .sRGB)
        try renders(ICCBytes.colours(.displayP3), ["ColorSpace=65535", "InteropIndex=R03"], as: .displayP3)
    }

    @Test(
        "a grey JPEG has a profile for grey, or for colours of which it has the grey ones",
        arguments: [false, true])
    func greys(isOfColours: Bool) throws {
        let studio = try Studio()
        let chart = ColourChart((0...35).map { [Double($0 * 7 + 10) / 255] })
        let curve = RGBSpace.Curve.power(1.8)
        let space = RGBSpace([(0.64, 0.33), (0.30, 0.60), (0.15, 0.06)], curve)
        let path = try studio.jpeg(
            chart, profile: isOfColours ? ICCBytes.colours(space) : ICCBytes.grey(curve))
        #expect(try studio.render(path).colours == ColourFacts(isConverted: true))
        let truth = chart.rounded.patches.map {
            [Double](repeating: RGBSpace.Curve.sRGB.sample(curve.light($0[0])), count: 3)
        }
        let verdict = try studio.judge(chart, against: truth)
        #expect(verdict.isRight, "\(verdict)")
        #expect(try studio.run("identify", ["-format", "%[channels]", studio.screen]) == "gray")
    }

    /// Ink as a simple printer has it: each takes away its part of the light.
    static let printer = ICCBytes.printer { inks in
        let paper = zip(
            [[0.1, 0.45, 0.75], [0.75, 0.1, 0.3], [0.9, 0.8, 0.1], [0.05, 0.05, 0.05]], inks
        ).reduce([1.0, 1, 1]) { light, ink in
            zip(light, ink.0).map { $0 * (1 - ink.1 * (1 - $1)) }
        }
        return ColourDifference.lab(paper.map(RGBSpace.Curve.sRGB.sample))
    }

    @Test(
        "inks look as their profile says, also as Adobe stores them: as their opposite, and as YCCK",
        .enabled(if: hasLittleCMS, "jpgicc of liblcms2-utils is not installed"), arguments: 0..<3)
    func inks(kind: Int) throws {
        let studio = try Studio()
        let levels = [0.0, 0.3, 0.7]
        let chart = ColourChart(
            levels.flatMap { cyan in
                levels.flatMap { magenta in
                    levels.flatMap { yellow in [0, 0.4].map { [cyan, magenta, yellow, $0] } }
                }
            })
        try studio.folder.write(chart.samples(), to: "chart.cmyk")
        let path = studio.folder.file("chart.jpg")
        try studio.run(
            "convert",
            [
                "-size", "\(chart.width)x\(chart.height)", "-depth", "8",
                "cmyk:\(studio.folder.file("chart.cmyk"))",
                "-sampling-factor", "1x1", "-quality", "98", path,
            ])
        var bytes = try readFile(path)
        let adobe = try #require(bytes.firstRange(of: Array("Adobe".utf8)))
        // Its last byte says how inks are coded: 2 is YCCK, 0 as they are.
        if kind > 0 { bytes[adobe.lowerBound + 11] = 0 }
        // And without that segment they are not their opposite.
        if kind == 2 { bytes[adobe.lowerBound] = 0 }
        try studio.folder.write(JPEGBytes.withProfile(Self.printer, in: bytes), to: "chart.jpg")
        let facts = try studio.render(path)
        #expect(facts.colours == ColourFacts(isConverted: true))
        let judged = studio.folder.file("judged.jpg")
        try studio.run("jpgicc", ["-t0", "-b", "-q100", path, judged])
        let truth = try studio.colours(of: judged, chart)
        let verdict = try studio.judge(chart, against: truth)
        #expect(verdict.isRight, "\(verdict)")
        let isColourful = truth.contains { ColourDifference.lab($0)[1] > 20 }
        #expect(isColourful, "the chart has colours")
    }
}
