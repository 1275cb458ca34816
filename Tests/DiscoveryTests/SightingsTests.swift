import Discovery
import Testing

/// What is believed of what is heard, event by event.
struct SightingsTests {
    private static func sender(_ address: String, port: UInt16 = 5353) -> Sightings.Sender {
        guard let address = CameraAddress(address) else { preconditionFailure("no address: \(address)") }
        return Sightings.Sender(address: address, port: port, interface: "wlan0")
    }

    private var sightings = Sightings()

    private mutating func mdns(
        _ bytes: [UInt8] = Wire.announcement(), from address: String = "10.9.0.2", port: UInt16 = 5353,
        at second: Int = 0
    ) throws -> [Sightings.Action] {
        sightings.heard(
            try DNSMessage(bytes), from: Self.sender(address, port: port), at: .seconds(second))
    }

    private mutating func ssdp(
        _ bytes: [UInt8] = Wire.notify(), from address: String = "10.9.0.3", at second: Int = 0
    ) throws -> [Sightings.Action] {
        sightings.heard(try SSDPMessage(bytes), from: Self.sender(address), at: .seconds(second))
    }

    private static func request(_ actions: [Sightings.Action]) -> Sightings.DescriptionRequest? {
        for case .fetch(let request) in actions { return request }
        return nil
    }

    private static func isRemark(_ actions: [Sightings.Action]) -> Bool {
        guard actions.count == 1, case .remark = actions[0] else { return false }
        return true
    }

    @Test("a Nikon is found once, however often it announces itself, and goes when its time is over")
    mutating func nikon() throws {
        guard case .found(let camera) = try mdns().first else { throw Unexpected() }
        #expect(camera.name == "Z 8" && camera.host == "10.9.0.2" && camera.services == [.ptp])
        #expect(try mdns(at: 5).isEmpty)
        // Known: "at 80% of the record lifetime" it is asked for again.
        #expect(sightings.passed(to: .seconds(100)).isEmpty)
        let question = try #require(DNSName(labels: [Array("z 8".utf8)] + Wire.serviceLabels))
        #expect(sightings.passed(to: .seconds(101)) == [.ask(.init(question, 33))])
        #expect(try mdns(at: 102).isEmpty)
        #expect(sightings.passed(to: .seconds(126)).isEmpty)
        #expect(sightings.passed(to: .seconds(222)).contains(.gone(camera)))
        #expect(sightings.cameras.isEmpty)
    }

