import Bridge
import TestSupport
import Testing

@Suite struct JPEGStructureTests {
    typealias Files = StructureFiles

    /// A scan as long as the tail that is looked at, and longer.
    static let longScan: [UInt8] = {
        var random = Seeded(7)
        return random.bytes(200_000).flatMap { $0 == 0xFF ? [0xFF, 0] : [$0] }
    }()
    static let longJPEG = Array(Files.jpeg().dropLast(2)) + longScan + [0xFF, 0xD9]

    @Test("cut anywhere in a long scan, it lacks its end marker")
    func longCuts() {
        #expect(judge(Self.longJPEG) == .whole)
        for count in stride(from: Self.longJPEG.count - 1, to: Files.jpeg().count, by: -4999) {
            #expect(judge(Array(Self.longJPEG[..<count])).reason == "its end marker (EOI) is missing")
        }
    }

    @Test("the right count of bytes, of which the last are zeros, is not a whole picture")
    func zeros() {
        let half = Array(Self.longJPEG[..<100_000])
        #expect(judge(half + [UInt8](repeating: 0, count: Self.longJPEG.count - half.count)).isCutShort)
        #expect(judge(half + [UInt8](repeating: 0xFF, count: Self.longJPEG.count - half.count)).isCutShort)
    }

    @Test("what cameras and phones append is no contradiction")
    func trailers() {
        let samsung = Array("\0\0\u{1}\nMCC_Data262SEFHsomething of Samsung'sSEFT".utf8)
        #expect(judge(Self.longJPEG + samsung) == .whole)
        // A preview behind the picture, with or without an index, and up to the next block of the card.
        #expect(judge(Self.longJPEG + Files.jpeg() + [UInt8](repeating: 0, count: 4000)) == .whole)
        #expect(judge(MultiPictureFile.of(Self.longJPEG, Self.longJPEG)) == .whole)
        #expect(judge(MultiPictureFile.of(Self.longJPEG, Files.jpeg(), isBigEndian: true)) == .whole)
        // A film behind a still, shorter and longer than the tail that is looked at.
        var random = Seeded(8)
        for count in [1000, 300_000] {
            #expect(judge(Self.longJPEG + Files.box("ftyp", "mp42") + random.bytes(count)) != .whole)
            #expect(!judge(Self.longJPEG + Files.box("ftyp", "mp42") + random.bytes(count)).isCutShort)
        }
    }

    @Test("a second picture that is cut is missed, by the index or because it has begun")
    func secondPicture() {
        for isBigEndian in [false, true] {
            let file = MultiPictureFile.of(Self.longJPEG, Self.longJPEG, isBigEndian: isBigEndian)
            for count in [file.count - 1, file.count - 100_000, file.count - Self.longJPEG.count] {
                let verdict = judge(Array(file[..<count]))
                #expect(verdict.reason == "its picture 2 reaches to byte \(file.count), and it has \(count)")
            }
        }
        #expect(judge(Self.longJPEG + Files.jpeg().dropLast()).isCutShort)
        #expect(judge(Self.longJPEG + Self.longJPEG.dropLast(70_000)).isCutShort)
    }

    @Test("an index that makes no sense says nothing")
    func strangeIndex() {
        let file = MultiPictureFile.of(Files.jpeg(), Files.jpeg())
        let start = 2 + 4 + 4
        // The offset of its directory, the count of entries, the size and the place of the list.
        for (offset, bytes) in [
            (4, [0xFF, 0xFF, 0, 0]), (8, [0xFF, 0xFF]), (38, [3, 0, 0, 0]), (42, [0, 0, 0, 0x7F]),
        ] {
            var changed = file
            changed.replaceSubrange(
                start + offset..<start + offset + bytes.count, with: bytes.map { UInt8($0) })
            #expect(!judge(changed).isCutShort, "\(offset)")
        }
    }

    @Test("segments without end, fill bytes without end and a chain that breaks are not known")
    func limits() {
        let limit = FileStructure.Limit.segments
        let many = (0..<limit + 10).flatMap { _ in Files.segment(0xE5, [1]) }
        #expect(judge(Files.jpeg(many)) == .unknown)
        #expect(judge(Files.jpeg(Array(many[..<(many.count / 2)]))) == .whole)
        #expect(judge([0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 1 << 20)) == .unknown)
        #expect(judge([0xFF, 0xD8] + Files.tables + Array("no marker".utf8)) == .unknown)
        #expect(judge([0xFF, 0xD8, 0xFF, 0xD9] + [UInt8](repeating: 1, count: 20)) == .unknown)
        #expect(judge([0xFF, 0xD8, 0xFF, 0xE1, 0, 1] + [UInt8](repeating: 1, count: 20)) == .unknown)
    }
}
