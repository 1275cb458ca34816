import Basics
import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// A simulated Sony in PC Remote mode.
struct SonyCamera: ConformingBody, CustomTestStringConvertible {
    let model: String
    var script = ""
    /// There is no list: photos come one by one, as they are shot.
    var limits: Set<BodyLimit> = [.keepsInMemory, .givesNoParts, .tellsNoTime]

    var driver: String { GenericDriver.name }
    var testDescription: String { script.isEmpty ? model : "\(model), \(script)" }

    static let models = ["sony-a7m3", "sony-a7m4", "sony-rx100m7"]
    static let all = models.map { SonyCamera(model: $0) }

    func make(photos: Int, _ conduct: BodyConduct) async throws -> any BodyUnderTest {
        try await make(photos: photos)
    }

    func make(
        photos: Int = 0, size: UInt64 = 20_000, clock: (any TimeSource)? = nil,
        _ change: (inout SimulatedCamera.Settings, inout VirtualCard.Settings) -> Void = { _, _ in },
        answers: AlteredPersonality.Change? = nil
    ) async throws -> GenericStand {
        let model = try #require(CameraModel.named(model))
        let rig = try Rig(script, photos: 0, size: size, clock: clock, model: model, change, answers: answers)
        for _ in 0..<photos { await rig.camera.shoot() }
        return GenericStand(rig)
    }
}

/// A photo as it came out of a Sony's memory.
struct HandedOver: Equatable, Sendable {
    let offer: Offer
    let bytes: [UInt8]

    var name: String { offer.identity.name }
}

extension GenericStand {
    /// Takes so many photos as the transfer does: told, described, fetched, durable, released.
    func take(_ count: Int, from driver: any CameraDriver) async throws -> [HandedOver] {
        var taken: [HandedOver] = []
        let changes = driver.changes.makeAsyncIterator()
        while taken.count < count, let change = await changes.next() {
            guard case .added(let reference) = change else { continue }
            guard let offer = try await driver.describe(reference, withRating: false) else { continue }
            let sink = ArraySink()
            try await ConformanceCheck.fetch(offer, driver, into: sink, self)
            try await driver.release(offer)
            taken.append(HandedOver(offer: offer, bytes: sink.bytes))
        }
        return taken
    }

    /// The next photo that is told.
    func nextOffer(_ driver: any CameraDriver) async throws -> Offer? {
        for await change in driver.changes {
            if case .added(let reference) = change {
                return try await driver.describe(reference, withRating: false)
            }
        }
        return nil
    }

    /// The first sentence that is said of the camera and contains this.
    func remark(_ part: String, _ driver: any CameraDriver) async -> String? {
        for await change in driver.changes {
            if case .remark(let sentence) = change, sentence.contains(part) { return sentence }
        }
        return nil
    }

    /// What the camera complains of: what was asked of it that breaks such bodies.
    var complaints: [String] {
        rig.log.value.filter { line in
            [
                "before it was ready", "not listed", "shutter is blocked", "with nothing in memory",
                "before its card was ready", "not greeted",
            ].contains { line.contains($0) }
        }
    }
}
