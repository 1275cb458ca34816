import Bridge
import TestSupport
import Testing

/// Lists that race with notices, cards that change, and what is deleted.
@Suite struct TransferCardTests {
    private static let id = CaptureID(1)
    private static let whole = TransferMachine.Happening.fetched(
        id, .whole(Fetched(offer: CardBench.offer(1), size: 100_000)), FetchEffort())
    private static let staged = TransferMachine.Happening.finished(
        id, .staged(StagedPhoto(file: "f", size: 100_000, sha256: "")))

    private func idle(deletes: Bool = false) -> CardBench {
        var bench = CardBench { $0.deletesFromCard = deletes }
        bench.idle()
        return bench
    }

    /// One photo is here and still on the card.
    private func holding(_ change: (inout Capture, inout Offer) -> Void = { _, _ in }) -> CardBench {
        var bench = CardBench { $0.deletesFromCard = true }
        var sighting = CardBench.sighting(1)
        var capture = CardBench.capture(1, .staged)
        change(&capture, &sighting.offer)
        #expect(bench.meet([sighting], [capture]) == "list")
        bench.tell(.listed([CardBench.first]))
        return bench
    }

    // MARK: Lists and notices

    @Test(
        "a photo of a full card costs no more than one of an empty card",
        .timeLimit(.minutes(Cases.minutesOfHang)))
    func fullCard() {
        var bench = CardBench()
        // A register that was copied for each photo took two minutes for so many.
        #expect(bench.meet(1...30_000) == "fetch 1")
    }

