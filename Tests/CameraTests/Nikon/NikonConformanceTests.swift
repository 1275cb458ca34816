import Basics
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// A simulated Nikon, with what is odd about it in a fault script.
struct NikonBodyUnderTest: ConformingBody, CustomTestStringConvertible {
    let model: String
    var script = ""
    var limits: Set<BodyLimit> = []

    /// What was kept of such bodies before there was a driver for them names plain PTP, and is the same body now.
    var driver: String { GenericDriver.name }
    var testDescription: String { model + (script.isEmpty ? "" : ", \(script)") }

    static let all = ["nikon-d7200", "nikon-z6", "nikon-z6ii", "nikon-z8"].map {
        NikonBodyUnderTest(model: $0)
    }

    /// One of them each time, all where there is time.
    static var chosen: [NikonBodyUnderTest] { Cases.isFull ? all : [all[2]] }

    /// "Bits 0–13 file number, 14–23 folder number, high byte slot."
    static func handle(_ photo: Int, folder: UInt32 = 100) -> UInt32 {
        0x0900_0000 | folder << 14 | UInt32(photo)
    }

    func make(photos: Int, _ conduct: BodyConduct) async throws -> any BodyUnderTest {
        try stand(photos: photos, faults(conduct)) { conduct.dress(&$0, &$1) }
    }

    func stand(
        photos: Int = 3, _ more: String = "", clock: ManualClock? = nil, size: UInt64 = 200_000,
        _ change: (inout SimulatedCamera.Settings, inout VirtualCard.Settings) -> Void = { _, _ in },
        answers: AlteredPersonality.Change? = nil
    ) throws -> GenericStand {
        let model = try #require(CameraModel.named(model))
        return GenericStand(
            try Rig(
                "nikon-paired\n\(script)\n\(more)", photos: photos, size: size, clock: clock, model: model,
                change, answers: answers))
    }

    private func faults(_ conduct: BodyConduct) -> String {
        func object(_ photo: Int) -> String { Hex.code(Self.handle(photo)) }
        return switch conduct {
        case .good: ""
        case .endsWhenDescribing(let photo): "cut after=0 operation=0x1008 object=\(object(photo))"
        case .endsWhenFetching(let photo): "cut after=50000 object=\(object(photo))"
        case .refusesFetching(let photo):
            ["0x1009", "0x101B"].map { "access-lock object=\(object(photo)) operation=\($0)" }.joined(
                separator: "\n")
        case .cutsOnce(let place): "cut after=\(place) object=\(object(1)) times=1"
        default: conduct.script
        }
    }
}

@Suite struct NikonConformanceTests {
    @Test("the Nikon driver", arguments: DriverConformance.allCases, NikonBodyUnderTest.chosen)
    func conforms(property: DriverConformance, body: NikonBodyUnderTest) async throws {
        try await property.check(body)
    }

    @Test(
        "a body that lists nothing of Nikon's own is tethered by plain PTP, as one is that the operator says it of"
    )
    func plain() async throws {
        let stand = try NikonBodyUnderTest.all[0].stand()
        try await stand.connector { $0.driver = .generic }.met(knowing: nil) { driver in
            #expect(driver is GenericDriver)
        }
        let generic = GenericStand(try Rig("") { _, card in card.make = "Nikon Corporation" })
        try await generic.connector().met(knowing: nil) { #expect($0 is GenericDriver) }
    }

    @Test("no body is asked for anything that it does not list", arguments: NikonBodyUnderTest.all)
    func listed(body: NikonBodyUnderTest) async throws {
        let stand = try body.stand()
        try await stand.connector().met(knowing: nil) { driver in
            let offers = try await ConformanceCheck.offers(driver)
            try await ConformanceCheck.fetch(offers[0], driver, into: ArraySink(), stand)
        }
        #expect(stand.rig.log.value.filter { $0.contains("not among its operations") }.isEmpty)
    }
}
