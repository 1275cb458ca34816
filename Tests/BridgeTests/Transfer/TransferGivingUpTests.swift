import Bridge
import TestSupport
import Testing

/// What is left to a person, and asked for again after a while.
@Suite struct TransferGivingUpTests {
    private static let refused = FetchEnd.failed(.never, "it does not want to")

    @Test("what was given up keeps nothing from being over, and is asked for again after a minute")
    func again() {
        let whole = FetchEnd.whole(Fetched(offer: CardBench.offer(1), size: 100_000))
        var scene = CardScene([.ends([Self.refused, whole])])
        scene.runUntilIdle()
        #expect(scene.takeLog() == ["fetch P1", "given up P1"])
        #expect(scene.machine.idleSince != nil && scene.reasons["P1"] == "it does not want to")
        scene.pass(.seconds(59))
        #expect(scene.takeLog() == [])
        // With the next list, ten seconds later at most.
        scene.pass(.seconds(11))
        #expect(scene.takeLog() == ["fetch P1", "arrived P1"])
    }

    @Test("each time it is left alone for longer")
    func longer() {
        var scene = CardScene([.ends([Self.refused])])
        scene.runUntilIdle()
        scene.pass(.seconds(3600))
        // After 1, 2, 4, 8 and 16 minutes; the next would be half an hour later.
        #expect(scene.takeLog(["given up"]).count == 6)
    }

    @Test("one that ended connections among others that arrive is left alone for ten minutes")
    func tenMinutes() {
        var scene = CardScene([.endsConnection(at: 0), .good])
        scene.runUntilIdle()
        _ = scene.takeLog()
        scene.pass(.seconds(580))
        #expect(scene.takeLog() == [])
        scene.pass(.seconds(40))
        scene.runUntilIdle()
        #expect(scene.takeLog() == ["fetch P1", "given up P1"], "it is known already")
    }

    @Test(
        "a photo that is refused again and again is given up after its tries, and another connection tries anew"
    )
    func refusals() {
        var scene = CardScene([.ends([.failed(.notNow, "busy")]), .good])
        scene.runUntilIdle()
        let log = scene.takeLog(["fetch P1", "given up"])
        #expect(log == Array(repeating: "fetch P1", count: FetchQueue.mostFailures) + ["given up P1"])
    }

    @Test("a description that is refused is asked for again each second, then left alone with its name")
    func undescribed() {
        var bench = CardBench()
        bench.idle()
        bench.tell(.noticed(.added(CardBench.first)))
        let errand = TransferMachine.Errand.describe(CardBench.first)
        var asked = 1
        while bench.tell(.failed(errand, .notNow, reason: "busy", about: nil)) == "" {
            bench.now += .seconds(1)
            #expect(bench.tell(.timePassed) == "list")
            #expect(bench.machine.idleSince == nil)
            guard bench.tell(.listed([CardBench.first])) == "describe r1", asked < 100 else { break }
            asked += 1
        }
        #expect(asked == 30)
        #expect(bench.actions.compactMap(\.words) == ["journal", "given up object r1"])
        #expect(bench.machine.idleSince != nil)
        // In a later connection the camera is ready.
        bench.tell(.ended(.lost("it hung up")))
        bench.tell(.disconnected)
        bench.tell(.connected(CardBench.later))
        let survey = Survey(offers: [CardBench.offer(1)], references: [CardBench.first], hasCard: true)
        #expect(bench.tell(.surveyed(survey)) == "described object r1, record r1")
    }

    @Test(
        "an old photo that was not ready when it was listed is as old as it was; what is shot meanwhile is new"
    )
    func oldAndNotReady() {
        var bench = CardBench()
        var filter = CaptureFilter()
        filter.taking = TakingRule(since: .max)
        let tethering = ConnectedCamera(camera: CameraID(1), connection: "first", filter: filter)
        bench.tell(.connected(tethering))
        bench.tell(
            .surveyed(Survey(references: [CardBench.first], unreadable: [CardBench.first: "not ready"])))
        bench.tell(.noticed(.added(CardBench.first)))
        bench.tell(.noticed(.added(PhotoReference("r2"))))
        for (number, objection) in [(1, FilterRule.older), (2, nil)] as [(Int, FilterRule?)] {
            bench.tell(.described(PhotoReference("r\(number)"), CardBench.offer(number)))
            let recorded = bench.actions.compactMap { action -> [Sighting]? in
                if case .record(let sightings, _, _) = action { sightings } else { nil }
            }
            #expect(recorded.first?.map(\.objection) == [objection])
        }
    }

