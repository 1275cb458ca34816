import Bridge

extension Survey {
    /// With what lies in the body's memory and is in no list of its cards. One that cannot be described costs only itself.
    func adding(
        _ references: [PhotoReference], of driver: any CameraDriver, _ wish: SurveyOptions,
        _ onDescribed: @Sendable () -> Void
    ) async throws(CameraFailure) -> Survey {
        var survey = self
        for reference in references where !survey.references.contains(reference) {
            survey.references.insert(reference)
            guard !wish.puttingOff.contains(reference) else {
                survey.putOff.append(ListedPlace(reference))
                continue
            }
            do throws(CameraFailure) {
                let offer = try await driver.describe(reference, withRating: wish.withRatings)
                if let offer { survey.offers.append(offer) }
            } catch {
                guard error.isAboutObject else { throw error }
                survey.unreadable[reference] = error.sentenceBesideObject
            }
            onDescribed()
        }
        return survey
    }
}

extension CameraFailure {
    /// The body said no to this one; the connection stands.
    var isAboutObject: Bool {
        switch trouble {
        case .gone, .notNow, .never: true
        case .connectionOver, .unanswered, .startOver, .taker, .cancelled: false
        }
    }
}
