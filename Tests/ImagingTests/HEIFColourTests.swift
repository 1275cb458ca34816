import Glibc
import Imaging
import TestSupport
import Testing

/// HEIFs as libheif's own program writes them, with what they say of their colours changed in place: what follows the
/// numbers in their box is ignored.
@Suite(
    .enabled(if: Studio.hasTools && Tool.isThere("heif-enc"), "heif-enc of libheif-examples is not installed")
)
struct HEIFColourTests {
    let studio: Studio

    init() throws { studio = try Studio() }

    /// A chart with all its colour, whose box for colours begins so.
    func heif(_ chart: ColourChart, depth: Int = 8, _ box: [UInt8]) throws -> String {
        let profile = PNGBytes.profile(ICCBytes.colours(.displayP3))
        try studio.folder.write(PNGBytes.file(chart, depth: depth, [profile]), to: "chart.png")
        let path = studio.folder.file("chart.heic")
        try studio.run(
            "heif-enc",
            [
                "-q", "98", "-p", "chroma=444", "-b", depth == 8 ? "8" : "10", "-o", path,
                studio.folder.file("chart.png"),
            ])
        var bytes = try readFile(path)
        let place = try #require(bytes.firstRange(of: Array("colrprof".utf8))).lowerBound + 4
        bytes.replaceSubrange(place..<(place + box.count), with: box)
        try studio.folder.write(bytes, to: "chart.heic")
        return path
    }

    static func numbers(_ primaries: UInt8, _ transfer: UInt8) -> [UInt8] {
        Array("nclx".utf8) + [0, primaries, 0, transfer, 0, 6, 0x80]
    }

    static let boxes: [(box: [UInt8], space: RGBSpace)] = [
        (numbers(1, 13), .sRGB), (numbers(1, 1), .sRGB), (numbers(2, 2), .sRGB), (numbers(9, 13), .bt2020),
        (numbers(12, 13), .displayP3), (Array("prof".utf8), .displayP3), (Array("rICC".utf8), .displayP3),
    ]

    @Test("numbers or a profile say what a HEIF's colours are", arguments: 0..<boxes.count)
    func claims(index: Int) throws {
        let (box, space) = Self.boxes[index]
        let chart = ColourChart(in: space)
        let facts = try studio.render(heif(chart, box), "image/heic")
        let isPlain = space.points.elementsEqual(RGBSpace.sRGB.points, by: ==)
        #expect(facts.colours == ColourFacts(isConverted: !isPlain))
        let verdict = try studio.judge(chart, against: ColourTests.truth(chart, space))
        #expect(verdict.isRight, "\(verdict)")
    }

    @Test("unknown numbers count as none, and that is said")
    func unknown() throws {
        let chart = ColourChart(in: .sRGB)
        for box in [Self.numbers(77, 13), Self.numbers(1, 77)] {
            let facts = try studio.render(heif(chart, box), "image/heic").colours
            #expect(!facts.isConverted && facts.problem?.contains("not known") == true, "\(facts)")
        }
    }

    /// For a light in cd/m², the sample that means it: ITU-R BT.2100, the inverse of tables 4 and 5, of a grey.
    static func perceptual(_ light: Double) -> Double {
        let root = pow(light / 10_000, 1305.0 / 8192)
        return pow((107.0 / 128 + 2413.0 / 128 * root) / (1 + 2392.0 / 128 * root), 2523.0 / 32)
    }

    static func hybrid(_ light: Double) -> Double {
        let scene = pow(light / 1000, 1 / 1.2)
        return scene <= 1.0 / 12
            ? (3 * scene).squareRoot() : 0.17883277 * log(12 * scene - 0.28466892) + 0.55991073
    }

    @Test(
        "what is brighter than a page's white is still told apart, and that white is three quarters",
        arguments: [16, 18])
    func highRange(transfer: UInt8) throws {
        let sample = transfer == 16 ? Self.perceptual : Self.hybrid
        // ITU-R BT.2408-7, table 1: "HDR Reference White", 203 cd/m², is at 58 % of PQ and at 75 % of HLG.
        #expect(abs(sample(203) - (transfer == 16 ? 0.58 : 0.75)) < 0.005)
        let lights = [1.0, 2, 5, 10, 20, 40, 80, 120, 160, 203, 260, 330, 420, 530, 650, 800, 1000]
        let chart = ColourChart(lights.map { [Double](repeating: sample($0), count: 3) })
        _ = try studio.render(heif(chart, depth: 16, Self.numbers(9, transfer)), "image/heic")
        let seen = try studio.colours(of: studio.screen, chart).map { $0[1] }
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 }, "\(seen)")
        let white = try #require(lights.firstIndex(of: 203))
        #expect(abs(seen[white] - 0.75) < 0.02, "\(seen)")
        #expect(seen[lights.count - 1] > 0.98, "the brightest that is graded for is white")
        // What is dark stays what it is on a screen whose white is that white: 1 cd/m² is 1/203 of it.
        #expect(abs(seen[0] - RGBSpace.Curve.sRGB.sample(1.0 / 203)) < 0.02, "\(seen)")
    }

    @Test("HLG's colours are brightened by their luminance, all three of them alike", arguments: [8, 16])
    func saturated(depth: Int) throws {
        // ITU-R BT.2100, table 5, for pure colours at three quarters with the luminances of BT.709's primaries (0.2126,
        // 0.7152, 0.0722): 1000 · Y^0.2 · E, where E is 0.2650. Each by itself they would all be at 203 cd/m².
        let lights = [149.1, 190.1, 120.2]
        let pure = (0..<3).map { place in (0..<3).map { $0 == place ? 0.75 : 0 } }
        let chart = ColourChart(pure + lights.map { [Double](repeating: Self.hybrid($0), count: 3) })
        // "Hybrid log-gamma" is 18, the primaries of BT.709 are 1.
        try studio.folder.write(
            PNGBytes.file(chart, depth: depth, [("cICP", [1, 18, 0, 1])]), to: "in.png")
        let facts = try studio.render(studio.folder.file("in.png"), "image/png")
        #expect(facts.colours == ColourFacts(isConverted: true))
        let seen = try studio.colours(of: studio.screen, chart)
        for place in 0..<3 {
            #expect(abs(seen[place][place] - seen[3 + place][place]) < 0.02, "\(seen)")
            #expect(
                seen[place].enumerated().allSatisfy { $0.offset == place || $0.element < 0.03 }, "\(seen)")
        }
    }

    @Test("a HEIF without colours has a profile for greys")
    func grey() throws {
        let chart = ColourChart((0...35).map { [Double($0 * 7 + 10) / 255] })
        let curve = RGBSpace.Curve.power(1.4)
        try studio.folder.write(
            PNGBytes.file(chart, [PNGBytes.profile(ICCBytes.grey(curve))]), to: "chart.png")
        let path = studio.folder.file("chart.heic")
        try studio.run("heif-enc", ["-q", "98", "-o", path, studio.folder.file("chart.png")])
        #expect(try studio.render(path, "image/heic").colours == ColourFacts(isConverted: true))
        let truth = chart.rounded.patches.map {
            [Double](repeating: RGBSpace.Curve.sRGB.sample(curve.light($0[0])), count: 3)
        }
        let verdict = try studio.judge(chart, against: truth)
        #expect(verdict.isRight, "\(verdict)")
    }
}
