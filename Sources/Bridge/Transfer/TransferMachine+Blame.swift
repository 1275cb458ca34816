import Basics

/// Whose doing it was that something went wrong, and what follows from that.
extension TransferMachine {
    // MARK: Connections that end

    /// Over a photo that the camera was asked for.
    mutating func connectionEnded(
        _ loss: ConnectionLife.Loss, over item: FetchQueue.Item, mayBeItsDoing: Bool, _ effort: FetchEffort
    ) -> [Action] {
        phase = .leaving
        errand = nil
        guard mayBeItsDoing else {
            histories[item.capture.id, default: FetchFailureHistory(item.capture.cost)].hasEndedUnblamed =
                true
            return [.endConnection(loss)]
        }
        // A camera that had not answered the question before is gone because of that one.
        if let blamed = unanswered, blamed != .fetch(item.capture.id) {
            return charge(blamed, loss) + [.endConnection(loss)]
        }
        let capture = item.capture.id
        histories[capture, default: FetchFailureHistory(item.capture.cost)].took(effort)
        if effort.reached > histories[capture]?.furthest ?? 0 { progress += 1 }
        return charge(item, loss, reached: effort.reached) + [.endConnection(loss)]
    }

    /// With one connection more.
    private mutating func charge(
        _ item: FetchQueue.Item, _ loss: ConnectionLife.Loss, reached: UInt64
    ) -> [Action] {
        let capture = item.capture.id
        var history = histories[capture] ?? FetchFailureHistory(item.capture.cost)
        history.connectionEnded(at: reached, arrived: arrived)
        history.key = item.offer.key
        histories[capture] = history
        let sentence = Self.sentence(history, loss)
        if history.isForTheOperator { return giveUp(item, sentence, at: lastLook) }
        let charged = Action.charge(capture, history.cost)
        guard history.isSuspect else { return [charged] }
        return [charged, .report(.suspected(capture, path: item.offer.identity.path, sentence))]
    }

    static func sentence(_ history: FetchFailureHistory, _ loss: ConnectionLife.Loss) -> String {
        let times =
            history.cost.connections == 1
            ? "a connection has" : "\(history.cost.connections) connections have"
        return "\(times) ended when the camera was asked for it, the last because: \(loss.reason)"
    }

    /// Over something that the camera was asked and did not answer.
    private mutating func charge(_ errand: Errand, _ loss: ConnectionLife.Loss) -> [Action] {
        unanswered = nil
        switch errand {
        case .describe(let reference): return charge(ListedPlace(reference), loss)
        case .fetch(let capture):
            // It has been put back, unless it was given up or lost meanwhile.
            guard let item = card.queue.item(capture) else { return [] }
            return charge(item, loss, reached: histories[capture]?.furthest ?? 0)
        case .survey, .surveyForOthers, .list, .release, .delete, .keepAlive: return []
        }
    }

    /// Over an object that could not be described.
    private mutating func charge(_ object: ListedPlace, _ loss: ConnectionLife.Loss) -> [Action] {
        let history = undescribable.connectionEnded(over: object, arrived: arrived)
        let name = "object \(object.reference)"
        if history.isForTheOperator {
            undescribable.gaveUp(object.reference, until: lastLook + history.pause)
            toldUndescribed.insert(object.reference)
            let sentence = Self.sentence(history, loss)
            return [
                .journal(.error, nil, "\(name): \(sentence) It is asked for again later."),
                .report(.givenUp(nil, path: name, sentence)),
            ]
        }
        guard history.isSuspect else { return [] }
        return [.report(.suspected(nil, path: name, Self.sentence(history, loss)))]
    }

    // MARK: Errands that end

    mutating func errandEnded() {
        errand = nil
        unanswered = nil
    }

    mutating func done(_ done: Errand, at now: Duration) -> [Action] {
        guard errand == done else { return [] }
        errandEnded()
        switch done {
        case .release(_, let offer):
            if offer.isInMemory { card.forget(offer.reference) }
            return []
        case .delete(let capture, let offer): return deleted(capture, offer)
        case .survey, .surveyForOthers, .list, .describe, .fetch, .keepAlive:
            return []
        }
    }

