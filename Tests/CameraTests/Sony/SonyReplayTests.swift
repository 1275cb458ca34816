import Bridge
import Camera
import PTP
import PacketCapture
import Simulator
import TestSupport
import Testing

/// What a DSC-RX100M7 answered a phone, played back as a camera and tethered by our driver.
@Suite(.enabled(if: RealTraffic.isThere, "\(RealTraffic.reason)"))
struct SonyReplayTests {
    /// Recorded with hand edits: numbers of transactions begin anew midway, and a Start Data promises 293 bytes where 8 come.
    private static func recording(_ name: String) throws -> Recording {
        let contents = try PcapFile.conversations(in: RealTraffic.path(name))
        return Recording(try #require(contents.conversations.first))
    }

    /// No photo, and the reason why its card is not shown.
    private static func expectNothing(of driver: any CameraDriver) async throws {
        var survey = try await driver.survey(SurveyOptions(), onDescribed: {})
        #expect(survey.remark?.contains("PC Remote") == true, "\(survey.remark ?? "nothing is said")")
        survey.remark = nil
        #expect(survey == Survey())
    }

    @Test("it is greeted as it was recorded, says who it is, and has nothing to give")
    func connect() async throws {
        let stand = GenericStand(try Rig(replaying: Self.recording("sony-rx100m7-connect.pcap")))
        let (body, facts) = try await stand.connector().met(knowing: nil) { driver in
            try await Self.expectNothing(of: driver)
            for _ in 0..<3 { try await driver.keepAlive() }
            #expect(await driver.abilities.handsOver, "it is not taken for a plain PTP camera")
            return (await driver.body, try await driver.facts())
        }
        #expect(body.identity.manufacturer == "Sony Corporation" && body.identity.model == "DSC-RX100M7")
        #expect(body.serial == "00000000000000008081886002895251")
        #expect(facts.name == "DSC-RX100M7")
        // Whatever was not asked of it then and is now would be told here. It was not asked for its storages.
        let surprises = stand.rig.log.value.filter { $0.contains("not asked while this was recorded") }
        #expect(surprises.allSatisfy { $0.contains("GetStorageIDs") }, "\(surprises)")
    }

    @Test("what it does not say to be ready is not asked for, whatever the recorded phone did")
    func takePicture() async throws {
        let stand = GenericStand(try Rig(replaying: Self.recording("sony-rx100m7-takepic.pcap")))
        try await stand.connector().met(knowing: nil) { driver in
            // The recorded phone asked for an object here at once, and there is no answer in the recording; the body's
            // properties say that nothing waits.
            for _ in 0..<3 { try await driver.keepAlive() }
            #expect(try await driver.references().isEmpty)
            try await Self.expectNothing(of: driver)
        }
        #expect(!stand.rig.log.value.contains { $0.contains("GetObjectInfo") || $0.contains("GetObject ") })
    }

    @Test("the properties that it told are read to their last byte, by its own version and by none")
    func properties() throws {
        let recording = try Self.recording("sony-rx100m7-connect.pcap")
        func data(_ code: UInt16) throws -> [UInt8] {
            let found = recording.transactions.first { $0.request.code.rawValue == code }
            return try #require(found?.data).bytes(upTo: 1 << 20)
        }
        let info = try SonyExtendedDeviceInfo(decoding: data(0x9202)[...])
        #expect(info.version == .three && info.properties.count == 78 && info.controls.count == 23)
        let bytes = try data(0x9209)
        for version in [SonyVersion.two, .three] {
            let list = try SonyPropertyList(decoding: bytes[...], version: version)
            #expect(Set(list.properties.map(\.code)) == Set(info.properties))
            #expect(list[.sonyShotsWaiting]?.number == 0 && list[.sonySaveDestination]?.number == 1)
            #expect(list[DevicePropertyCode(rawValue: 0x5007)]?.number == 280, "f/2.8")
        }
        #expect(try SonyPropertyList(decoding: bytes[...], version: .three).encoded(for: .three) == bytes)
    }
}
