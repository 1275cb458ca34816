import Bridge
import TestSupport
import Testing

@Suite struct FileStructureTests {
    typealias Files = StructureFiles

    @Test("a file that ends where its structure ends is whole", arguments: Files.all.indices)
    func whole(index: Int) {
        #expect(judge(Files.all[index].bytes) == .whole, "\(Files.all[index].name)")
    }

    @Test("no beginning of a file is whole", arguments: Files.all.indices)
    func cut(index: Int) {
        let (name, bytes) = Files.all[index]
        for count in bytes.indices {
            let verdict = judge(Array(bytes[..<count]))
            #expect(verdict != .whole, "\(count) bytes of \(name)")
        }
    }

    @Test("of most kinds every beginning that says what it is contradicts itself")
    func contradicts() {
        for (name, bytes) in Files.all where name != "HEIC" {
            // A RIFF whose size is that of the file could be one of a writer that counts its head.
            for count in MagicBytes.length..<bytes.count
            where !bytes.starts(with: "RIFF".utf8) || count != bytes.count - 8 {
                #expect(judge(Array(bytes[..<count])).isCutShort, "\(count) bytes of \(name)")
            }
        }
    }

    @Test(
        "zeros behind a whole file are padding, and other bytes are not known",
        arguments: Files.all.indices)
    func padded(index: Int) {
        let (name, bytes) = Files.all[index]
        for count in [1, 7, 8, 512, 60_000] {
            #expect(judge(bytes + [UInt8](repeating: 0, count: count)) == .whole, "\(count) behind \(name)")
        }
        #expect(judge(bytes + Array("and something else, of some length".utf8)) == .unknown, "\(name)")
    }

    @Test(
        "when fewer bytes can be read than there should be, the file ends there", arguments: Files.all.indices
    )
    func shorter(index: Int) {
        let bytes = Files.all[index].bytes
        let verdict = judge(Array(bytes[..<10]), length: UInt64(bytes.count))
        #expect(verdict.reason == "nothing can be read behind byte 10, and it should have \(bytes.count)")
        #expect(judge(bytes, length: 1 << 40) != .whole)
    }

    @Test("what is no kind that is judged is not known")
    func unknown() {
        for text in [
            "", "G", "GIF89a and more", "BM and a bitmap", "%PDF-1.4", "II", "MM\0\0aaaaaaaaaaaaaaaaaa",
        ] {
            #expect(judge(Array(text.utf8)) == .unknown, "\(text)")
        }
        #expect(judge([UInt8](repeating: 0, count: 100)) == .unknown)
        #expect(judge([UInt8](repeating: 0xFF, count: 100)) == .unknown)
    }

    @Test("a disk that fails is not a file that is cut")
    func failure() {
        struct Broken: Error {}
        #expect(throws: Broken.self) {
            try FileStructure.verdict(length: 100) { _, _ throws(Broken) in throw Broken() }
        }
    }

    @Test(
        "whatever a byte is changed to, the judge comes back, and reads little", arguments: Files.all.indices)
    func damaged(index: Int) {
        let bytes = Files.all[index].bytes
        var random = Seeded(UInt64(index))
        for position in bytes.indices {
            for value: UInt8 in [0, 1, 0x7F, 0xFF, .random(in: 0...255, using: &random)] {
                var changed = bytes
                changed[position] = value
                _ = judge(changed)
            }
        }
    }
}
