import Bridge
import Testing

/// Cameras that give their photos one after the other: what is not wanted stands before what is.
@Suite struct TransferHandingOverTests {
    private static func tethering(handsOver: Bool) -> ConnectedCamera {
        ConnectedCamera(camera: CameraID(1), connection: "first", handsOver: handsOver)
    }

    /// One photo in memory is told and described, and the filter passes it over. Gives what comes then.
    private func passedOver(
        handsOver: Bool, inMemory: Bool = true, isOnlyCopy: Bool = false, by rule: FilterRule = .kind
    ) -> String {
        var bench = CardBench()
        let tethering = Self.tethering(handsOver: handsOver)
        for happening: TransferMachine.Happening in [
            .connected(tethering), .surveyed(Survey()), .listed([]), .noticed(.added(CardBench.first)),
        ] { bench.tell(happening) }
        var offer = CardBench.offer(1, inMemory: inMemory)
        offer.isOnlyCopy = isOnlyCopy
        bench.tell(.described(CardBench.first, offer))
        let sighting = Sighting(offer: offer, objection: rule)
        let filtered = CardBench.capture(1, .filtered)
        return bench.tell(.recorded([sighting], [filtered], tethering, isLive: true))
    }

    @Test("what is not wanted is released, so that the next one can come")
    func released() {
        #expect(passedOver(handsOver: true).hasSuffix("release 1"))
    }

    @Test("a camera that lists what it has keeps what is not wanted, in memory or on its card")
    func kept() {
        #expect(!passedOver(handsOver: false).contains("release"))
        #expect(!passedOver(handsOver: true, inMemory: false).contains("release"))
    }

    @Test(
        "the only copy of what is shot after the event was closed stays in the camera; with another copy it is released"
    )
    func closed() {
        #expect(!passedOver(handsOver: true, isOnlyCopy: true, by: .outside).contains("release"))
        #expect(passedOver(handsOver: true, isOnlyCopy: false, by: .outside).hasSuffix("release 1"))
        #expect(passedOver(handsOver: true, isOnlyCopy: true, by: .declined).hasSuffix("release 1"))
    }

    // MARK: What is not to be had

    /// A photo that each fetch of ends like this, until it is fetched once more after that was given up. How long that
    /// took, and what was said and asked on the way.
    private func untilAskedAgain(
        _ tethering: ConnectedCamera, _ offer: Offer, fetches end: FetchEnd
    ) -> (pause: Duration, log: [String]) {
        var bench = CardBench()
        for happening: TransferMachine.Happening in [
            .connected(tethering), .surveyed(Survey()), .listed([]), .noticed(.added(offer.reference)),
        ] { bench.tell(happening) }
        let capture = CardBench.capture(1)
        let row = TransferMachine.Happening.recorded(
            [Sighting(offer: offer, objection: nil)], [capture], tethering, isLive: true)
        bench.tell(.described(offer.reference, offer))
        var words = bench.tell(row)
        var log = [words]
        var givenUp: Duration?
        for _ in 0..<10_000 {
            if words.contains("fetch 1") {
                if let givenUp { return (bench.now - givenUp, log) }
                words = bench.tell(.fetched(capture.id, end, FetchEffort()))
            } else if words.contains("describe") {
                words = bench.tell(.described(offer.reference, offer))
            } else if words.contains("record") {
                words = bench.tell(row)
            } else if words.contains("list") {
                words = bench.tell(.listed([offer.reference]))
            } else if words.contains("release 1") {
                return (.zero, log + [words])
            } else {
                guard let next = bench.machine.nextDeadline else { break }
                bench.now = max(bench.now, next)
                words = bench.tell(.timePassed)
            }
            log.append(words)
            if words.contains("given up") { givenUp = givenUp ?? bench.now }
        }
        return (.seconds(100_000), log)
    }

