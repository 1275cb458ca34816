import PTP
import Testing

@Suite struct CodeTests {
    @Test("standard codes have the standard's names")
    func standardNames() {
        #expect(OperationCode(rawValue: 0x101B).description == "GetPartialObject")
        #expect(ResponseCode(rawValue: 0x2019).description == "Device_Busy")
        #expect(EventCode(rawValue: 0x4002).description == "ObjectAdded")
        #expect(FormatCode(rawValue: 0x3801).description == "EXIF/JPEG")
        #expect(DevicePropertyCode(rawValue: 0x5001).description == "BatteryLevel")
        #expect(ObjectPropertyCode(rawValue: 0xDC04).description == "ObjectSize")
    }

    @Test("an unknown number prints as itself")
    func unknown() {
        #expect(OperationCode(rawValue: 0x9ABC).description == "0x9ABC")
        #expect(ResponseCode(rawValue: 0xA0FF).described(for: .canon) == "0xA0FF")
    }

    @Test("a vendor's number has a name only for that vendor")
    func vendorNames() {
        let raw = FormatCode(rawValue: 0xB101)
        #expect(raw.described(for: nil) == "0xB101")
        #expect(raw.described(for: .canon) == "CRW")
        #expect(raw.described(for: .sony) == "ARW")
        #expect(FormatCode(rawValue: 0xB103).described(for: .canon) == "CR2")
        #expect(FormatCode(rawValue: 0xB103).described(for: .fuji) == "RAF")
        #expect(ResponseCode(rawValue: 0xA101).described(for: .canon) == "LowBattery")
        #expect(ResponseCode(rawValue: 0xA101).described(for: .sony) == "AuthenticationFailed")
        #expect(EventCode(rawValue: 0xC101).described(for: .nikon) == "ObjectAddedInSDRAM")
        #expect(EventCode(rawValue: 0xC101).described(for: .canon) == "RequestGetEvent")
        #expect(OperationCode(rawValue: 0x9209).described(for: .nikon) == "GetVendorStorageIDs")
        #expect(OperationCode(rawValue: 0x9209).described(for: .sony) == "GetAllExtDevicePropInfo")
    }

    @Test("what carries photos is known in every dialect, and datasets are not taken for photos")
    func objectBytes() {
        for code in [0x1009, 0x100A, 0x101B, 0x95C1, 0x9104, 0x9107, 0x9431, 0x9211, 0x923D] as [UInt16] {
            #expect(OperationCode(rawValue: code).carriesObjectBytes, "\(code)")
        }
        for code in [0x1001, 0x1007, 0x1008, 0x1014, 0x9116, 0x90C7, 0x9209, 0x9805] as [UInt16] {
            #expect(!OperationCode(rawValue: code).carriesObjectBytes, "\(code)")
        }
    }
}
