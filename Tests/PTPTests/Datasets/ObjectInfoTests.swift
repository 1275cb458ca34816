import PTP
import TestSupport
import Testing

@Suite struct ObjectInfoTests {
    /// The JPEG of an R6's RAW+JPEG pair, with the layout of PIMA 15740 §5.5.2.
    static func canon(sizeBytes: Int = 4) -> [UInt8] {
        var data = DatasetBytes()
        data.u32(0x0001_0001)
        data.u16(0x3801)
        data.u16(1)
        if sizeBytes == 8 { data.u64(1_113_532) } else { data.u32(1_113_532) }
        data.u16(0x3808)
        for value in [9000, 160, 120, 5472, 3648, 24] as [UInt32] { data.u32(value) }
        data.u32(0x5190_0000)
        data.u16(0)
        data.u32(0)
        data.u32(17)
        data.string("2R7A4528.JPG")
        data.string("20260129T230236")
        data.string("20260129T230236.5")
        data.string("")
        return data.bytes
    }

    @Test("the fields stand where the standard has them")
    func fields() throws {
        let info = try ObjectInfo(decoding: Self.canon()[...])
        #expect(info.storage.rawValue == 0x0001_0001 && info.storage.slot == 1)
        #expect(info.format == .exifJPEG && !info.isFolder)
        #expect(info.isProtected)
        #expect(info.compressedSize == 1_113_532 && !info.sizeIsClamped)
        #expect(info.thumbCompressedSize == 9000 && info.thumbWidth == 160 && info.thumbHeight == 120)
        #expect(info.imageWidth == 5472 && info.imageHeight == 3648 && info.imageBitDepth == 24)
        #expect(info.parent.rawValue == 0x5190_0000)
        #expect(info.sequenceNumber == 17)
        #expect(info.fileName == "2R7A4528.JPG")
        #expect(info.captureDate == "20260129T230236")
        #expect(info.encoded == Self.canon())
    }

    @Test("Samsung's size of eight bytes is read only when the camera is a Samsung")
    func samsung() throws {
        let info = try ObjectInfo(decoding: Self.canon(sizeBytes: 8)[...], vendor: .samsung)
        #expect(info.compressedSize == 1_113_532)
        #expect(info.fileName == "2R7A4528.JPG")
        // A standard dataset with an empty name and a date looks alike to a decoder that guesses from the bytes.
        var data = ObjectInfo()
        data.captureDate = "20260129T230236"
        #expect(try ObjectInfo(decoding: data.encoded[...]).captureDate == "20260129T230236")
    }

    @Test("a size of 4 GiB and more is clamped, and says so")
    func clamped() throws {
        var info = ObjectInfo()
        info.compressedSize = .max
        #expect(try ObjectInfo(decoding: info.encoded[...]).sizeIsClamped)
    }

    @Test("the fixed part is needed, everything behind it may be missing")
    func truncations() {
        let whole = Self.canon()
        for length in 0..<whole.count {
            do throws(Malformed) {
                let info = try ObjectInfo(decoding: whole[..<length])
                #expect(length >= 52)
                #expect("2R7A4528.JPG".hasPrefix(info.fileName))
            } catch {
                #expect(length < 52)
            }
        }
    }

    @Test("a name without its NUL, with one inside, or with half a pair is still a name")
    func oddNames() throws {
        func named(_ units: [UInt16]) throws -> String {
            var data = DatasetBytes()
            for byte in Self.canon().prefix(52) { data.u8(byte) }
            data.u8(UInt8(units.count))
            for unit in units { data.u16(unit) }
            return try ObjectInfo(decoding: data.bytes[...]).fileName
        }
        #expect(try named([0x41, 0x42]) == "AB")
        #expect(try named([0x41, 0, 0x42, 0]) == "A")
        #expect(try named([0x41, 0xDC00, 0]) == "A\u{FFFD}")
        #expect(try named([0]) == "")
        #expect(try named([0x65E5, 0x672C, 0]) == "日本")
    }

    @Test(
        "a folder is known by its format, or by its association type where nothing else is said of it",
        arguments: [
            (0x3001, 0, 0, true), (0x3001, 1, 0, true), (0x3000, 1, 0, true),
            // A raw file of a format that is not named, one that is still being written, and a picture: none of them is lost.
            (0x3000, 0, 0, false), (0x3000, 1, 25_000_000, false), (0x3801, 1, 0, false),
        ] as [(UInt16, UInt16, UInt32, Bool)])
    func folders(format: UInt16, association: UInt16, size: UInt32, isFolder: Bool) throws {
        var data = DatasetBytes()
        data.u32(0x0001_0001)
        data.u16(format)
        data.u16(0)
        data.u32(size)
        data.u16(0)
        for _ in 0..<6 { data.u32(0) }
        data.u32(0)
        data.u16(association)
        data.u32(0)
        data.u32(0)
        data.string("100CANON")
        #expect(try ObjectInfo(decoding: data.bytes[...]).isFolder == isFolder)
    }
}
