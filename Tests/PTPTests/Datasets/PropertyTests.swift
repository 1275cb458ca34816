import PTP
import TestSupport
import Testing

@Suite struct PropertyTests {
    @Test("a range, byte for byte")
    func range() throws {
        let bytes = hex("01 50 02 00 00 64 50 01 00 64 01")
        let battery = try DevicePropertyDescription(decoding: bytes[...])
        #expect(battery.code == .batteryLevel && battery.type == .uint8 && !battery.isWritable)
        #expect(battery.current == .unsigned(80))
        #expect(
            battery.form == .range(minimum: .unsigned(0), maximum: .unsigned(100), step: .unsigned(1)))
        #expect(battery.encoded == bytes)
    }

    @Test("an enumeration of signed numbers, byte for byte")
    func enumeration() throws {
        let bytes = hex("10 50 03 00 01 00 00 B3 FE 02 02 00 B3 FE 4D 01")
        let bias = try DevicePropertyDescription(decoding: bytes[...])
        #expect(bias.isWritable)
        #expect(bias.current == .signed(-333))
        #expect(bias.form == .enumeration([.signed(-333), .signed(333)]))
        #expect(bias.encoded == bytes)
    }

    @Test("strings, and a description that ends before its form")
    func strings() throws {
        let clock = try DevicePropertyDescription(
            decoding: hex("11 50 FF FF 01 00 04 32 00 30 00 36 00 00 00 00 00")[...].dropLast(2))
        #expect(clock.current == .string("206"))
        #expect(clock.form == .none)
    }

    @Test("numbers of every width, both signs, and arrays of them")
    func widths() throws {
        let table: [(DataTypeCode, String, PropertyValue)] = [
            (.int8, "FF", .signed(-1)), (.uint8, "FF", .unsigned(255)), (.int16, "00 80", .signed(-32768)),
            (.uint16, "00 80", .unsigned(32768)), (.int32, "FF FF FF FF", .signed(-1)),
            (.uint32, "78 56 34 12", .unsigned(0x1234_5678)),
            (.int64, "00 00 00 00 00 00 00 80", .signed(Int128(Int64.min))),
            (.uint64, "FF FF FF FF FF FF FF FF", .unsigned(UInt128(UInt64.max))),
            (.int128, String(repeating: "FF", count: 16), .signed(-1)),
            (.uint128, "01" + String(repeating: "00", count: 14) + "80", .unsigned(1 | 1 << 127)),
            (DataTypeCode.uint16.array, "02 00 00 00 01 00 02 00", .array([.unsigned(1), .unsigned(2)])),
            (DataTypeCode.int8.array, "00 00 00 00", .array([])),
        ]
        for (type, text, value) in table {
            var reader = ByteReader(hex(text))
            #expect(try reader.value(of: type, "value") == value, "\(type)")
            #expect(reader.isAtEnd)
            var writer = ByteWriter()
            writer.append(value, as: type)
            #expect(writer.bytes == hex(text), "\(type)")
        }
    }

    @Test("an array that claims more than there is, and an unknown type, are refused")
    func refused() {
        var array = ByteReader(hex("FF FF FF 7F 01 00"))
        #expect(throws: ReadFailure.self) { try array.value(of: DataTypeCode.uint16.array, "value") }
        var unknown = ByteReader(hex("01 02 03 04"))
        #expect(throws: ReadFailure.self) { try unknown.value(of: DataTypeCode(rawValue: 0x0042), "value") }
    }

    @Test("a list of object properties, byte for byte")
    func propertyList() throws {
        let bytes = hex(
            "02 00 00 00" + "02 1B 91 51 04 DC 08 00 00 00 00 40 01 00 00 00"
                + "02 1B 91 51 07 DC FF FF 06 41 00 2E 00 4A 00 50 00 47 00 00 00")
        let list = try ObjectPropertyList(decoding: bytes[...])
        #expect(list.rows.map(\.property) == [.objectSize, .objectFileName])
        #expect(list.rows[0].value == .unsigned(0x1_4000_0000))
        #expect(list.rows[1].value == .string("A.JPG"))
        #expect(list.encoded == bytes)
        #expect(throws: Malformed.self) { try ObjectPropertyList(decoding: hex("FF FF FF FF 00")[...]) }
    }

    @Test("an object property's description, byte for byte")
    func objectPropertyDescription() throws {
        let bytes = hex("04 DC 08 00 00 00 00 00 00 00 00 00 00 01 00 00 00 00")
        let size = try ObjectPropertyDescription(decoding: bytes[...])
        #expect(size.code == .objectSize && size.type == .uint64 && size.group == 1)
        #expect(size.encoded == bytes)
    }
}

