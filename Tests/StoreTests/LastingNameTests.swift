import Bridge
import Store
import TestSupport
import Testing
import WorldSupport

/// Which row is a photo's, when the camera has a name for it that it gives for ever, or has put something right.
@Suite struct LastingNameTests {
    private let ground: LedgerGround

    init() async throws {
        ground = try await LedgerGround()
    }

    private func named(_ offer: Offer, _ stableID: String?) -> Offer {
        var offer = offer
        offer.stableID = stableID
        return offer
    }

    @Test("a photo that lies in another folder by now is the same by its lasting name, and by nothing else")
    func moved() async throws {
        let first = named(offer("A.JPG", handle: 1), "0xA1")
        let (id, _) = try await ground.staged(first, jpeg(1))
        let elsewhere = named(offer("A.JPG", handle: 7, folder: ["DCIM", "101CANON"]), "0xA1")
        let again = try await ground.one(elsewhere, connection: "c2")
        #expect(again.id == id && again.state == .staged)
        let unnamed = named(offer("A.JPG", handle: 8, folder: ["DCIM", "102CANON"]), nil)
        let other = try await ground.one(unnamed, connection: "c2")
        #expect(other.id != id && other.state == .announced)
    }

    @Test(
        "a lasting name that comes with another name, size or date is another photo's: the camera has used it again",
        arguments: ["name", "size", "date"])
    func usedAgain(what: String) async throws {
        let (id, _) = try await ground.staged(named(offer("A.JPG", handle: 1), "0xA1"), jpeg(1))
        let changed =
            switch what {
            case "name": offer("B.JPG", handle: 1)
            case "size": offer("A.JPG", handle: 1, size: 1001, folder: ["DCIM", "101CANON"])
            default: offer("A.JPG", handle: 1, date: "20261121T185904")
            }
        let other = try await ground.one(named(changed, "0xA1"), connection: "c2")
        #expect(other.id != id && other.state == .announced)
    }

    @Test("two lasting names are two photos, whatever else they have in common")
    func twins() async throws {
        let (id, _) = try await ground.staged(named(offer("A.JPG", handle: 1), "0xA1"), jpeg(1))
        let other = try await ground.one(named(offer("A.JPG", handle: 2), "0xA2"), connection: "c2")
        #expect(other.id != id && other.state == .announced)
        let again = try await ground.one(named(offer("A.JPG", handle: 9), "0xA2"), connection: "c3")
        #expect(again.id == other.id)
    }

    @Test("a photo that was kept with a disputed size is known again when the camera has put its size right")
    func putRight() async throws {
        let claimed = offer("A.JPG", handle: 1, size: 5000)
        let bytes = jpeg(1)
        let (id, _) = try await ground.staged(claimed, bytes, doubts: [.size])
        let right = offer("A.JPG", handle: 1, size: UInt64(bytes.count))
        #expect(try await ground.one(right, connection: "c2").id == id)
        // One without doubts is another photo.
        let undoubted = offer("B.JPG", handle: 2, size: 5000)
        let (second, _) = try await ground.staged(undoubted, jpeg(2), doubts: [])
        let larger = offer("B.JPG", handle: 2, size: UInt64(jpeg(2).count))
        #expect(try await ground.one(larger, connection: "c2").id != second)
    }

    @Test("what is left alone keeps its state and reason when it is met again; what is not is tried again")
    func leftAlone() async throws {
        let photo = offer("A.JPG", handle: 1)
        let capture = try await ground.one(photo)
        try await ground.ledger.settle(capture.id, as: .abandoned, because: "it hung up")
        var sighting = Sighting(offer: photo, objection: nil)
        sighting.isLeftAlone = true
        let met = try await ground.ledger.record(
            [sighting], of: ground.camera, in: ground.event, connection: "c2")
        #expect(met.map(\.id) == [capture.id] && met.map(\.state) == [.abandoned])
        #expect(try ground.entry(capture.id).reason == "it hung up")
        let again = try await ground.one(photo, connection: "c3")
        #expect(again.id == capture.id && again.state == .announced)
    }
}
