import Discovery
import Testing

/// Which of the cameras that announce themselves are connected to, event by event.
struct SearchPlanTests {
    private var plan = SearchPlan(isAutomatic: true)
    private static let uuid = "uuid:00000000-0000-0000-0001-aabbccddeeff"

    /// As a description has it; an instance of mDNS has none.
    private static func found(
        _ address: String, id: String = uuid, model: String? = "Canon EOS R6", serial: String? = "012345",
        service: CameraService = .canonComputer
    ) throws -> FoundCamera {
        var details = DeviceDescription()
        details.model = model
        details.serial = serial
        return FoundCamera(
            id: id, address: try #require(CameraAddress(address)), services: [service], details: details)
    }

    private static func camera(
        _ key: String = "R6", place: String? = nil, announced: String? = nil, serial: String? = nil,
        model: String? = "Canon EOS R6", isAddedByPlace: Bool = false
    ) -> ExpectedCamera {
        var camera = ExpectedCamera(key: key)
        (camera.place, camera.announced, camera.serial) = (place.map { "\($0):15740" }, announced, serial)
        (camera.model, camera.isAddedByPlace) = (model, isAddedByPlace)
        return camera
    }

    /// Actions whose order does not matter.
    private static func set(_ actions: [SearchPlan.Action]) -> Set<String> { Set(actions.map { "\($0)" }) }

    private static func at(_ address: String) -> String { "\(address):15740" }

    @Test("what was never met is shown, and not connected to until it is added")
    mutating func new() throws {
        let camera = try Self.found("10.9.0.2")
        #expect(plan.handle(.home([])).isEmpty)
        #expect(plan.handle(.found(camera)) == [.show(camera)])
        #expect(plan.handle(.changed(camera)).isEmpty)
        let home = [Self.camera(announced: Self.uuid)]
        #expect(
            Self.set(plan.handle(.home(home)))
                == Self.set([.hide(camera), .tether(place: Self.at("10.9.0.2"), key: "R6")]))
        #expect(plan.handle(.home([])) == [.leave(place: Self.at("10.9.0.2"))])
        #expect(plan.handle(.ended(place: Self.at("10.9.0.2"))) == [.show(camera)])
        #expect(plan.handle(.gone(camera)) == [.hide(camera)])
    }

