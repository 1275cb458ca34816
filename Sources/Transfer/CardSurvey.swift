package import Bridge
package import Camera

/// What is on one camera's card, or why that cannot be said.
package enum CardSurvey: Sendable {
    case card(ListedCard)
    /// The camera answers, but not with a list of its photos.
    case notVerifiable(CameraIdentity, String)
    case notReachable(address: String, String)

    /// Everything that was listed.
    var references: Set<PhotoReference> {
        switch self {
        case .card(let card): Set(card.offers.map(\.reference)).union(card.unreadable.keys)
        case .notVerifiable, .notReachable: []
        }
    }

    func with(underWay: Set<PhotoReference>) -> CardSurvey {
        guard case .card(var card) = self else { return self }
        card.underWay = underWay
        return .card(card)
    }

    /// Lists the card. Throws only when the connection is over.
    package static func of(_ camera: any CameraDriver, _ wish: SurveyOptions = SurveyOptions()) async throws
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
            var twins = LookalikeNumbering()
            return .card(
                ListedCard(
                    camera: identity, offers: survey.offers.map { twins.numbered($0) },
                    unreadable: survey.unreadable))
        } catch {
            switch error.trouble {
            case .connectionOver, .cancelled: throw error
            case .notNow, .unanswered, .gone, .startOver, .never, .taker:
                return .notVerifiable(identity, "\(error)")
            }
        }
    }
}

/// A camera's card, photo by photo.
package struct ListedCard: Sendable {
    package let camera: CameraIdentity
    package let offers: [Offer]
    /// Listed and not described, and why.
    package let unreadable: [PhotoReference: String]
    /// What the bridge that has the camera is about to take note of: shot in this moment, or not ready yet.
    package var underWay: Set<PhotoReference>

    package init(
        camera: CameraIdentity, offers: [Offer], unreadable: [PhotoReference: String] = [:],
        underWay: Set<PhotoReference> = []
    ) {
        self.camera = camera
        self.offers = offers
        self.unreadable = unreadable
        self.underWay = underWay
    }
}
