extension TransferMachine {
    /// What comes next, after whatever has happened: at most one thing is asked of the camera.
    mutating func proceed(at now: Duration) -> [Action] {
        var actions: [Action] = []
        switch phase {
        case .away, .renewing, .leaving: idleSince = nil
        case .surveying: actions += beginSurvey(at: now)
        case .working: actions += recordAgain(at: now) + work(at: now)
        }
        return actions + stateIfChanged()
    }

    private mutating func beginSurvey(at now: Duration) -> [Action] {
        guard errand == nil, let tethering = card.tethering else { return [] }
        errand = .survey
        card.surveyBegan = now
        return [.survey(wish(withRatings: tethering.filter.minimumRating != nil))]
    }

    private func wish(withRatings: Bool) -> SurveyOptions {
        SurveyOptions(
            withRatings: withRatings, puttingOff: undescribable.toPutOff,
            puttingOffPlaces: undescribable.placesToPutOff, leavingOut: undescribable.toLeaveOut,
            leavingOutPlaces: undescribable.placesToLeaveOut, shortestSilence: shortestSilence)
    }

    private mutating func work(at now: Duration) -> [Action] {
        guard errand == nil else { return [] }
        if let loss = card.loss {
            // The last thing that it gave may have been the list that says so.
            hadNothingLeft = hasNothingToDo && card.hasListedSinceWork && !card.listsAgain
            phase = .leaving
            return [.endConnection(loss)]
        }
        if card.haveCardsChanged {
            card.haveCardsChanged = false
            (phase, idleSince) = (.renewing, nil)
            return [.beginAnew]
        }
        if let actions = askForLife(at: now) { return actions }
        var actions = missing()
        if let next = nextErrand(at: now, &actions) {
            // Comparing the list now and then is not work.
            if next.errand != .list { setIdle(false, at: now) }
            heard(at: now)
            errand = next.errand
            return actions + [next.action]
        }
        // Some cameras do not tell of every shot: there is nothing when the list says so, too.
        if settings.followsCard, hasNothingToDo, !card.hasListedSinceWork {
            return actions + beginList(at: now)
        }
        setIdle(hasNothingToDo && !card.listsAgain, at: now)
        guard let due = card.keepAliveDue, due <= now else { return actions }
        return actions + keepAlive(at: now)
    }

    /// A camera that has not answered is asked whether it is there before anything else is asked of it.
    private mutating func askForLife(at now: Duration) -> [Action]? {
        guard unanswered != nil, card.keepAliveDue != nil else { return nil }
        return keepAlive(at: now)
    }

    private mutating func keepAlive(at now: Duration) -> [Action] {
        heard(at: now)
        errand = .keepAlive
        return [.keepAlive]
    }

    /// Something was asked, or answered: from now on it is quiet.
    mutating func heard(at now: Duration) {
        card.keepAliveDue = card.tethering?.keepAliveEvery.map { now + $0 }
    }

    private typealias Choice = (errand: Errand, action: Action)

    /// In order: what blocks the camera, what others wait for, what is new, what is to be fetched, and last what has
    /// cost connections.
    private mutating func nextErrand(at now: Duration, _ actions: inout [Action]) -> Choice? {
        if let held = card.toRelease.first {
            card.toRelease.removeFirst()
            return (.release(held.capture, held.offer), .release(held.capture, held.offer))
        }
        if surveysWanted > 0 {
            surveysWanted = 0
            return (.surveyForOthers, .surveyForOthers(wish(withRatings: false)))
        }
        if let reference = card.announced.first {
            return describe(reference)
        }
        if card.wantsList || card.listDue.map({ $0 <= now }) ?? false {
            if settings.deletesFromCard { actions += askForDeletable() }
            _ = beginList(at: now)
            return (.list, .list)
        }
        if let choice = deletion(&actions) { return choice }
        if let choice = fetch(at: now, &actions) { return choice }
        return lastResort(at: now)
    }

    private mutating func describe(_ reference: PhotoReference) -> Choice {
        let withRating = card.tethering?.filter.minimumRating != nil
        return (.describe(reference), .describe(reference, withRating: withRating))
    }

    @discardableResult
    private mutating func beginList(at now: Duration) -> [Action] {
        card.wantsList = false
        // Also when the camera does not answer this time: it is asked again at its pace, not at ours.
        card.hasListedSinceWork = true
        card.listBegan = now
        card.listDue = now + (card.undescribed.isEmpty ? settings.listAgain : Self.soon)
        errand = .list
        return [.list]
    }

    /// A camera that takes longer for a list than lies between two of them would do nothing else: photos have as long
    /// as the list had.
    mutating func listTook(_ time: Duration, at now: Duration) {
        guard time > settings.listAgain, card.listDue != nil else { return }
        card.listDue = now + time
    }

    /// How soon the camera is asked again for an object that it would not describe.
    static let soon = Duration.seconds(1)

    private mutating func deletion(_ actions: inout [Action]) -> Choice? {
        if let next = card.toDelete.first {
            card.toDelete.removeFirst()
            return (.delete(next.capture, next.offer), .delete(next.capture, next.offer))
        }
        guard deletionsWanted > 0 else { return nil }
        if card.deletable == .unknown { actions += askForDeletable() }
        if card.deletable == .known { actions += deletionsAreDone() }
        return nil
    }

    private mutating func fetch(at now: Duration, _ actions: inout [Action]) -> Choice? {
        guard hold.map({ $0.until <= now }) ?? true, finishing.count < Self.mostFinishing else { return nil }
        guard let item = card.queue.next(at: now) else { return nil }
        card.hasListedSinceWork = false
        if let question = questionAboutSize(item) { return question }
        let order = order(item)
        card.inHand[item.capture.id] = item.offer.reference
        card.fetching = item
        return (.fetch(item.capture.id), .fetch(order))
    }

    /// Objects that have cost connections and could never be described: when there is nothing else to do.
    private mutating func lastResort(at now: Duration) -> Choice? {
        guard card.queue.isEmpty, finishing.isEmpty, card.undescribed.isEmpty, card.recording.isEmpty,
            let object = card.putOff.first
        else { return nil }
        return describe(object.reference)
    }

    /// Nothing is under way or waits for its time. What has been given up does not count.
    private var hasNothingToDo: Bool {
        card.queue.isEmpty && finishing.isEmpty && card.undescribed.isEmpty && card.announced.isEmpty
            && card.putOff.isEmpty && card.recording.isEmpty && card.unrecorded.isEmpty
            && card.toRelease.isEmpty
            && card.toDelete.isEmpty
    }

    private mutating func setIdle(_ isIdle: Bool, at now: Duration) {
        idleSince = isIdle ? idleSince ?? now : nil
        hadNothingLeft = isIdle
    }

    private mutating func stateIfChanged() -> [Action] {
        let state = state
        guard state != shown else { return [] }
        shown = state
        return [.report(.state(state))]
    }

    private var state: TransferState {
        switch phase {
        case .away, .leaving: return .away
        case .renewing, .surveying: return .listing
        case .working: break
        }
        if card.isBusy { return .busy }
        if let hold { return .held(hold.reason, hold.meaning) }
        if case .fetch = errand, let item = card.fetching {
            let path = item.offer.identity.path
            return item.standing == .suspect ? .suspect(path) : .fetching(path)
        }
        // What is asked between two photos is not worth telling.
        return idleSince == nil ? shown : .idle
    }
}
