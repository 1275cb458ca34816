import Bridge
import Testing

/// Lists that other callers ask for, and what is under way then.
@Suite struct TransferListsForOthersTests {
    private static let seventh = PhotoReference("r7")
    private static let whole = TransferMachine.Happening.fetched(
        CaptureID(1), .whole(Fetched(offer: CardBench.offer(1), size: 100_000)), FetchEffort())
    private static let staged = TransferMachine.Happening.finished(
        CaptureID(1), .staged(StagedPhoto(file: "f", size: 100_000, sha256: "")))

    @Test("callers who want to know what is on the card share one survey")
    func surveyWanted() {
        var bench = CardBench()
        bench.meet(1...1)
        bench.tell(.surveyWanted)
        bench.tell(.surveyWanted)
        #expect(bench.tell(Self.whole) == "finish 1, survey for others")
        #expect(bench.tell(.listedForOthers([CardBench.first])) == "the list is told")
    }

    @Test(
        "what was shot in the moment in which others ask is under way from then on, and not what was passed over"
    )
    func shotMeanwhile() {
        var bench = CardBench()
        bench.meet(1...2)
        bench.tell(.surveyWanted)
        bench.tell(Self.whole)
        let listed = TransferMachine.Happening.listedForOthers([CardBench.first, Self.seventh])
        #expect(bench.tell(listed) == "the list is told, under way: r7, describe r7")
        // Not ready yet, and asked again.
        bench.tell(.surveyWanted)
        bench.tell(.failed(.describe(Self.seventh), .notNow, reason: "busy", about: nil))
        #expect(bench.tell(listed) == "the list is told, under way: r7, fetch 2")
    }

    @Test("what was shot while others ask is under way until the ledger has its row")
    func rowIsBeingWritten() {
        var bench = CardBench()
        bench.meet(1...1)
        bench.tell(.surveyWanted)
        bench.tell(Self.whole)
        let listed = TransferMachine.Happening.listedForOthers([CardBench.first, Self.seventh])
        #expect(bench.tell(listed) == "the list is told, under way: r7, describe r7")
        #expect(bench.tell(.described(Self.seventh, CardBench.offer(7))) == "record r7 live")
        #expect(bench.tell(.surveyWanted) == "survey for others")
        #expect(bench.tell(listed) == "the list is told, under way: r7")
        #expect(bench.tell(.surveyWanted) == "survey for others")
        #expect(bench.record(7) == "")
        #expect(bench.tell(listed) == "the list is told, fetch 7")
    }

    @Test("what was under way in a connection that is over is under way in no other")
    func underWayAndOver() {
        var bench = CardBench()
        bench.meet(1...1)
        bench.tell(.surveyWanted)
        bench.tell(Self.whole)
        let listed = TransferMachine.Happening.listedForOthers([CardBench.first, Self.seventh])
        #expect(bench.tell(listed) == "the list is told, under way: r7, describe r7")
        bench.tell(Self.staged)
        bench.tell(.surveyWanted)
        bench.tell(.ended(CardBench.cut))
        bench.tell(.disconnected)
        #expect(bench.tell(listed) == "", "its list is told to no caller any more")
        let rows = [1, 7].map { (CardBench.sighting($0), CardBench.capture($0, .staged)) }
        #expect(bench.meet(rows.map(\.0), rows.map(\.1), CardBench.later) == "list")
        bench.tell(.listed([CardBench.first, Self.seventh]))
        #expect(bench.tell(.surveyWanted) == "survey for others")
        #expect(bench.tell(listed) == "the list is told")
    }
}
