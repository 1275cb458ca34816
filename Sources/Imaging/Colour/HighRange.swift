import Glibc

/// Light of more than a page's white (ITU-R BT.2100), and how it comes to lie below that white.
///
/// "The nominal diffuse white" of both systems is at 203 cd/m² (ITU-R BT.2408 §2.1). Here that is three quarters of
/// sRGB's range; what is brighter, to the 1000 cd/m² that cameras grade for, shares the rest. Each primary by itself:
/// highlights lose some colour, as they do on film.
enum HighRange {
    private static let white = 203.0
    private static let brightest = 1000.0

    /// In cd/m². "Reference PQ EOTF", table 4.
    static func perceptualQuantizer(_ sample: Double) -> Double {
        let root = pow(sample, 1 / 78.84375)
        let light = max(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root)
        return 10_000 * pow(light, 1 / 0.1593017578125)
    }

    /// In cd/m². "HLG Reference OETF", inverted, and the OOTF of a screen of 1000 cd/m², table 5.
    static func hybridLogGamma(_ sample: Double) -> Double {
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        let scene = sample <= 0.5 ? sample * sample / 3 : (exp((sample - c) / a) + b) / 12
        return brightest * pow(scene, 1.2)
    }

    /// From 0 to 1. Reinhard's curve (2002, equation 4): small amounts stay as they are, the brightest becomes 1.
    static func fitted(_ luminance: Double) -> Double {
        let light = min(luminance, brightest) / white
        let most = brightest / white
        return light * (1 + light / (most * most)) / (1 + light)
    }
}

extension ToneCurve {
    static func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
}