    @Test("a photo that is refused again and again does not keep those behind it waiting for minutes")
    func refused() {
        let refused = FetchEnd.failed(.notNow, "refused")
        let offer = CardBench.offer(1, inMemory: true)
        let (pause, log) = untilAskedAgain(Self.tethering(handsOver: true), offer, fetches: refused)
        #expect(pause <= .seconds(10), "\(pause) \(log)")
        let (long, _) = untilAskedAgain(
            Self.tethering(handsOver: false), CardBench.offer(1), fetches: refused)
        #expect(long >= .seconds(60))
    }

    @Test("a photo without a byte in it is let go of")
    func empty() {
        let offer = CardBench.offer(1, inMemory: true)
        let (_, log) = untilAskedAgain(Self.tethering(handsOver: true), offer, fetches: .empty)
        #expect(log.last?.contains("release 1") == true, "\(log)")
    }

    @Test("what lies on a card and has to be released is released when it is here, and stays known")
    func releasedOnCard() {
        var bench = CardBench()
        let tethering = Self.tethering(handsOver: true)
        var offer = CardBench.offer(1)
        offer.wantsRelease = true
        for happening: TransferMachine.Happening in [
            .connected(tethering), .surveyed(Survey()), .listed([]), .noticed(.added(CardBench.first)),
            .described(CardBench.first, offer),
            .recorded(
                [Sighting(offer: offer, objection: nil)], [CardBench.capture(1)], tethering, isLive: true),
            .fetched(CaptureID(1), .whole(Fetched(offer: offer, size: 100_000)), FetchEffort()),
        ] { bench.tell(happening) }
        let photo = StagedPhoto(file: "f", size: 100_000, sha256: "", doubts: [])
        #expect(bench.tell(.finished(CaptureID(1), .staged(photo))).contains("release 1"))
        bench.tell(.done(.release(CaptureID(1), offer)))
        #expect(!bench.tell(.listed([CardBench.first])).contains("describe"))
    }

    // MARK: The only copy

    /// What is written of a photo that is not selected.
    private func sighted(
        _ change: (inout CaptureFilter) -> Void, isOnlyCopy: Bool
    ) -> (FilterRule?, said: [String]) {
        var bench = CardBench()
        var tethering = Self.tethering(handsOver: true)
        change(&tethering.filter)
        for happening: TransferMachine.Happening in [
            .connected(tethering), .surveyed(Survey()), .listed([]), .noticed(.added(CardBench.first)),
        ] { bench.tell(happening) }
        var offer = CardBench.offer(1, inMemory: true)
        offer.isOnlyCopy = isOnlyCopy
        bench.tell(.described(CardBench.first, offer))
        let sightings = bench.actions.flatMap { action -> [Sighting] in
            if case .record(let sightings, _, _) = action { sightings } else { [] }
        }
        guard let sighting = sightings.first else { return (nil, []) }
        var capture = CardBench.capture(1, sighting.objection == nil ? .announced : .filtered)
        capture.isNew = true
        bench.tell(.recorded([sighting], [capture], tethering, isLive: true))
        let said = bench.actions.compactMap { action -> String? in
            if case .report(.remark(let sentence)) = action { sentence } else { nil }
        }
        return (sighting.objection, said)
    }

    @Test("the only copy of a photo is taken, whatever is selected; what a card holds as well is passed over")
    func onlyCopy() {
        let (taken, said) = sighted({ $0.kinds = .raw }, isOnlyCopy: true)
        #expect(taken == nil && said.count == 1)
        #expect(said.first?.contains("P1.JPG") == true && said.first?.contains("taken all the same") == true)
        let (passedOver, nothing) = sighted({ $0.kinds = .raw }, isOnlyCopy: false)
        #expect(passedOver == .kind && nothing.isEmpty)
        #expect(sighted({ _ in }, isOnlyCopy: true).said.isEmpty, "it is selected")
    }

    @Test(
        "what does not belong to the event is passed over, and where its only copy stays is said")
    func notOfTheEvent() {
        let (rule, said) = sighted({ $0.taking.isOpen = false }, isOnlyCopy: true)
        #expect(rule == .outside)
        #expect(
            said.first?.contains("P1.JPG") == true
                && said.first?.contains("stays in the camera's memory") == true)
    }
}