    @Test(
        "a camera in both of a Nikon's services is one, at the port of PTP; each service is asked for again")
    mutating func twoServices() throws {
        guard case .found(let camera) = try mdns(Wire.announcement(of: "_nikon", port: 15_741)).first
        else { throw Unexpected() }
        #expect(camera.make == "Nikon" && camera.name == "Z 8" && camera.services == [.nikon])
        #expect(camera.host == "10.9.0.2:15741" && camera.speaksPTP)
        guard case .changed(let both) = try mdns(at: 1).first else { throw Unexpected() }
        #expect(both.id == camera.id && both.services == [.ptp, .nikon] && both.host == "10.9.0.2")
        #expect(try mdns(Wire.announcement(of: "_nikon", port: 15_741), at: 2).isEmpty)
        let names = [Wire.serviceLabels, Wire.nikonLabels].map { DNSName(labels: [Array("Z 8".utf8)] + $0) }
        let questions = try names.map { Sightings.Action.ask(.init(try #require($0), 33)) }
        #expect(sightings.passed(to: .seconds(98)) == questions)
        _ = try mdns(Wire.announcement(of: "_nikon", ttl: 0), at: 99)
        guard case .changed(let left) = sightings.passed(to: .seconds(100)).first else { throw Unexpected() }
        #expect(left.services == [.ptp] && left.host == "10.9.0.2")
    }

    @Test("a good-bye holds from the camera alone, a second later, and not if it is back by then")
    mutating func goodbye() throws {
        _ = try mdns()
        _ = try mdns(Wire.announcement(ttl: 0), from: "10.9.0.66", at: 1)
        #expect(sightings.passed(to: .seconds(3)).isEmpty)
        _ = try mdns(Wire.announcement(ttl: 0), at: 4)
        _ = try mdns(at: 4)
        #expect(sightings.passed(to: .seconds(6)).isEmpty)
        _ = try mdns(Wire.announcement(ttl: 0), at: 7)
        #expect(sightings.passed(to: .seconds(7)).isEmpty)
        #expect(sightings.passed(to: .seconds(8)).count == 1 && sightings.cameras.isEmpty)
    }

    @Test("an address that the packet did not come from is refused, and said once")
    mutating func elsewhere() throws {
        #expect(Self.isRemark(try mdns(from: "10.9.0.66")))
        #expect(try mdns(from: "10.9.0.66").isEmpty)
        #expect(Self.isRemark(try ssdp(from: "10.9.0.66")))
        #expect(sightings.cameras.isEmpty && sightings.nextDeadline == nil)
        // Not from the port of mDNS, and a question: neither says anything.
        #expect(try mdns(port: 40_000).isEmpty)
        #expect(sightings.cameras.isEmpty)
    }

    @Test(
        "a service without its address is where it was sent from; a pointer alone is asked about, once a second"
    )
    mutating func partly() throws {
        let bytes = Wire.announcement(address: nil)
        guard case .found(let camera) = try mdns(bytes, from: "10.9.0.8").first else { throw Unexpected() }
        #expect(camera.host == "10.9.0.8")
        var pointer = Wire.announcement(instance: "Z 9")
        pointer.replaceSubrange(10..<12, with: [0, 0])
        pointer.removeLast(pointer.count - 45)
        let name = try #require(DNSName(labels: [Array("Z 9".utf8)] + Wire.serviceLabels))
        #expect(try mdns(pointer) == [.ask(.init(name, 33))])
        #expect(try mdns(pointer).isEmpty)
        #expect(try mdns(pointer, at: 1) == [.ask(.init(name, 33))])
    }

    @Test("a Canon is described before it is told; without a description it is told all the same, in time")
    mutating func canon() throws {
        let request = try #require(Self.request(try ssdp()))
        #expect(request.url == "http://10.9.0.3:49152/upnp/CameraDevDesc.xml" && request.interface == "wlan0")
        #expect(sightings.cameras.isEmpty)
        let details = try DeviceDescription(Wire.description())
        guard case .found(let camera) = sightings.described(request, .read(details), at: .seconds(1)).first
        else { throw Unexpected() }
        #expect(camera.make == "Canon" && camera.model == "Canon EOS R6" && camera.host == "10.9.0.3")
        #expect(try ssdp(at: 2).isEmpty)

        var silent = Sightings()
        _ = silent.heard(try SSDPMessage(Wire.notify()), from: Self.sender("10.9.0.3"), at: .zero)
        #expect(silent.passed(to: .milliseconds(2400)).isEmpty)
        #expect(silent.nextDeadline == .milliseconds(2500))
        guard case .found = silent.passed(to: .milliseconds(2500)).first else { throw Unexpected() }
        let late = silent.described(request, .read(details), at: .seconds(3))
        #expect(late == [.changed(camera)])
    }

    @Test(
        "a description of another device, and one that fails, are left out with a remark and asked for again later"
    )
    mutating func description() throws {
        let request = try #require(Self.request(try ssdp()))
        let other = try DeviceDescription(Wire.description(udn: "uuid:other"))
        let actions = sightings.described(request, .read(other), at: .seconds(1))
        #expect(actions.count == 2 && sightings.cameras.first?.model == nil)
        #expect(try ssdp(at: 10).isEmpty)
        let again = try #require(Self.request(try ssdp(at: 40)))
        #expect(Self.isRemark(sightings.described(again, .failed("404"), at: .seconds(41))))
        #expect(Self.request(try ssdp(at: 80)) != nil)
    }

    @Test("a camera with a new address is the same; one that is also at its old address is two")
    mutating func moved() throws {
        _ = try ssdp(Wire.notify(location: nil))
        let moved = try ssdp(Wire.notify(location: nil), from: "10.9.0.4", at: 5)
        guard case .changed(let camera) = moved.first else { throw Unexpected() }
        #expect(camera.host == "10.9.0.4" && sightings.cameras.count == 1)
        guard case .found(let second) = try ssdp(Wire.notify(location: nil), at: 6).first else {
            throw Unexpected()
        }
        #expect(
            second.host == "10.9.0.3" && sightings.cameras.map(\.host).sorted() == ["10.9.0.3", "10.9.0.4"])
        // From now on each has its own word.
        #expect(try ssdp(Wire.notify(location: nil), from: "10.9.0.4", at: 7).isEmpty)
        #expect(try ssdp(Wire.notify(location: nil), at: 8).isEmpty)
        _ = try ssdp(Wire.notify(location: nil, kind: "ssdp:byebye"), from: "10.9.0.4", at: 9)
        #expect(
            sightings.passed(to: .seconds(10)).count == 1 && sightings.cameras.map(\.host) == ["10.9.0.3"])
    }

    @Test("an address that comes back after a while is a move again, and no second camera")
    mutating func movedBack() throws {
        _ = try ssdp(Wire.notify(location: nil))
        _ = try ssdp(Wire.notify(location: nil), from: "10.9.0.4", at: 5)
        guard case .changed = try ssdp(Wire.notify(location: nil), at: 500).first else { throw Unexpected() }
        #expect(sightings.cameras.map(\.host) == ["10.9.0.3"])
    }

    @Test("two cameras with one serial number are two")
    mutating func oneSerial() throws {
        for (address, udn) in [("10.9.0.3", "uuid:1"), ("10.9.0.4", "uuid:2")] {
            let place = "http://\(address)/dd.xml"
            let request = try #require(
                Self.request(try ssdp(Wire.notify(location: place, udn: udn), from: address)))
            let details = try DeviceDescription(Wire.description(udn: udn))
            _ = sightings.described(request, .read(details), at: .seconds(1))
        }
        #expect(sightings.cameras.count == 2 && Set(sightings.cameras.map(\.details.serial)).count == 1)
    }

