import Glibc
import Imaging
import TestSupport
import Testing

/// HEIFs as libheif's own program writes them, with what they say of their colours changed in place: what follows the
/// numbers in their box is nobody's business.
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

    @Test("numbers that nobody knows count as none, and that is said")
    func unknown() throws {
        let chart = ColourChart(in: .sRGB)
        for box in [Self.numbers(77, 13), Self.numbers(1, 77)] {
            let facts = try studio.render(heif(chart, box), "image/heic").colours
            #expect(!facts.isConverted && facts.problem?.contains("not known") == true, "\(facts)")
        }
    }

    /// ITU-R BT.2100, tables 4 and 5, in cd/m².
    static func perceptual(_ sample: Double) -> Double {
        let root = pow(sample, 32.0 / 2523)
        return 10_000 * pow(max(root - 107.0 / 128, 0) / (2413.0 / 128 - 2392.0 / 128 * root), 8192.0 / 1305)
    }

    static func hybrid(_ sample: Double) -> Double {
        let scene =
            sample <= 0.5 ? sample * sample / 3 : (exp((sample - 0.55991073) / 0.17883277) + 0.28466892) / 12
        return 1000 * pow(scene, 1.2)
    }

    @Test(
        "what is brighter than a page's white is still told apart, and that white is three quarters",
        arguments: [16, 18])
    func highRange(transfer: UInt8) throws {
        let levels = stride(from: 0.1, through: 0.9, by: 0.025).map { $0 * (transfer == 16 ? 0.8 : 1) }
        let chart = ColourChart(levels.map { [$0, $0, $0] })
        _ = try studio.render(heif(chart, depth: 16, Self.numbers(9, transfer)), "image/heic")
        let seen = try studio.colours(of: studio.screen, chart).map { $0[1] }
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 }, "\(seen)")
        for (level, sample) in zip(levels, seen) {
            let light = (transfer == 16 ? Self.perceptual(level) : Self.hybrid(level)) / 203
            let shown =
                min(light, 1000 / 203) * (1 + min(light, 1000 / 203) / pow(1000.0 / 203, 2)) / (1 + light)
            #expect(abs(sample - RGBSpace.Curve.sRGB.sample(shown)) < 0.02, "\(level): \(sample)")
            if abs(light - 1) < 0.1 { #expect(abs(sample - 0.75) < 0.03) }
        }
    }
}
