import PTP
import TestSupport
import Testing

@Suite struct DeviceInfoTests {
    static func nikon() -> [UInt8] {
        var data = DatasetBytes()
        data.u16(100)
        data.u32(0xFFFF_FFFF)
        data.u16(110)
        data.string("Microsoft.com/DeviceServices: 1.0")
        data.u16(0)
        data.codes([0x1001, 0x1002, 0x935A])
        data.codes([0x4002, 0xC101])
        data.codes([0x5001])
        data.codes([0x3801])
        data.codes([0x3801, 0x3000, 0x3001])
        data.string("Nikon Corporation")
        data.string("Z 8")
        data.string("V2.00")
        data.string("0000000006012345")
        return data.bytes
    }

    @Test("the fields stand where the standard has them")
    func fields() throws {
        let info = try DeviceInfo(decoding: Self.nikon()[...])
        #expect(info.standardVersion == 100)
        #expect(info.vendorExtensionID == 0xFFFF_FFFF)
        #expect(info.vendorExtensionDescription == "Microsoft.com/DeviceServices: 1.0")
        #expect(info.operations.map(\.rawValue) == [0x1001, 0x1002, 0x935A])
        #expect(info.events.map(\.rawValue) == [0x4002, 0xC101])
        #expect(info.imageFormats == [.exifJPEG, .undefined, .association])
        #expect(info.model == "Z 8")
        #expect(info.serialNumber == "0000000006012345")
        #expect(info.vendor == .nikon)
        #expect(info.supports(.openSession) && !info.supports(.getPartialObject))
        #expect(info.encoded == Self.nikon())
    }

    @Test("strings missing at the end are empty, bytes behind it are ignored")
    func lenientEnd() throws {
        let whole = Self.nikon()
        let serial = 1 + 2 * 17
        let withoutSerial = try DeviceInfo(decoding: whole.dropLast(serial)[...])
        #expect(withoutSerial.serialNumber.isEmpty && withoutSerial.deviceVersion == "V2.00")
        let cutShort = try DeviceInfo(decoding: whole.dropLast(5)[...])
        #expect(cutShort.serialNumber == "00000000060123")
        let withMore = try DeviceInfo(decoding: (whole + [1, 2, 3])[...])
        #expect(withMore == (try DeviceInfo(decoding: whole[...])))
    }

    @Test("what follows the operations may be missing, and a list that claims too much ends what is known")
    func withoutTail() throws {
        let whole = Self.nikon()
        let operations = 2 + 4 + 2 + (1 + 2 * 34) + 2 + (4 + 2 * 3)
        for length in operations..<whole.count {
            let info = try DeviceInfo(decoding: whole[..<length])
            #expect(info.operations.map(\.rawValue) == [0x1001, 0x1002, 0x935A])
            #expect(info.vendorExtensionVersion == 110)
        }
        #expect(try DeviceInfo(decoding: whole[..<operations]).events.isEmpty)
        let lying = whole[..<operations] + [0xFF, 0xFF, 0xFF, 0xFF, 0x02, 0x40, 0x01, 0xC1]
        let info = try DeviceInfo(decoding: lying)
        #expect(info.operations.count == 3 && info.events.isEmpty && info.deviceProperties.isEmpty)
        #expect(info.model.isEmpty && info.serialNumber.isEmpty)
    }

    @Test("an empty DeviceInfo, as a Fuji X-T4 sends it, is refused by name")
    func empty() {
        let error = #expect(throws: Malformed.self) { try DeviceInfo(decoding: []) }
        #expect(error?.subject == .dataset("DeviceInfo"))
        #expect(error?.description.contains("StandardVersion at offset 0") == true)
    }

    @Test("a list of 277 properties, as a Fuji X-H2 has it, is no problem")
    func manyProperties() throws {
        var info = DeviceInfo()
        info.deviceProperties = (0..<277).map { DevicePropertyCode(rawValue: 0xD000 + $0) }
        #expect(try DeviceInfo(decoding: info.encoded[...]).deviceProperties.count == 277)
    }

