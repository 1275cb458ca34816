import CPNG

/// What a PNG says about its colours, in the order in which it is to be believed ("Portable Network Graphics (Third
/// Edition)", §4.3): `cICP`, `iCCP`, `sRGB`, and then `gAMA` and `cHRM`.
enum PNGColour {
    static func claims(_ layout: PNGLayout) -> [ColourClaim] {
        [coded(layout), profile(layout), standard(layout), numbers(layout)].compactMap { $0 }
    }

    /// What a chunk holds, when it came whole.
    private static func content(_ name: String, _ layout: PNGLayout) -> UnsafeRawBufferPointer? {
        guard let chunk = layout.colours[name] else { return nil }
        // Of name and content, as it is written behind both.
        let length = chunk.count - 4
        let words = TIFFReader.Words(bytes: chunk, isLittle: false)
        let sum = tl_png_sum(chunk.baseAddress, length)
        return words.long(length) == sum ? UnsafeRawBufferPointer(rebasing: chunk[4..<length]) : nil
    }

    private static func coded(_ layout: PNGLayout) -> ColourClaim? {
        guard let content = content("cICP", layout), content.count == 4 else { return nil }
        // "Matrix coefficients shall be set to 0": samples are red, green and blue. And they use all their range.
        guard content[2] == 0, content[3] == 1 else {
            return .damaged("the file's code for its colours is one of videos")
        }
        return CodePoints.claim(primaries: Int(content[0]), transfer: Int(content[1]))
    }

    private static func profile(_ layout: PNGLayout) -> ColourClaim? {
        guard layout.colours["iCCP"] != nil else { return nil }
        let damaged = ColourClaim.damaged("the colour profile in the file cannot be used: it is damaged")
        // A name of up to 79 letters, a zero, and the number of the only way of compressing.
        guard let content = content("iCCP", layout), let end = content.prefix(80).firstIndex(of: 0),
            end + 2 < content.count, content[end + 1] == 0
        else { return damaged }
        let packed = UnsafeRawBufferPointer(rebasing: content[(end + 2)...])
        let bytes = [UInt8](unsafeUninitializedCapacity: ProfilePieces.most) { room, count in
            count = tl_png_inflate(packed.baseAddress, packed.count, room.baseAddress, room.count)
        }
        return bytes.isEmpty ? damaged : .profile(bytes)
    }

    private static func standard(_ layout: PNGLayout) -> ColourClaim? {
        content("sRGB", layout)?.count == 1 ? .space(.sRGB) : nil
    }

    private static func numbers(_ layout: PNGLayout) -> ColourClaim? {
        let gamma = content("gAMA", layout).flatMap { numbers($0, count: 1)?.first }
        let corners = content("cHRM", layout).flatMap { numbers($0, count: 8) }
        guard gamma != nil || corners != nil else { return nil }
        func corner(_ index: Int, _ corners: [UInt32]) -> ColourSpace.Chromaticity {
            .init(Double(corners[index]) / unit, Double(corners[index + 1]) / unit)
        }
        let primaries = corners.map {
            ColourSpace.Primaries(
                red: corner(2, $0), green: corner(4, $0), blue: corner(6, $0), white: corner(0, $0))
        }
        // Programs that write sRGB write these too, so that what knows no sRGB comes near to it.
        let isStandard = gamma == nil || gamma == 45455 && primaries?.isNear(.sRGB) ?? true
        guard let gamma, !isStandard else {
            return .space(ColourSpace(primaries: primaries ?? .sRGB, curve: .sRGB))
        }
        guard sensible.contains(gamma) else {
            return .damaged("the file's gamma of \(gamma)/100000 is none")
        }
        return .space(ColourSpace(primaries: primaries ?? .sRGB, curve: .power(unit / Double(gamma))))
    }

    /// Numbers are stored "times 100000".
    private static let unit = 100_000.0
    /// From a picture of light itself to the steepest curve of any screen, and some more.
    private static let sensible: ClosedRange<UInt32> = 10_000...1_000_000

    private static func numbers(_ content: UnsafeRawBufferPointer, count: Int) -> [UInt32]? {
        guard content.count == 4 * count else { return nil }
        let words = TIFFReader.Words(bytes: content, isLittle: false)
        return (0..<count).compactMap { words.long($0 * 4) }
    }
}

extension ColourSpace.Primaries {
    /// As near as rounded numbers are.
    fileprivate func isNear(_ other: ColourSpace.Primaries) -> Bool {
        zip([red, green, blue, white], [other.red, other.green, other.blue, other.white]).allSatisfy {
            abs($0.x - $1.x) < 0.001 && abs($0.y - $1.y) < 0.001
        }
    }
}
