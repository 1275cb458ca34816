import Bridge
import Testing

/// Voice memos and sidecars: what is taken of them hangs on their photo.
@Suite struct CompanionTests {
    private static func offer(
        _ number: Int, _ name: String, folder: String = "100", _ change: (inout Offer) -> Void = { _ in }
    ) -> Offer {
        let identity = PhotoIdentity(
            manufacturer: "a", model: "b", body: "c", slot: 1, folders: [folder], name: name, size: 5000,
            captureDate: "20261121T120000", format: name.hasSuffix("WAV") ? 0x3008 : 0x3000)
        var offer = Offer(identity: identity, reference: PhotoReference("r\(number)"))
        change(&offer)
        return offer
    }

    private static func tethering(_ change: (inout CaptureFilter) -> Void) -> ConnectedCamera {
        var filter = CaptureFilter()
        change(&filter)
        return ConnectedCamera(camera: CameraID(1), connection: "first", filter: filter)
    }

    /// What of a card is passed over, and why.
    private func objections(
        to offers: [Offer], _ change: (inout CaptureFilter) -> Void
    ) -> [String: FilterRule] {
        var bench = CardBench()
        bench.tell(.connected(Self.tethering(change)))
        bench.tell(.surveyed(Survey(offers: offers, references: Set(offers.map(\.reference)), hasCard: true)))
        return Dictionary(
            uniqueKeysWithValues: Self.sightings(in: bench).compactMap { sighting in
                sighting.objection.map { (sighting.offer.identity.name, $0) }
            })
    }

    private static func sightings(in bench: CardBench) -> [Sighting] {
        bench.actions.flatMap { action -> [Sighting] in
            if case .record(let sightings, _, _) = action { sightings } else { [] }
        }
    }

    private static let marked: @Sendable (inout Offer) -> Void = { offer in
        (offer.isProtected, offer.rating) = (true, 4)
    }

    static let card = [
        // As cameras list them: by name.
        offer(1, "A.CR3", marked), offer(2, "A.JPG", marked), offer(3, "A.WAV"), offer(4, "A.XMP"),
        offer(5, "B.JPG"), offer(6, "B.WAV"), offer(7, "C.WAV"), offer(8, "D.TXT"),
        offer(9, "A.WAV", folder: "101"),
    ]

    @Test("with the photos that are protected come their memos and sidecars, and nobody else's")
    func protected() {
        let left = objections(to: Self.card.dropLast()) { $0.onlyProtected = true }
        #expect(Set(left.keys) == ["B.JPG", "B.WAV", "C.WAV", "D.TXT"])
        #expect(left.values.allSatisfy { $0 == .unprotected })
        #expect(
            objections(to: [Self.card[0], Self.card[8]]) { $0.onlyProtected = true } == [
                "A.WAV": .unprotected
            ])
    }

    @Test("a memo is worth as many stars as its photo")
    func rated() {
        let left = objections(to: Self.card.dropLast()) { $0.minimumRating = 4 }
        #expect(Set(left.keys) == ["B.JPG", "B.WAV", "C.WAV", "D.TXT"])
    }

    @Test("where only JPEGs are taken, a memo comes with its JPEG; where only RAWs are, with its RAW")
    func kinds() {
        let jpeg = objections(to: Self.card.dropLast()) { $0.kinds = .jpeg }
        #expect(jpeg == ["A.CR3": .kind, "C.WAV": .kind, "D.TXT": .kind])
        let raw = objections(to: Self.card.dropLast()) { $0.kinds = .raw }
        #expect(Set(raw.keys) == ["A.JPG", "B.JPG", "B.WAV", "C.WAV", "D.TXT"])
    }

    @Test(
        "formats are named one by one: a memo that is not among them stays, one that is comes without its photo"
    )
    func formats() {
        #expect(objections(to: [Self.card[4], Self.card[5]]) { $0.formats = ["JPG"] } == ["B.WAV": .format])
        #expect(objections(to: [Self.card[4], Self.card[5]]) { $0.formats = ["WAV"] } == ["B.JPG": .format])
    }

    @Test(
        "a memo that is recorded later is taken with a photo that was met before, and left with one that was not"
    )
    func later() {
        for (photo, objection) in [(Self.card[1], nil), (Self.card[4], .unprotected)]
            as [(Offer, FilterRule?)]
        {
            var bench = CardBench()
            let tethering = Self.tethering { $0.onlyProtected = true }
            bench.tell(.connected(tethering))
            bench.tell(.surveyed(Survey(offers: [photo], references: [photo.reference], hasCard: true)))
            let sighting = Sighting(offer: photo, objection: objection)
            let capture = CardBench.capture(1, objection == nil ? .staged : .filtered)
            bench.tell(.recorded([sighting], [capture], tethering, isLive: false))
            bench.tell(.listed([photo.reference]))
            let memo = Self.offer(20, "\(photo.identity.stem).WAV")
            #expect(bench.tell(.noticed(.added(memo.reference))) == "describe r20")
            bench.tell(.described(memo.reference, memo))
            #expect(Self.sightings(in: bench).map(\.objection) == [objection])
        }
    }

    @Test("a photo that is protected after it was shot brings the memo that was passed over with it")
    func protectedLater() {
        var bench = CardBench()
        let tethering = Self.tethering { $0.onlyProtected = true }
        let (photo, memo) = (Self.card[4], Self.card[5])
        bench.tell(.connected(tethering))
        bench.tell(
            .surveyed(
                Survey(offers: [photo, memo], references: [photo.reference, memo.reference], hasCard: true)))
        let sightings = [photo, memo].map { Sighting(offer: $0, objection: .unprotected) }
        let captures = [CardBench.capture(1, .filtered), CardBench.capture(2, .filtered)]
        bench.tell(.recorded(sightings, captures, tethering, isLive: false))
        bench.tell(.listed([photo.reference, memo.reference]))
        #expect(bench.tell(.noticed(.changed(photo.reference))) == "describe r5")
        var protected = photo
        protected.isProtected = true
        #expect(bench.tell(.described(photo.reference, protected)) == "record r5 live, describe r6")
        #expect(bench.tell(.described(memo.reference, memo)) == "record r6 live")
        #expect(Self.sightings(in: bench).map(\.objection) == [nil])
    }
}
