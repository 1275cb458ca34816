/// How samples become those of sRGB, by what the file says about them.
struct ColourPlan {
    /// What a sample is of.
    enum Samples {
        case grey
        case colours
        case inks
        /// Inks as Adobe stores them: how much paper is left.
        case oppositeInks
    }

    private(set) var transform: ColourTransform?
    private(set) var facts: ColourFacts
    /// What is followed.
    private var claim: ColourClaim?
    private let samples: Samples

    /// The first claim that holds is followed; without one the samples are sRGB, as programs assume of a picture
    /// that says nothing.
    init(_ claims: [ColourClaim], of samples: Samples) {
        self.samples = samples
        var problem: String?
        for claim in claims {
            do throws(ColourTransform.Refusal) {
                transform = try ColourTransform(claim, of: samples)
                self.claim = claim
                break
            } catch {
                problem = problem ?? error.reason
            }
        }
        facts = ColourFacts(isConverted: transform != nil, problem: problem)
    }

    /// For samples of so many bits: what makes them bytes without losing what is dark, and without looking at each by
    /// itself where that is wrong. The plan is for those bytes then. Nothing where the usual eight bits of each will do.
    mutating func shortened(bits: Int) -> SampleConversion? {
        let way: SampleConversion.Way
        switch claim {
        case .space(let space) where space.curve == .hybridLogGamma:
            way = .hybridLogGamma(HybridLogGamma(levels: 1 << bits, space.primaries))
            goOn(in: space.primaries)
        case .space(let space) where bits > 8 && space.curve != .sRGB:
            way = .table(space.curve.bytes(of: 1 << bits))
            goOn(in: space.primaries)
        case .profile(let bytes) where bits == 16 && transform?.isSteep == true:
            guard let deep = ColourTransform(deep: bytes, of: samples) else { return nil }
            way = .profile(deep)
            transform = nil
        default: return nil
        }
        claim = nil
        return SampleConversion(way: way)
    }

    /// From bytes of sRGB's curve on.
    private mutating func goOn(in primaries: ColourSpace.Primaries) {
        let rest = ColourPlan([.space(ColourSpace(primaries: primaries, curve: .sRGB))], of: .colours)
        transform = rest.transform
    }
}
