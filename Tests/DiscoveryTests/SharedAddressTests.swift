import Discovery
import Testing

/// Several announcements at one address, and several addresses of one announcement, event by event.
struct SharedAddressTests {
    private var plan = SearchPlan(isAutomatic: true)
    private static let place = "192.168.122.1:15740"

    private static func found(
        _ id: String, at address: String = "192.168.122.1", service: CameraService = .sonyImaging,
        model: String? = nil
    ) throws -> FoundCamera {
        var details = DeviceDescription()
        details.model = model
        return FoundCamera(
            id: id, address: try #require(CameraAddress(address)), services: [service], details: details)
    }

    private static func camera(_ key: String, announced: String?) -> ExpectedCamera {
        var camera = ExpectedCamera(key: key)
        camera.announced = announced
        return camera
    }

    private static let one = camera("one", announced: "uuid:one")
    private static let two = camera("two", announced: "uuid:two")

    private static func set(_ actions: [SearchPlan.Action]) -> Set<String> { Set(actions.map { "\($0)" }) }

    /// What changes nothing leads to nothing, however often.
    private mutating func isSettled(_ cameras: FoundCamera...) -> Bool {
        for _ in 0..<3 {
            for camera in cameras where !plan.handle(.changed(camera)).isEmpty { return false }
            if !plan.handle(.connected(place: Self.place, false)).isEmpty { return false }
        }
        return true
    }

    @Test("a camera at the address of another one, whose announcement still holds, takes its place, once")
    mutating func replaced() throws {
        let (first, second) = (try Self.found("uuid:one"), try Self.found("uuid:two"))
        _ = plan.handle(.home([Self.one, Self.two]))
        #expect(plan.handle(.found(first)) == [.tether(place: Self.place, key: "one")])
        #expect(plan.handle(.found(second)) == [.leave(place: Self.place)])
        #expect(plan.handle(.ended(place: Self.place)) == [.tether(place: Self.place, key: "two")])
        #expect(isSettled(first, second))
        // Its own word is over, and it is the first one that has been there all the time.
        #expect(plan.handle(.gone(second)) == [.leave(place: Self.place)])
        #expect(plan.handle(.ended(place: Self.place)) == [.tether(place: Self.place, key: "one")])
    }

    @Test(
        "a stranger at the address of a camera of the home is shown, and the camera is not looked for there")
    mutating func stranger() throws {
        let (known, stranger) = (try Self.found("uuid:one"), try Self.found("uuid:stranger"))
        _ = plan.handle(.home([Self.one]))
        _ = plan.handle(.found(known))
        #expect(plan.handle(.found(stranger)) == [.leave(place: Self.place)])
        #expect(plan.handle(.ended(place: Self.place)) == [.show(stranger)])
        #expect(isSettled(known, stranger))
        #expect(plan.announced(as: "192.168.122.1") == [stranger])
        #expect(
            Self.set(plan.handle(.gone(stranger)))
                == Self.set([.hide(stranger), .tether(place: Self.place, key: "one")]))
    }

    @Test("a camera that announces itself by both protocols is one", arguments: [true, false])
    mutating func bothProtocols(mdnsFirst: Bool) throws {
        let named = try Self.found("z 8._ptp._tcp.local", service: .ptp)
        let described = try Self.found("uuid:one", service: .canonComputer, model: "Canon EOS R6")
        _ = plan.handle(.home([Self.one]))
        var actions: [SearchPlan.Action] = []
        for camera in mdnsFirst ? [named, described] : [described, named] {
            actions += plan.handle(.found(camera))
        }
        #expect(actions.contains(.tether(place: Self.place, key: "one")))
        #expect(!actions.contains(.leave(place: Self.place)))
        #expect(isSettled(named, described))
        #expect(plan.announced(as: "192.168.122.1") == [described])
    }

    @Test("where another body answers, its own announcement is not what is believed no more")
    mutating func refused() throws {
        let known = try Self.found("uuid:one")
        let stranger = try Self.found("z 8._ptp._tcp.local", service: .ptp)
        _ = plan.handle(.home([Self.one]))
        _ = plan.handle(.found(known))
        _ = plan.handle(.found(stranger))
        #expect(plan.handle(.refused(place: Self.place)) == [.leave(place: Self.place)])
        #expect(plan.handle(.ended(place: Self.place)) == [.show(stranger)])
        #expect(isSettled(known, stranger))
    }

    @Test("a body that was met is not known from then on by the announcement of another one at its address")
    mutating func met() throws {
        let old = Self.camera("old", announced: nil)
        _ = plan.handle(.home([Self.one, old]))
        _ = plan.handle(.found(try Self.found("uuid:one")))
        #expect(plan.announcement(of: old, at: Self.place) == nil)
        #expect(plan.announcement(of: Self.one, at: Self.place)?.id == "uuid:one")
        _ = plan.handle(.found(try Self.found("uuid:new")))
        #expect(plan.announcement(of: old, at: Self.place)?.id == "uuid:new")
    }

    @Test("of two cameras with one identity neither is forgotten")
    mutating func oneIdentity() throws {
        _ = plan.handle(.home([Self.one]))
        let first = try Self.found("uuid:one", at: "10.9.0.2")
        _ = plan.handle(.found(first))
        let moved = try Self.found("uuid:one", at: "10.9.0.4")
        #expect(
            plan.handle(.changed(moved)) == [
                .leave(place: first.place), .tether(place: moved.place, key: "one"),
            ])
        _ = plan.handle(.ended(place: first.place))
        // It is heard where it was before: they are two.
        #expect(plan.handle(.found(first)) == [.show(first)])
        #expect(plan.announced(as: "10.9.0.4") == [moved])
        #expect(plan.handle(.gone(first)) == [.hide(first)])
    }

    @Test("the cameras that are there are those that came and did not go, each where it is now")
    func fold() throws {
        var cameras = FoundCameras()
        let (first, other) = (try Self.found("uuid:one", at: "10.9.0.2"), try Self.found("uuid:two"))
        cameras.apply(.found(first))
        cameras.apply(.found(other))
        let described = try Self.found("uuid:one", at: "10.9.0.2", model: "ILCE-7M4")
        cameras.apply(.changed(described))
        #expect(cameras.all == [described, other])
        let moved = try Self.found("uuid:one", at: "10.9.0.4", model: "ILCE-7M4")
        cameras.apply(.changed(moved))
        #expect(cameras.all == [other, moved] && cameras.meant(by: "10.9.0.2").isEmpty)
        #expect(cameras.meant(by: "ilce-7m4") == [moved])
        cameras.apply(.found(described))
        cameras.apply(.gone(moved))
        #expect(cameras.all == [other, described])
        cameras.apply(.gone(other))
        cameras.apply(.gone(described))
        #expect(cameras.all.isEmpty)
    }
}
