import Basics
import Bridge
import Digest
import Posix
import Store
import TestSupport
import Testing
import Transfer

/// A card held against a ledger that goes on changing meanwhile, step by step.
@Suite struct VerificationTests {
    private static let camera = CameraIdentity(manufacturer: "Canon", model: "EOS R5", body: "042")

    private let folder: TemporaryFolder
    private let thread = ThreadExecutor(name: "ledger")
    private let ledger: Ledger
    private let event: BridgeEvent
    private let cameraID: CameraID

    init() async throws {
        folder = try TemporaryFolder()
        ledger = try Ledger(
            path: folder.file(Ledger.fileName), executor: thread, wall: FixedWall(), random: SeededSource(1))
        event = try await ledger.event("Wedding")
        cameraID = try await ledger.meet(Self.camera, at: "192.168.1.2")
    }

    private func offer(_ number: Int) -> Offer {
        Offer(
            identity: PhotoIdentity(
                manufacturer: Self.camera.manufacturer, model: Self.camera.model, body: "042", slot: 1,
                folders: ["DCIM", "100CANON"], name: "IMG_\(number).JPG", size: 1000,
                captureDate: "20261121T18590\(number)", format: 0x3801),
            reference: PhotoReference("r\(number)"))
    }

    /// The bridge takes note of it, fetches it and makes it durable.
    private func stage(_ offer: Offer, in event: BridgeEvent? = nil) async throws {
        let captures = try await ledger.record(
            [Sighting(offer: offer, objection: nil)], of: cameraID, in: event ?? self.event, connection: "c1")
        let capture = try #require(captures.first)
        try await ledger.beginReceiving(capture.id, kept: 0, boot: "boot 1")
        let name = offer.identity.name
        _ = try await ledger.stage(
            capture.id,
            StagedPhoto(
                file: Spool.finalName(capture.id, name), size: 1000, sha256: "\(SHA256.of(Array(name.utf8)))",
                doubts: []),
            skipsDuplicates: true)
    }

    private func verification() throws -> Verification {
        try Verification(of: event, in: try LedgerReader(path: folder.file(Ledger.fileName)))
    }

    private func frames(_ verification: inout Verification) throws -> [String] {
        var said: [String] = []
        while let frames = try verification.next() {
            said += frames.map {
                "\($0.path.split(separator: "/").last ?? "") \($0.verdict.reason ?? "delivered")"
            }
        }
        return said
    }

    private func card(_ offers: Offer..., underWay: Set<PhotoReference> = []) -> CardSurvey {
        .card(ListedCard(camera: Self.camera, offers: offers, underWay: underWay))
    }

    private static let seen = "the bridge has only just seen it"
    private static let spooled = "it is in the spool, and no destination is named"

    @Test(
        "what the bridge had not recorded when the card was listed has only just been seen, however far it has come since"
    )
    func cameMeanwhile() async throws {
        try await stage(offer(1))
        var verification = try verification()
        try verification.look(at: card(offer(1), offer(2), offer(3), underWay: ["r2", "r3"].references))
        try await stage(offer(2))
        #expect(
            try frames(&verification) == [
                "IMG_1.JPG \(Self.spooled)", "IMG_2.JPG \(Self.seen)", "IMG_3.JPG \(Self.seen)",
            ])
        // Its row has come after its frame was told.
        try await stage(offer(3))
        try verification.lookAtRest()
        #expect(try frames(&verification) == [])
    }

    @Test("what was recorded before is told by its row, though the bridge lists its card anew")
    func knownBefore() async throws {
        try await stage(offer(1))
        var verification = try verification()
        try verification.look(at: card(offer(1), underWay: ["r1"].references))
        #expect(try frames(&verification) == ["IMG_1.JPG \(Self.spooled)"])
    }

    @Test("a row that comes in meanwhile from a camera that was not looked at is told")
    func otherCamera() async throws {
        var verification = try verification()
        try verification.look(at: .notReachable(address: "192.168.1.2", "no answer"))
        try await stage(offer(1))
        try verification.lookAtRest()
        #expect(try frames(&verification) == ["IMG_1.JPG \(Self.spooled)"])
    }

    @Test("a frame that no row tells of is missing, and one that another event has is that event's")
    func withoutRow() async throws {
        try await stage(offer(2), in: try await ledger.event("Party"))
        var verification = try verification()
        try verification.look(at: card(offer(1), offer(2), underWay: ["r2"].references))
        #expect(
            try frames(&verification) == [
                "IMG_1.JPG it is on the card and no bridge has taken note of it",
                "IMG_2.JPG downloaded for the event 'Party'",
            ])
    }
}

extension [String] {
    fileprivate var references: Set<PhotoReference> { Set(map { PhotoReference($0) }) }
}
