import Bridge

/// What the camera, the disk and the ledger make of what they are told.
extension CardScene {
    mutating func carryOut(_ action: TransferMachine.Action) {
        if isDeaf, let errand = action.asErrand {
            let over = FailureImpact.connectionOver(.lost("it fell silent"), mayBeItsDoing: true)
            if case .fetch(let capture) = errand {
                return tell(.fetched(capture, .failed(over, "silent"), FetchEffort()))
            }
            return tell(.failed(errand, over, reason: "silent", about: action.object))
        }
        switch action {
        case .survey(let wish): survey(wish)
        case .surveyForOthers: tell(.listedForOthers(Set(photos.filter(\.isOnCard).map(\.offer.reference))))
        case .list: tell(.listed(Set(photos.filter(\.isOnCard).map(\.offer.reference))))
        case .describe(let reference, _): describe(reference)
        case .fetch(let order): fetch(order)
        case .release(let capture, let offer): remove(offer, .release(capture, offer))
        case .delete(let capture, let offer): remove(offer, .delete(capture, offer))
        case .keepAlive: tell(.done(.keepAlive))
        case .beginAnew:
            connections += 1
            tell(.connected(tethering))
        case .finish(let order): finish(order)
        case .record(let sightings, let tethering, let isLive):
            tell(.recorded(sightings, sightings.map { record($0) }, tethering, isLive: isLive))
        case .settle(let capture, let state, _, _): settle(capture, state)
        case .charge(let capture, let cost): costs[capture] = cost
        case .askForDeletable:
            tell(.deletable(isDelivered ? rows.values.filter { $0.state == .staged }.map(\.id) : []))
        case .endConnection(let reason): loss = reason
        case .settleMissing, .detach, .discard, .distrust, .learn, .journal, .answerSurveyWanted,
            .answerDeletionWanted,
            .report:
            break
        }
    }

    func index(of reference: PhotoReference) -> Int? {
        photos.firstIndex { $0.offer.reference == reference && $0.isOnCard }
    }

    mutating func survey(_ wish: SurveyOptions) {
        var survey = Survey(hasCard: true)
        for (place, photo) in photos.filter(\.isOnCard).enumerated() {
            let listed = ListedPlace(photo.offer.reference, place: place)
            survey.references.insert(photo.offer.reference)
            if wish.puttingOff.contains(listed.reference) || wish.puttingOffPlaces.contains(place) {
                survey.putOff.append(listed)
            } else if case .endsConnectionUndescribed = photo.conduct {
                return tell(.failed(.survey, Self.over, reason: "cut", about: listed))
            } else {
                survey.offers.append(photo.offer)
                bench.now += describing
            }
        }
        tell(.surveyed(survey))
    }

    static let over = FailureImpact.connectionOver(.lost("it hung up"), mayBeItsDoing: true)

    mutating func describe(_ reference: PhotoReference) {
        let errand = TransferMachine.Errand.describe(reference)
        guard let index = index(of: reference) else {
            return tell(.failed(errand, .gone, reason: "gone", about: nil))
        }
        if case .endsConnectionUndescribed = photos[index].conduct {
            return tell(.failed(errand, Self.over, reason: "cut", about: ListedPlace(reference)))
        }
        tell(.described(reference, photos[index].offer))
    }

    mutating func fetch(_ order: FetchOrder) {
        let id = order.capture.id
        orders.append(order)
        guard let index = index(of: order.offer.reference) else {
            return tell(.fetched(id, .failed(.gone, "gone"), FetchEffort()))
        }
        tell(.began(id, from: 0))
        defer { photos[index].tries += 1 }
        let time = orders.count <= pace.count ? pace[orders.count - 1] : .seconds(2)
        let effort = FetchEffort(bytes: 1000, time: time, reached: 0)
        switch photos[index].conduct {
        case .good, .finishes, .endsConnectionUndescribed:
            tell(.fetched(id, .whole(Fetched(offer: order.offer, size: 100_000)), effort))
        case .endsConnection(let first, let further, let times):
            guard photos[index].tries < times else {
                return tell(.fetched(id, .whole(Fetched(offer: order.offer, size: 100_000)), effort))
            }
            let position = first + further * UInt64(photos[index].tries)
            let reached = FetchEffort(bytes: 1000, time: .seconds(2), reached: position)
            tell(.fetched(id, .failed(Self.over, "cut"), reached))
        case .silent:
            isDeaf = true
            bench.now += .seconds(20)
            tell(.fetched(id, .failed(.unanswered, "no answer"), effort))
        case .ends(let ends):
            tell(.fetched(id, ends[min(photos[index].tries, ends.count - 1)], effort))
        }
    }

    mutating func remove(_ offer: Offer, _ errand: TransferMachine.Errand) {
        if let index = index(of: offer.reference) { photos[index].isOnCard = false }
        tell(.done(errand))
    }

    mutating func finish(_ order: FinishOrder) {
        finishOrders.append(order)
        var end = FinishEnd.staged(
            StagedPhoto(file: "f", size: order.size, sha256: "", doubts: order.accepts))
        let index = photos.firstIndex { $0.offer.identity.name == order.offer.identity.name }
        if let index, case .finishes(let ends) = photos[index].conduct, photos[index].finishes < ends.count {
            end = ends[photos[index].finishes]
            photos[index].finishes += 1
        }
        if case .staged = end { settle(order.capture, .staged) }
        tell(.finished(order.capture, end))
    }

    mutating func settle(_ capture: CaptureID, _ state: CaptureState) {
        for key in rows.keys where rows[key]?.id == capture { rows[key]?.state = state }
    }

    mutating func record(_ sighting: Sighting) -> Capture {
        let key = sighting.offer.identity.name
        var row = rows[key] ?? (CaptureID(Int64(rows.count + 1)), .announced)
        if sighting.objection != nil, rows[key] == nil { row.state = .filtered }
        if row.state == .lost || (row.state == .abandoned && !sighting.isLeftAlone) { row.state = .announced }
        let isNew = rows[key] == nil
        rows[key] = row
        return Capture(id: row.id, state: row.state, isNew: isNew, cost: costs[row.id] ?? .none)
    }
}

extension TransferMachine.Action {
    fileprivate var asErrand: TransferMachine.Errand? {
        switch self {
        case .survey: .survey
        case .surveyForOthers: .surveyForOthers
        case .list: .list
        case .describe(let reference, _): .describe(reference)
        case .fetch(let order): .fetch(order.capture.id)
        case .release(let capture, let offer): .release(capture, offer)
        case .delete(let capture, let offer): .delete(capture, offer)
        case .keepAlive: .keepAlive
        default: nil
        }
    }

    fileprivate var object: ListedPlace? {
        if case .describe(let reference, _) = self { ListedPlace(reference) } else { nil }
    }
}
