import CLCMS

/// Where Little CMS opens and makes profiles, and says what is wrong with them.
final class ColourContext {
    let handle: cmsContext
    private let complaints: Complaints

    private final class Complaints {
        var first: String?
    }

    init() {
        complaints = Complaints()
        guard let handle = cmsCreateContext(nil, Unmanaged.passUnretained(complaints).toOpaque()) else {
            preconditionFailure("Little CMS has no memory for a context")
        }
        self.handle = handle
        cmsSetLogErrorHandlerTHR(handle) { context, _, text in
            guard let data = cmsGetContextUserData(context), let text else { return }
            let complaints = Unmanaged<Complaints>.fromOpaque(data).takeUnretainedValue()
            complaints.first = complaints.first ?? String(cString: text)
        }
    }

    deinit {
        cmsDeleteContext(handle)
    }

    /// Why something failed, in its words, which may have letters of the profile in them.
    var reason: String { complaints.first.flatMap { TIFFReader.text($0.utf8) } ?? "it is incomplete" }

    /// Nothing for bytes that are no profile.
    func profile(_ bytes: [UInt8]) -> cmsHPROFILE? {
        cmsOpenProfileFromMemTHR(handle, bytes, UInt32(bytes.count))
    }

    /// Nothing for primaries that span no colours.
    func profile(of space: ColourSpace) -> cmsHPROFILE? {
        guard space.primaries.areSound, let curve = curve(space.curve) else { return nil }
        defer { cmsFreeToneCurve(curve) }
        func point(_ place: ColourSpace.Chromaticity) -> cmsCIExyY { cmsCIExyY(x: place.x, y: place.y, Y: 1) }
        var white = point(space.primaries.white)
        var corners = cmsCIExyYTRIPLE(
            Red: point(space.primaries.red), Green: point(space.primaries.green),
            Blue: point(space.primaries.blue))
        return cmsCreateRGBProfileTHR(handle, &white, &corners, [curve, curve, curve])
    }

    private func curve(_ curve: ToneCurve) -> OpaquePointer? {
        switch curve {
        // "Y = (aX + b)^g where X ≥ d, cX below" is the fourth of ICC's.
        case .sRGB:
            cmsBuildParametricToneCurve(handle, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
        case .power(let exponent): cmsBuildGamma(handle, exponent)
        case .perceptualQuantizer, .hybridLogGamma:
            cmsBuildTabulatedToneCurveFloat(
                handle, Self.steps,
                (0..<Int(Self.steps)).map { Float(curve.light(Double($0) / Double(Self.steps - 1))) })
        }
    }

    private static let steps: UInt32 = 4096
}

extension ColourSpace.Primaries {
    /// Whether they span a triangle with the white in it; Little CMS takes anything for one.
    fileprivate var areSound: Bool {
        let corners = [red, green, blue]
        guard (corners + [white]).allSatisfy({ $0.x >= 0 && $0.y >= 0 && $0.x + $0.y <= 1 }), white.y > 0
        else {
            return false
        }
        let sides = (0..<3).map { side in
            let (from, to) = (corners[side], corners[(side + 1) % 3])
            return (to.x - from.x) * (white.y - from.y) - (to.y - from.y) * (white.x - from.x)
        }
        return sides.allSatisfy { $0 > 0.0001 } || sides.allSatisfy { $0 < -0.0001 }
    }
}
