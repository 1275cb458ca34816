import Basics
import Bridge
import TestSupport

/// What the camera, the disk and the ledger make of what they are told.
extension TransferStorm {
    // MARK: The camera

    mutating func doCamera() {
        guard !camera.isEmpty else { return }
        let action = camera.removeFirst()
        if isSilent, action.isErrand {
            return fail(action, .connectionOver(.lost("it fell silent"), mayBeItsDoing: true), nil)
        }
        switch action {
        case .survey(let wish): survey(wish)
        case .surveyForOthers: tell(.listedForOthers(Set(things.filter(\.isOnCard).map(\.reference))))
        case .list: tell(.listed(Set(things.filter(\.isOnCard).map(\.reference))))
        case .describe(let reference, _): describe(reference)
        case .fetch(let order): fetch(order)
        case .release(let capture, let offer):
            if let index = index(of: offer.reference) { things[index].isOnCard = false }
            tell(.done(.release(capture, offer)))
        case .delete(let capture, let offer):
            if let index = index(of: offer.reference) {
                expect(things[index].offer.identity.name == offer.identity.name, "another photo is deleted")
                things[index].isOnCard = false
            }
            tell(.done(.delete(capture, offer)))
        case .keepAlive: tell(.done(.keepAlive))
        case .beginAnew:
            connections += 1
            tell(.connected(tethering))
        case .discard, .distrust: break
        default: expect(false, "\(action) is not for the camera")
        }
    }

    mutating func fail(_ action: TransferMachine.Action, _ trouble: FailureImpact, _ object: ListedPlace?) {
        switch action {
        case .survey: tell(.failed(.survey, trouble, reason: "no", about: object))
        case .surveyForOthers: tell(.failed(.surveyForOthers, trouble, reason: "no", about: object))
        case .list: tell(.failed(.list, trouble, reason: "no", about: object))
        case .describe(let reference, _):
            tell(.failed(.describe(reference), trouble, reason: "no", about: ListedPlace(reference)))
        case .fetch(let order): tell(.fetched(order.capture.id, .failed(trouble, "no"), FetchEffort()))
        case .release(let capture, let offer):
            tell(.failed(.release(capture, offer), trouble, reason: "no", about: object))
        case .delete(let capture, let offer):
            tell(.failed(.delete(capture, offer), trouble, reason: "no", about: object))
        case .keepAlive: tell(.failed(.keepAlive, trouble, reason: "no", about: object))
        case .beginAnew: isLeaving = true
        default: break
        }
    }

    private mutating func survey(_ wish: SurveyOptions) {
        var survey = Survey(hasCard: true)
        for (place, thing) in things.filter(\.isOnCard).enumerated() {
            survey.references.insert(thing.reference)
            let listed = ListedPlace(thing.reference, place: place)
            if wish.puttingOff.contains(thing.reference) || wish.puttingOffPlaces.contains(place) {
                survey.putOff.append(listed)
            } else if thing.nature == .killsDescription {
                return tell(
                    .failed(
                        .survey, .connectionOver(.lost("it hung up"), mayBeItsDoing: true), reason: "no",
                        about: listed))
            } else {
                var offer = thing.offer
                if case .late(let times) = thing.nature, times > 0 { offer.identity.size = 0 }
                survey.offers.append(offer)
            }
        }
        tell(.surveyed(survey))
    }

    private mutating func describe(_ reference: PhotoReference) {
        guard let index = index(of: reference) else {
            return tell(.failed(.describe(reference), .gone, reason: "gone", about: ListedPlace(reference)))
        }
        if things[index].nature == .killsDescription {
            return tell(
                .failed(
                    .describe(reference), .connectionOver(.lost("it hung up"), mayBeItsDoing: true),
                    reason: "no",
                    about: ListedPlace(reference)))
        }
        var offer = things[index].offer
        if case .late(let times) = things[index].nature, times > 0 {
            things[index].nature = .late(times: times - 1)
            offer.identity.size = 0
        }
        tell(.described(reference, offer))
    }

