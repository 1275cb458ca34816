import PTP
import Testing

/// What Nikons tell, from bytes that were not made here.
@Suite struct NikonEventListTests {
    private static let added = NikonEventList.Record(.objectAdded, [0x0919_4A01])

    @Test("the golden lists of both operations say the same")
    func golden() throws {
        let short: [UInt8] = [0x01, 0x00, 0x02, 0x40, 0x01, 0x4A, 0x19, 0x09]
        let extended: [UInt8] = [
            0x01, 0x00, 0x00, 0x00, 0x02, 0x40, 0x01, 0x00, 0x01, 0x4A, 0x19, 0x09,
        ]
        #expect(try NikonEventList(decoding: short[...], .short).records == [Self.added])
        #expect(try NikonEventList(decoding: extended[...], .extended).records == [Self.added])
        #expect(NikonEventList([Self.added]).encoded(.short) == short)
        #expect(NikonEventList([Self.added]).encoded(.extended) == extended)
    }

    @Test("a body that has nothing to tell says so in two bytes, as a D3X does, or in none")
    func nothing() throws {
        for layout in [NikonEventList.Layout.short, .extended] {
            #expect(try NikonEventList(decoding: [0, 0], layout).records.isEmpty)
            #expect(try NikonEventList(decoding: [], layout).records.isEmpty)
        }
        #expect(try NikonEventList(decoding: [0, 0, 0, 0], .extended).records.isEmpty)
    }

    @Test("a list of several records, with none, one and five parameters")
    func several() throws {
        let bytes: [UInt8] = [
            0x03, 0x00, 0x00, 0x00, 0x0D, 0x40, 0x00, 0x00, 0x01, 0xC1, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x06, 0x40, 0x05, 0x00, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0,
        ]
        let records = try NikonEventList(decoding: bytes[...], .extended).records
        #expect(
            records == [
                NikonEventList.Record(.captureComplete),
                NikonEventList.Record(.nikonObjectAddedInMemory, [0]),
                NikonEventList.Record(.devicePropChanged, [1, 2, 3, 4, 5]),
            ])
        for length in 1..<bytes.count {
            #expect(throws: Malformed.self, "\(length) bytes") {
                try NikonEventList(decoding: bytes.prefix(length), .extended)
            }
        }
    }

    @Test("a count that is larger than the data or the limit, and too many parameters, are no list")
    func tooMany() {
        let short: [UInt8] = [0x02, 0x00, 0x02, 0x40, 0x01, 0x4A, 0x19, 0x09]
        #expect(throws: Malformed.self) { try NikonEventList(decoding: short[...], .short) }
        let records = [UInt8](repeating: 0, count: 6 * 2049)
        #expect(throws: Malformed.self) {
            try NikonEventList(decoding: ([0x01, 0x08] + records)[...], .short)
        }
        #expect(throws: Never.self) { try NikonEventList(decoding: ([0x00, 0x08] + records)[...], .short) }
        let six: [UInt8] = [1, 0, 0, 0, 0x06, 0x40, 6, 0] + [UInt8](repeating: 0, count: 24)
        #expect(throws: Malformed.self) { try NikonEventList(decoding: six[...], .extended) }
    }

    @Test("bytes behind a list are no part of it")
    func tail() throws {
        let short: [UInt8] = [0x01, 0x00, 0x02, 0x40, 0x01, 0x4A, 0x19, 0x09, 0xFF, 0xFF, 0xFF]
        #expect(try NikonEventList(decoding: short[...], .short).records == [Self.added])
        let extended: [UInt8] = [
            1, 0, 0, 0, 0x02, 0x40, 0x01, 0x00, 0x01, 0x4A, 0x19, 0x09, 0xFF, 0xFF, 0xFF,
        ]
        #expect(try NikonEventList(decoding: extended[...], .extended).records == [Self.added])
    }

    @Test(
        "four digits are read in whatever way they are written",
        arguments: [
            ([0x31, 0x32, 0x33, 0x34], ["1234"]), ([0x30, 0x30, 0x30, 0x37, 0, 0], ["0007"]),
            ([0x31, 0, 0x32, 0, 0x33, 0, 0x34, 0], ["1234"]),
            ([5, 0x31, 0, 0x32, 0, 0x33, 0, 0x34, 0, 0, 0], ["1234"]),
            // Two digits a byte in either order, or one number.
            ([0x12, 0x34], ["1234", "3412"]), ([0x07, 0x00], ["0700", "0007"]), ([0xD2, 0x04], ["1234"]),
            ([0xD2, 0x04, 0, 0], ["1234"]), ([0xFF, 0xFF], []), ([], []), ([0x31, 0x32, 0x33], []),
            ([0x31, 0x32, 0x33, 0x34, 0x35], []),
        ] as [([UInt8], [String])])
    func pairingCodes(bytes: [UInt8], readings: [String]) {
        #expect(NikonPairingCode(reading: bytes[...]).readings == readings)
    }
}

