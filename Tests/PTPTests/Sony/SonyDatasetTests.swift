import PTP
import TestSupport
import Testing

/// Sony's datasets, against what an RX100 M7 was recorded to say and against the layout in the reference.
@Suite struct SonyDatasetTests {
    /// One property: 0xD215, uint16, get, valid, 0, then its value, and a range from 0 to 65535 in steps of 1.
    private static func waiting(_ low: UInt8, _ high: UInt8) -> [UInt8] {
        [0x15, 0xD2, 0x04, 0x00, 0x00, 0x01, 0x00, 0x00, low, high]
            + [0x01, 0x00, 0x00, 0xFF, 0xFF, 0x01, 0x00]
    }

    /// 0xD222, uint16, get and set, display only, 0, both (0x11), and an enumeration.
    private static func destination(_ lists: [[UInt8]]) -> [UInt8] {
        [0x22, 0xD2, 0x04, 0x00, 0x01, 0x02, 0x00, 0x00, 0x11, 0x00, 0x02] + lists.flatMap { $0 }
    }

    private static func list(_ properties: [[UInt8]]) -> [UInt8] {
        [UInt8(properties.count), 0, 0, 0, 0, 0, 0, 0] + properties.flatMap { $0 }
    }

    private static let threeValues: [UInt8] = [3, 0, 0x01, 0, 0x10, 0, 0x11, 0]
    private static let oneValue: [UInt8] = [1, 0, 0x11, 0]

    @Test("enumerations have one list in older bodies and two in newer ones")
    func lists() throws {
        let old = Self.list([Self.destination([Self.threeValues]), Self.waiting(0x02, 0x80)])
        let new = Self.list([Self.destination([Self.oneValue, Self.threeValues]), Self.waiting(0x02, 0x80)])
        let all: [PropertyValue] = [.unsigned(1), .unsigned(0x10), .unsigned(0x11)]
        for (bytes, settable) in [(old, all), (new, [.unsigned(0x11)])] {
            // What a body says of its version need not be true.
            for version in [SonyVersion.two, .three] {
                let list = try SonyPropertyList(decoding: bytes[...], version: version)
                let destination = try #require(list[.sonySaveDestination])
                #expect(destination.form == .enumeration(settable: settable, gettable: all))
                #expect(destination.validity == .displayOnly && destination.isWritable)
                #expect(destination.number == 0x11)
                #expect(list[.sonyShotsWaiting]?.number == 0x8002)
            }
        }
        let two = try SonyPropertyList(decoding: new[...], version: .three)
        #expect(two.encoded(for: .three) == new && two.encoded(for: .two) == old)
    }

    @Test("a photo is ready from 0x8001 on, and below that it is not, whatever is counted")
    func readiness() {
        let ready: [UInt16] = [0x8001, 0x8002, 0xFFFF]
        for value in ready { #expect(SonyShotsWaiting(rawValue: value).isReady) }
        for value in [0, 1, 2, 0x7FFF, 0x8000] as [UInt16] {
            #expect(!SonyShotsWaiting(rawValue: value).isReady)
        }
        #expect(SonyShotsWaiting(rawValue: 0).isNone && !SonyShotsWaiting(rawValue: 1).isNone)
        #expect(SonySaveDestination(rawValue: 0x11).keepsCopyOnCard)
        #expect(!SonySaveDestination(rawValue: 0x01).keepsCopyOnCard)
        #expect(!SonySaveDestination(rawValue: 0x10).givesToHost)
    }

    @Test("Send to Computer begins and ends with the bytes that bodies wait for")
    func sendToComputer() {
        #expect(
            SonySendToComputer.start == [2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1])
        #expect(SonySendToComputer.end == [0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test("counts and types that cannot be true are refused, and no cut of a dataset is more than that")
    func hostile() throws {
        let many: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF] + Self.waiting(1, 0x80)
        #expect(throws: Malformed.self) { try SonyPropertyList(decoding: many[...], version: .three) }
        var values = Self.list([Self.destination([[0xFF, 0xFF, 1, 0]])])
        #expect(throws: Malformed.self) { try SonyPropertyList(decoding: values[...], version: .two) }
        values = Self.list([[0x15, 0xD2, 0x34, 0x12, 0, 1, 0, 0, 0, 0, 0]])
        #expect(throws: Malformed.self) { try SonyPropertyList(decoding: values[...], version: .two) }
        let good = Self.list([Self.waiting(1, 0x80), Self.waiting(1, 0x80)])
        for length in 1..<good.count {
            #expect(throws: Malformed.self) {
                try SonyPropertyList(decoding: good.prefix(length), version: .three)
            }
        }
        #expect(try SonyPropertyList(decoding: [], version: .three).properties.isEmpty)
        #expect(throws: Malformed.self) { try SonyExtendedDeviceInfo(decoding: [0x2C]) }
        // A count beyond the end leaves the list empty; the version is what counts.
        let info = try SonyExtendedDeviceInfo(decoding: [0x2C, 0x01, 0xFF, 0xFF, 0, 0, 0x15, 0xD2])
        #expect(info == SonyExtendedDeviceInfo(version: .three))
    }
}
