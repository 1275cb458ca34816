import Bridge
import Store
import TestSupport
import Testing
import WorldSupport

/// Bodies of one serial number in the ledger: whose photos are whose.
@Suite struct NamesakeTests {
    private static let second = LedgerGround.camera.told(apartByWireID: "0b")

    /// The same photo on the card of the second body.
    private func ofSecond(_ offer: Offer) -> Offer {
        var offer = offer
        offer.identity.camera = Self.second
        return offer
    }

    private func record(
        _ ground: LedgerGround, _ offers: Offer..., of camera: CameraID, shownBy wireID: String?,
        connection: String
    ) async throws -> [Capture] {
        let sightings = offers.map { offer in
            var sighting = Sighting(offer: offer, objection: nil)
            sighting.wireID = wireID
            return sighting
        }
        return try await ground.ledger.record(
            sightings, of: camera, in: ground.event, connection: connection)
    }

    @Test(
        "bodies of one maker, model and serial number are found, the last at the address first, and no others"
    )
    func alike() async throws {
        let ground = try await LedgerGround()
        let (ledger, serial) = (ground.ledger, "042")
        func learn(_ identity: CameraIdentity, at address: String, serial: String?) async throws -> KnownBody
        {
            _ = try await ledger.meet(identity, at: address)
            let body = KnownBody(identity: identity, driver: "generic", serial: serial)
            try await ledger.learn(body)
            return body
        }
        var other = LedgerGround.camera
        other.model = "EOS R6"
        _ = try await learn(other, at: "a", serial: serial)
        (other.model, other.body) = (LedgerGround.camera.model, "043")
        _ = try await learn(other, at: "a", serial: "043")
        let second = try await learn(Self.second, at: "a", serial: serial)
        // Met by a version that noted no serial number.
        let first = try #require(try await ledger.body(LedgerGround.camera))
        let body = KnownBody(identity: LedgerGround.camera, driver: "generic", serial: serial)
        #expect(try await ledger.bodies(like: body, at: "a") == [second, first])
        #expect(try await ledger.bodies(like: body, at: "192.168.1.2") == [first, second])

        let nameless = CameraIdentity(manufacturer: "Canon", model: "EOS R5", body: "0c")
        let unnumbered = try await learn(nameless, at: "a", serial: nil)
        let apart = try await learn(nameless.told(apartBy: "b"), at: "b", serial: nil)
        let unknown = KnownBody(identity: nameless, driver: "generic")
        #expect(try await ledger.bodies(like: unknown, at: "b") == [apart, unnumbered])
        #expect(try await ledger.bodies(like: unknown, at: "a") == [unnumbered])
    }

    @Test("a photo's content is known by its looks, whichever body of the serial number shows it")
    func digests() async throws {
        let ground = try await LedgerGround()
        #expect(try await !ground.ledger.hasPhotos(of: LedgerGround.camera))
        try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        _ = try await ground.one(offer("B.JPG", handle: 2))
        try await ground.staged(offer("C.JPG", handle: 3), jpeg(3), doubts: [.size])
        #expect(try await ground.ledger.hasPhotos(of: LedgerGround.camera))
        #expect(try await !ground.ledger.hasPhotos(of: Self.second))
        for (name, expected) in [("A.JPG", [sha(jpeg(1))]), ("B.JPG", []), ("C.JPG", [])] {
            let looks = ofSecond(offer(name, handle: 9))
            let found = try await ground.ledger.digests(ofPhotosLike: looks, of: LedgerGround.camera)
            #expect(found == Set(expected), "\(name)")
        }
    }

    @Test(
        "a body that was told apart takes its own photos with it: proven where no row says which showed them")
    func adoption() async throws {
        let ground = try await LedgerGround()
        let ledger = ground.ledger
        let photos = ["A.JPG", "B.JPG", "C.JPG", "D.JPG"].enumerated().map {
            offer($0.element, handle: UInt32($0.offset))
        }
        // A as an older version left it, B shown by the first body, C by the second before it was known to be one.
        let (old, _) = try await ground.staged(photos[0], jpeg(1))
        let b = try await record(ground, photos[1], of: ground.camera, shownBy: "0a", connection: "c1")
        let c = try await record(ground, photos[2], of: ground.camera, shownBy: "0b", connection: "c2")
        let camera = try await ledger.meet(Self.second, at: "b")
        let theirs = photos.map(ofSecond)
        let namesakes = [LedgerGround.camera]
        try await ledger.adopt(theirs, by: camera, Adoption(wireID: "0b", namesakes: namesakes))
        func cameras() throws -> [CaptureID: String?] {
            Dictionary(
                uniqueKeysWithValues: try ground.entries().map { ($0.id, $0.camera?.body) })
        }
        #expect(try cameras() == [old: "042", b[0].id: "042", c[0].id: Self.second.body])
        let proven = Adoption(wireID: "0b", namesakes: namesakes, proven: namesakes)
        try await ledger.adopt(theirs, by: camera, proven)
        #expect(try cameras() == [old: Self.second.body, b[0].id: "042", c[0].id: Self.second.body])
        // Known, and not fetched again; what the first body shows under the same looks is another photo.
        let again = try await record(
            ground, theirs[0], theirs[1], theirs[3], of: camera, shownBy: "0b", connection: "c3")
        #expect(again.map(\.isNew) == [false, true, true] && again[0].state == .staged && again[0].id == old)
        let first = try await record(
            ground, photos[0], photos[1], of: ground.camera, shownBy: "0a", connection: "c4")
        #expect(first.map(\.isNew) == [true, false] && first[1].id == b[0].id)
    }

    @Test("whose photos may be a body's is kept, also of one that is not in the ledger yet")
    func pendingAdoption() async throws {
        let proven = LedgerGround.camera
        let adoption = Adoption(wireID: "0b", namesakes: [proven, Self.second], proven: [proven])
        let ground = try await LedgerGround()
        #expect(try await ground.ledger.pendingAdoption(by: Self.second) == nil)
        for kept in [adoption, Adoption(wireID: nil, namesakes: [proven])] {
            try await ground.ledger.note(pending: kept, by: Self.second)
            #expect(try await ground.ledger.pendingAdoption(by: Self.second) == kept)
            #expect(try await ground.ledger.pendingAdoption(by: proven) == nil)
        }
        try await ground.ledger.note(pending: nil, by: Self.second)
        #expect(try await ground.ledger.pendingAdoption(by: Self.second) == nil)
    }

    @Test("a photo of an older version is the body's that shows it first")
    func claimed() async throws {
        let ground = try await LedgerGround()
        let (old, _) = try await ground.staged(offer("A.JPG", handle: 1), jpeg(1))
        let shown = try await record(
            ground, offer("A.JPG", handle: 1), of: ground.camera, shownBy: "0a", connection: "c2")
        #expect(shown[0].id == old)
        let camera = try await ground.ledger.meet(Self.second, at: "b")
        let proven = Adoption(
            wireID: "0b", namesakes: [LedgerGround.camera], proven: [LedgerGround.camera])
        try await ground.ledger.adopt([ofSecond(offer("A.JPG", handle: 1))], by: camera, proven)
        #expect(try ground.entry(old).camera == LedgerGround.camera)
    }
}
