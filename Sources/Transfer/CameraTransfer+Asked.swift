import Bridge
import Posix

/// What others ask of a camera that is tethered here: it has one slot.
extension CameraTransfer {
    /// What is on the card now, or why that cannot be said. A camera has one slot, so whoever else wants to know asks
    /// the bridge that has it.
    package func survey() async -> CardSurvey {
        await withCheckedContinuation { continuation in
            guard idleSince != nil || hasConnection else {
                return continuation.resume(
                    returning: .notReachable(
                        address: address,
                        lastLoss?.reason ?? "its card is being listed for the first time; ask again"))
            }
            surveysWanted.append(continuation)
            bell.ring()
        }
    }

    /// Returns when everything that may be deleted from the card by now has been, or there is no connection.
    package func finishDeleting() async {
        guard session.settings.deletesFromCard else { return }
        await withCheckedContinuation { continuation in
            guard hasConnection else { return continuation.resume() }
            deletionsWanted.append(continuation)
            bell.ring()
        }
    }

    func answerDeletions() {
        let waiting = deletionsWanted
        deletionsWanted = []
        for continuation in waiting { continuation.resume() }
    }

    func answerSurveys(_ answer: CardSurvey) {
        let waiting = surveysWanted
        surveysWanted = []
        for continuation in waiting { continuation.resume(returning: answer) }
    }
}
