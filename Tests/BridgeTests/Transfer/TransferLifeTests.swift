import Bridge
import TestSupport
import Testing

/// When a camera is asked whether it is there.
@Suite struct TransferLifeTests {
    private static let tethering = ConnectedCamera(
        camera: CameraID(1), connection: "first", canDelete: true, keepAliveEvery: .seconds(5))

    private func idle() -> CardBench {
        var bench = CardBench()
        bench.tell(.connected(Self.tethering))
        bench.tell(.surveyed(Survey()))
        bench.tell(.listed([]))
        #expect(bench.machine.shown == .idle)
        return bench
    }

    private func failed(_ errand: TransferMachine.Errand, _ trouble: FailureImpact)
        -> TransferMachine.Happening
    {
        .failed(errand, trouble, reason: "no answer", about: nil)
    }

    @Test("the five seconds begin with the answer, however long that took")
    func sinceAnswer() {
        var bench = idle()
        bench.now += .seconds(5)
        #expect(bench.tell(.timePassed) == "keep alive")
        bench.now += .seconds(3)
        bench.tell(.done(.keepAlive))
        #expect(bench.machine.nextDeadline == bench.now + .seconds(2), "the list is due")
        bench.now += .seconds(2)
        #expect(bench.tell(.timePassed) == "list")
        bench.now += .seconds(4)
        bench.tell(.listed([]))
        #expect(bench.machine.nextDeadline == bench.now + .seconds(5))
    }

    @Test("a camera that has not answered is asked that before anything else, and then goes on")
    func first() {
        var bench = idle()
        bench.tell(.noticed(.added(PhotoReference("r1"))))
        #expect(bench.machine.errand == .describe(PhotoReference("r1")))
        bench.tell(.noticed(.added(PhotoReference("r2"))))
        #expect(
            bench.tell(failed(.describe(PhotoReference("r1")), .unanswered)).contains("keep alive"))
        #expect(bench.machine.errand == .keepAlive)
        #expect(bench.tell(.done(.keepAlive)) == "describe r2")
    }

    @Test("asked twice in vain it is gone, and a list, or nothing, was to blame: no photo is charged")
    func gone() {
        var bench = idle()
        bench.now += .seconds(10)
        #expect(bench.tell(.timePassed) == "list")
        bench.now += .seconds(20)
        #expect(bench.tell(failed(.list, .unanswered)) == "keep alive")
        bench.now += .seconds(9)
        let loss = ConnectionLife.Loss.lost("it said nothing for 29 s.")
        #expect(bench.tell(failed(.keepAlive, .connectionOver(loss, mayBeItsDoing: true))) == "end")
        #expect(bench.machine.phase == .leaving)
    }

    @Test("what was asked before the question is charged with the end of the connection")
    func blame() {
        var bench = idle()
        let first = PhotoReference("r1")
        bench.tell(.noticed(.added(first)))
        bench.tell(
            .failed(.describe(first), .unanswered, reason: "no answer", about: ListedPlace(first)))
        let loss = ConnectionLife.Loss.lost("it said nothing for 19 s.")
        bench.tell(failed(.keepAlive, .connectionOver(loss, mayBeItsDoing: true)))
        bench.tell(.disconnected)
        // It is among those that are asked for last then.
        bench.tell(.connected(Self.tethering))
        let wishes = bench.actions.compactMap { action -> SurveyOptions? in
            if case .survey(let wish) = action { wish } else { nil }
        }
        #expect(wishes.map(\.puttingOff) == [[first]])
    }

    @Test("a camera that takes a minute for each list has a minute for photos behind each")
    func slowLists() {
        var bench = CardBench()
        bench.tell(.connected(Self.tethering))
        bench.now += .seconds(60)
        let surveyed = bench.now
        let offers = [CardBench.offer(1), CardBench.offer(2)]
        var survey = Survey(offers: offers, references: Set(offers.map(\.reference)), hasCard: true)
        survey.listTook = .seconds(60)
        bench.tell(.surveyed(survey))
        let sightings = [CardBench.sighting(1), CardBench.sighting(2)]
        let captures = [CardBench.capture(1), CardBench.capture(2)]
        let words = bench.tell(.recorded(sightings, captures, Self.tethering, isLive: false))
        #expect(words.hasSuffix("fetch 1"), "the list is not due again at once")
        bench.now = surveyed + .milliseconds(59_999)
        let whole = Fetched(offer: offers[0], size: 100_000)
        #expect(bench.tell(.fetched(CaptureID(1), .whole(whole), FetchEffort())).hasSuffix("fetch 2"))
        bench.now = surveyed + .seconds(61)
        let second = Fetched(offer: offers[1], size: 100_000)
        #expect(bench.tell(.fetched(CaptureID(2), .whole(second), FetchEffort())).hasSuffix("list"))
        bench.now += .seconds(30)
        bench.tell(.listed(Set(offers.map(\.reference))))
        #expect(bench.machine.errand == nil)
        // It is quick again.
        bench.now += .seconds(30)
        #expect(bench.tell(.timePassed) == "list")
        bench.tell(.listed(Set(offers.map(\.reference))))
        bench.now += .seconds(10)
        #expect(bench.tell(.timePassed).contains("list"))
    }

    @Test("minutes in which a card was described are none that its list took")
    func slowDescriptions() {
        var bench = CardBench()
        bench.tell(.connected(Self.tethering))
        bench.now += .seconds(300)
        let offers = [CardBench.offer(1), CardBench.offer(2)]
        var survey = Survey(offers: offers, references: Set(offers.map(\.reference)), hasCard: true)
        survey.listTook = .seconds(11)
        bench.tell(.surveyed(survey))
        let sightings = [CardBench.sighting(1), CardBench.sighting(2)]
        let captures = [CardBench.capture(1), CardBench.capture(2)]
        let words = bench.tell(.recorded(sightings, captures, Self.tethering, isLive: false))
        #expect(words.hasSuffix("fetch 1"))
        bench.now += .seconds(12)
        let whole = Fetched(offer: offers[0], size: 100_000)
        #expect(bench.tell(.fetched(CaptureID(1), .whole(whole), FetchEffort())).hasSuffix("list"))
    }

    @Test("a camera that answers that late, and never in time, is slow: something else is asked of it, too")
    func slow() {
        var bench = idle()
        bench.now += .seconds(10)
        #expect(bench.tell(.timePassed) == "list")
        #expect(bench.tell(failed(.list, .unanswered)) == "keep alive")
        bench.tell(.noticed(.added(PhotoReference("r1"))))
        #expect(bench.tell(failed(.keepAlive, .unanswered)) == "keep alive")
        #expect(bench.tell(failed(.keepAlive, .unanswered)) == "describe r1")
    }

    @Test("a body that wants to hear nothing is asked nothing of the kind")
    func notWanted() {
        var bench = CardBench()
        bench.tell(.connected(CardBench.tethering))
        bench.tell(.surveyed(Survey()))
        bench.tell(.listed([]))
        bench.now += .seconds(10)
        bench.tell(.timePassed)
        #expect(bench.tell(failed(.list, .unanswered)) == "")
    }
}
