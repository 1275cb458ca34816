package import Bridge
package import Camera

/// What is on one camera's card, or why that cannot be said.
package enum CardSurvey: Sendable {
    case card(CameraIdentity, offers: [Offer], unreadable: [PhotoReference: String])
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
    package static func of(_ camera: any CameraDriver, _ wish: SurveyWish = SurveyWish()) async throws
        -> CardSurvey
    {
        let identity = await camera.body.identity
        do throws(CameraFailure) {
            var survey = try await camera.survey(wish, onDescribed: {})
            guard survey.hasCard else {
                return .notVerifiable(
                    identity, "it has no card that could be listed; photos only pass through it")
            }
            for object in survey.putOff where survey.unreadable[object.reference] == nil {
                survey.unreadable[object.reference] = Survey.whyPutOff
            }
            var twins = TwinRegister()
            return .card(
                identity, offers: survey.offers.map { twins.numbered($0) }, unreadable: survey.unreadable)
        } catch {
            switch error.trouble {
            case .connectionOver, .cancelled: throw error
            case .notNow, .unanswered, .gone, .startOver, .never, .taker:
                return .notVerifiable(identity, "\(error)")
            }
        }
    }
}
