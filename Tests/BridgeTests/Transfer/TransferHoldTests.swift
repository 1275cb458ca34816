import Basics
import Bridge
import TestSupport
import Testing

/// Disks that fill and come back, a ledger that takes no notes, and what is due when.
@Suite struct TransferHoldTests {
    private static let id = CaptureID(1)

    private func fetching(_ count: Int) -> CardBench {
        var bench = CardBench()
        #expect(bench.meet(1...count) == "fetch 1")
        return bench
    }

    private func disk(_ meaning: DiskError.Meaning, _ reason: String = "full") -> TransferMachine.Happening {
        .fetched(Self.id, .disk(meaning, reason), FetchEffort())
    }

    private func whole(_ number: Int) -> TransferMachine.Happening {
        .fetched(
            CaptureID(Int64(number)), .whole(Fetched(offer: CardBench.offer(number), size: 100_000)),
            FetchEffort())
    }

    @Test(
        "a disk without room is looked at again after two seconds, and other photos go first",
        arguments: [DiskError.Meaning.noRoom, .notWritable, .missing, .tooManyOpen, .other])
    func full(_ meaning: DiskError.Meaning) {
        var bench = fetching(2)
        #expect(bench.tell(disk(meaning)) == "held")
        #expect(bench.machine.nextDeadline == bench.now + .seconds(2))
        bench.now += .milliseconds(1999)
        #expect(bench.tell(.timePassed) == "")
        bench.now += .milliseconds(1)
        #expect(bench.tell(.timePassed) == "fetch 2")
        #expect(bench.tell(.began(CaptureID(2), from: 0)) == "released, began 2")
        #expect(bench.tell(whole(2)) == "finish 2")
        bench.now += .milliseconds(7999)
        #expect(!bench.tell(.timePassed).contains("fetch"))
        bench.now += .milliseconds(1)
        bench.tell(.timePassed)
        if bench.machine.errand == .list { bench.tell(.listed([CardBench.first, PhotoReference("r2")])) }
        #expect(bench.machine.errand == .fetch(Self.id))
    }

    @Test("a hold is told once for each reason, and what it is stays shown")
    func toldOnce() {
        var bench = fetching(1)
        #expect(bench.tell(disk(.noRoom)) == "held")
        #expect(bench.machine.shown == .held("full", .noRoom))
        #expect(bench.tell(.stuck("full")) == "")
        #expect(bench.tell(.stuck("read-only")) == "held")
        #expect(bench.machine.shown == .held("read-only", nil))
    }

    @Test("what a failing disk holds is never trusted: written again from its first byte")
    func failing() {
        var bench = CardBench()
        let capture = Capture(id: Self.id, state: .receiving, verified: 5000, boot: "boot")
        #expect(bench.meet([CardBench.sighting(1)], [capture]) == "fetch 1")
        #expect(bench.tell(disk(.failing)) == "distrust 1, discard 1, held")
        bench.now += .seconds(2)
        #expect(bench.tell(.timePassed) == "fetch 1")
        guard case .fetch(let order) = bench.actions.first else { return #expect(Bool(false), "a fetch") }
        #expect(order.capture.verified == 0 && order.capture.boot == nil)
    }

    @Test("a photo that is larger than the disk allows is given up, and the others go on")
    func tooLarge() {
        var bench = fetching(2)
        #expect(
            bench.tell(disk(.tooLarge))
                == "discard 1, charge 1 0, 1 is abandoned, journal, given up 100/P1.JPG, fetch 2")
    }

    @Test("a photo that the disk took and could not make durable is fetched again when there is room")
    func notDurable() {
        var bench = fetching(1)
        bench.tell(whole(1))
        #expect(bench.tell(.finished(Self.id, .disk(.noRoom, "full"))) == "held")
        bench.now += .seconds(10)
        #expect(bench.tell(.timePassed) == "list")
        #expect(bench.tell(.listed([CardBench.first])) == "fetch 1")
    }

    @Test("rows that could not be written are kept, and written when the ledger takes them")
    func ledger() {
        var bench = CardBench()
        bench.idle()
        bench.tell(.noticed(.added(CardBench.first)))
        bench.tell(.described(CardBench.first, CardBench.offer(1)))
        let sightings = [CardBench.sighting(1)]
        let refused = TransferMachine.Happening.notRecorded(
            sightings, CardBench.tethering, isLive: true, reason: "full")
        #expect(bench.tell(refused) == "held")
        #expect(bench.machine.idleSince == nil)
        bench.now += .seconds(2)
        #expect(bench.tell(.timePassed) == "record r1 live")
        #expect(bench.record(1) == "released, fetch 1")
    }

    @Test("a photo whose row could not be written is fetched again after the pause, without blame")
    func ledgerMeanwhile() {
        var bench = fetching(1)
        for _ in 0..<20 {
            bench.tell(.fetched(Self.id, .ledger("full"), FetchEffort()))
            #expect(bench.machine.errand != .fetch(Self.id))
            bench.now += .seconds(2)
            bench.tell(.timePassed)
            if bench.machine.errand == .list { bench.tell(.listed([CardBench.first])) }
            #expect(bench.machine.errand == .fetch(Self.id))
        }
    }

    @Test("a photo whose bytes are coming over another connection is asked for again, as long as it takes")
    func inOtherHands() {
        var bench = fetching(1)
        for _ in 0..<20 {
            #expect(bench.tell(.fetched(Self.id, .inOtherHands, FetchEffort())).isEmpty)
            #expect(bench.machine.errand != .fetch(Self.id) && bench.machine.idleSince == nil)
            bench.now += .seconds(2)
            bench.tell(.timePassed)
            if bench.machine.errand == .list { bench.tell(.listed([CardBench.first])) }
            #expect(bench.machine.errand == .fetch(Self.id))
        }
    }