    @Test("a count of codes larger than the data is refused before anything is allocated")
    func hugeCounts() {
        for count in [UInt32.max, 0x8000_0000, 0x4000_0000, 1000] {
            var data = DatasetBytes()
            data.u16(100)
            data.u32(6)
            data.u16(100)
            data.string("")
            data.u16(0)
            data.u32(count)
            data.u16(0x1001)
            let error = #expect(throws: Malformed.self) { try DeviceInfo(decoding: data.bytes[...]) }
            #expect(error?.failure.field == "OperationsSupported")
            #expect(error?.failure.problem == .tooMany(count: UInt64(count), limit: 1))
        }
    }

    @Test("every truncation and every change of a byte decodes or is refused, and never traps")
    func abuse() {
        let whole = Self.nikon()
        var refused = 0
        for length in 0..<whole.count {
            do {
                _ = try DeviceInfo(decoding: whole[..<length])
            } catch {
                refused += 1
                #expect(error.subject == .dataset("DeviceInfo"))
            }
        }
        // Everything up to the operations is needed.
        #expect(refused == 2 + 4 + 2 + (1 + 2 * 34) + 2 + (4 + 2 * 3))
        for index in whole.indices {
            for value in [0x00, 0x7F, 0x80, 0xFF, whole[index] &+ 1] as [UInt8] {
                var changed = whole
                changed[index] = value
                do {
                    #expect(try DeviceInfo(decoding: changed[...]).operations.count <= 64)
                } catch {
                    #expect(error.failure.offset <= whole.count)
                }
            }
        }
    }

    @Test("a real Sony RX100M7's", .enabled(if: RealTraffic.isThere, "\(RealTraffic.reason)"))
    func sony() throws {
        let bytes = try RealTraffic.bytes("sony-rx100m7-deviceinfo.bin")
        let info = try DeviceInfo(decoding: bytes[...])
        #expect(info.manufacturer == "Sony Corporation")
        #expect(info.model == "DSC-RX100M7")
        #expect(info.serialNumber == "00000000000000008081886002895251")
        #expect(info.operations.count == 27)
        #expect(info.operations.last?.rawValue == 0x9805)
        #expect(info.events.map(\.rawValue) == Array(0xC201...0xC20C))
        #expect(info.imageFormats.map { $0.described(for: info.vendor) } == ["EXIF/JPEG", "MPO", "ARW"])
        #expect(info.vendor == .sony)
        #expect(info.encoded == bytes)
    }

    @Test(
        "an iCatch camera's, whose empty strings are a lone NUL",
        .enabled(if: RealTraffic.isThere, "\(RealTraffic.reason)"))
    func iCatch() throws {
        let info = try DeviceInfo(decoding: try RealTraffic.bytes("icatch-ismartdv2-deviceinfo.bin")[...])
        #expect(info.vendorExtensionDescription.isEmpty)
        #expect(info.operations.count == 28)
        #expect(info.deviceProperties.count == 56)
        #expect(info.deviceProperties.last == .dateTime)
        #expect([info.manufacturer, info.model, info.deviceVersion, info.serialNumber] == ["", "", "", ""])
        #expect(info.vendor == nil)
    }

    @Test("the vendor is the manufacturer's, whatever the extension id says")
    func vendors() {
        let table: [(UInt32, String, Vendor?)] = [
            (6, "Canon Inc.", .canon), (6, "Canon", .canon), (0xFFFF_FFFF, "Nikon Corporation", .nikon),
            (6, "Sony Corporation", .sony), (0x0E, "FUJIFILM", .fuji),
            (0xFFFF_FFFF, "LEICA CAMERA AG", .leica),
            (6, "OM Digital Solutions", .olympus), (6, "OLYMPUS", .olympus), (0x1B, "Parrot", .parrot),
            (0x0A, "", .nikon), (0x0B, "Somebody", .canon), (0x11, "", .sony), (0x1C, "", .panasonic),
            (0x99, "Somebody", nil),
        ]
        for (id, manufacturer, vendor) in table {
            #expect(
                Vendor.resolve(extensionID: id, manufacturer: manufacturer) == vendor, "\(id) \(manufacturer)"
            )
        }
    }
}
