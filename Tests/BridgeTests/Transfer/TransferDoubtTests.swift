import Bridge
import TestSupport
import Testing

/// Sizes that lie, foreign first bytes, files that are cut short: asked for once more, kept, marked, never deleted.
@Suite struct TransferDoubtTests {
    private static func disputed(_ size: UInt64) -> FetchEnd {
        var fetched = Fetched(offer: CardBench.offer(1), size: size)
        fetched.isDisputed = true
        return .whole(fetched)
    }

    private static func differs(_ received: UInt64) -> FetchEnd {
        .sizeDiffers(received: received, claimed: 100_000)
    }

    @Test("a count that disagrees with the camera's word is believed only when it comes twice")
    func sizeDisputed() {
        var scene = CardScene([.ends([Self.differs(90_000), Self.differs(80_000), Self.disputed(80_000)])])
        scene.runUntilIdle()
        #expect(scene.orders.map(\.believes) == [nil, 90_000, 80_000])
        #expect(scene.finishOrders.map(\.accepts) == [[.size]])
        #expect(scene.finishOrders.allSatisfy { $0.checksStructure && $0.size == 80_000 })
        #expect(scene.rows["P1.JPG"]?.state == .staged)
    }

    @Test("a count that is another one each time is nothing to believe")
    func neverTheSame() {
        var scene = CardScene([.ends((1...20).map { Self.differs(UInt64($0)) })])
        scene.runUntilIdle()
        #expect(scene.orders.map(\.believes) == [nil, 1, 2, 3, 4, 5, 6, 7])
        #expect(scene.rows["P1.JPG"]?.state == .abandoned)
        #expect(scene.reasons["P1"] == "8 bytes came, the camera names 100000")
    }

    @Test("a photo that does not begin like its kind is asked for once more, then kept")
    func foreign() {
        let end = FinishEnd.foreignBeginning("begins like a PNG, not like a JPEG")
        var scene = CardScene([.finishes([end])])
        scene.runUntilIdle()
        #expect(scene.takeLog() == ["fetch P1", "fetch P1", "arrived P1"])
        #expect(scene.finishOrders.map(\.accepts) == [[], [.beginning]])
    }

    @Test(
        "a photo that its own structure says is cut short is brought from its first byte once more, then kept"
    )
    func cutShort() {
        var scene = CardScene([.finishes([.cutShort("no end of image")])])
        scene.runUntilIdle()
        #expect(scene.orders.map(\.startsOver) == [false, true])
        #expect(scene.orders.map(\.doubtsSize) == [false, true], "its size may be what is wrong")
        #expect(scene.finishOrders.map(\.accepts) == [[], [.structure]])
        #expect(scene.rows["P1.JPG"]?.state == .staged)
    }

    @Test("two witnesses against it: another size than named, and a structure that misses its end")
    func twoWitnesses() {
        var bench = CardBench()
        bench.meet(1...1)
        bench.tell(.fetched(CaptureID(1), Self.disputed(80_000), FetchEffort()))
        bench.tell(.finished(CaptureID(1), .cutShort("no end of image")))
        bench.now += .seconds(1)
        #expect(bench.tell(.timePassed) == "fetch 1")
        bench.tell(.fetched(CaptureID(1), Self.disputed(80_000), FetchEffort()))
        guard case .finish(let order) = bench.actions.first else { return #expect(Bool(false), "a finish") }
        #expect(order.accepts == [.size], "its structure is not passed over")
    }

    @Test("what is doubtful is never deleted from the card, while its neighbours are")
    func neverDeleted() {
        let foreign = FinishEnd.foreignBeginning("begins like a PNG")
        var scene = CardScene([
            .finishes([foreign]), .finishes([.cutShort("no end")]),
            .ends([Self.differs(90_000), Self.disputed(90_000)]), .good,
        ]) { $0.deletesFromCard = true }
        scene.isDelivered = true
        scene.runUntilIdle()
        scene.pass(.seconds(60))
        #expect(scene.rows.values.allSatisfy { $0.state == .staged })
        #expect(scene.photos.map(\.isOnCard) == [true, true, true, false])
    }

    @Test(
        "a size of nothing, or of all 32 bits, is unknown: asked about a few times, then fetched",
        arguments: [UInt64(0), UInt64(UInt32.max)])
    func unknownSize(_ size: UInt64) {
        var scene = CardScene([])
        scene.add(1, offer: CardBench.offer(1, size: size))
        scene.runUntilIdle()
        let log = scene.takeLog(["describe", "fetch", "arrived"])
        #expect(log == Array(repeating: "describe r1", count: 5) + ["fetch P1", "arrived P1"])
        // "Up to a second": between the questions there is more than that altogether.
        #expect(scene.bench.now >= .seconds(1001))
        #expect(scene.finishOrders.map(\.checksStructure) == [true])
    }

    @Test("a size that comes with a later question is the size")
    func sizeComes() {
        var bench = CardBench()
        var unsized = CardBench.sighting(1)
        unsized.offer.identity.size = 0
        #expect(bench.meet([unsized], [CardBench.capture(1)]) == "describe r1")
        #expect(bench.tell(.described(CardBench.first, CardBench.offer(1))) == "record r1 live")
        #expect(bench.record(1) == "fetch 1")
        guard case .fetch(let order) = bench.actions.first else { return #expect(Bool(false), "a fetch") }
        #expect(order.offer.identity.size == 100_000)
    }

    @Test("a file without a byte is asked for once more, told once, and does not come again")
    func empty() {
        var scene = CardScene([.ends([.empty]), .good])
        scene.runUntilIdle()
        for _ in 0..<3 {
            scene.disconnect()
            scene.runUntilIdle()
            scene.pass(.seconds(120))
        }
        #expect(scene.takeLog(["fetch P1", "empty"]) == ["fetch P1", "fetch P1", "empty 1"])
        #expect(scene.rows["P1.JPG"]?.state == .filtered && scene.rows["P2.JPG"]?.state == .staged)
    }

    @Test(
        "what does not fit what was kept is brought from its first byte, and so is what cannot be gone on with"
    )
    func startsOver() {
        let whole = FetchEnd.whole(Fetched(offer: CardBench.offer(1), size: 100_000))
        for first in [FetchEnd.seamDiffers("other bytes"), .failed(.startOver, "no parts")] {
            var scene = CardScene([.ends([first, whole])])
            scene.runUntilIdle()
            #expect(scene.orders.map(\.startsOver) == [false, true])
            #expect(scene.takeLog() == ["fetch P1", "fetch P1", "arrived P1"])
        }
    }

    @Test(
        "parts and unknown sizes are checked against the file's own structure, a whole of the named size is not"
    )
    func structure() {
        var parts = Fetched(offer: CardBench.offer(1), size: 100_000)
        parts.cameInParts = true
        for (fetched, isChecked) in [
            (parts, true), (Fetched(offer: CardBench.offer(1), size: 100_000), false),
        ] {
            var scene = CardScene([.ends([.whole(fetched)])])
            scene.runUntilIdle()
            #expect(scene.finishOrders.map(\.checksStructure) == [isChecked])
        }
    }

    @Test("what lay in a body's memory is kept whatever speaks against it: there is no second time")
    func inMemory() {
        var fetched = Fetched(offer: CardBench.offer(1, inMemory: true), size: 80_000)
        fetched.isDisputed = true
        var scene = CardScene([.ends([.whole(fetched)])])
        scene.runUntilIdle()
        #expect(scene.finishOrders.map(\.accepts) == [[.beginning, .size, .structure]])
    }
}
