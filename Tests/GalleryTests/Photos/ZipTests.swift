import Basics
import Digest
import TestSupport
import Testing

@testable import Gallery

/// An archive that was never on a disk, judged by programs that unpack archives.
@Suite struct ZipTests {
    private static func bytes(_ count: Int, _ seed: UInt64) -> [UInt8] {
        var random = Seeded(seed)
        return random.bytes(count)
    }

    private func archive(_ files: [(name: String, bytes: [UInt8])], piece: UInt64) throws -> [UInt8] {
        let entries = files.enumerated().map { index, file in
            ZipEntry(
                key: "\(index)", name: file.name, size: UInt64(file.bytes.count),
                sha256: "\(SHA256.of(file.bytes))", at: Timestamp(milliseconds: 1_795_287_543_000))
        }
        return try archive(entries, files.map(\.bytes), piece)
    }

    private func archive(_ entries: [ZipEntry], _ contents: [[UInt8]], _ piece: UInt64) throws -> [UInt8] {
        var archive = ZipAssembler(entries, piece: piece)
        var all: [UInt8] = []
        while true {
            switch try archive.next() {
            case .bytes(let bytes): all += bytes
            case .part(let entry, let part):
                #expect(UInt64(part.count) <= piece)
                let index = try #require(Int(entry.key))
                let bytes = Array(contents[index][Int(part.lowerBound)..<Int(part.upperBound)])
                archive.passed(bytes)
                all += bytes
            case .end:
                #expect(UInt64(all.count) == archive.length, "it was said beforehand")
                return all
            }
        }
    }

    @Test(
        "unzip and python find every file whole, under a name of its own", arguments: [1, 7, 4096, 1 << 20])
    func whole(piece: UInt64) throws {
        let folder = try TemporaryFolder()
        let files: [(name: String, bytes: [UInt8])] = [
            ("DSC_0001.JPG", Self.bytes(3000, 1)), ("DSC_0001.JPG", Self.bytes(10, 2)), ("leer.jpg", []),
            ("Braut & Bräutigam 💍.jpg", Self.bytes(70_000, 3)), ("dsc_0001.jpg", Self.bytes(5, 4)),
        ]
        try folder.write(try archive(files, piece: piece), to: "all.zip")
        let test = try #require(Tool("unzip")).run(["-t", folder.file("all.zip")])
        #expect(test.code == 0 && test.text.contains("No errors detected"), "\(test.text) \(test.errors)")
        let script = """
            import zipfile, hashlib, sys
            for entry in zipfile.ZipFile(sys.argv[1]).infolist():
                data = zipfile.ZipFile(sys.argv[1]).read(entry)
                print(entry.filename, entry.file_size, hashlib.sha256(data).hexdigest(), entry.date_time[:3])
            """
        let said = try #require(Tool("python3")).run(["-c", script, folder.file("all.zip")])
        #expect(said.code == 0, "\(said.errors)")
        #expect(said.lines.count == files.count)
        #expect(
            Set(said.lines.map { $0.lowercased().split(separator: " 3000 ").first ?? "" }).count
                == files.count)
        for (line, file) in zip(said.lines, files) {
            #expect(
                line.contains(" \(file.bytes.count) \(try sum(folder, file.bytes)) (2026, 11, 21)"), "\(line)"
            )
        }
        #expect(said.text.contains("Braut & Bräutigam 💍.jpg") && said.text.contains("DSC_0001-2.JPG"))
    }

    private func sum(_ folder: TemporaryFolder, _ bytes: [UInt8]) throws -> String {
        try folder.write(bytes, to: "summed")
        return String(try #require(Tool("sha256sum")).run([folder.file("summed")]).text.prefix(64))
    }

    @Test("an event without a photo is an archive without a file")
    func empty() throws {
        let folder = try TemporaryFolder()
        try folder.write(try archive([], piece: 100), to: "all.zip")
        let said = try #require(Tool("python3")).run(
            [
                "-c", "import zipfile,sys; print(zipfile.ZipFile(sys.argv[1]).namelist())",
                folder.file("all.zip"),
            ])
        #expect(said.text == "[]\n", "\(said.errors)")
    }

    @Test("a file that is not what was uploaded has no end in the archive, where its CRC would be right")
    func damaged() throws {
        let bytes = Self.bytes(1000, 5)
        let entry = ZipEntry(
            key: "0", name: "a.jpg", size: 1000, sha256: "\(SHA256.of(bytes))", at: Timestamp(milliseconds: 0)
        )
        var others = bytes
        others[999] ^= 1
        #expect(throws: ZipAssembler.Damaged.self) { try archive([entry], [others], 100) }
        #expect(try archive([entry], [bytes], 100).count > 1000)
    }

    @Test("the CRC is that of the standard's check value, however the bytes come")
    func crc() {
        // "The check value is the CRC of the ASCII string 123456789" (Rocksoft model), 0xCBF43926 for CRC-32.
        for cut in 0...9 {
            var crc = CRC32()
            let bytes = Array("123456789".utf8)
            bytes[..<cut].withUnsafeBytes { crc.update($0) }
            bytes[cut...].withUnsafeBytes { crc.update($0) }
            #expect(crc.value == 0xCBF4_3926)
        }
    }
}
