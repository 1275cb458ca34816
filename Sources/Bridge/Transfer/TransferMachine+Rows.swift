import Basics

/// Between the camera's list and the ledger's rows.
extension TransferMachine {
    // MARK: Described

    mutating func described(_ reference: PhotoReference, _ offer: Offer?, at now: Duration) -> [Action] {
        guard errand == .describe(reference) else { return [] }
        errandEnded()
        undescribable.forget(reference)
        let asked = card.asksForSize.flatMap { $0.offer.reference == reference ? $0 : nil }
        card.asksForSize = nil
        card.announced.removeAll { $0 == reference }
        card.putOff.removeAll { $0.reference == reference }
        card.undescribed[reference] = nil
        card.seen.insert(reference)
        var actions = describedAfterAll([reference])
        guard let offer, let tethering = card.tethering else { return actions }
        if let asked, !offer.hasFinalSize {
            // Still none. It comes again after a pause, and in the end without one.
            var item = asked
            item.offer = offer
            card.queue.putBack(
                item,
                notBefore: now
                    + Self.sizePauses.ceiling(afterFailures: histories[asked.capture.id]?.questions ?? 1))
            return actions
        }
        if offer.isInMemory { actions += makeRoom(for: reference) }
        let isLive = !card.listedBefore.contains(reference)
        // A line of its own: as an argument of `sighting` the register would be copied.
        let numbered = card.twins.numbered(offer)
        let sighting = sighting(of: numbered, isLive: isLive, at: now)
        card.recording.append([sighting])
        card.hasListedSinceWork = false
        return actions + [.record([sighting], tethering, isLive: true)]
    }

    /// The operator was told that these cannot be described.
    mutating func describedAfterAll(_ references: some Sequence<PhotoReference>) -> [Action] {
        guard !toldUndescribed.isEmpty else { return [] }
        return references.filter { toldUndescribed.remove($0) != nil }.map {
            .report(.described(path: "object \($0)"))
        }
    }

    private static let sizePauses = Backoff(first: .milliseconds(250), longest: .seconds(2))

    /// Bodies that call everything in their memory alike: under the reference of a photo that is in hand there is
    /// another one by now. It gets a row of its own, and is not let go of with the first.
    private mutating func makeRoom(for reference: PhotoReference) -> [Action] {
        guard let capture = card.inHand.first(where: { $0.value == reference })?.key else { return [] }
        card.inHand[capture] = PhotoReference?.none
        return [.detach(capture)]
    }

    mutating func notDescribed(
        _ reference: PhotoReference, _ trouble: FailureImpact, _ reason: String, at now: Duration
    ) -> [Action] {
        card.announced.removeAll { $0 == reference }
        let wasPutOff = card.putOff.contains { $0.reference == reference }
        card.putOff.removeAll { $0.reference == reference }
        if let item = card.asksForSize, item.offer.reference == reference {
            card.asksForSize = nil
            if trouble == .gone {
                return lose(item.capture.id, item.offer, Self.isGone)
            }
            return card.queue.putBack(item, at: now) ? [] : giveUp(item, reason, at: now)
        }
        switch trouble {
        case .gone:
            card.forget(reference)
            return []
        case .notNow, .unanswered, .never, .startOver, .taker, .cancelled, .connectionOver: break
        }
        if trouble == .unanswered {
            // Each question costs its whole time, and all photos wait: once more, when there is nothing else to do.
            card.undescribed[reference] = nil
            card.seen.insert(reference)
            if wasPutOff { return cannotBeDescribed(reference, reason, at: now) }
            card.putOff.append(ListedPlace(reference))
            return []
        }
        // Not ready yet: asked again with the next list, a few times.
        card.undescribed[reference, default: 0] += 1
        if settings.followsCard, card.undescribed[reference, default: 0] < Self.mostDescriptions {
            card.seen.remove(reference)
            card.listDue = min(card.listDue ?? now, now + Self.soon)
            return []
        }
        return cannotBeDescribed(reference, reason, at: now)
    }

    private mutating func cannotBeDescribed(
        _ reference: PhotoReference, _ reason: String, at now: Duration
    ) -> [Action] {
        card.undescribed[reference] = nil
        card.seen.insert(reference)
        var history = FetchFailureHistory()
        history.timesGivenUp = card.timesGivenUp[reference, default: 0]
        card.timesGivenUp[reference] = history.timesGivenUp + 1
        card.givenUp[reference] = Card.GivenUp(until: now + history.pause)
        toldUndescribed.insert(reference)
        return [
            .journal(
                .error, nil,
                "object \(reference) cannot be described: \(reason). It is asked for again later."),
            .report(.givenUp(nil, path: "object \(reference)", reason)),
        ]
    }

    /// Tries to describe one object in one connection.
    private static let mostDescriptions = 30

    /// Listed by the camera, and neither described nor given up.
    public var notDescribedYet: [PhotoReference] {
        Set(card.undescribed.keys).union(card.putOff.map(\.reference)).sorted()
    }

    // MARK: Recorded

