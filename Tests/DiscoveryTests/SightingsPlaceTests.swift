import Discovery
import Testing

/// What is believed of several cameras at one address, and of one camera on several interfaces.
struct SightingsPlaceTests {
    private var sightings = Sightings()

    private mutating func heard(
        _ bytes: [UInt8], on interface: String = "wlan0", from address: String = "192.168.122.1",
        at second: Int
    ) throws -> [Sightings.Action] {
        let sender = Sightings.Sender(
            address: try #require(CameraAddress(address)), port: 1900, interface: interface)
        return sightings.heard(try SSDPMessage(bytes), from: sender, at: .seconds(second))
    }

    private static func notify(_ udn: String) -> [UInt8] { Wire.notify(location: nil, udn: udn, age: 1800) }

    @Test("a camera that another one has replaced at its address is gone soon, however long its word holds")
    mutating func replaced() throws {
        _ = try heard(Self.notify("uuid:first"), at: 0)
        _ = try heard(Self.notify("uuid:second"), at: 10)
        #expect(sightings.passed(to: .seconds(159)).isEmpty)
        let gone = sightings.passed(to: .seconds(161))
        guard case .gone(let camera) = gone.first else { return #expect(Bool(false), "\(gone)") }
        #expect(camera.id == "uuid:first" && sightings.cameras.map(\.id) == ["uuid:second"])
    }

    @Test("two that both answer each search stay, and so does one with an identity in each protocol")
    mutating func both() throws {
        let instance = Wire.announcement(address: nil)
        let sender = Sightings.Sender(
            address: try #require(CameraAddress("192.168.122.1")), port: 5353, interface: "wlan0")
        for minute in 0..<10 {
            _ = try heard(Self.notify("uuid:first"), at: minute * 60)
            _ = try heard(Self.notify("uuid:second"), at: minute * 60 + 1)
            _ = sightings.heard(try DNSMessage(instance), from: sender, at: .seconds(minute * 60 + 2))
            #expect(
                !sightings.passed(to: .seconds(minute * 60 + 59)).contains {
                    if case .gone = $0 { true } else { false }
                })
        }
        #expect(sightings.cameras.count == 3)
    }

    @Test("a camera that is heard on two interfaces is on the first, until it is heard there no more")
    mutating func twoInterfaces() throws {
        _ = try heard(Self.notify("uuid:one"), at: 0)
        for minute in 1..<10 {
            #expect(try heard(Self.notify("uuid:one"), on: "eth0", at: minute * 60).isEmpty)
            #expect(try heard(Self.notify("uuid:one"), at: minute * 60 + 1).isEmpty)
        }
        #expect(try heard(Self.notify("uuid:one"), on: "eth0", at: 600).isEmpty)
        guard case .changed(let camera) = try heard(Self.notify("uuid:one"), on: "eth0", at: 700).first else {
            return #expect(Bool(false), "it is on the other one by now")
        }
        #expect(camera.interface == "eth0")
        // With another address it is at once where it is heard.
        guard
            case .changed(let moved) = try heard(
                Self.notify("uuid:one"), from: "10.9.0.4", at: 701
            ).first
        else { return #expect(Bool(false)) }
        #expect(moved.interface == "wlan0")
    }
}