    private mutating func fetch(_ order: FetchOrder) {
        let id = order.capture.id
        guard let index = index(of: order.offer.reference), things[index].nature != .gone else {
            return tell(.fetched(id, .failed(.gone, "gone"), FetchEffort()))
        }
        if isDiskFull { return tell(.fetched(id, .disk(.noRoom, "full"), FetchEffort())) }
        if isLedgerStuck { return tell(.fetched(id, .ledger("stuck"), FetchEffort())) }
        // The ledger refuses what has come to its end another way.
        guard rows[id]?.state == .announced || rows[id]?.state == .receiving else {
            return tell(.fetched(id, .settledElsewhere("it is here, or lost"), FetchEffort()))
        }
        rows[id]?.state = .receiving
        tell(.began(id, from: things[index].kept))
        let whole = Fetched(offer: order.offer, size: 100_000)
        let effort = FetchEffort(bytes: 100_000 - things[index].kept, time: .seconds(1), reached: 100_000)
        switch things[index].nature {
        case .silences:
            isSilent = true
            tell(.fetched(id, .failed(.unanswered, "no answer"), FetchEffort()))
        case .killsFetch(let position):
            things[index].kept = position
            tell(
                .fetched(
                    id, .failed(.connectionOver(.lost("it hung up"), mayBeItsDoing: true), "no"),
                    FetchEffort(bytes: 10, time: .seconds(1), reached: position)))
        case .refused(let times) where times > 0:
            things[index].nature = .refused(times: times - 1)
            tell(.fetched(id, .failed(.notNow, "refused"), FetchEffort()))
        case .lies:
            var disputed = Fetched(offer: order.offer, size: 90_000)
            disputed.isDisputed = true
            if order.believes == 90_000 { return tell(.fetched(id, .whole(disputed), effort)) }
            tell(.fetched(id, .sizeDiffers(received: 90_000, claimed: 100_000), effort))
        case .empty: tell(.fetched(id, .empty, FetchEffort()))
        case .late(let times) where times > 0:
            things[index].nature = .late(times: times - 1)
            tell(.fetched(id, .sizeDiffers(received: 5, claimed: 100_000), effort))
        case .doesNotFit(let times) where times > 0:
            things[index].nature = .doesNotFit(times: times - 1)
            tell(.fetched(id, .seamDiffers("other bytes"), effort))
        case .healthy, .foreign, .refused, .late, .doesNotFit, .sizeless, .killsDescription, .gone:
            tell(.fetched(id, .whole(whole), effort))
        }
    }

    // MARK: The disk

    mutating func finishOne() {
        guard !finishing.isEmpty else { return }
        let order = finishing.removeFirst()
        let nature = things.first { $0.offer.identity.name == order.offer.identity.name }?.nature
        if isDiskFull, !isHealed { return tell(.finished(order.capture, .disk(.noRoom, "full"))) }
        if nature == .foreign, !order.accepts.contains(.beginning) {
            return tell(.finished(order.capture, .foreignBeginning("zeros")))
        }
        rows[order.capture]?.state = .staged
        rows[order.capture]?.stagings += 1
        rows[order.capture]?.doubts = order.accepts
        expect(rows[order.capture]?.stagings == 1, "staged twice")
        if random.chance(70) { receipts.insert(order.capture) }
        tell(
            .finished(
                order.capture,
                .staged(StagedPhoto(file: "f", size: order.size, sha256: "", doubts: order.accepts))))
    }

    // MARK: The ledger

    mutating func write() {
        guard !ledger.isEmpty else { return }
        let action = ledger.removeFirst()
        switch action {
        case .record(let sightings, let tethering, let isLive):
            if isLedgerStuck, !isHealed {
                return tell(.notRecorded(sightings, tethering, isLive: isLive, reason: "stuck"))
            }
            tell(
                .recorded(
                    sightings, sightings.map { record($0, tethering.connection) }, tethering, isLive: isLive))
        case .settleMissing(let tethering):
            for (id, row) in rows where row.connection != tethering.connection {
                if [.announced, .receiving, .abandoned].contains(row.state) { rows[id]?.state = .lost }
            }
        case .settle(let id, let state, _, _):
            expect(rows[id]?.state != .staged, "a staged photo is settled as \(state)")
            if rows[id]?.state != .staged { rows[id]?.state = state }
        case .charge(let id, let cost): rows[id]?.cost = cost
        case .detach(let id): rows[id]?.connection = ""
        case .askForDeletable:
            // What is doubtful, and what lies in memory, is not said to be deletable.
            tell(
                .deletable(
                    receipts.filter { rows[$0]?.doubts.isEmpty == true && rows[$0]?.isInMemory == false }))
        default: break
        }
    }

    private mutating func record(_ sighting: Sighting, _ connection: String) -> Capture {
        let offer = sighting.offer
        let key = offer.key ?? "\(offer.identity.name) \(offer.isInMemory ? connection : "")"
        let known = rows.first { $0.value.key == key }
        let id = known?.key ?? CaptureID(Int64(rows.count + 1))
        var row =
            known?.value
            ?? Row(state: .announced, key: key, reference: offer.reference, connection: connection)
        row.isInMemory = offer.isInMemory
        (row.reference, row.connection) = (offer.reference, connection)
        switch row.state {
        case .lost: row.state = .announced
        case .abandoned: if !sighting.isLeftAlone { row.state = .announced }
        case .announced, .receiving, .staged, .duplicate, .filtered: break
        }
        if let objection = sighting.objection, known == nil {
            _ = objection
            row.state = .filtered
        }
        rows[id] = row
        return Capture(id: id, state: row.state, cost: row.cost)
    }
}
