import CLCMS

/// Little CMS: from one profile to sRGB.
///
/// Profiles are other people's bytes too. Whatever it says about them is a reason not to use them, and never ours.
final class ColourTransform {
    struct Refusal: Error {
        let reason: String
    }

    private let context: ColourContext
    private let transform: cmsHTRANSFORM
    let samples: ColourPlan.Samples

    /// Nothing when the samples are as good as sRGB already.
    convenience init?(_ claim: ColourClaim, of samples: ColourPlan.Samples) throws(Refusal) {
        switch claim {
        case .damaged(let reason): throw Refusal(reason: reason)
        case .space(.sRGB): return nil
        case .space(let space):
            let context = ColourContext()
            guard let profile = context.profile(of: space) else {
                throw Refusal(reason: "the colours that the file names are none: \(context.reason)")
            }
            try self.init(context, profile, of: samples)
        case .profile(let bytes):
            let context = ColourContext()
            guard let profile = context.profile(bytes) else {
                throw Refusal(reason: "the colour profile in the file cannot be used: \(context.reason)")
            }
            try self.init(context, profile, of: samples)
        }
        if samples == .colours, keepsColours() { return nil }
        if samples == .grey, table().enumerated().allSatisfy({ Self.isNear($0.element, UInt8($0.offset)) }) {
            return nil
        }
    }

    /// For the same samples in 16 bits, three of them also for a grey, which become three bytes. Nothing where the profile
    /// cannot be used.
    convenience init?(deep bytes: [UInt8], of samples: ColourPlan.Samples) {
        let context = ColourContext()
        guard let profile = context.profile(bytes) else { return nil }
        do throws(Refusal) {
            try self.init(context, profile, of: samples, isDeep: true)
        } catch {
            return nil
        }
    }

    /// Takes the profile.
    private init(
        _ context: ColourContext, _ profile: cmsHPROFILE, of samples: ColourPlan.Samples, isDeep: Bool = false
    ) throws(Refusal) {
        defer { cmsCloseProfile(profile) }
        var format = try Self.format(of: samples, in: profile)
        if isDeep { format = format == tl_grey ? tl_deep_grey_of_three : tl_deep_colours }
        // By a table of a few steps what is dark would be lost all the same.
        let flags = cmsFLAGS_BLACKPOINTCOMPENSATION | (isDeep ? cmsFLAGS_NOOPTIMIZE : 0)
        guard let screen = cmsCreate_sRGBProfileTHR(context.handle) else {
            preconditionFailure("Little CMS has no memory for sRGB")
        }
        defer { cmsCloseProfile(screen) }
        let transform = cmsCreateTransformTHR(
            context.handle, profile, format, screen, tl_colours, Self.intent(for: profile),
            UInt32(flags))
        guard let transform else {
            throw Refusal(reason: "the colour profile in the file cannot be used: \(context.reason)")
        }
        self.context = context
        self.transform = transform
        self.samples = samples
    }

    deinit {
        cmsDeleteTransform(transform)
    }

    /// A profile has to be about samples like these. A grey picture may have one for colours, of which it is the part
    /// where all three are the same.
    private static func format(
        of samples: ColourPlan.Samples, in profile: cmsHPROFILE
    ) throws(Refusal) -> UInt32 {
        let classes = [
            cmsSigInputClass, cmsSigDisplayClass, cmsSigOutputClass, cmsSigColorSpaceClass,
        ]
        guard classes.contains(cmsGetDeviceClass(profile)) else {
            throw Refusal(reason: "the colour profile in the file is not about pictures")
        }
        switch (samples, cmsGetColorSpace(profile)) {
        case (.grey, cmsSigGrayData): return tl_grey
        case (.grey, cmsSigRgbData), (.colours, cmsSigRgbData): return tl_colours
        case (.inks, cmsSigCmykData): return tl_inks
        case (.oppositeInks, cmsSigCmykData): return tl_opposite_inks
        default:
            throw Refusal(
                reason: "the colour profile in the file is about other colours than the picture has")
        }
    }

    /// A screen's and a camera's colours are to stay what they are. A printer's cannot: its maker has written down, in
    /// the table for this intent, how they look best elsewhere, and it is what browsers use. In both cases the darkest
    /// becomes black, for which Little CMS is asked.
    private static func intent(for profile: cmsHPROFILE) -> UInt32 {
        let isPrinter =
            cmsGetDeviceClass(profile) == cmsSigOutputClass || cmsGetColorSpace(profile) == cmsSigCmykData
        return UInt32(
            isPrinter && cmsIsMatrixShaper(profile) == 0 ? INTENT_PERCEPTUAL : INTENT_RELATIVE_COLORIMETRIC)
    }

    func convert(_ samples: UnsafeRawPointer, to colours: UnsafeMutablePointer<UInt8>, count: Int) {
        cmsDoTransform(transform, samples, colours, UInt32(count))
    }

    /// For each grey, the grey of sRGB.
    func table() -> [UInt8] {
        let isColours = cmsGetTransformInputFormat(transform) == tl_colours
        let greys = (0...255).flatMap { [UInt8](repeating: UInt8($0), count: isColours ? 3 : 1) }
        var colours = [UInt8](repeating: 0, count: 3 * 256)
        convert(greys, to: &colours, count: 256)
        return (0...255).map { grey in
            let (red, green, blue) = (
                Int(colours[3 * grey]), Int(colours[3 * grey + 1]), Int(colours[3 * grey + 2])
            )
            return UInt8((299 * red + 587 * green + 114 * blue + 500) / 1000)
        }
    }

    /// Whether neighbours among 256 greys come out so far apart that it can be seen: their curve is not made for bytes.
    var isSteep: Bool {
        let table = table()
        return zip(table, table.dropFirst()).contains { Int($1) - Int($0) > 4 }
    }

    // MARK: What needs no conversion

    /// Whether colours from everywhere come out as they went in. The name of a profile says nothing about that.
    private func keepsColours() -> Bool {
        let levels = Array(stride(from: 0, through: 255, by: 17)).map { UInt8($0) }
        var colours: [UInt8] = []
        for red in levels {
            for green in levels {
                for blue in levels { colours += [red, green, blue] }
            }
        }
        var converted = [UInt8](repeating: 0, count: colours.count)
        convert(colours, to: &converted, count: colours.count / 3)
        return zip(colours, converted).allSatisfy { Self.isNear($0, $1) }
    }

    /// Profiles of sRGB differ by how they round; what differs more can be seen.
    private static func isNear(_ sample: UInt8, _ other: UInt8) -> Bool {
        abs(Int(sample) - Int(other)) <= 2
    }
}