    @Test("a Sony with several services is one camera, and stays while one of them holds")
    mutating func services() throws {
        let sony = CameraService.sonyImaging.rawValue
        _ = try ssdp(Wire.notify(location: nil, target: CameraService.sonyWebAPI.rawValue, age: 100))
        #expect(sightings.cameras.first?.speaksPTP == false)
        let better = try ssdp(Wire.notify(location: nil, target: sony, age: 50))
        guard case .changed(let camera) = better.first else { throw Unexpected() }
        #expect(camera.services == [.sonyImaging, .sonyWebAPI] && camera.best == .sonyImaging)
        #expect(sightings.passed(to: .seconds(50)).count == 1 && sightings.cameras.count == 1)
        #expect(sightings.passed(to: .seconds(100)).count == 1 && sightings.cameras.isEmpty)
    }

    @Test("a flood fills neither the list nor the screen, and pushes no camera out")
    mutating func flood() throws {
        _ = try mdns()
        var said = 0
        var fetches = 0
        for number in 0..<1000 {
            let address = "10.\(number % 7).\(number / 50).\(number % 250)"
            let bytes = Wire.notify(location: "http://\(address)/dd.xml", udn: "uuid:\(number)")
            for action in try ssdp(bytes, from: address) + ssdp(bytes, from: "10.9.0.66") {
                if case .remark = action { said += 1 }
                if case .fetch = action { fetches += 1 }
            }
        }
        #expect(said <= 5 && fetches <= 4)
        _ = sightings.passed(to: .seconds(3))
        #expect(sightings.cameras.count == 64 && sightings.cameras.contains { $0.host == "10.9.0.2" })
        _ = try ssdp(Wire.notify(location: nil, udn: "uuid:z"), at: 4)
        #expect(sightings.cameras.count == 64)
    }

    @Test("one address cannot be more than four cameras")
    mutating func oneAddress() throws {
        for number in 0..<10 { _ = try ssdp(Wire.notify(location: nil, udn: "uuid:\(number)")) }
        #expect(sightings.cameras.count == 4)
    }

    @Test("a compact that looks for a phone is told of with what to choose instead")
    mutating func compact() throws {
        let search = SSDPMessage.search(for: "urn:schemas-canon-com:service:MobileConnectedCameraService:1")
        #expect(Self.isRemark(try ssdp(search)))
    }

    private struct Unexpected: Error {}

    @Test(
        "a camera whose address a flood has filled is found when the flood is over, however long that claimed to stay"
    )
    mutating func crowded() throws {
        for number in 0..<8 { _ = try ssdp(Wire.notify(location: nil, udn: "uuid:\(number)", age: 86_400)) }
        #expect(sightings.cameras.count == Sightings.mostOfOneAddress)
        #expect(Self.isRemark(try ssdp(Wire.notify(location: nil), at: 60)) == false)
        // What is heard again and again stays.
        _ = try ssdp(Wire.notify(location: nil, udn: "uuid:0", age: 86_400), at: 60)
        _ = sightings.passed(to: .seconds(151))
        #expect(sightings.cameras.map(\.id) == ["uuid:0"])
        guard case .found(let camera) = try ssdp(Wire.notify(location: nil), at: 152).first else {
            throw Unexpected()
        }
        #expect(camera.id == Wire.udn.lowercased())
    }
}
