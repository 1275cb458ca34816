import Basics
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// A simulated camera that speaks plain PTP/IP, with what is odd about it in a fault script.
struct GenericBody: ConformingBody, CustomTestStringConvertible {
    let script: String
    var limits: Set<BodyLimit> = []

    var driver: String { GenericDriver.name }
    var testDescription: String { script.isEmpty ? "plain" : script }

    static let all: [GenericBody] = [
        GenericBody(script: ""),
        GenericBody(script: "no-whole-objects"),
        GenericBody(script: "no-partial-reads", limits: [.givesNoParts]),
        GenericBody(script: "renumber", limits: [.renames]),
        GenericBody(script: "in-memory", limits: [.keepsInMemory]),
        GenericBody(script: "in-memory until=deleted", limits: [.keepsInMemory, .keepsUntilReleased]),
        GenericBody(script: "list-by-level"),
        GenericBody(script: "list-by-level code=0x2014"),
        GenericBody(script: "list-by-storage"),
        GenericBody(script: "list-by-level\nlist-by-storage\nno-whole-objects"),
        GenericBody(script: "only-capture-complete", limits: [.saysNotWhat]),
        GenericBody(script: "missing-notices", limits: [.saysNothing]),
        GenericBody(script: "duplicate-notices"),
        GenericBody(script: "no-stable-ids"),
        GenericBody(script: "unstable-guid"),
        GenericBody(script: "session-id wanted=7"),
        GenericBody(script: "five-parameters"),
        GenericBody(script: "trailing-bytes bytes=16"),
        GenericBody(script: "unknown-total bits=32"),
        GenericBody(script: "short-storage-info"),
        GenericBody(script: "stale-handles"),
        GenericBody(script: "split-writes bytes=1000"),
    ]

    func make(photos: Int, _ conduct: BodyConduct) async throws -> any BodyUnderTest {
        let stand = try GenericStand(
            Rig(script + "\n" + faults(conduct), photos: 0) { conduct.dress(&$0, &$1) })
        for _ in 0..<photos { await stand.rig.camera.shoot() }
        return stand
    }

    func faults(_ conduct: BodyConduct) -> String {
        // The folders come first.
        func handle(_ photo: Int) -> UInt32 { 0x0001_0002 + UInt32(photo) }
        return switch conduct {
        case .good: ""
        case .endsWhenDescribing(let photo): "cut after=0 operation=0x1008 object=\(handle(photo))"
        case .endsWhenFetching(let photo): "cut after=50000 object=\(handle(photo))"
        // GetObject and GetPartialObject.
        case .refusesFetching(let photo):
            ["0x1009", "0x101B"].map { "access-lock object=\(handle(photo)) operation=\($0)" }.joined(
                separator: "\n")
        case .cutsOnce(let place): "cut after=\(place) object=\(handle(1)) times=1"
        default: conduct.script
        }
    }
}

/// One of them.
final class GenericStand: BodyUnderTest {
    let rig: Rig
    /// What the camera notes when a connection is ended in order.
    private let farewell: String

    init(_ rig: Rig, farewell: String = "the session is closed") {
        self.rig = rig
        self.farewell = farewell
    }

    var workers: PhotoWorkers { rig.workers }
    var clock: Int64 { 1_790_000_500 }

    func connector() throws -> any CameraConnector { try connector { _ in } }

    func connector(
        time: (any TimeSource)? = nil, _ change: (inout GenericSettings) -> Void = { _ in }
    ) throws -> GenericConnector {
        let identity = try #require(ClientIdentity(id: String(repeating: "0", count: 32), name: "test"))
        var settings = GenericSettings(identity: identity)
        change(&settings)
        return GenericConnector(
            place: "rig", settings: settings, executor: rig.reactor, time: time ?? rig.reactor
        ) {
            [rig] _ in rig
        }
    }

    func shoot() async { await rig.camera.shoot() }

    func photos() async throws -> [String: [UInt8]] {
        var photos: [String: [UInt8]] = [:]
        for photo in await rig.camera.photos() { photos[photo.name] = try photo.bytes() }
        return photos
    }

    func switchOff() async { await rig.camera.powerOff() }
    func switchOn() async { await rig.camera.powerOn() }

    var farewells: Int { rig.log.value.count { $0 == farewell } }
}

@Suite struct GenericConformanceTests {
    @Test("the plain PTP/IP driver", arguments: DriverConformance.usual, GenericBody.all)
    func conforms(property: DriverConformance, body: GenericBody) async throws {
        try await property.check(body)
    }

    @Test(
        "the plain PTP/IP driver, as an evening goes", arguments: DriverConformance.evening,
        Cases.isFull ? GenericBody.all : [GenericBody.all[0]])
    func lasts(property: DriverConformance, body: GenericBody) async throws {
        try await property.check(body)
    }
}
