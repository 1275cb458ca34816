import Bridge
import TestSupport
import Testing

/// Photos over which connections end: one among many.
@Suite struct TransferBlameTests {
    private static let shown = ["connected", "fetch", "suspected", "given up"]

    @Test("a photo that ends connections goes behind the others, then last, then to the operator")
    func poison() {
        var scene = CardScene([.endsConnection(at: 0), .good, .good, .good, .good])
        scene.runUntilIdle()
        #expect(
            scene.takeLog(Self.shown) == [
                "connected", "fetch P1", "connected", "fetch P2", "fetch P3", "fetch P4", "fetch P5",
                "fetch P1",
                "suspected P1", "connected", "fetch P1", "given up P1", "connected",
            ])
        #expect(scene.rows.values.count { $0.state == .staged } == 4)
        let reason = scene.reasons["P1"] ?? ""
        #expect(reason.contains("3 connections") && reason.contains("it hung up"))
    }

    @Test("what is shot later goes before the suspect as well")
    func shotLater() {
        var scene = CardScene([.endsConnection(at: 0), .good])
        // The third connection begins with the sixth question.
        scene.shotLater = [(6, 3)]
        scene.runUntilIdle()
        #expect(
            scene.takeLog(["fetch", "given up"]) == [
                "fetch P1", "fetch P2", "fetch P1", "fetch P3", "fetch P1", "given up P1",
            ])
    }

    @Test(
        "a camera may pause for long in the last photo, and not while others wait or where it has cost connections"
    )
    func timeout() {
        var scene = CardScene([.endsConnection(at: 0), .good])
        scene.describing = .milliseconds(20)
        scene.runUntilIdle()
        #expect(scene.orders.map(\.capture.id.number) == [1, 2, 1, 1])
        let short = Duration.seconds(6)
        #expect(scene.orders.map(\.timeout) == [short, nil, short, short])
    }

    @Test(
        "where photos come fast a pause is known as one sooner: fifty times what the slowest took, 300 ms at least",
        arguments: [(5, 300), (40, 2000), (90, 4500), (2000, 6000)])
    func timeoutFollowsPace(slowest: Int, timeout: Int) {
        var scene = CardScene([.good, .good, .good])
        scene.describing = .milliseconds(20)
        scene.pace = [.milliseconds(slowest), .milliseconds(1)]
        scene.runUntilIdle()
        #expect(scene.orders.map(\.timeout) == [.seconds(6), .milliseconds(timeout), nil])
    }

    @Test(
        "before the first photo, what the list took tells the pace",
        arguments: [(0, 300), (2, 1000), (4, 2000), (11, 5500), (100, 6000)])
    func timeoutBeforeFirst(describing: Int, timeout: Int) {
        var scene = CardScene([.good, .good])
        scene.describing = .milliseconds(describing)
        scene.runUntilIdle()
        #expect(scene.orders.first?.timeout == .milliseconds(timeout))
    }

    @Test("where a photo that cost a connection comes whole after all, longer pauses are waited for")
    func pausesOfThisBody() {
        var scene = CardScene([.endsConnection(at: 50_000, times: 1), .good, .good])
        scene.pace = Array(repeating: .milliseconds(1), count: 10)
        scene.runUntilIdle()
        #expect(scene.orders.map(\.capture.id.number) == [1, 1, 2, 3])
        #expect(
            scene.orders.map(\.timeout) == [.milliseconds(300), .milliseconds(300), .milliseconds(600), nil])
    }

    @Test("a connection that ends after a whole photo is charged to no photo")
    func endsBehindPhoto() {
        var bench = CardBench()
        bench.meet(1...2)
        bench.tell(.ended(.lost("it hung up")))
        let whole = FetchEnd.whole(Fetched(offer: CardBench.offer(1), size: 100_000))
        #expect(bench.tell(.fetched(CaptureID(1), whole, FetchEffort())) == "finish 1, end")
        #expect(bench.machine.phase == .leaving)
    }

    @Test("telling the same again and again is no progress")
    func noProgress() {
        var scene = CardScene([.good])
        scene.runUntilIdle()
        let before = scene.machine.progress
        for _ in 0..<5 {
            scene.tell(.noticed(.changed(CardBench.first)))
            scene.runUntilIdle()
        }
        #expect(scene.takeLog(["describe"]).count == 5)
        #expect(scene.machine.progress == before)
    }

    @Test("a suspect waits also for those that are not ready yet")
    func notReady() {
        let refused = FetchEnd.failed(.notNow, "busy")
        let whole = FetchEnd.whole(Fetched(offer: CardBench.offer(2), size: 100_000))
        var scene = CardScene([.endsConnection(at: 0), .ends([refused, refused, refused, whole])])
        scene.runUntilIdle()
        #expect(
            scene.takeLog(["connected", "fetch", "arrived"]) == [
                "connected", "fetch P1", "connected", "fetch P2", "fetch P1", "connected", "fetch P2",
                "fetch P2",
                "fetch P2", "fetch P1", "arrived P2", "connected",
            ])
    }

    @Test("where nothing else is there to arrive it may be the network: five tries, and then the operator")
    func alone() {
        var scene = CardScene([.endsConnection(at: 0)])
        scene.runUntilIdle()
        let log = scene.takeLog(["fetch", "given up"])
        #expect(log == Array(repeating: "fetch P1", count: 5) + ["given up P1"])
        #expect(scene.connections == 6)
    }

    @Test(
        "a photo of which more comes each time is on a bad link, and goes on",
        arguments: [(UInt64(4096), true), (4095, false)])
    func badLink(further: UInt64, arrives: Bool) {
        var scene = CardScene([.endsConnection(at: further, further: further, times: 7)])
        scene.runUntilIdle()
        let log = scene.takeLog(["fetch", "suspected", "given up", "arrived"])
        if arrives {
            #expect(log == Array(repeating: "fetch P1", count: 8) + ["arrived P1"])
        } else {
            #expect(log.last == "given up P1")
        }
    }

    @Test("a list that dies at one object is continued past it, and the object comes last")
    func listing() {
        var scene = CardScene([.good, .endsConnectionUndescribed, .good, .good])
        scene.runUntilIdle()
        #expect(
            scene.takeLog(Self.shown + ["describe"]) == [
                "connected", "connected", "fetch P1", "fetch P3", "fetch P4", "describe r2",
                "suspected object r2",
                "connected", "describe r2", "given up object r2", "connected",
            ])
        #expect(scene.rows.values.count { $0.state == .staged } == 3)
    }

    @Test("a list that dies at one object is continued past it also where each connection has other names")
    func renamedListing() {
        var scene = CardScene([.good, .endsConnectionUndescribed, .good])
        scene.renames = true
        scene.runUntilIdle()
        // Twice to see that it is the place, once for each of three names that it may be asked by.
        #expect(scene.connections <= 2 + 3 + 1)
        let log = scene.takeLog(["connected", "fetch", "given up"])
        #expect(Array(log.prefix(5)) == ["connected", "connected", "connected", "fetch P1", "fetch P3"])
        #expect(log.contains { $0.hasPrefix("given up object") })
    }

    @Test("a photo that is never answered for is charged with the connection that ends at the next question")
    func unanswered() {
        var scene = CardScene([.silent, .good, .good])
        scene.runUntilIdle()
        #expect(
            scene.takeLog(Self.shown) == [
                "connected", "fetch P1", "connected", "fetch P2", "fetch P3", "fetch P1", "suspected P1",
                "connected",
                "fetch P1", "given up P1", "connected",
            ])
        #expect(
            scene.costs == [CaptureID(1): scene.costs[CaptureID(1)] ?? .none], "no other photo is charged")
    }

    @Test("an object that is never answered for is charged, and not the photo that was asked for next")
    func unansweredObject() {
        var bench = CardBench()
        bench.tell(.connected(CardBench.tethering))
        bench.tell(.surveyWanted)
        bench.tell(
            .surveyed(Survey(offers: [CardBench.offer(1)], references: [CardBench.first], hasCard: true)))
        let row = ([CardBench.sighting(1)], [CardBench.capture(1)])
        bench.tell(.recorded(row.0, row.1, CardBench.tethering, isLive: false))
        bench.tell(.noticed(.added(PhotoReference("r2"))))
        #expect(bench.tell(.done(.surveyForOthers)) == "describe r2")
        let object = ListedPlace(PhotoReference("r2"))
        let asked = TransferMachine.Errand.describe(object.reference)
        #expect(bench.tell(.failed(asked, .unanswered, reason: "no", about: object)) == "fetch 1")
        let over = FailureImpact.connectionOver(CardBench.cut, mayBeItsDoing: true)
        let end = bench.tell(.fetched(CaptureID(1), .failed(over, "no"), FetchEffort()))
        #expect(end == "end", "no charge for the photo")
        bench.tell(.disconnected)
        bench.tell(.connected(CardBench.later))
        guard case .survey(let wish) = bench.actions.first else { return #expect(Bool(false), "a survey") }
        #expect(wish.puttingOff == [object.reference])
    }

    @Test("a connection that ended for another cause is charged to no photo")
    func notItsDoing() {
        let over = FailureImpact.connectionOver(CardBench.cut, mayBeItsDoing: false)
        for _ in 0..<3 {
            var scene = CardScene([
                .ends(Array(repeating: .failed(over, "cut"), count: 10) + [.empty]), .good,
            ])
            scene.runUntilIdle()
            let fetched = scene.log.filter { $0.hasPrefix("fetch") }
            #expect(
                fetched.prefix(3) == ["fetch P1", "fetch P2", "fetch P1"], "the others do not wait for it")
            let log = scene.takeLog(["suspected", "given up", "arrived"])
            #expect(scene.costs.isEmpty && log == ["arrived P2"])
            #expect(scene.connections == 11)
        }
    }

    @Test("connections, bytes and time are counted for each photo over all connections, and kept")
    func cost() {
        var scene = CardScene([.endsConnection(at: 0), .good])
        scene.runUntilIdle()
        // Three tries of 1000 bytes and two seconds each.
        #expect(
            scene.costs == [CaptureID(1): FailedFetchCost(connections: 3, bytes: 3000, time: .seconds(6))])
        // The next run remembers: the suspect is last from the beginning.
        var next = CardScene([.endsConnection(at: 0), .good])
        next.costs = scene.costs
        next.rows = ["P1.JPG": (CaptureID(1), .announced)]
        next.runUntilIdle()
        #expect(next.takeLog(["fetch", "given up"]) == ["fetch P2", "fetch P1", "given up P1"])
    }

    @Test("connecting again is no progress, nor is the same again")
    func progress() {
        var scene = CardScene([.good, .good])
        scene.runUntilIdle()
        let whole = scene.machine.progress
        #expect(whole >= 2)
        for _ in 0..<5 {
            scene.disconnect()
            scene.runUntilIdle()
            #expect(scene.machine.progress == whole)
        }
        var poisoned = CardScene([.endsConnection(at: 50_000)])
        poisoned.connect()
        poisoned.work()
        let first = poisoned.machine.progress
        #expect(first > 0, "bytes that never were here before are progress")
        for _ in 0..<4 {
            poisoned.connect()
            poisoned.work()
            #expect(poisoned.machine.progress == first)
        }
    }
}
