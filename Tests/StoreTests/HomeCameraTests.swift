import Basics
import Bridge
import Store
import TestSupport
import Testing
import WorldSupport

/// The cameras of a home: those that were met, and those that were added.
@Suite struct HomeCameraTests {
    private static func added(_ id: String, at place: String = "10.9.0.5:15740") -> HomeCamera {
        var camera = HomeCamera()
        camera.announced = id
        camera.place = place
        camera.model = "Canon EOS R6"
        return camera
    }

    @Test(
        "a body that was met is one, by what it said of itself and where it was; its name stays when it is met again"
    )
    func met() async throws {
        let ledger = try await LedgerGround().ledger
        _ = try await ledger.meet(LedgerGround.camera, at: "10.9.0.2:15740")
        try await ledger.learn(
            KnownBody(identity: LedgerGround.camera, driver: "generic", wireID: "0b", serial: "042"))
        var camera = try #require(try await ledger.homeCameras().first)
        #expect(camera.body == LedgerGround.camera && camera.serial == "042" && camera.wireID == "0b")
        #expect(camera.model == LedgerGround.camera.model && camera.place == "10.9.0.2:15740")
        camera.name = "Anna"
        camera.announced = "uuid:1"
        try await ledger.keep(camera)
        _ = try await ledger.meet(LedgerGround.camera, at: "10.9.0.3:15740")
        camera.place = "10.9.0.3:15740"
        #expect(try await ledger.homeCameras() == [camera])
    }

    @Test("one that was added becomes the body that is met, and is in the list once")
    func pinned() async throws {
        let ledger = try await LedgerGround().ledger
        var camera = Self.added("uuid:1")
        camera.name = "Anna"
        camera.hasLetIn = true
        try await ledger.keep(camera)
        #expect(try await ledger.homeCameras().contains(camera))
        let before = try await ledger.homeCameras().count
        try await ledger.keep(Self.added("uuid:2"))
        #expect(try await ledger.homeCameras().count == before + 1)
        let identity = CameraIdentity(manufacturer: "Canon.Inc", model: "Canon EOS R6", body: "7")
        _ = try await ledger.meet(identity, at: "10.9.0.5:15740")
        let key = camera.key
        camera.body = identity
        try await ledger.keep(camera, insteadOf: key)
        let cameras = try await ledger.homeCameras()
        #expect(cameras.count == before + 1)
        #expect(cameras.first { $0.body == identity }?.name == "Anna")
        #expect(cameras.filter { $0.body == nil }.map(\.announced) == ["uuid:2"])
    }

    @Test("what is removed is none of the home's until it is added again; what was learned of a body stays")
    func removed() async throws {
        let ledger = try await LedgerGround().ledger
        _ = try await ledger.meet(LedgerGround.camera, at: "10.9.0.2:15740")
        let camera = try #require(try await ledger.homeCameras().first)
        try await ledger.remove(camera)
        #expect(try await ledger.homeCameras().isEmpty)
        // Being met where its address was named makes it none.
        _ = try await ledger.meet(LedgerGround.camera, at: "10.9.0.2:15740")
        #expect(try await ledger.homeCameras().isEmpty)
        #expect(try await ledger.body(LedgerGround.camera) != nil)
        try await ledger.keep(camera)
        #expect(try await ledger.homeCameras() == [camera])
        try await ledger.keep(Self.added("uuid:1"))
        try await ledger.remove(Self.added("uuid:1"))
        #expect(try await ledger.homeCameras() == [camera])
    }

    @Test("the bodies of a home of every earlier version are cameras of it", arguments: OldLedger.versions)
    func earlier(version: Int) async throws {
        let old = try OldLedger(version)
        let ledger = try MigrationTests().open(old)
        let home = try await ledger.homeCameras()
        #expect(!home.isEmpty && home.allSatisfy { $0.body != nil && $0.place != nil })
        try await ledger.keep(Self.added("uuid:1"))
        #expect(try await ledger.homeCameras().count == home.count + 1)
        try await ledger.end()
    }

    @Test("there are not without end")
    func limit() async throws {
        let ledger = try await LedgerGround().ledger
        await #expect(throws: Ledger.TooManyCameras.self) {
            for number in 0...500 { try await ledger.keep(Self.added("uuid:\(number)")) }
        }
    }
}
