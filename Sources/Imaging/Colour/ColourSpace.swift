/// Colours by what their samples mean, where a file says it in numbers instead of a profile.
struct ColourSpace: Equatable, Sendable {
    /// A point of the CIE's diagram of 1931.
    struct Chromaticity: Equatable, Sendable {
        let x: Double
        let y: Double

        init(_ x: Double, _ y: Double) {
            self.x = x
            self.y = y
        }

        /// "D65" (ISO 11664-2), the white of nearly every screen.
        static let daylight = Chromaticity(0.3127, 0.3290)
    }

    struct Primaries: Equatable, Sendable {
        let red: Chromaticity
        let green: Chromaticity
        let blue: Chromaticity
        var white = Chromaticity.daylight

        /// How much of white's luminance each has: what of them makes white, by Cramer's rule.
        var luminances: [Double] {
            func point(_ place: Chromaticity) -> [Double] {
                [place.x / place.y, 1, (1 - place.x - place.y) / place.y]
            }
            func size(_ a: [Double], _ b: [Double], _ c: [Double]) -> Double {
                a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1])
                    + c[0] * (a[1] * b[2] - a[2] * b[1])
            }
            let (red, green, blue, white) = (point(red), point(green), point(blue), point(white))
            let whole = size(red, green, blue)
            return [size(white, green, blue), size(red, white, blue), size(red, green, white)].map {
                $0 / whole
            }
        }

        static let sRGB = Primaries(
            red: Chromaticity(0.64, 0.33), green: Chromaticity(0.30, 0.60), blue: Chromaticity(0.15, 0.06))
        static let adobeRGB = Primaries(
            red: Chromaticity(0.64, 0.33), green: Chromaticity(0.21, 0.71), blue: Chromaticity(0.15, 0.06))
    }

    let primaries: Primaries
    let curve: ToneCurve

    static let sRGB = ColourSpace(primaries: .sRGB, curve: .sRGB)
    /// "The nominal gamma is 2.19921875" (Adobe RGB (1998) Color Image Encoding, §4.3.1.2).
    static let adobeRGB = ColourSpace(primaries: .adobeRGB, curve: .power(563.0 / 256))
}

/// How much light a sample means.
enum ToneCurve: Equatable, Sendable {
    /// IEC 61966-2-1.
    case sRGB
    case power(Double)
    /// PQ and HLG of ITU-R BT.2100. They mean more light than the white of a page, and are made to fit below it.
    case perceptualQuantizer
    case hybridLogGamma

    /// From 0 to 1, as are samples.
    func light(_ sample: Double) -> Double {
        switch self {
        case .sRGB: sample <= 0.04045 ? sample / 12.92 : Self.power((sample + 0.055) / 1.055, 2.4)
        case .power(let exponent): Self.power(sample, exponent)
        case .perceptualQuantizer: HighRange.fitted(HighRange.perceptualQuantizer(sample))
        case .hybridLogGamma: HighRange.fitted(HighRange.hybridLogGamma(sample))
        }
    }

    /// The sample of sRGB that means so much light.
    static func sample(_ light: Double) -> Double {
        light <= 0.0031308 ? light * 12.92 : 1.055 * power(light, 1 / 2.4) - 0.055
    }

    /// For samples of so many levels: those of sRGB's curve, in a byte each, that mean as much light.
    ///
    /// Eight bits are enough for that curve, and not for one that is linear or has a high range.
    func bytes(of levels: Int) -> [UInt8] {
        (0..<levels).map { level in
            let light = light(Double(level) / Double(levels - 1))
            return UInt8((Self.sample(min(max(light, 0), 1)) * 255).rounded())
        }
    }
}