    @Test("what came to its end another way is noted and not fetched again")
    func settledElsewhere() {
        var bench = fetching(1)
        let end = bench.tell(.fetched(Self.id, .settledElsewhere("it is here"), FetchEffort()))
        #expect(end == "journal, list")
    }

    @Test("a slow disk slows the camera: no third photo while two are made durable")
    func slowDisk() {
        var bench = fetching(3)
        #expect(bench.tell(whole(1)) == "finish 1, fetch 2")
        #expect(bench.tell(whole(2)) == "finish 2")
        let photo = StagedPhoto(file: "f", size: 100_000, sha256: "")
        #expect(bench.tell(.finished(Self.id, .staged(photo))) == "arrived 1, fetch 3")
    }

    @Test("a body that wants to hear something hears it when nothing else was asked for so long")
    func keepAlive() {
        var bench = CardBench()
        let tethering = ConnectedCamera(
            camera: CameraID(1), connection: "first", canDelete: true, keepAliveEvery: .seconds(4))
        for happening: TransferMachine.Happening in [.connected(tethering), .surveyed(Survey()), .listed([])]
        {
            bench.tell(happening)
        }
        let idleSince = bench.machine.idleSince
        #expect(bench.machine.nextDeadline == bench.now + .seconds(4))
        bench.now += .seconds(4)
        #expect(bench.tell(.timePassed) == "keep alive")
        bench.tell(.done(.keepAlive))
        #expect(bench.machine.nextDeadline == bench.now + .seconds(4))
        bench.now += .seconds(3)
        bench.tell(.noticed(.mayHaveMore))
        bench.tell(.listed([]))
        #expect(bench.machine.nextDeadline == bench.now + .seconds(4), "a list is something heard")
        #expect(idleSince == .seconds(1000), "it was idle before, and to be kept alive is nothing to do")
    }

    @Test("what is shown follows what is done")
    func shown() {
        var bench = CardBench()
        bench.tell(.connected(CardBench.tethering))
        #expect(bench.machine.shown == .listing)
        bench.tell(.surveyed(Survey()))
        bench.tell(.listed([]))
        #expect(bench.machine.shown == .idle)
        bench.tell(.noticed(.added(CardBench.first)))
        bench.tell(.described(CardBench.first, CardBench.offer(1)))
        _ = bench.record(1)
        #expect(bench.machine.shown == .fetching("100/P1.JPG"))
        bench.tell(.noticed(.busy(true)))
        #expect(bench.machine.shown == .busy)
        bench.tell(.noticed(.busy(false)))
        #expect(bench.machine.shown == .fetching("100/P1.JPG"))
        bench.tell(
            .fetched(
                Self.id, .failed(.connectionOver(CardBench.cut, mayBeItsDoing: true), "no"), FetchEffort()))
        #expect(bench.machine.shown == .away)
    }

    @Test("what a rule passes over is told when it was shot just now, and counted when it was there before")
    func passedOver() {
        var bench = CardBench()
        let tethering = ConnectedCamera(camera: CameraID(1), connection: "first", filter: CaptureFilter())
        bench.tell(.connected(tethering))
        bench.tell(.surveyed(Survey(offers: [CardBench.offer(1), CardBench.offer(2)])))
        var old = CardBench.sighting(1)
        old.objection = .older
        let captures = [CardBench.capture(1, .filtered), CardBench.capture(2)]
        bench.tell(.recorded([old, CardBench.sighting(2)], captures, tethering, isLive: false))
        #expect(bench.actions.contains(.report(.reconciled(listed: 2, wanted: 1, passedOver: [.older: 1]))))
        old.objection = .kind
        let live = TransferMachine.Happening.recorded(
            [old], [CardBench.capture(3, .filtered)], tethering, isLive: true)
        #expect(bench.tell(live) == "passed over 3")
    }

    @Test("what appears while we look is not old, whatever the camera's clock says")
    func notOld() {
        var filter = CaptureFilter()
        filter.taking = TakingRule(since: (CardBench.offer(1).identity.takenAt ?? 0) + 3600)
        let tethering = ConnectedCamera(camera: CameraID(1), connection: "first", filter: filter)
        var bench = CardBench()
        bench.tell(.connected(tethering))
        let survey = Survey(offers: [CardBench.offer(1)], references: [CardBench.first], hasCard: true)
        bench.tell(.surveyed(survey))
        guard case .record(let listed, _, _) = bench.actions.first else {
            return #expect(Bool(false), "a record")
        }
        #expect(listed.map(\.objection) == [.older])
        bench.tell(.noticed(.added(PhotoReference("r2"))))
        bench.tell(.described(PhotoReference("r2"), CardBench.offer(2)))
        guard case .record(let live, _, _) = bench.actions.first else {
            return #expect(Bool(false), "a record")
        }
        #expect(live.map(\.objection) == [nil])
    }

    @Test(
        "what a failing disk did not make durable is never trusted, also when the connection is over by then")
    func failingWhileLeaving() {
        var bench = fetching(1)
        bench.tell(whole(1))
        bench.tell(.ended(.lost("it hung up")))
        #expect(bench.machine.phase == .leaving)
        #expect(
            bench.tell(.finished(Self.id, .disk(.failing, "I/O error"))) == "distrust 1, discard 1, held")
    }
}