/// How each body is to be greeted, by its DeviceInfo.
@Suite struct NikonGenerationTests {
    /// As an unpaired Z 8 begins it, with the operations that it lists; what it calls itself is laid behind.
    static let z8: [UInt8] =
        [0x64, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0x6E, 0x00, 0x22] + wide("Microsoft.com/DeviceServices: 1.0")
        + [0, 0] + [0, 0] + [9, 0, 0, 0]
        + [
            0x01, 0x10, 0x02, 0x10, 0x03, 0x10, 0x5A, 0x93, 0x39, 0x94, 0x40, 0x94, 0x41, 0x94, 0x42, 0x94,
            0x2B,
            0x95,
        ]
        + [UInt8](repeating: 0, count: 16) + [18] + wide("Nikon Corporation") + [0, 0] + [4] + wide("Z 8")
        + [0, 0]

    private static func wide(_ text: String) -> [UInt8] { text.utf8.flatMap { [$0, 0] } }

    @Test("an unpaired Z 8 wants to be paired, and nothing else")
    func unpaired() throws {
        // The vendor's name and the model's are behind five strings' worth of arrays.
        let device = try DeviceInfo(decoding: Self.z8[...])
        #expect(device.vendorExtensionDescription == "Microsoft.com/DeviceServices: 1.0")
        #expect(device.operations.count == 9 && device.manufacturer == "Nikon Corporation")
        #expect(NikonGeneration(device) == .third(isPaired: false))
    }

    private func device(
        _ model: String, _ operations: [UInt16], _ properties: [UInt16] = [],
        maker: String = "Nikon Corporation"
    ) -> DeviceInfo {
        var device = DeviceInfo()
        device.manufacturer = maker
        device.model = model
        device.operations = operations.map { OperationCode(rawValue: $0) }
        device.deviceProperties = properties.map { DevicePropertyCode(rawValue: $0) }
        return device
    }

    @Test(
        "the generation follows from what is listed, and a body of the first one is of that whatever it lists"
    )
    func generations() {
        #expect(NikonGeneration(device("D7200", [0x1007, 0x90C7])) == .old)
        #expect(NikonGeneration(device("Z 6", [0x1007, 0x1016], [0xD1F0])) == .first)
        #expect(NikonGeneration(device("Z 6II", [0x1007, 0x9435])) == .second)
        #expect(NikonGeneration(device("Z 6_2", [0x1007, 0x9435], [0xD1F0])) == .second)
        #expect(NikonGeneration(device("Z 8", [0x1007, 0x9435, 0x952B])) == .third(isPaired: true))
        for model in ["Z 5", "NIKON Z 5", "Z5", "Z 7", "Z 50", "Z 6"] {
            let all = device(model, [0x1007, 0x1016, 0x9435, 0x952B, 0x935A], [0xD1F0])
            #expect(NikonGeneration(all) == .first, "\(model)")
        }
        #expect(NikonGeneration(device("Z 8", [0x952B], maker: "Canon Inc.")) == nil)
    }

    @Test("bodies whose list of events tells nothing are known by their names")
    func unreliable() {
        #expect(
            device("J4", []).hasUnreliableNikonEvents && device("NIKON 1 V1", []).hasUnreliableNikonEvents)
        #expect(!device("D7200", []).hasUnreliableNikonEvents && !device("J5", []).hasUnreliableNikonEvents)
    }
}
