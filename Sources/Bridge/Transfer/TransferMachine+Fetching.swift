import Basics

extension TransferMachine {
    /// A photo that is still being written has no size: the camera is asked again, a few times.
    mutating func questionAboutSize(_ item: FetchQueue.Item) -> (errand: Errand, action: Action)? {
        guard !item.offer.hasFinalSize else { return nil }
        let asked = histories[item.capture.id]?.questions ?? 0
        guard asked < Self.mostQuestions else { return nil }
        histories[item.capture.id, default: FetchFailureHistory(item.capture.cost)].questions += 1
        card.asksForSize = item
        let reference = item.offer.reference
        return (.describe(reference), .describe(reference, withRating: false))
    }

    /// A photo takes a second or two, and nothing is lost by waiting for it.
    private static let otherHandsPause = Duration.seconds(1)

    /// With the pauses between them about four seconds: "GetObjectInfo right after ObjectAdded: up to a second". A
    /// camera that names no size then never will, and the photo is fetched all the same.
    static let mostQuestions = 5

    func order(_ item: FetchQueue.Item) -> FetchOrder {
        var order = FetchOrder(capture: item.capture, offer: item.offer)
        let history = histories[item.capture.id]
        order.startsOver = history?.startsOver ?? false
        order.doubtsSize = history?.cutShorts ?? 0 > 0
        order.believes = history?.disputedTotal
        order.furthest = history?.furthest ?? 0
        order.timeout = timeout(with: item)
        return order
    }

    /// Others wait while it takes its time; the last one has all the timeout there is.
    private func timeout(with item: FetchQueue.Item) -> Duration? {
        let most = settings.timeout * 3 / 10
        if card.queue.hasUnblamed {
            guard let pace = slowestFetch ?? expectedFetch else { return most }
            return min(most, max(shortestPause, pace * Self.longPause))
        }
        return item.standing == .usual ? nil : most
    }

    /// A pause that is so many times as long as the slowest photo took on this link does not come from the link.
    private static let longPause = 50
    /// A photo takes so many times as long as a description at least, as far as nothing better is known.
    private static let photoInDescriptions = 10

    /// Before the first photo, what the list took is all that is known of the link's pace.
    mutating func learnPace(describing count: Int, in span: Duration) {
        guard count > 0 else { return }
        expectedFetch = span / count * Self.photoInDescriptions
    }

    private mutating func learnPace(of item: FetchQueue.Item, _ effort: FetchEffort) {
        slowestFetch = max(slowestFetch ?? .zero, effort.time)
        // It has cost a connection and is good: this body takes longer pauses than it was thought to.
        let costs = histories[item.capture.id]?.cost.connections ?? 0
        if costs > 0 { shortestPause = min(shortestPause * 2, settings.timeout) }
    }

    /// The disk had room for it.
    mutating func began(_ capture: CaptureID, from: UInt64) -> [Action] {
        guard let item = card.fetching, item.capture.id == capture else { return [] }
        let offer = item.offer
        return released() + [
            .report(
                .began(
                    capture, path: offer.identity.path, size: offer.hasFinalSize ? offer.identity.size : 0,
                    from: from))
        ]
    }

    mutating func fetched(
        _ capture: CaptureID, _ end: FetchEnd, _ effort: FetchEffort, at now: Duration
    ) -> [Action] {
        guard errand == .fetch(capture), let item = card.fetching else { return [] }
        card.fetching = nil
        switch end {
        case .whole(let fetched):
            errandEnded()
            learnPace(of: item, effort)
            return finish(item, fetched)
        case .failed(let trouble, let reason):
            return failedToFetch(item, trouble, reason, effort, at: now)
        case .sizeDiffers(let received, let claimed):
            errandEnded()
            let sentence = "\(received) bytes came, the camera names \(claimed)"
            histories[capture, default: FetchFailureHistory(item.capture.cost)].disputedTotal = received
            return setBack(item, sentence, effort, at: now)
        case .empty:
            errandEnded()
            return cameEmpty(item, effort, at: now)
        case .seamDiffers(let reason):
            errandEnded()
            histories[capture, default: FetchFailureHistory(item.capture.cost)].startsOver = true
            return setBack(item, reason, effort, at: now)
        case .disk(let meaning, let reason):
            errandEnded()
            return diskFailed(item, meaning, reason, at: now)
        case .ledger(let reason):
            errandEnded()
            card.inHand[capture] = nil
            card.queue.putBack(item, notBefore: now + Self.holdPause)
            return held(reason, nil, at: now)
        case .inOtherHands:
            errandEnded()
            card.inHand[capture] = nil
            card.queue.putBack(item, notBefore: now + Self.otherHandsPause)
            return []
        case .settledElsewhere(let reason):
            errandEnded()
            card.inHand[capture] = nil
            passOver(capture, item.offer)
            return [.journal(.warning, capture, reason)]
        }
    }