@Suite struct ListTests {
    @Test("handles and storage ids, byte for byte")
    func lists() throws {
        let bytes = hex("02 00 00 00 01 1B 91 51 02 1B 91 51")
        #expect(try HandleList(decoding: bytes[...]).handles.map(\.rawValue) == [0x5191_1B01, 0x5191_1B02])
        #expect(
            HandleList([ObjectHandle(rawValue: 0x5191_1B01), ObjectHandle(rawValue: 0x5191_1B02)]).encoded
                == bytes)
        let storages = try StorageIDList(decoding: hex("02 00 00 00 01 00 01 00 00 00 02 00")[...]).ids
        #expect(storages.map(\.hasMedium) == [true, false])
        #expect(storages.map(\.slot) == [1, 2])
    }

    @Test("more handles than the caller wants, or than there are bytes, are refused")
    func limits() {
        let three = hex("03 00 00 00 01 00 00 00 02 00 00 00 03 00 00 00")
        #expect(throws: Malformed.self) { try HandleList(decoding: three[...], limit: 2) }
        #expect(throws: Malformed.self) { try HandleList(decoding: hex("00 00 00 40 01 00 00 00")[...]) }
        #expect(throws: Malformed.self) { try StorageIDList(decoding: hex("FF FF FF FF")[...]) }
    }

    @Test("no data at all is an empty list; a list that is cut short is refused")
    func nothing() throws {
        #expect(try HandleList(decoding: []).handles.isEmpty)
        #expect(try StorageIDList(decoding: []).ids.isEmpty)
        #expect(throws: Malformed.self) { try HandleList(decoding: [1, 0, 0]) }
        #expect(throws: Malformed.self) { try StorageIDList(decoding: [1, 0, 0]) }
    }

    @Test("a card's facts without their tail are what is there, and the rest is unknown")
    func cutStorageInfo() throws {
        let whole = hex("03 00 02 00 01 00 00 10 00 00 00 00 00 00 00 08 00 00 00 00 00 00 07 00 00 00 00 00")
        #expect(whole.count == StorageInfo.shortestWhole)
        for length in 2..<whole.count {
            let info = try StorageInfo(decoding: whole[..<length])
            #expect(info.kind == .fixedRAM)
            #expect(info.access == (length >= 6 ? .readOnly : .readWrite), "\(length)")
            #expect(info.knownCapacity == (length >= 14 ? 0x1000 : nil), "\(length)")
            #expect(info.knownFreeSpace == (length >= 22 ? 0x0800 : nil), "\(length)")
            #expect(info.knownFreeImages == (length >= 26 ? 7 : nil), "\(length)")
            #expect(info.storageDescription.isEmpty && info.volumeLabel.isEmpty)
        }
        #expect(throws: Malformed.self) { try StorageInfo(decoding: whole[..<1]) }
    }

    @Test("a card's facts, byte for byte, with fields that say nothing")
    func storageInfo() throws {
        var data = DatasetBytes()
        data.u16(4)
        data.u16(3)
        data.u16(0)
        data.u64(64_000_000_000)
        data.u64(.max)
        data.u32(.max)
        data.string("SD")
        let info = try StorageInfo(decoding: data.bytes[...])
        #expect(info.kind == .removableRAM && info.access == .readWrite)
        #expect(info.knownCapacity == 64_000_000_000)
        #expect(info.knownFreeSpace == nil && info.knownFreeImages == nil)
        #expect(info.storageDescription == "SD" && info.volumeLabel.isEmpty)
    }
}