    mutating func recorded(
        _ sightings: [Sighting], _ captures: [Capture], _ tethering: ConnectedCamera, isLive: Bool,
        at now: Duration
    ) -> [Action] {
        var actions = released()
        // What was written for the list before cards changed is met again in the new one.
        guard card.tethering == tethering else { return actions }
        card.ledgerHasAnswered(for: sightings)
        guard phase == .working else { return actions }
        for (sighting, capture) in zip(sightings, captures) {
            actions += recorded(sighting, capture, isLive: isLive, at: now)
            actions += fateOfOnlyCopy(sighting, capture, isLive: isLive)
        }
        if card.recording.isEmpty, card.unrecorded.isEmpty { actions += surveyIsRecorded() }
        return actions
    }

    private mutating func recorded(
        _ sighting: Sighting, _ capture: Capture, isLive: Bool, at now: Duration
    ) -> [Action] {
        let offer = sighting.offer
        // Telling again of what is known is no progress.
        if isLive, capture.isNew { progress += 1 }
        switch capture.state {
        // What is being fetched or made durable comes to its end by itself.
        case .announced, .receiving:
            if card.inHand[capture.id] != nil { return [] }
            card.hasListedSinceWork = false
            if capture.cost.connections > 0, histories[capture.id] == nil {
                histories[capture.id] = FetchFailureHistory(capture.cost)
            }
            card.queue.add(capture, offer, standing: histories[capture.id]?.standing ?? .usual, at: now)
            if !isLive { card.tally.wanted += 1 }
        case .staged:
            mayDelete(capture.id, offer)
            if offer.wantsRelease { passOver(capture.id, offer) }
        case .filtered:
            if !staysThere(sighting) { passOver(capture.id, offer) }
            guard let rule = sighting.objection else { return [] }
            if isLive { return [.report(.passedOver(capture.id, path: offer.identity.path, rule))] }
            card.tally.passedOver[rule, default: 0] += 1
        case .abandoned where sighting.isLeftAlone:
            card.givenUp[offer.reference] = Card.GivenUp(until: histories[capture.id]?.leftAloneUntil ?? now)
        case .duplicate where offer.wantsRelease: passOver(capture.id, offer)
        case .duplicate, .lost, .abandoned: break
        }
        return []
    }

    mutating func notRecorded(
        _ sightings: [Sighting], _ tethering: ConnectedCamera, isLive: Bool, _ reason: String,
        at now: Duration
    ) -> [Action] {
        guard card.tethering == tethering else { return held(reason, nil, at: now) }
        card.ledgerHasAnswered(for: sightings)
        guard phase == .working else { return [] }
        // They stay on the card, and are kept here until the ledger takes them.
        card.unrecorded.append(Unrecorded(sightings: sightings, isLive: isLive))
        return held(reason, nil, at: now)
    }

    mutating func recordAgain(at now: Duration) -> [Action] {
        guard let tethering = card.tethering, !card.unrecorded.isEmpty, hold.map({ $0.until <= now }) ?? true
        else {
            return []
        }
        let waiting = card.unrecorded
        card.unrecorded = []
        card.recording += waiting.map(\.sightings)
        return waiting.map { .record($0.sightings, tethering, isLive: $0.isLive) }
    }

    // MARK: Deleting from the card

    /// What is known to be staged from an earlier connection is known by its looks alone. Where looks may deceive
    /// (no date, or a twin beside it), nothing is deleted.
    private mutating func mayDelete(_ capture: CaptureID, _ offer: Offer) {
        guard settings.deletesFromCard, offer.identity.takenAt != nil, !card.twins.hasTwin(offer) else {
            return
        }
        card.onCard[offer.reference] = Card.OnCard(capture: capture, offer: offer)
    }

    mutating func askForDeletable() -> [Action] {
        guard card.deletable != .asked, card.deletable != .askedBefore else { return [] }
        guard let tethering = card.tethering, tethering.canDelete, settings.deletesFromCard,
            !card.onCard.isEmpty
        else {
            card.deletable = .known
            return []
        }
        card.deletable = .asked
        return [.askForDeletable(tethering)]
    }

    /// Only when told to, and only what every destination has given its receipt for.
    mutating func deletable(_ captures: [CaptureID]) -> [Action] {
        switch card.deletable {
        case .unknown, .known: return []
        case .asked: card.deletable = .known
        case .askedBefore: card.deletable = .unknown
        }
        let delivered = Set(captures)
        let ready = card.onCard.values.filter { delivered.contains($0.capture) }
        card.toDelete += ready.sorted { $0.offer.reference < $1.offer.reference }
        for here in ready { card.onCard[here.offer.reference] = nil }
        return []
    }

    mutating func deletionsAreDone() -> [Action] {
        deletionsWanted = 0
        return [.answerDeletionWanted]
    }

    /// By a caller that waits until everything that may be deleted by now has been.
    mutating func deletionWanted() -> [Action] {
        deletionsWanted += 1
        card.deletable = card.deletable == .asked || card.deletable == .askedBefore ? .askedBefore : .unknown
        return []
    }

    mutating func notDeleted(
        _ capture: CaptureID, _ offer: Offer, _ trouble: FailureImpact, _ reason: String
    ) -> [Action] {
        if trouble == .gone { return deleted(capture, offer) }
        return [.report(.notDeleted(capture, path: offer.identity.path, reason))]
    }

    mutating func deleted(_ capture: CaptureID, _ offer: Offer) -> [Action] {
        card.forget(offer.reference)
        return [.report(.deleted(capture, path: offer.identity.path))]
    }
}
