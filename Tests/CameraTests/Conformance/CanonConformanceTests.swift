import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// A simulated Canon, with what is odd about it in a fault script.
struct CanonBody: ConformingBody, CustomTestStringConvertible {
    let model: String
    var script = ""

    let limits: Set<BodyLimit> = []
    /// What is known of a body and its photos is the same as if it had been tethered by plain PTP.
    let driver = GenericDriver.name
    var testDescription: String { script.isEmpty ? model : "\(model), \(script)" }

    /// One of them with every run.
    static let all: [CanonBody] =
        [CanonBody(model: "canon-r6")]
        + (Cases.isFull
            ? [
                CanonBody(model: "canon-80d"), CanonBody(model: "canon-m50"),
                CanonBody(model: "canon-r6", script: "canon-long-names"),
                CanonBody(model: "canon-80d", script: "canon-event-tail"),
                CanonBody(model: "canon-r6", script: "canon-properties count=5000"),
                CanonBody(model: "canon-80d", script: "duplicate-notices"),
                CanonBody(model: "canon-m50", script: "busy operation=0x9115 times=3"),
            ] : [])

    static let firstPhoto = Self.photo(1)

    static func photo(_ number: Int, part: CanonHandle.Part = .jpeg) -> ObjectHandle {
        CanonHandle(top: 5, folder: 100, file: number, part: part).handle
    }

    func make(photos: Int, _ conduct: BodyConduct) async throws -> any BodyUnderTest {
        let stand = try Self.stand(model, script + "\n" + faults(conduct)) { conduct.dress(&$0, &$1) }
        for _ in 0..<photos { await stand.rig.camera.shoot() }
        return stand
    }

    static func stand(
        _ model: String, _ script: String = "", photos: Int = 0, size: UInt64 = 200_000,
        clock: ManualClock? = nil,
        _ change: (inout SimulatedCamera.Settings, inout VirtualCard.Settings) -> Void = { _, _ in }
    ) throws -> GenericStand {
        let model = try #require(CameraModel.named(model))
        return GenericStand(
            try Rig(script, photos: photos, size: size, clock: clock, model: model, change),
            farewell: "event mode 0")
    }

    private func faults(_ conduct: BodyConduct) -> String {
        switch conduct {
        case .good: ""
        case .endsWhenDescribing(let number): "cut after=0 operation=0x1008 object=\(Self.photo(number))"
        case .endsWhenFetching(let number): "cut after=50000 object=\(Self.photo(number))"
        // GetObject, and the two ways to parts of one.
        case .refusesFetching(let number):
            ["0x1009", "0x101B", "0x9107"].map {
                "access-lock object=\(Self.photo(number)) operation=\($0)"
            }.joined(separator: "\n")
        case .cutsOnce(let place): "cut after=\(place) object=\(Self.firstPhoto) times=1"
        default: conduct.script
        }
    }
}

@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct CanonConformanceTests {
    @Test("the driver for Canon", arguments: DriverConformance.allCases, CanonBody.all)
    func conforms(property: DriverConformance, body: CanonBody) async throws {
        try await property.check(body)
    }
}
