import PTP
import TestSupport
import Testing

/// Sony's list of a card, written out by hand after the layout that two clients of other people read.
@Suite struct SonyContentListTests {
    private static func u32(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }
    private static func u64(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(value >> (8 * $0) & 0xFF) } }

    /// Version 100, when it was made, two identifiers of 64 bytes, the slot, and how many contents.
    private static func header(_ count: UInt32) -> [UInt8] {
        [100, 0, 0, 0] + u64(1_700_000_000_123) + [UInt8](repeating: 0x5A, count: 128) + u32(1) + u32(count)
    }

    /// A shot in folder 100, with three stars and one shot mark.
    private static func content(_ id: UInt32, files: [[UInt8]]) -> [UInt8] {
        [1, id, 100, 7, 1, 9, 1].flatMap(u32)
            + [1_700_000_000_000, 1_700_000_001_000, 1_700_003_600_000, 1_700_003_601_000].flatMap(u64)
            + [3, 1, 0, 1].flatMap(u32) + [1] + u32(UInt32(files.count)) + files.flatMap { $0 }
    }

    private static func file(
        _ id: UInt8, _ path: String, format: UInt32, size: UInt64, picture: Bool = true, film: Bool = false
    ) -> [UInt8] {
        [id, 0, 0, 0] + u32(UInt32(path.utf8.count) + 1) + Array(path.utf8) + [0] + u32(format) + u64(size)
            + [UInt8](repeating: id, count: 32) + (picture ? u32(1) + u32(6000) + u32(4000) : u32(0))
            + (film
                ? u32(1) + [UInt8](repeating: 0, count: 76) + u32(1) + [UInt8](repeating: 0, count: 16)
                : u32(0) + u32(0))
    }

    private static let pair = content(
        42,
        files: [
            file(1, "A:/DCIM/100MSDCF/DSC00007.JPG", format: 0x3801, size: 123_456),
            file(2, "A:/DCIM/100MSDCF/DSC00007.ARW", format: 0xB101, size: 5_000_000_000, film: true),
        ])

    @Test("a shot of two files is read with everything that is behind it, and what was removed is not there")
    func reads() throws {
        let bytes =
            Self.header(3) + Self.pair + Self.content(43, files: []) + [UInt8](repeating: 0, count: 120)
        let list = try SonyContentList(decoding: bytes[...])
        #expect(list.dataTime == 1_700_000_000_123 && list.slot == 1)
        #expect(list.contents.map(\.id) == [42, 43])
        let shot = try #require(list.contents.first)
        #expect(shot.folderNumber == 100 && shot.fileNumber == 7 && shot.rating == 3 && shot.isProtected)
        #expect(shot.created == 1_700_000_000_000 && shot.createdLocal == 1_700_003_600_000)
        #expect(!shot.isPlaceholder)
        #expect(shot.files.map(\.path) == ["A:/DCIM/100MSDCF/DSC00007.JPG", "A:/DCIM/100MSDCF/DSC00007.ARW"])
        #expect(shot.files.map(\.size) == [123_456, 5_000_000_000])
        #expect(shot.files.map(\.format) == [0x3801, 0xB101] && shot.files.map(\.id) == [1, 2])
        #expect(shot.files[1].umid == [UInt8](repeating: 2, count: 32))
    }

    @Test("counts and lengths that cannot be true are refused, and so is every cut")
    func hostile() throws {
        for count in [1001, .max] as [UInt32] {
            let bytes = Self.header(count) + [UInt8](repeating: 1, count: 8000)
            #expect(throws: Malformed.self) { try SonyContentList(decoding: bytes[...]) }
        }
        let whole = Self.header(1) + Self.pair
        for length in 0..<whole.count {
            #expect(throws: Malformed.self) { try SonyContentList(decoding: whole.prefix(length)) }
        }
        var long = Self.header(1) + Self.content(1, files: [Self.file(1, "A", format: 0, size: 0)])
        let path = Self.header(0).count + 28 + 32 + 16 + 1 + 4 + 4
        long.replaceSubrange(path..<path + 4, with: Self.u32(.max))
        #expect(throws: Malformed.self) { try SonyContentList(decoding: long[...]) }
    }
}
