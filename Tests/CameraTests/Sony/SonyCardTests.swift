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

    /// What two kinds of clients say: libgphoto2, after "{u32 2, 2, 0, 0, u8 1, 1} and {u32 0, 5, 0, 0}"; airmtp, as its
    /// source has it: `<5IB`, 2, 2, 0, 0, 0x20001, 0 and `<4I3B`, 0, 3 to 5, 0, 0, 2, 0, 0x30 or 0.
    private static let sayings: [(data: String, shows: Bool)] = [
        ("02000000 02000000 00000000 00000000 0101", true), ("00000000 05000000 00000000 00000000", false),
        ("02000000 02000000 00000000 00000000 01000200 00", true),
        ("00000000 03000000 00000000 00000000 020030", true),
        ("00000000 04000000 00000000 00000000 020000", true),
        ("00000000 05000000 00000000 00000000 020030", false),
    ]
    private static let nonsense = [
        "", "02000000 02000000 00000000 00000000", "02000000 02000000 00000000 00000000 0100",
        "02000000 02000000 00000000 00000000 010101", "00000000 05000000 00000000 00000000 00",
        "00000000 06000000 00000000 00000000 020030", "00000000 00000000 00000000 00000000 00000000",
    ]

    @Test(
        "the simulated body understands in Send to Computer what clients are known to say, and refuses all else"
    )
    func sayings() async throws {
        let stand = try await SonyCardCamera.all[1].make(photos: 1)
        let start = Self.sayings[0].data
        for (data, shows) in Self.sayings + Self.nonsense.map({ ($0, true) }) {
            let codes = try await stand.stand.rig.session().run { session in
                var codes: [ResponseCode] = []
                for data in [start, data] {
                    codes.append(
                        try await session.exchange(
                            Call(OperationCode(rawValue: 0x9280), [4], data: .outgoing(hex(data)))
                        ).code)
                    _ = try await SonyByHand(session).ask(0x9281, [4])
                }
                codes.append(try await SonyByHand(session).ask(0x1008, [0x0001_0003]).code)
                return codes
            }
            let isKnown = Self.sayings.contains { $0.data == data }
            #expect(codes[0] == .ok && codes[1] == (isKnown ? .ok : .invalidParameter), "\(data)")
            #expect((codes[2] == .ok) == shows, "\(data)")
        }
    }

    @Test("files of a shot are counted from 1: the simulated body refuses any other number, and gives those")
    func fileNumbers() async throws {
        let stand = try await SonyContentsBody.stand(photos: 1)
        let photo = try #require(try await stand.photos()["DSC00001.JPG"])
        let answers = try await stand.stand.rig.session().run { session in
            let hand = SonyByHand(session)
            try await hand.greet()
            var answers: [Reply] = []
            // Slot and file in one word, the offset in two, so many bytes.
            for word in [0x0100_0001, 0x0100_0000, 0x0100_0002, 0x01FF_FFFF, 0x0200_0001, 0] as [UInt32] {
                answers.append(try await hand.ask(0x923D, [0x0001_0003, word, 1000, 0, 500]))
            }
            answers.append(try await hand.ask(0x923E, [0x0001_0003, 0x0100_0000, 1]))
            return answers
        }
        #expect(answers[0].code == .ok && answers[0].data == Array(photo[1000..<1500]))
        #expect(answers[1...].allSatisfy { $0.code == .invalidParameter })
    }
}
