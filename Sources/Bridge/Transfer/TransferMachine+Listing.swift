import Basics

/// What the card's list says, held against what is known of it.
extension TransferMachine {
    /// Some cameras do not tell of every shot, so the list is compared now and then.
    mutating func listed(_ references: Set<PhotoReference>, at now: Duration) -> [Action] {
        guard errand == .list else { return [] }
        errandEnded()
        if let began = card.listBegan { listTook(now - began, at: now) }
        (card.failedLists, card.listsAgain) = (0, false)
        let known = card.seen.union(card.undescribed.keys).union(card.putOff.map(\.reference))
        for gone in known.subtracting(references) { card.forget(gone) }
        let isAnnounced = Set(card.announced)
        for reference in references.subtracting(card.seen).subtracting(isAnnounced).sorted()
        where card.givenUp[reference] == nil {
            card.announced.append(reference)
        }
        // A camera that refused for half a minute, because a person was in its menu, may not refuse now.
        for (reference, given) in card.givenUp.sorted(by: { $0.key < $1.key })
        where references.contains(reference) && given.until <= now {
            card.givenUp[reference] = nil
            card.putOff.append(ListedPlace(reference))
        }
        return []
    }

    /// What was shot in this moment, and is in no list yet.
    mutating func listedForOthers(_ references: Set<PhotoReference>) -> [Action] {
        guard errand == .surveyForOthers else { return [] }
        errandEnded()
        if settings.followsCard {
            let isAnnounced = Set(card.announced)
            for reference in references.sorted()
            where card.isNew(reference) && !isAnnounced.contains(reference) { card.announce(reference) }
        }
        return [.answerSurveyWanted(underWay: underWay(references))]
    }

    /// Which of these are known here and will be in the ledger, one way or another.
    private func underWay(_ references: Set<PhotoReference>) -> Set<PhotoReference> {
        guard settings.followsCard else { return [] }
        let unrecorded = (card.unrecorded.map(\.sightings) + card.recording).joined()
        let known = Set(card.announced).union(card.undescribed.keys)
            .union(unrecorded.lazy.map(\.offer.reference))
        return references.filter { known.contains($0) || (card.wantsList && card.isNew($0)) }
    }

    /// Some cameras do not tell of every shot: there is nothing to do only when the list says so, if it can be had.
    mutating func notListed(at now: Duration) -> [Action] {
        card.failedLists += 1
        card.listsAgain = settings.followsCard && card.failedLists < Self.mostFailedLists
        if card.listsAgain { card.listDue = now + Self.soon }
        return []
    }

    private static let mostFailedLists = 3
}