    @Test("what is announced while it is listed is fetched once")
    func announcedWhileSurveyed() {
        var bench = CardBench()
        bench.tell(.connected(CardBench.tethering))
        bench.tell(.noticed(.added(CardBench.first)))
        let survey = Survey(offers: [CardBench.offer(1)], references: [CardBench.first], hasCard: true)
        #expect(bench.tell(.surveyed(survey)) == "record r1, describe r1")
        let row = ([CardBench.sighting(1)], [CardBench.capture(1)])
        #expect(
            bench.tell(.recorded(row.0, row.1, CardBench.tethering, isLive: false))
                == "settle missing, reconciled")
        #expect(bench.tell(.described(CardBench.first, CardBench.offer(1))) == "record r1 live, fetch 1")
        #expect(bench.record(1) == "", "it is in hand")
        #expect(bench.tell(Self.whole) == "finish 1")
        #expect(bench.tell(Self.staged) == "arrived 1, list")
        #expect(bench.tell(.listed([CardBench.first])) == "")
    }

    @Test("what is announced while the list is asked for is described once")
    func announcedWhileListed() {
        var bench = idle()
        #expect(bench.tell(.noticed(.mayHaveMore)) == "list")
        bench.tell(.noticed(.added(CardBench.first)))
        #expect(bench.tell(.listed([CardBench.first])) == "describe r1")
        #expect(bench.tell(.described(CardBench.first, CardBench.offer(1))) == "record r1 live")
    }

    @Test("what no notice told of is found in the list, and what went and came is looked at again")
    func onlyListed() {
        var bench = idle()
        bench.now += .seconds(10)
        #expect(bench.tell(.timePassed) == "list")
        #expect(bench.tell(.listed([CardBench.first])) == "describe r1")
        #expect(bench.tell(.described(CardBench.first, nil)) == "")
        for references in [[], [CardBench.first]] as [Set<PhotoReference>] {
            bench.now += .seconds(10)
            #expect(bench.tell(.timePassed) == "list")
            #expect(bench.tell(.listed(references)) == (references.isEmpty ? "" : "describe r1"))
        }
    }

    @Test(
        "what was not listed is lost only when the list left nothing out: it may be what could not be described"
    )
    func missing() {
        var putOff = Survey(references: [CardBench.first])
        putOff.putOff = [ListedPlace(CardBench.first, place: 0)]
        var unreadable = Survey(references: [CardBench.first])
        unreadable.unreadable = [CardBench.first: "busy"]
        for (survey, expected) in [
            (Survey(), "settle missing, reconciled, list"), (putOff, "reconciled, describe r1"),
            (unreadable, "journal, reconciled"),
        ] {
            var bench = CardBench()
            bench.tell(.connected(CardBench.tethering))
            #expect(bench.tell(.surveyed(survey)) == expected)
        }
    }

    @Test("a flood of notices is answered with one list")
    func flood() {
        var bench = idle()
        for number in 1...1000 { bench.tell(.noticed(.added(PhotoReference("r\(number)")))) }
        var asked = 1
        while asked < 1000, case .describe(let reference) = bench.machine.errand {
            if bench.tell(.described(reference, nil)).hasPrefix("describe") { asked += 1 }
        }
        #expect(bench.machine.errand == .list)
        #expect(asked < 300)
        // What was not kept is in the list.
        #expect(bench.tell(.listed([PhotoReference("r1"), PhotoReference("r1000")])) == "describe r1000")
    }

    @Test("what was removed on the camera before it was fetched is lost, and the next is fetched")
    func removed() {
        var bench = CardBench()
        #expect(bench.meet(1...3) == "fetch 1")
        #expect(
            bench.tell(.noticed(.removed(PhotoReference("r2")))) == "discard 2, 2 is lost, journal, lost 2")
        #expect(bench.tell(Self.whole) == "finish 1, fetch 3")
    }

    // MARK: Cards that change

    @Test("what is made durable when cards change goes on, and is not fetched again under its other name")
    func cardsChange() {
        var bench = CardBench()
        bench.meet(1...1)
        bench.tell(.noticed(.cardsChanged))
        #expect(bench.tell(Self.whole) == "finish 1, begin anew")
        #expect(bench.tell(.connected(CardBench.later)) == "survey")
        var renamed = CardBench.sighting(1)
        renamed.offer.reference = PhotoReference("x")
        let survey = Survey(offers: [renamed.offer], references: [PhotoReference("x")], hasCard: true)
        #expect(bench.tell(.surveyed(survey)) == "record x")
        let row = TransferMachine.Happening.recorded(
            [renamed], [CardBench.capture(1)], CardBench.later, isLive: false)
        #expect(bench.tell(row) == "settle missing, reconciled")
        #expect(bench.tell(Self.staged) == "arrived 1, list")
    }

    @Test("what turns out to be no good after cards changed is met again by another list")
    func cardsChangeAndNoGood() {
        var bench = CardBench()
        bench.meet(1...1)
        bench.tell(.noticed(.cardsChanged))
        bench.tell(Self.whole)
        bench.tell(.connected(CardBench.later))
        bench.tell(.surveyed(Survey()))
        #expect(bench.machine.errand == nil)
        #expect(bench.tell(.finished(Self.id, .foreignBeginning("begins like a PNG"))) == "begin anew")
    }

    @Test("rows of the list before cards changed are nothing to the list after")
    func lateRows() {
        var bench = idle()
        bench.tell(.noticed(.added(CardBench.first)))
        bench.tell(.described(CardBench.first, CardBench.offer(1)))
        bench.tell(.noticed(.cardsChanged))
        bench.tell(.connected(CardBench.later))
        #expect(bench.record(1) == "")
        #expect(
            bench.tell(.surveyed(Survey())) == "settle missing, reconciled, list", "nothing is waited for")
    }

    // MARK: Memory

    @Test(
        "what lay in the body's memory is let go of once it is durable, also where nothing can be deleted from a card"
    )
    func memory() {
        for canDelete in [true, false] {
            var bench = CardBench()
            let tethering = ConnectedCamera(camera: CameraID(1), connection: "first", canDelete: canDelete)
            let offer = CardBench.offer(1, inMemory: true)
            let sighting = Sighting(offer: offer, objection: nil)
            #expect(bench.meet([sighting], [CardBench.capture(1)], tethering) == "fetch 1")
            bench.tell(.fetched(Self.id, .whole(Fetched(offer: offer, size: 100_000)), FetchEffort()))
            #expect(bench.tell(Self.staged) == "arrived 1, release 1")
        }
    }

    @Test("another photo under the same reference gets its own row, and is not let go of with the first")
    func sameReference() {
        var bench = CardBench()
        let offer = CardBench.offer(1, inMemory: true)
        let sighting = Sighting(offer: offer, objection: nil)
        #expect(bench.meet([sighting], [CardBench.capture(1)]) == "fetch 1")
        bench.tell(.noticed(.added(CardBench.first)))
        let fetched = FetchEnd.whole(Fetched(offer: offer, size: 100_000))
        #expect(bench.tell(.fetched(Self.id, fetched, FetchEffort())) == "finish 1, describe r1")
        #expect(bench.tell(.described(CardBench.first, offer)) == "detach 1, record r1 live")
        #expect(bench.tell(Self.staged) == "arrived 1")
        let second = TransferMachine.Happening.recorded(
            [sighting], [CardBench.capture(2)], CardBench.tethering, isLive: true)
        #expect(bench.tell(second) == "fetch 2")
    }

    // MARK: Deleting

    @Test("only what has its receipts is deleted, one after another, and what refuses stays")
    func deleting() {
        var bench = CardBench { $0.deletesFromCard = true }
        #expect(bench.meet(1...3, .staged) == "list")
        bench.tell(.listed(Set((1...3).map { PhotoReference("r\($0)") })))
        bench.now += .seconds(10)
        #expect(bench.tell(.timePassed) == "ask what may be deleted, list")
        bench.tell(.listed(Set((1...3).map { PhotoReference("r\($0)") })))
        #expect(bench.tell(.deletable([CaptureID(3), Self.id])) == "delete 1")
        let refused = TransferMachine.Errand.delete(Self.id, CardBench.offer(1))
        #expect(bench.tell(.failed(refused, .notNow, reason: "no", about: nil)) == "not deleted 1, delete 3")
        let gone = TransferMachine.Errand.delete(CaptureID(3), CardBench.offer(3))
        #expect(bench.tell(.failed(gone, .gone, reason: "no", about: nil)) == "deleted 3")
        bench.now += .seconds(10)
        #expect(bench.tell(.timePassed) == "ask what may be deleted, list", "the second is still there")
    }

    @Test("looks that may deceive delete nothing: no date, a twin, or the same bytes as another")
    func looksDeceive() {
        let undated = holding { $1.identity.captureDate = "" }
        let twice = holding { capture, _ in capture.state = .duplicate }
        for var bench in [undated, twice] {
            #expect(bench.tell(.deletionWanted) == "deletions are done")
        }
        var twins = idle(deletes: true)
        var other = CardBench.offer(1)
        other.reference = PhotoReference("x")
        for (number, offer) in [(Int64(1), CardBench.offer(1)), (2, other)] {
            twins.tell(.noticed(.added(offer.reference)))
            twins.tell(.described(offer.reference, offer))
            guard case .record(let sightings, _, _) = twins.actions.first else { return #expect(Bool(false)) }
            #expect(sightings.map(\.offer.twin) == [Int(number) - 1])
            if number == 2 {
                let capture = Capture(id: CaptureID(number), state: .staged)
                twins.tell(.recorded(sightings, [capture], CardBench.tethering, isLive: true))
            }
        }
        #expect(!twins.tell(.deletionWanted).contains("ask"))
    }

    @Test("who waits for deletions is answered when those that have their receipts by then are deleted")
    func deletionWanted() {
        var bench = holding()
        bench.now += .seconds(10)
        #expect(bench.tell(.timePassed) == "ask what may be deleted, list")
        bench.tell(.listed([CardBench.first]))
        #expect(bench.tell(.deletable([])) == "", "no receipt yet")
        #expect(bench.tell(.deletionWanted) == "ask what may be deleted", "there may be one by now")
        #expect(bench.tell(.deletable([Self.id])) == "delete 1")
        #expect(bench.tell(.done(.delete(Self.id, CardBench.offer(1)))) == "deleted 1, deletions are done")
        #expect(bench.tell(.deletionWanted) == "deletions are done", "nothing is there to be deleted")
    }

    @Test("an answer to a question of before is not the answer for who waits")
    func deletionWantedMeanwhile() {
        var bench = holding()
        #expect(bench.tell(.noticed(.mayHaveMore)) == "ask what may be deleted, list")
        bench.tell(.deletionWanted)
        bench.tell(.listed([CardBench.first]))
        #expect(bench.tell(.deletable([])) == "ask what may be deleted")
        #expect(bench.tell(.deletable([])) == "deletions are done")
    }

    @Test("who waits for deletions does not wait for a connection that is over")
    func deletionWantedAndOver() {
        var bench = holding()
        #expect(bench.tell(.deletionWanted) == "ask what may be deleted")
        bench.tell(.ended(CardBench.cut))
        #expect(bench.tell(.disconnected) == "deletions are done")
    }
}
