package import Bridge
package import Camera

/// What is on one camera's card, or why that cannot be said.
package enum CardSurvey: Sendable {
    case card(CameraIdentity, offers: [Offer], unreadable: [UInt32: String])
    /// The camera answers, but not with a list of its photos.
    case notVerifiable(CameraIdentity, String)
    case notReachable(address: String, String)

    /// Who was looked at, or tried to be.
    package var camera: CameraIdentity? {
        switch self {
        case .card(let camera, _, _), .notVerifiable(let camera, _): camera
        case .notReachable: nil
        }
    }

    /// Lists the card. Throws only when the connection is over.
    package static func of(_ camera: TetheredCamera) async throws -> CardSurvey {
        do throws(CameraError) {
            let survey = try await camera.survey(withRatings: false)
            guard survey.hasCard else {
                return .notVerifiable(
                    camera.identity, "it has no card that could be listed; photos only pass through it")
            }
            var twins = TwinRegister()
            return .card(
                camera.identity, offers: survey.offers.map { twins.told($0) }, unreadable: survey.unreadable)
        } catch {
            switch error.consequence {
            case .connectionOver, .cancelled: throw error
            case .tryAgain, .gone, .giveUp, .ours: return .notVerifiable(camera.identity, "\(error)")
            }
        }
    }
}
