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
    private var space: ColourSpace?

    /// The first claim that holds is followed; without one the samples are sRGB, as everybody takes a picture to be
    /// that says nothing.
    init(_ claims: [ColourClaim], of samples: Samples) {
        var problem: String?
        for claim in claims {
            do throws(ColourTransform.Refusal) {
                transform = try ColourTransform(claim, of: samples)
                if case .space(let space) = claim { self.space = space }
                break
            } catch {
                problem = problem ?? error.reason
            }
        }
        facts = ColourFacts(isConverted: transform != nil, problem: problem)
    }

    /// For samples that have more than eight bits: what makes them bytes without losing what is dark, by a table. The
    /// plan is for those bytes then. Nothing where the usual eight bits of each will do.
    mutating func shortened(levels: Int) -> [UInt8]? {
        guard let space, space.curve != .sRGB else { return nil }
        let rest = ColourPlan(
            [.space(ColourSpace(primaries: space.primaries, curve: .sRGB))], of: .colours)
        transform = rest.transform
        self.space = nil
        return space.curve.bytes(of: levels)
    }
}