    @Test(
        "one of the home is known by its announcement, its GUID, its serial number without the zeros, or its address if it never announced itself",
        arguments: [
            camera(announced: uuid), camera(serial: "0000012345"), camera(place: "10.9.0.2"),
            camera(place: "10.9.0.2", model: nil),
        ])
    mutating func known(_ camera: ExpectedCamera) throws {
        _ = plan.handle(.home([camera]))
        #expect(
            plan.handle(.found(try Self.found("10.9.0.2"))) == [
                .tether(place: Self.at("10.9.0.2"), key: "R6")
            ])
    }

    @Test(
        "what contradicts it is not that camera",
        arguments: [
            camera(announced: "uuid:another"), camera(serial: "12346"), camera(place: "10.9.0.3"),
            camera(place: "10.9.0.2", model: "NIKON Z 8"), camera(serial: "0000"),
            camera(serial: "12345", model: "NIKON Z 8"),
        ])
    mutating func stranger(_ camera: ExpectedCamera) throws {
        _ = plan.handle(.home([camera]))
        let found = try Self.found("10.9.0.2")
        #expect(plan.handle(.found(found)) == [.show(found)])
    }

    @Test("a camera with another address is followed, at once where its connection is lost")
    mutating func moved() throws {
        let home = [Self.camera(announced: Self.uuid)]
        _ = plan.handle(.home(home))
        _ = plan.handle(.found(try Self.found("10.9.0.2")))
        _ = plan.handle(.met(place: Self.at("10.9.0.2"), key: "R6", home: home))
        #expect(
            plan.handle(.changed(try Self.found("10.9.0.3"))) == [
                .leave(place: Self.at("10.9.0.2")), .tether(place: Self.at("10.9.0.3"), key: "R6"),
            ])
        #expect(plan.handle(.ended(place: Self.at("10.9.0.2"))).isEmpty)
    }

    @Test("one that is connected is asked first: an announcement takes no connection away that answers")
    mutating func lie() throws {
        let (here, there) = (Self.at("10.9.0.2"), Self.at("10.9.0.66"))
        _ = plan.handle(.home([Self.camera(announced: Self.uuid)]))
        _ = plan.handle(.found(try Self.found("10.9.0.2")))
        _ = plan.handle(.connected(place: here, true))
        let liar = try Self.found("10.9.0.66")
        #expect(plan.handle(.changed(liar)) == [.ask(place: here)])
        #expect(plan.handle(.changed(liar)).isEmpty)
        #expect(plan.handle(.answered(place: here, true)) == [.show(liar)])
        #expect(plan.handle(.changed(liar)).isEmpty)
        // The connection is lost later on: then it may have moved after all.
        #expect(
            Self.set(plan.handle(.connected(place: here, false)))
                == Self.set([.leave(place: here), .tether(place: there, key: "R6"), .hide(liar)]))
    }

    @Test("one that does not answer where it was is followed")
    mutating func silent() throws {
        let here = Self.at("10.9.0.2")
        _ = plan.handle(.home([Self.camera(announced: Self.uuid)]))
        _ = plan.handle(.found(try Self.found("10.9.0.2")))
        _ = plan.handle(.connected(place: here, true))
        _ = plan.handle(.changed(try Self.found("10.9.0.3")))
        #expect(
            plan.handle(.answered(place: here, false)) == [
                .leave(place: here), .tether(place: Self.at("10.9.0.3"), key: "R6"),
            ])
    }

    @Test("where another camera announces itself the one that was waited for is not looked for")
    mutating func takenAddress() throws {
        _ = plan.handle(.home([Self.camera(announced: Self.uuid)]))
        let known = try Self.found("10.9.0.2")
        _ = plan.handle(.found(known))
        _ = plan.handle(.gone(known))
        let other = try Self.found("10.9.0.2", id: "uuid:other", serial: "777")
        #expect(plan.handle(.found(other)) == [.leave(place: Self.at("10.9.0.2"))])
        #expect(plan.handle(.ended(place: Self.at("10.9.0.2"))) == [.show(other)])
    }

    @Test("a second camera with the first one's serial number is another one")
    mutating func twins() throws {
        _ = plan.handle(.home([Self.camera(announced: Self.uuid, serial: "12345")]))
        _ = plan.handle(.found(try Self.found("10.9.0.2")))
        let twin = try Self.found("10.9.0.4", id: "uuid:twin")
        #expect(plan.handle(.found(twin)) == [.show(twin)])
    }

    @Test(
        "one that was added by its address is tried there without a word from it, and follows when it has one"
    )
    mutating func byPlace() throws {
        let camera = Self.camera("added", place: "10.9.0.7", model: nil, isAddedByPlace: true)
        #expect(plan.handle(.home([camera])) == [.tether(place: Self.at("10.9.0.7"), key: "added")])
        let met = Self.camera("R6", place: "10.9.0.7", announced: Self.uuid, isAddedByPlace: true)
        #expect(plan.handle(.met(place: Self.at("10.9.0.7"), key: "R6", home: [met])).isEmpty)
        #expect(
            plan.handle(.found(try Self.found("10.9.0.8"))) == [
                .leave(place: Self.at("10.9.0.7")), .tether(place: Self.at("10.9.0.8"), key: "R6"),
            ])
    }

    @Test("the operator's word about an address counts more than who was there before")
    mutating func another() throws {
        let place = Self.at("10.9.0.2")
        let old = Self.camera("old", place: "10.9.0.2")
        _ = plan.handle(.home([old]))
        _ = plan.handle(.found(try Self.found("10.9.0.2", serial: nil)))
        let added = Self.camera("added", place: "10.9.0.2", model: nil, isAddedByPlace: true)
        #expect(plan.handle(.home([old, added])) == [.leave(place: place)])
        #expect(plan.handle(.ended(place: place)) == [.tether(place: place, key: "added")])
    }

    @Test("two announcements of one camera do not chase it to and fro while it is connected nowhere")
    mutating func contested() throws {
        let here = Self.at("10.9.0.2")
        _ = plan.handle(.home([Self.camera(announced: "uuid:former", serial: "12345")]))
        _ = plan.handle(.found(try Self.found("10.9.0.2")))
        // A second one that claims its serial number.
        let other = try Self.found("10.9.0.66", id: "uuid:other")
        #expect(plan.handle(.found(other)) == [.show(other)])
        for _ in 0..<3 {
            #expect(plan.handle(.connected(place: here, false)).isEmpty)
            #expect(plan.handle(.changed(other)).isEmpty)
        }
    }

    @Test(
        "an announcement that another body answered to is believed no more; the camera is followed elsewhere")
    mutating func disproved() throws {
        let here = Self.at("10.9.0.2")
        let home = [Self.camera(announced: Self.uuid)]
        _ = plan.handle(.home(home))
        let liar = try Self.found("10.9.0.2")
        _ = plan.handle(.found(liar))
        #expect(plan.handle(.refused(place: here)) == [.leave(place: here)])
        #expect(plan.handle(.ended(place: here)) == [.show(liar)] && plan.isDisproved(at: here))
        #expect(plan.handle(.changed(liar)).isEmpty)
        let moved = try Self.found("10.9.0.3")
        #expect(
            Self.set(plan.handle(.changed(moved)))
                == Self.set([.hide(liar), .tether(place: Self.at("10.9.0.3"), key: "R6")]))
        #expect(!plan.isDisproved(at: here))
        // One that was added by its place is waited for there.
        var added = SearchPlan(isAutomatic: true)
        _ = added.handle(.home([Self.camera("added", place: "10.9.0.2", isAddedByPlace: true)]))
        #expect(added.handle(.refused(place: here)).isEmpty)
    }

    @Test(
        "also where another body announces itself as one of the home's, once the operator has said that it is meant"
    )
    mutating func meantAllTheSame() throws {
        let place = Self.at("10.9.0.2")
        let old = Self.camera("old", announced: Self.uuid)
        _ = plan.handle(.home([old]))
        let found = try Self.found("10.9.0.2")
        _ = plan.handle(.found(found))
        _ = plan.handle(.connected(place: place, false))
        let added = Self.camera("added", place: "10.9.0.2", model: nil, isAddedByPlace: true)
        #expect(plan.handle(.home([old, added])) == [.leave(place: place)])
        #expect(plan.handle(.ended(place: place)) == [.tether(place: place, key: "added")])
        #expect(plan.handle(.changed(found)).isEmpty)
    }

    @Test("a name means those of that name, model or serial number, and no others")
    func names() throws {
        var plan = SearchPlan(
            isAutomatic: false, names: [try #require(CameraName("r6")), try #require(CameraName("Anna"))])
        var anna = Self.camera("Z8", announced: "uuid:anna", model: "NIKON Z 8")
        anna.name = "Anna"
        _ = plan.handle(
            .home([
                Self.camera("R6", announced: "uuid:r6"), anna,
                Self.camera("M2", announced: "uuid:m2", model: "Canon EOS R6 Mark II"),
            ]))
        func tethers(_ id: String, _ model: String) throws -> Bool {
            let found = try Self.found("10.9.0.2", id: id, model: model)
            defer { _ = plan.handle(.gone(found)) }
            return plan.handle(.found(found)).contains { if case .tether = $0 { true } else { false } }
        }
        #expect(try tethers("uuid:m2", "Canon EOS R6 Mark II") == false)
        #expect(try tethers("uuid:r6", "Canon EOS R6"))
        let other = try Self.found("10.9.0.5", id: "uuid:anna", model: "NIKON Z 8", serial: "9")
        #expect(plan.handle(.found(other)) == [.tether(place: Self.at("10.9.0.5"), key: "Z8")])
        // A new one of that name waits to be added like every other; one of another name is not ours to show.
        let new = try Self.found("10.9.0.6", id: "uuid:new", serial: "8")
        #expect(plan.handle(.found(new)) == [.show(new)])
        let stranger = try Self.found("10.9.0.7", id: "uuid:x", model: "ILCE-7M4", serial: "7")
        #expect(plan.handle(.found(stranger)).isEmpty)
    }

    @Test("what the command line names is never left, and what announces itself there is not new")
    func fixed() throws {
        var plan = SearchPlan(isAutomatic: true, fixed: [Self.at("10.9.0.2")])
        _ = plan.handle(.home([]))
        #expect(plan.handle(.found(try Self.found("10.9.0.2"))).isEmpty)
        let home = [Self.camera(announced: Self.uuid)]
        #expect(plan.handle(.met(place: Self.at("10.9.0.2"), key: "R6", home: home)).isEmpty)
        #expect(
            plan.handle(.changed(try Self.found("10.9.0.3"))) == [
                .tether(place: Self.at("10.9.0.3"), key: "R6")
            ])
    }

    @Test(
        "a gateway at the address of a camera's own network is shown and not connected to, until it is added or known"
    )
    mutating func gateway() throws {
        #expect(AccessPoint.camera(at: [192, 168, 1, 77]) == nil)
        let perhaps = try #require(AccessPoint.camera(at: [192, 168, 122, 1]))
        #expect(perhaps.make == "a Sony")
        #expect(plan.handle(.gateway(perhaps)) == [.show(perhaps)])
        #expect(plan.handle(.gateway(perhaps)).isEmpty)
        let added = Self.camera("added", place: "192.168.122.1", model: nil, isAddedByPlace: true)
        #expect(
            Self.set(plan.handle(.home([added])))
                == Self.set([.hide(perhaps), .tether(place: perhaps.place, key: "added")]))
        var named = SearchPlan(isAutomatic: false, names: [try #require(CameraName("R6"))])
        #expect(named.handle(.gateway(perhaps)).isEmpty)
    }

    @Test("a flood of cameras of the home tethers no more than a bridge bears")
    mutating func flood() throws {
        let cameras = (0..<60).map { Self.camera("\($0)", announced: "uuid:\($0)") }
        _ = plan.handle(.home(cameras))
        var tethered = 0
        for number in 0..<60 {
            let found = try Self.found("10.9.1.\(number)", id: "uuid:\(number)", serial: nil)
            tethered += plan.handle(.found(found)).count
        }
        #expect(tethered == SearchPlan.mostTethers)
    }
}