    private mutating func finish(_ item: FetchQueue.Item, _ fetched: Fetched) -> [Action] {
        let capture = item.capture.id
        let history = histories[capture]
        var order = FinishOrder(capture: capture, offer: fetched.offer, size: fetched.size)
        let hasGrown = item.offer.identity.size != fetched.offer.identity.size
        order.checksStructure =
            fetched.cameInParts || fetched.isDisputed || hasGrown || !fetched.offer.hasFinalSize
        // There is no second time to ask for it.
        if fetched.offer.isInMemory { order.accepts = [.beginning, .structure] }
        if fetched.isDisputed { order.accepts.insert(.size) }
        if history?.foreignBeginnings ?? 0 > 0 { order.accepts.insert(.beginning) }
        // Asked for twice, and the same both times: it is what the card holds. Where the camera also names another
        // size, there are two witnesses against it.
        if history?.cutShorts ?? 0 > 0, !fetched.isDisputed { order.accepts.insert(.structure) }
        finishing[capture] = Finishing(order: order, item: item)
        return [.finish(order)]
    }

    private mutating func failedToFetch(
        _ item: FetchQueue.Item, _ trouble: FailureImpact, _ reason: String, _ effort: FetchEffort,
        at now: Duration
    ) -> [Action] {
        let capture = item.capture.id
        switch trouble {
        case .connectionOver(let loss, let mayBeItsDoing):
            return connectionEnded(loss, over: item, mayBeItsDoing: mayBeItsDoing, effort)
        case .unanswered:
            let errand = errand
            errandEnded()
            unanswered = errand
            return setBack(item, reason, effort, at: now)
        case .notNow:
            errandEnded()
            return setBack(item, reason, effort, at: now)
        case .startOver:
            errandEnded()
            // At once, the first time; a camera that wants it again and again is not asked for ever.
            let isFirst = histories[capture]?.startsOver != true
            histories[capture, default: FetchFailureHistory(item.capture.cost)].startsOver = true
            guard isFirst else { return [.discard(capture)] + setBack(item, reason, effort, at: now) }
            card.inHand[capture] = nil
            card.queue.putBack(item, notBefore: now)
            return [.discard(capture)]
        case .gone:
            errandEnded()
            card.inHand[capture] = nil
            let isElsewhere = item.offer.isInMemory && !reason.isEmpty
            return lose(capture, item.offer, isElsewhere ? reason : Self.isGone)
        case .never:
            errandEnded()
            return giveUp(item, reason, at: now)
        case .taker:
            errandEnded()
            return diskFailed(item, .other, reason, at: now)
        case .cancelled:
            errandEnded()
            card.inHand[capture] = nil
            return []
        }
    }

    /// The camera's fault, perhaps only for a moment.
    private mutating func setBack(
        _ item: FetchQueue.Item, _ reason: String, _ effort: FetchEffort, at now: Duration
    ) -> [Action] {
        let capture = item.capture.id
        histories[capture, default: FetchFailureHistory(item.capture.cost)].took(effort)
        card.inHand[capture] = nil
        if card.queue.putBack(item, at: now) { return [] }
        return giveUp(item, reason, at: now)
    }

