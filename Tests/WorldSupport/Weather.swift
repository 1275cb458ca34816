import Basics
package import TestSupport

/// What goes wrong with one request, drawn from a seed.
package final class Weather: Sendable {
    private let random: Shared<Seeded>
    private let percent: Int

    package init(seed: UInt64, percent: Int) {
        random = Shared(Seeded(seed))
        self.percent = percent
    }

    package func fault(for call: ModelCall) -> ModelFault? {
        random.change { random in
            guard random.chance(percent) else { return nil }
            switch Int.random(in: 0..<16, using: &random) {
            case 0..<4: return .lostReply
            case 4: return .lostRequest
            case 5: return .cutInBody
            case 6: return .lostRequestAfterBody
            case 7: return .unreadable
            case 8: return .portal
            case 9: return .status([408, 425, 429, 500, 502, 503][Int.random(in: 0..<6, using: &random)])
            case 10: return .status(429, retryAfter: "\(Int.random(in: 0...100, using: &random))")
            case 11: return .slow(.milliseconds(Int64.random(in: 0...40_000, using: &random)))
            case 12: return .handledThen(HTTPResponse(status: 502))
            case 13: return random.chance(20) ? .certificate : .lostReply
            case 14: return call == .put ? .status(403) : .lostReply
            default: return call == .put ? .status(400) : .status(401)
            }
        }
    }
}
