import Basics
import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// A simulated Sony in one of the modes that show its card.
struct SonyCardCamera: ConformingBody, CustomTestStringConvertible {
    let script: String
    /// As an operator writes it.
    let choice: String
    var limits: Set<BodyLimit> = [.tellsNoTime]

    var driver: String { GenericDriver.name }
    var testDescription: String { choice }

    static let all = [
        SonyCardCamera(script: "", choice: "sony:transfer"),
        SonyCardCamera(script: "sony-send-to-computer", choice: "auto"),
    ]

    func make(photos: Int, _ conduct: BodyConduct) async throws -> any BodyUnderTest {
        try await make(photos: photos, GenericBody(script: "").faults(conduct))
    }

    func make(photos: Int, _ faults: String = "") async throws -> SonyCardStand {
        let model = try #require(CameraModel.named("sony-a7m4"))
        let rig = try Rig(script + "\n" + faults, photos: 0, model: model)
        for _ in 0..<photos { await rig.camera.shoot() }
        return SonyCardStand(stand: GenericStand(rig), choice: try #require(DriverChoice(choice)))
    }
}

struct SonyCardStand: BodyUnderTest {
    let stand: GenericStand
    let choice: DriverChoice

    func connector() throws -> any CameraConnector { try stand.connector { $0.driver = choice } }
    var workers: PhotoWorkers { stand.workers }
    var clock: Int64 { stand.clock }
    func shoot() async { await stand.shoot() }
    func photos() async throws -> [String: [UInt8]] { try await stand.photos() }
    func switchOff() async { await stand.switchOff() }
    func switchOn() async { await stand.switchOn() }
    var farewells: Int { stand.farewells }
}

@Suite struct SonyCardTests {
    private static let bodies = Cases.isFull ? SonyCardCamera.all : [SonyCardCamera.all[0]]

    @Test("a Sony that shows its card", arguments: DriverConformance.usual, bodies)
    func conforms(property: DriverConformance, body: SonyCardCamera) async throws {
        try await property.check(body)
    }

    @Test(
        "what a body lists decides: a session for content transfer, or none",
        arguments: ["sony-a7m3", "sony-a7m4"])
    func choice(model: String) async throws {
        let camera = SonyCamera(model: model)
        let stand = try await camera.make(photos: 1)
        let transfer = try #require(DriverChoice("sony:transfer"))
        let offers = try await stand.connector { $0.driver = transfer }.met(knowing: nil) { driver in
            try await driver.survey(SurveyOptions(), onDescribed: {}).offers
        }
        // The older body knows nothing of it, and is tethered as it shoots.
        #expect(offers.map(\.identity.path) == (model == "sony-a7m4" ? ["DCIM/100MSDCF/DSC00001.JPG"] : []))
        #expect(stand.complaints.isEmpty)
        #expect(DriverChoice("sony:remote") == nil)
        let plain = try await stand.connector { $0.driver = .generic }.met(knowing: nil) { driver in
            await driver.abilities.handsOver
        }
        #expect(!plain)
    }

    @Test("Send to Computer is told that it is over, once for each connection, whatever became of it")
    func goodbye() async throws {
        struct Broken: Error {}
        let stand = try await SonyCardCamera.all[1].make(photos: 1)
        func goodbyes() -> Int {
            stand.stand.rig.log.value.count { $0.contains("Send to Computer is over") }
        }
        try await stand.connector().met(knowing: nil) { driver in
            let references = try await driver.references()
            #expect(references.count == 3)
        }
        #expect(goodbyes() == 1)
        await #expect(throws: Broken.self) {
            try await stand.connector().met(knowing: nil) { _ in throw Broken() }
        }
        #expect(goodbyes() == 2)
    }
}
