/// Colours by the numbers that videos use (ITU-T H.273), as HEIF's `nclx` and PNG's `cICP` have them.
enum CodePoints {
    /// Nothing where the numbers say nothing; or why they cannot be used.
    static func claim(primaries: Int, transfer: Int) -> ColourClaim? {
        // "Unspecified. Image characteristics are unknown or are determined by the application."
        if primaries == unspecified, transfer == unspecified { return nil }
        guard let colours = primaries == unspecified ? .sRGB : Self.primaries[primaries] else {
            return .damaged(
                "the file's colour primaries have the number \(primaries), which is not known here")
        }
        guard let curve = curve(transfer) else {
            return .damaged("the file's tone curve has the number \(transfer), which is not known here")
        }
        return .space(ColourSpace(primaries: colours, curve: curve))
    }

    private static let unspecified = 2

    /// Table 2.
    private static let primaries: [Int: ColourSpace.Primaries] = [
        1: .sRGB,
        4: .init(
            red: .init(0.67, 0.33), green: .init(0.21, 0.71), blue: .init(0.14, 0.08),
            white: .init(0.310, 0.316)),
        5: .init(red: .init(0.64, 0.33), green: .init(0.29, 0.60), blue: .init(0.15, 0.06)),
        6: .init(red: .init(0.630, 0.340), green: .init(0.310, 0.595), blue: .init(0.155, 0.070)),
        7: .init(red: .init(0.630, 0.340), green: .init(0.310, 0.595), blue: .init(0.155, 0.070)),
        8: .init(
            red: .init(0.681, 0.319), green: .init(0.243, 0.692), blue: .init(0.145, 0.049),
            white: .init(0.310, 0.316)),
        9: .init(red: .init(0.708, 0.292), green: .init(0.170, 0.797), blue: .init(0.131, 0.046)),
        11: .init(
            red: .init(0.680, 0.320), green: .init(0.265, 0.690), blue: .init(0.150, 0.060),
            white: .init(0.314, 0.351)),
        12: .init(red: .init(0.680, 0.320), green: .init(0.265, 0.690), blue: .init(0.150, 0.060)),
        22: .init(red: .init(0.630, 0.340), green: .init(0.295, 0.605), blue: .init(0.155, 0.077)),
    ]

    /// Table 3. The curves of video cameras (1, 6, 7, 11, 12, 14, 15) are made for dark rooms; cameras that write them
    /// into a still picture have made it for a screen, and browsers show it as sRGB.
    private static func curve(_ transfer: Int) -> ToneCurve? {
        switch transfer {
        case unspecified, 1, 6, 7, 11, 12, 13, 14, 15: .sRGB
        case 4: .power(2.2)
        case 5: .power(2.8)
        case 8: .power(1)
        case 16: .perceptualQuantizer
        case 18: .hybridLogGamma
        default: nil
        }
    }
}