    mutating func failed(
        _ failed: Errand, _ trouble: FailureImpact, _ reason: String, _ object: ListedPlace?, at now: Duration
    ) -> [Action] {
        guard errand == failed else { return [] }
        if case .connectionOver(let loss, let mayBeItsDoing) = trouble {
            phase = .leaving
            if failed == .survey { waitLongerForDescriptions() }
            errand = nil
            var actions: [Action] = []
            if mayBeItsDoing, let blamed = unanswered ?? object.map({ .describe($0.reference) }) {
                actions = unanswered == nil ? object.map { charge($0, loss) } ?? [] : charge(blamed, loss)
            }
            return actions + [.endConnection(loss)]
        }
        // Asked twice in vain it would be gone, had it not said anything meanwhile: it is slow, and is not only asked that.
        let isSlow = failed == .keepAlive && unanswered == .keepAlive
        errandEnded()
        if case .unanswered = trouble, !isSlow {
            unanswered = object.map { .describe($0.reference) } ?? failed
        }
        switch failed {
        case .survey: return surveyFailed(reason)
        case .describe(let reference): return notDescribed(reference, trouble, reason, at: now)
        case .delete(let capture, let offer): return notDeleted(capture, offer, trouble, reason)
        case .release(_, let offer):
            // Most bodies have let go of it by themselves when it was fetched. One that keeps it is not asked for it
            // again.
            if trouble == .gone, offer.isInMemory { card.forget(offer.reference) }
            return []
        case .list: return notListed(at: now)
        // A camera that is busy now is asked again next time.
        case .surveyForOthers, .fetch, .keepAlive: return []
        }
    }

    /// The camera answers, and not with its photos: nothing can be done before it does.
    private mutating func surveyFailed(_ reason: String) -> [Action] {
        phase = .leaving
        return [.endConnection(.lost(reason))]
    }

    // MARK: Giving up

    mutating func giveUp(_ item: FetchQueue.Item, _ reason: String, at now: Duration) -> [Action] {
        let capture = item.capture.id
        var history = histories[capture] ?? FetchFailureHistory(item.capture.cost)
        var pause = history.pause
        if card.tethering?.handsOver == true, item.offer.isInMemory {
            // What lies behind it in the body's memory cannot be had before.
            pause = min(pause, Self.longestBeforeOthers)
            card.listDue = card.listDue.map { min($0, now + pause) }
        }
        let until = now + pause
        history.timesGivenUp += 1
        history.leftAloneUntil = until
        history.key = item.offer.key
        histories[capture] = history
        if let key = history.key { leftAlone[key] = capture }
        card.inHand[capture] = nil
        card.queue.remove(capture)
        card.givenUp[item.offer.reference] = Card.GivenUp(until: until)
        let path = item.offer.identity.path
        return [
            .charge(capture, history.cost),
            .settle(capture, .abandoned, path: path, reason: reason),
            .journal(.error, capture, "\(path): \(reason)"),
            .report(.givenUp(capture, path: path, reason)),
        ]
    }

    private static let longestBeforeOthers = Duration.seconds(5)

    static let isGone = "the camera does not have it any more"

    mutating func lose(_ capture: CaptureID, _ offer: Offer, _ reason: String) -> [Action] {
        histories[capture] = nil
        let path = offer.identity.path
        return [
            .discard(capture),
            .settle(capture, .lost, path: path, reason: reason),
            .journal(.error, capture, "\(path): \(reason)"),
            .report(.lost(capture, path: path, reason)),
        ]
    }

    // MARK: The disk

    /// How soon a full or failing disk is looked at again.
    public static let holdPause = Duration.seconds(2)
    /// How long other photos go before one that the disk had no room for.
    private static let othersFirst = Duration.seconds(10)

    /// By what the failure means: whether the file is still to be trusted, and whether waiting helps.
    mutating func diskFailed(
        _ item: FetchQueue.Item, _ meaning: DiskError.Meaning, _ reason: String, at now: Duration
    ) -> [Action] {
        let capture = item.capture.id
        card.inHand[capture] = nil
        switch meaning {
        case .tooLarge:
            return [.discard(capture)] + giveUp(item, reason, at: now)
        case .failing:
            // What is on the disk after that is unknown: written again from its first byte, never trusted.
            var item = item
            (item.capture.boot, item.capture.verified) = (nil, 0)
            let forgotten: [Action] = [.distrust(capture), .discard(capture)]
            if card.queue.putBack(item, at: now) { return forgotten + held(reason, meaning, at: now) }
            return forgotten + giveUp(item, reason, at: now)
        case .noRoom, .notWritable, .missing, .tooManyOpen, .other:
            // Behind the others for a while: a smaller one may still find room.
            card.queue.putBack(item, notBefore: now + Self.othersFirst)
            return held(reason, meaning, at: now)
        }
    }

    mutating func held(
        _ reason: String, _ meaning: DiskError.Meaning?, at now: Duration
    ) -> [Action] {
        let isNew = hold?.reason != reason
        hold = Hold(reason: reason, meaning: meaning, until: now + Self.holdPause)
        return isNew ? [.report(.held(reason, meaning))] : []
    }

    mutating func released() -> [Action] {
        guard hold != nil else { return [] }
        hold = nil
        return [.report(.released)]
    }
}