    @Test("what was given up and is described after all is told, once")
    func describedAfterAll() {
        var bench = CardBench()
        bench.idle()
        let errand = TransferMachine.Errand.describe(CardBench.first)
        for _ in 0..<2 {
            bench.tell(.noticed(.added(CardBench.first)))
            bench.tell(.failed(errand, .unanswered, reason: "no answer", about: nil))
        }
        #expect(bench.tell(.noticed(.added(CardBench.first))) == "describe r1")
        #expect(
            bench.tell(.described(CardBench.first, CardBench.offer(1)))
                == "described object r1, record r1 live")
        #expect(bench.tell(.noticed(.changed(CardBench.first))) == "describe r1")
        #expect(bench.tell(.described(CardBench.first, CardBench.offer(1))) == "record r1 live")
    }

    @Test("where only some photos are wanted, what cannot be described is said at once and nothing is listed")
    func onlySome() {
        var bench = CardBench {
            $0.followsCard = false
            $0.only = [PhotoReference("r2"), PhotoReference("r1")]
        }
        #expect(bench.tell(.connected(CardBench.tethering)) == "describe r1")
        let refused = TransferMachine.Errand.describe(CardBench.first)
        let end = bench.tell(.failed(refused, .notNow, reason: "busy", about: nil))
        #expect(end == "journal, given up object r1, describe r2")
        #expect(bench.tell(.described(PhotoReference("r2"), CardBench.offer(2))) == "record r2 live")
        #expect(bench.record(2) == "fetch 2")
        let whole = FetchEnd.whole(Fetched(offer: CardBench.offer(2), size: 100_000))
        #expect(bench.tell(.fetched(CaptureID(2), whole, FetchEffort())) == "finish 2")
        let photo = StagedPhoto(file: "f", size: 100_000, sha256: "")
        #expect(bench.tell(.finished(CaptureID(2), .staged(photo))) == "arrived 2")
        #expect(bench.machine.idleSince == bench.now)
    }

    @Test("a photo that is gone when it is asked for is lost by name, and no trace of it is kept")
    func gone() {
        var scene = CardScene([.ends([.failed(.gone, "gone")]), .good])
        scene.runUntilIdle()
        #expect(
            scene.takeLog(["discard", "1 is", "lost", "arrived"]) == [
                "discard 1", "1 is lost", "lost 1", "arrived P2",
            ])
    }

    @Test("what is missed is settled when everything that is there has been described, and not before")
    func missing() {
        var bench = CardBench()
        bench.tell(.connected(CardBench.tethering))
        var survey = Survey(references: [CardBench.first], hasCard: true)
        survey.unreadable = [CardBench.first: "not ready"]
        #expect(bench.tell(.surveyed(survey)) == "journal, reconciled")
        bench.now += .seconds(1)
        #expect(bench.tell(.timePassed) == "list")
        #expect(bench.tell(.listed([CardBench.first])) == "describe r1")
        #expect(bench.tell(.described(CardBench.first, CardBench.offer(1))) == "record r1 live")
        #expect(bench.record(1) == "settle missing, fetch 1")
    }

    @Test(
        "there is nothing to do only when the camera's list says so; one that gives none is asked three times"
    )
    func noList() {
        var bench = CardBench()
        bench.tell(.connected(CardBench.tethering))
        #expect(bench.tell(.surveyed(Survey())) == "settle missing, reconciled, list")
        for number in 1...3 {
            #expect(bench.machine.idleSince == nil)
            bench.tell(.failed(.list, .notNow, reason: "busy", about: nil))
            guard number < 3 else { break }
            bench.now += .seconds(1)
            #expect(bench.tell(.timePassed) == "list")
        }
        #expect(bench.machine.idleSince == bench.now)
    }

    @Test("comparing the list now and then is not work, and a camera that goes then left nothing")
    func idleMeanwhile() {
        var bench = CardBench()
        bench.idle()
        let began = bench.now
        bench.now += .seconds(10)
        #expect(bench.tell(.timePassed) == "list")
        #expect(bench.machine.idleSince == began)
        bench.tell(.listed([]))
        #expect(bench.machine.idleSince == began)
        bench.tell(.ended(.lost("it hung up")))
        bench.tell(.disconnected)
        #expect(bench.machine.idleSince == nil && bench.machine.hadNothingLeft)
        bench.tell(.connected(CardBench.later))
        #expect(!bench.machine.hadNothingLeft)
    }

    @Test("a camera that goes while there is nothing to do sleeps; one that goes over something is lost")
    func asleep() {
        var idle = CardBench()
        idle.idle()
        idle.tell(.ended(.lost("it hung up")))
        #expect(idle.actions.contains(.endConnection(.asleep("it hung up"))))
        var named = CardBench()
        named.idle()
        named.tell(.ended(.lost("it hung up"), whenIdle: "it sleeps: press its shutter"))
        #expect(named.actions.contains(.endConnection(.asleep("it sleeps: press its shutter"))))
        var busy = CardBench()
        busy.tell(.connected(CardBench.tethering))
        busy.tell(.noticed(.cardsChanged))
        busy.tell(.surveyed(Survey()))
        busy.tell(.ended(.lost("it hung up"), whenIdle: "it sleeps: press its shutter"))
        #expect(busy.actions.contains(.endConnection(.lost("it hung up"))))
    }
}
