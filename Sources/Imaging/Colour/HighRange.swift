import Glibc

/// Light of more than a page's white (ITU-R BT.2100), and how it comes to lie below that white.
///
/// "The nominal diffuse white" of both systems is at 203 cd/m² (ITU-R BT.2408 §2.1). Here that is three quarters of
/// sRGB's range; what is brighter, to the 1000 cd/m² that cameras grade for, shares the rest. Each primary by itself:
/// highlights lose some colour, as they do on film.
enum HighRange {
    private static let white = 203.0
    static let brightest = 1000.0

    /// In cd/m². "Reference PQ EOTF", table 4.
    static func perceptualQuantizer(_ sample: Double) -> Double {
        let root = pow(sample, 1 / 78.84375)
        let light = max(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root)
        return 10_000 * pow(light, 1 / 0.1593017578125)
    }

    /// Light of the scene, from 0 to 1: "HLG Reference OETF", inverted, table 5.
    static func scene(_ sample: Double) -> Double {
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        return sample <= 0.5 ? sample * sample / 3 : (exp((sample - c) / a) + b) / 12
    }

    /// In cd/m², of a grey on a screen of 1000 cd/m². ``HybridLogGamma`` is for colours.
    static func hybridLogGamma(_ sample: Double) -> Double { brightest * pow(scene(sample), 1.2) }

    /// From 0 to 1. Reinhard's curve (2002, equation 4): small amounts stay as they are, the brightest becomes 1.
    static func fitted(_ luminance: Double) -> Double {
        let light = min(luminance, brightest) / white
        let most = brightest / white
        return light * (1 + light / (most * most)) / (1 + light)
    }
}

/// Colours by HLG. Its screens brighten a picture by its luminance, all three colours by the same: "F_D = α·Y_S^(γ−1)·E"
/// (ITU-R BT.2100, table 5, with a γ of 1.2 for 1000 cd/m²). By each colour's own light a red would be a third too bright.
struct HybridLogGamma {
    private let scene: [Float]
    private let luminances: (red: Float, green: Float, blue: Float)
    /// For so much light, in steps of a 65536th of the brightest: bytes of sRGB's curve.
    private let fitted: [UInt8]

    private static let steps = 65536

    init(levels: Int, _ primaries: ColourSpace.Primaries) {
        scene = (0..<levels).map { Float(HighRange.scene(Double($0) / Double(levels - 1))) }
        let shares = primaries.luminances
        luminances = (Float(shares[0]), Float(shares[1]), Float(shares[2]))
        fitted = (0..<Self.steps).map { step in
            let light = HighRange.fitted(HighRange.brightest * Double(step) / Double(Self.steps - 1))
            return UInt8((ToneCurve.sample(min(max(light, 0), 1)) * 255).rounded())
        }
    }

    func bytes(_ red: Int, _ green: Int, _ blue: Int) -> (UInt8, UInt8, UInt8) {
        let last = scene.count - 1
        let light = (scene[min(red, last)], scene[min(green, last)], scene[min(blue, last)])
        let luminance = luminances.red * light.0 + luminances.green * light.1 + luminances.blue * light.2
        let gain = luminance > 0 ? powf(luminance, 0.2) * Float(Self.steps - 1) : 0
        func byte(_ light: Float) -> UInt8 { fitted[min(Int(light * gain + 0.5), Self.steps - 1)] }
        return (byte(light.0), byte(light.1), byte(light.2))
    }
}

extension ToneCurve {
    static func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
}
