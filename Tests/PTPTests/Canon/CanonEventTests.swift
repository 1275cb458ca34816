import PTP
import TestSupport
import Testing

/// What a Canon tells, in bytes of real bodies and in bytes that no body sends.
@Suite struct CanonEventTests {
    private func events(_ bytes: [UInt8]) -> [CanonEvent] { CanonEventList(decoding: bytes[...]).events }

    @Test("what an R6 told of a RAW and its JPEG in one answer is both of them, with one group")
    func pair() {
        let group = ObjectHandle(rawValue: 0x5191_1B00)
        let list = CanonEventList(decoding: CanonBytes.r6[...])
        #expect(list.problem == nil)
        #expect(
            list.events == [
                .objectAdded(
                    CanonObject(
                        handle: ObjectHandle(rawValue: 0x5191_1B01),
                        storage: StorageID(rawValue: 0x0001_0001),
                        format: FormatCode(rawValue: 0xB108), size: 24_885_906, group: group,
                        name: "2R7A4528.CR3")),
                .objectAdded(
                    CanonObject(
                        handle: ObjectHandle(rawValue: 0x5191_1B02),
                        storage: StorageID(rawValue: 0x0001_0001),
                        format: .exifJPEG, size: 1_113_532, group: group, name: "2R7A4528.JPG")),
            ])
    }

    @Test("a handle says which file of which folder it is, as an R6 made it")
    func handle() {
        let raw = CanonHandle(ObjectHandle(rawValue: 0x5191_1B01))
        #expect(raw == CanonHandle(top: 5, folder: 100, file: 4528, part: .raw))
        #expect(raw.handle == ObjectHandle(rawValue: 0x5191_1B01))
        #expect(CanonHandle(ObjectHandle(rawValue: 0x5190_0000)).folder == 100)
    }

    @Test("a request of a body with long file names has a handle, a format, a size and a group, and no name")
    func longNameRequest() {
        // As a body wrote it, behind the size and the type.
        let bytes = hex(
            """
            28 00 00 00  B8 C1 00 00  40 c0 32 14  08 b1 00 00  00 00 00 00  d4 1c a6 02  00 00 00 00
            00 c0 32 14  06 00 00 00  00 00 00 00  08 00 00 00  00 00 00 00
            """)
        #expect(
            events(bytes) == [
                .transferRequested(
                    CanonObject(
                        handle: ObjectHandle(rawValue: 0x1432_C040), format: FormatCode(rawValue: 0xB108),
                        size: 44_440_788, group: ObjectHandle(rawValue: 0x1432_C000)))
            ])
    }

    @Test("the 32-bit records have their own places for the size and the name")
    func narrow() {
        let added = hex(
            """
            3C 00 00 00  81 C1 00 00  02 1B 91 51  01 00 01 00  01 38 00 00  00 00 00 00  20 00 00 00
            BC FD 10 00  00 00 90 51  00 1B 91 51  32 52 37 41 34 35 32 38 2E 4A 50 47 00 00 00 00  2C E8 7B 69
            """)
        let requested = hex(
            """
            2C 00 00 00  86 C1 00 00  02 1B 91 51  01 38 00 00  00 00 00 00  BC FD 10 00  00 00 00 00
            32 52 37 41 34 35 32 38 2E 4A 50 47 00 00 00 00
            """)
        var object = CanonObject(
            handle: ObjectHandle(rawValue: 0x5191_1B02), storage: StorageID(rawValue: 0x0001_0001),
            format: .exifJPEG, size: 1_113_532, group: ObjectHandle(rawValue: 0x5191_1B00),
            name: "2R7A4528.JPG")
        #expect(events(added) == [.objectAdded(object)])
        (object.storage, object.group) = (nil, nil)
        #expect(events(requested) == [.transferRequested(object)])
    }

    @Test(
        "every record about a file or a store says which",
        arguments: [
            (0xC1B6, CanonEvent.objectAdded(CanonObject(handle: ObjectHandle(rawValue: 0x0001_0203)))),
            (0xC182, .objectRemoved(ObjectHandle(rawValue: 0x0001_0203))),
            (0xC187, .objectInfoChanged(ObjectHandle(rawValue: 0x0001_0203))),
            (0xC1A8, .objectInfoChanged(ObjectHandle(rawValue: 0x0001_0203))),
            (0xC1B7, .objectInfoChanged(ObjectHandle(rawValue: 0x0001_0203))),
            (0xC188, .objectContentChanged(ObjectHandle(rawValue: 0x0001_0203))),
            (0xC18F, .transferWithdrawn(ObjectHandle(rawValue: 0x0001_0203))),
            (0xC191, .transferWithdrawn(ObjectHandle(rawValue: 0x0001_0203))),
            (0xC192, .storeAdded(StorageID(rawValue: 0x0001_0203))),
            (0xC193, .storeRemoved(StorageID(rawValue: 0x0001_0203))),
            (0xC18D, .shutdownTimer), (0xC18E, .shutdownTimer),
            (0xC189, .propertyChanged(code: 0x0001_0203, value: nil)),
            (0xC1A5, .other), (0xC1F6, .other),
        ] as [(UInt16, CanonEvent)])
    func small(type: UInt16, expected: CanonEvent) {
        let bytes = hex("0C 00 00 00") + [UInt8(type & 0xFF), UInt8(type >> 8), 0, 0] + hex("03 02 01 00")
        #expect(events(bytes) == [expected])
        let short = hex("08 00 00 00") + [UInt8(type & 0xFF), UInt8(type >> 8), 0, 0]
        #expect([.other, .shutdownTimer, .tooShort].contains(events(short).first))
    }

    @Test("an idle answer, an answer without data and what follows the terminator tell nothing")
    func idle() {
        #expect(events(hex("08 00 00 00 00 00 00 00")).isEmpty)
        #expect(events([]).isEmpty)
        let list = CanonEventList(decoding: (hex("08 00 00 00 00 00 00 00") + CanonBytes.r6)[...])
        #expect(list.events.isEmpty && list.problem == nil)
    }

    @Test("a record that is shorter than its own head, or longer than the answer, ends the list and is told")
    func broken() {
        for size in ["07 00 00 00", "00 00 00 00", "FF FF FF FF", "80 00 00 00"] {
            let list = CanonEventList(
                decoding: (CanonBytes.r6.prefix(64) + hex(size + "A7 C1 00 00 01"))[...])
            #expect(list.events.count == 1)
            #expect(list.problem != nil)
        }
    }

    @Test("whatever is cut off behind it, each whole record is read")
    func truncations() {
        for length in 0...CanonBytes.r6.count {
            #expect(events(Array(CanonBytes.r6.prefix(length))).count == min(length / 64, 2))
        }
    }

    @Test("there is an end to the records that are read")
    func endless() {
        let record = hex("08 00 00 00 A5 C1 00 00")
        let bytes = Array([[UInt8]](repeating: record, count: CanonEventList.mostRecords + 5).joined())
        let list = CanonEventList(decoding: bytes[...])
        #expect(list.events.count == CanonEventList.mostRecords)
        #expect(list.problem != nil)
    }

    @Test(
        "the parameter of the remote mode is the one that the body wants",
        arguments: [
            ("Canon EOS R6", 1), ("Canon EOS 80D", 1), ("Canon EOS R7", 5), ("Canon EOS M50", 0x15),
            ("Canon EOS M6 Mark II", 1), ("Canon PowerShot SX730 HS", 0x15),
            ("Canon PowerShot SX540 HS", 0x11), ("Canon EOS 5D Mark IV", 1),
        ] as [(String, UInt32)])
    func remoteMode(model: String, parameter: UInt32) {
        #expect(CanonRemoteMode.parameter(model: model) == parameter)
    }
}
