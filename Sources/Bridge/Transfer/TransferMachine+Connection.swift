extension TransferMachine {
    // MARK: Coming and going

    mutating func connected(_ tethering: ConnectedCamera, at now: Duration) -> [Action] {
        switch phase {
        // A connection that ended while it was given its other name.
        case .surveying, .working, .leaving: return []
        case .away, .renewing: break
        }
        // What is being made durable goes on, whatever the camera calls it now.
        let inHand = card.inHand.filter { finishing[$0.key] != nil }.mapValues { _ in PhotoReference?.none }
        card = Card(settings)
        card.inHand = inHand
        card.tethering = tethering
        card.filter = tethering.filter
        card.listDue = settings.followsCard ? now + settings.listAgain : nil
        card.hasListedSinceWork = !settings.followsCard
        card.keepAliveDue = tethering.keepAliveEvery.map { now + $0 }
        (idleSince, hadNothingLeft) = (nil, false)
        defer { hasBeenConnected = true }
        guard let only = settings.only, !hasBeenConnected else {
            phase = .surveying
            return []
        }
        // By their names in this connection; in a later one they may have others, and are found in the list.
        card.announced = only.sorted()
        phase = .working
        return []
    }

    /// Everything that was under way in the connection has come to its end before this is said.
    mutating func disconnected() -> [Action] {
        phase = .away
        errand = nil
        unanswered = nil
        idleSince = nil
        card = Card(settings)
        hold = nil
        var actions: [Action] = []
        if deletionsWanted > 0 { actions.append(.answerDeletionWanted) }
        deletionsWanted = 0
        surveysWanted = 0
        return actions
    }

    /// While something is asked of the camera, that fails next, and is charged with it.
    mutating func ended(_ loss: ConnectionLife.Loss, _ whenIdle: String?) -> [Action] {
        switch phase {
        case .away, .leaving: return []
        case .renewing, .surveying, .working:
            // What the camera is being asked for fails next, or it was the last thing that it gave.
            guard errand == nil else {
                card.loss = loss
                return []
            }
            phase = .leaving
            return [.endConnection(idleSince == nil ? loss : loss.whileIdle(saying: whenIdle))]
        }
    }

    // MARK: What the camera tells

    mutating func noticed(_ change: CameraChange) -> [Action] {
        switch phase {
        case .away, .leaving: return []
        case .renewing, .surveying, .working: break
        }
        switch change {
        case .added(let reference), .changed(let reference):
            if settings.followsCard { card.announce(reference) }
            return []
        case .removed(let reference):
            return removed(reference)
        case .mayHaveMore:
            card.wantsList = settings.followsCard
            return []
        case .cardsChanged:
            card.haveCardsChanged = true
            return []
        case .busy(let isBusy):
            card.isBusy = isBusy
            return []
        case .learned(let body):
            return [.learn(body)]
        case .remark(let sentence):
            return [.report(.remark(sentence)), .journal(.warning, nil, sentence)]
        }
    }

    private mutating func removed(_ reference: PhotoReference) -> [Action] {
        defer { card.forget(reference) }
        guard let item = card.queue.item(called: reference) else { return [] }
        card.queue.remove(item.capture.id)
        let reason =
            item.offer.isInMemory
            ? "the camera let go of it before it could be fetched"
            : "it was deleted on the camera before it could be fetched"
        return lose(item.capture.id, item.offer, reason)
    }

    // MARK: The survey

    mutating func surveyed(_ survey: Survey, at now: Duration) -> [Action] {
        guard errand == .survey, let tethering = card.tethering else { return [] }
        errandEnded()
        if let taking = survey.taking { card.filter.taking = taking }
        unanswered = survey.unanswered.map { .describe($0) }
        if survey.putOff.contains(where: { survey.unreadable[$0.reference] != nil }) {
            waitLongerForDescriptions()
        }
        phase = .working
        card.seen = survey.references
        if let time = survey.listTook { listTook(time, at: now) }
        let notNow = survey.unreadable.filter { entry in !survey.putOff.contains { $0.reference == entry.key }
        }
        var actions = notNow.sorted { $0.key < $1.key }.flatMap {
            unreadable($0.key, $0.value, at: now)
        }
        actions += describedAfterAll(survey.offers.map(\.reference))
        // Where the camera is followed, what is not listed comes all the same.
        if let remark = survey.remark, !settings.followsCard { actions.append(.report(.remark(remark))) }
        for object in survey.putOff {
            undescribable.putOff(object)
            // Left alone for now: it is not asked for, and does not keep anything from being over.
            if let until = undescribable.history(of: object.reference)?.leftAloneUntil, until > now {
                card.givenUp[object.reference] = Card.GivenUp(until: until)
            } else {
                card.putOff.append(object)
            }
        }
        card.owesMissing = true
        card.listedBefore = Set(survey.unreadable.keys).union(survey.putOff.map(\.reference))
        if let began = card.surveyBegan { learnPace(describing: survey.offers.count, in: now - began) }
        // A line of its own: as an argument of `sighting` the register would be copied, once for each photo of the card.
        let numbered = survey.offers.map { card.twins.numbered($0) }
        for offer in numbered { meet(offer, card.filter.objection(to: offer)) }
        var sightings = numbered.map { sighting(of: $0, isLive: false, at: now) }
        // What the camera will throw away comes first.
        sightings.sort { $0.offer.isInMemory && !$1.offer.isInMemory }
        card.tally = SurveyTally(listed: sightings.count)
        for start in stride(from: 0, to: sightings.count, by: Self.batch) {
            let slice = Array(sightings[start..<min(start + Self.batch, sightings.count)])
            card.recording.append(slice)
            actions.append(.record(slice, tethering, isLive: false))
        }
        if sightings.isEmpty { actions += surveyIsRecorded() }
        return actions
    }

    mutating func waitLongerForDescriptions() {
        shortestSilence = min(shortestSilence * 2, settings.timeout)
    }

    private mutating func unreadable(_ reference: PhotoReference, _ reason: String, at now: Duration)
        -> [Action]
    {
        guard settings.followsCard else {
            return [.report(.givenUp(nil, path: "object \(reference)", reason))]
        }
        card.seen.remove(reference)
        card.undescribed[reference] = 1
        card.listDue = min(card.listDue ?? now, now + Self.soon)
        return [.journal(.warning, nil, "object \(reference) cannot be described yet: \(reason)")]
    }

    /// Photos written into the ledger in one transaction.
    static let batch = 500

    /// Of a list with everything, all photos before the first companion is judged.
    private mutating func meet(_ offer: Offer, _ objection: FilterRule?) {
        for companion in card.companions.met(offer, objection).sorted() { card.announce(companion) }
    }

    mutating func sighting(of offer: Offer, isLive: Bool, at now: Duration) -> Sighting {
        var own = card.filter.objection(to: offer, isLive: isLive)
        // What a body hands over has to be read or thrown away, and this is all there is of it.
        if handsOver(offer), offer.isOnlyCopy, own?.isSelection == true { own = nil }
        meet(offer, own)
        var sighting = Sighting(offer: offer, objection: card.companions.objection(to: offer, own: own))
        if sighting.objection != nil { card.companions.leftOut(offer) }
        sighting.isLeftAlone =
            offer.key.flatMap { leftAlone[$0] }.flatMap { histories[$0]?.leftAloneUntil }.map { $0 > now }
            ?? false
        return sighting
    }

    /// Every row of the survey is written, or known to be waiting.
    mutating func surveyIsRecorded() -> [Action] {
        guard card.tethering != nil, !card.tally.isReported else { return [] }
        card.tally.isReported = true
        return missing() + [
            .report(
                .reconciled(
                    listed: card.tally.listed, wanted: card.tally.wanted, passedOver: card.tally.passedOver))
        ]
    }

    /// What is wanted and was not in the survey, once that is known: what cannot be described may be what is missed.
    mutating func missing() -> [Action] {
        guard card.owesMissing, card.tally.isReported, let tethering = card.tethering,
            card.undescribed.isEmpty,
            card.putOff.isEmpty, card.recording.isEmpty, card.unrecorded.isEmpty, card.timesGivenUp.isEmpty,
            undescribable.isEmpty
        else { return [] }
        card.owesMissing = false
        return [.settleMissing(tethering)]
    }
}
