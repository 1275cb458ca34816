import Basics

/// Bodies that give their photos one after the other, and wait until each is let go of.
extension TransferMachine {
    /// It is not fetched, or no longer. Where photos come one after the other, the body has to be rid of it first.
    mutating func passOver(_ capture: CaptureID, _ offer: Offer) {
        if handsOver(offer) { card.toRelease.append(Card.OnCard(capture: capture, offer: offer)) }
    }

    func handsOver(_ offer: Offer) -> Bool {
        card.tethering?.handsOver == true && (offer.isInMemory || offer.wantsRelease)
    }

    /// The operator has closed the event. What is shot then is not ours, and not ours to throw away.
    func staysThere(_ sighting: Sighting) -> Bool {
        sighting.objection == .outside && sighting.offer.isOnlyCopy
    }

    /// What becomes of the only copy of a photo that is not selected is said by its name.
    func fateOfOnlyCopy(_ sighting: Sighting, _ capture: Capture, isLive: Bool) -> [Action] {
        let offer = sighting.offer
        guard capture.isNew, offer.isOnlyCopy, handsOver(offer),
            let rule = card.filter.objection(to: offer, isLive: isLive)
        else { return [] }
        let fate =
            if sighting.objection == nil {
                "it is taken all the same, because the camera keeps no copy of it"
            } else if staysThere(sighting) {
                "it stays in the camera's memory alone; before the camera is switched off, open the event again or have it write to its card"
            } else {
                "it is gone, because the camera keeps no copy of it and lets go of it"
            }
        let sentence = "\(offer.identity.path): \(rule.sentence); \(fate)"
        return [.report(.remark(sentence)), .journal(.warning, capture.id, sentence)]
    }
}
