import Basics
import Bridge

/// What others ask of a camera that is tethered here: it has one slot.
extension CameraTransfer {
    /// What is on the card now, or why that cannot be said. A camera has one slot, so others who want to know ask the bridge
    /// that has it.
    package func survey() async -> CardSurvey {
        await withCheckedContinuation { continuation in
            guard isConnected else {
                return continuation.resume(
                    returning: .notReachable(
                        address: place,
                        lastLoss?.reason ?? "its card is being listed for the first time; ask again"))
            }
            surveysWanted.append(continuation)
            feed(.surveyWanted)
        }
    }

    /// Returns when everything that may be deleted from the card by now has been, or there is no connection.
    package func finishDeleting() async {
        guard session.settings.machine.deletesFromCard else { return }
        await withCheckedContinuation { continuation in
            guard isConnected else { return continuation.resume() }
            deletionsWanted.append(continuation)
            feed(.deletionWanted)
        }
    }

    /// Whether the body that is connected answers; false where none is.
    package func answers() async -> Bool {
        await BodyPresence(transfer: self, time: time).answers()
    }

    /// What is taken has changed: everything is listed and looked at anew.
    package func lookAgain() {
        feed(.noticed(.cardsChanged))
    }

    func answerDeletions() {
        let waiting = deletionsWanted
        deletionsWanted = []
        for continuation in waiting { continuation.resume() }
    }

    func answerSurveys(_ answer: CardSurvey) {
        let waiting = surveysWanted
        surveysWanted = []
        // A hundred thousand photos are not held any longer than it takes.
        surveyed = .notReachable(address: place, "")
        for continuation in waiting { continuation.resume(returning: answer) }
    }
}