    /// A file without a byte is asked for once more, in case it was being written, and told once.
    private mutating func cameEmpty(
        _ item: FetchQueue.Item, _ effort: FetchEffort, at now: Duration
    ) -> [Action] {
        let capture = item.capture.id
        histories[capture, default: FetchFailureHistory(item.capture.cost)].empties += 1
        guard histories[capture]?.empties ?? 0 >= 2 else {
            return setBack(item, "there is not a byte in it", effort, at: now)
        }
        histories[capture] = nil
        card.inHand[capture] = nil
        passOver(capture, item.offer)
        let path = item.offer.identity.path
        return [
            .discard(capture),
            .settle(capture, .filtered, path: path, reason: FilterRule.empty.rawValue),
            .journal(.warning, capture, "\(path): it is empty on the card; there is nothing to deliver"),
            .report(.empty(capture, path: path)),
        ]
    }

    // MARK: Durable

    mutating func finished(_ capture: CaptureID, _ end: FinishEnd, at now: Duration) -> [Action] {
        guard let finished = finishing.removeValue(forKey: capture) else { return [] }
        let order = finished.order
        let path = order.offer.identity.path
        switch end {
        case .staged(let photo):
            (progress, arrived) = (progress + 1, arrived + 1)
            return released() + kept(order) + [.report(.staged(capture, path: path, photo))]
        case .duplicate(let other):
            (progress, arrived) = (progress + 1, arrived + 1)
            return released() + kept(order, isDuplicate: true) + [
                .report(.duplicate(capture, path: path, of: other))
            ]
        case .foreignBeginning(let reason):
            histories[capture, default: FetchFailureHistory()].foreignBeginnings += 1
            return again(finished, "what came \(reason)", at: now)
        case .cutShort(let reason):
            histories[capture, default: FetchFailureHistory()].cutShorts += 1
            histories[capture]?.startsOver = true
            return again(finished, "its own structure says that it is not whole: \(reason)", at: now)
        case .wrongLength(let found):
            return again(finished, "\(found) bytes are in its file, \(order.size) came", at: now)
        case .disk(let meaning, let reason):
            guard let item = item(of: finished) else {
                // What is on the disk after that is unknown, whatever has become of the connection.
                let forgotten: [Action] = meaning == .failing ? [.distrust(capture), .discard(capture)] : []
                return forgotten + held(reason, meaning, at: now)
            }
            // All of it has come: there is no second time to ask for it.
            if meaning == .tooLarge { passOver(capture, order.offer) }
            return diskFailed(item, meaning, reason, at: now)
        case .unwritten(let reason):
            card.inHand[capture] = nil
            if phase == .working { passOver(capture, order.offer) }
            return [.journal(.warning, capture, reason)]
        }
    }

    /// It is here for good.
    private mutating func kept(_ order: FinishOrder, isDuplicate: Bool = false) -> [Action] {
        let capture = order.capture
        histories[capture] = nil
        defer { card.inHand[capture] = nil }
        // Under its reference there may be the next one already.
        guard let reference = card.inHand[capture].flatMap({ $0 }), reference == order.offer.reference else {
            return []
        }
        let here = Card.OnCard(capture: capture, offer: order.offer)
        if order.offer.isInMemory || order.offer.wantsRelease { card.toRelease.append(here) }
        if !order.offer.isInMemory, settings.deletesFromCard, !isDuplicate, order.accepts.isEmpty {
            card.onCard[reference] = here
        }
        return []
    }

    /// A photo whose bytes were no good: in the queue of this connection again, where there is one.
    private mutating func again(_ finished: Finishing, _ reason: String, at now: Duration) -> [Action] {
        guard let item = item(of: finished) else { return [] }
        card.inHand[item.capture.id] = nil
        if card.queue.putBack(item, at: now) { return [] }
        return giveUp(item, reason, at: now)
    }

    /// Nothing when it is known by another name by now, or when there is no connection: then it is met again.
    private mutating func item(of finished: Finishing) -> FetchQueue.Item? {
        let capture = finished.order.capture
        let reference = card.inHand[capture].flatMap { $0 }
        guard phase == .working, reference == finished.item.offer.reference else {
            card.inHand[capture] = nil
            if phase == .working { card.haveCardsChanged = true }
            return nil
        }
        var item = finished.item
        item.offer = finished.order.offer
        return item
    }
}
