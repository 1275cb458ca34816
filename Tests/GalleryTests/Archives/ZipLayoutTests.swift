import Basics
import Digest
import TestSupport
import Testing

@testable import Gallery

/// An archive that was never on a disk, judged by programs that unpack archives.
@Suite struct ZipLayoutTests {
    struct File {
        var name: String
        var bytes: [UInt8]

        init(_ name: String, _ count: Int, _ seed: UInt64) {
            var random = Seeded(seed)
            self.name = name
            bytes = random.bytes(count)
        }

        func entry(_ index: Int, sequence: Int64? = nil) -> ZipEntry {
            ZipEntry(
                key: ZipLayoutTests.key(index), name: name, size: UInt64(bytes.count), crc: crc,
                at: Timestamp(milliseconds: 1_795_287_543_000), sequence: sequence ?? Int64(index))
        }

        var crc: UInt32 {
            var crc = CRC32()
            bytes.withUnsafeBytes { crc.update($0) }
            return crc.value
        }
    }

    static func key(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// What stands from one place to another, piece by piece.
    private func bytes(_ layout: ZipLayout, _ files: [File], from place: UInt64, to end: UInt64) -> [UInt8] {
        var all: [UInt8] = []
        while place + UInt64(all.count) < end {
            switch layout.piece(at: place + UInt64(all.count)) {
            case .header(let index, let begin):
                all += ZipBytes.header(layout.files[index], crc: files[index].crc)[begin...]
            case .part(let index, let part):
                all += files[index].bytes[Int(part.lowerBound)..<Int(part.upperBound)]
            case .line(let index, let begin):
                all +=
                    ZipBytes.line(
                        layout.files[index], at: layout.start(of: index), crc: files[index].crc)[begin...]
            case .end(let begin): all += layout.ending[begin...]
            }
        }
        return Array(all.prefix(Int(end - place)))
    }

    private static let names = [
        File("DSC_0001.JPG", 3000, 1), File("DSC_0001.JPG", 10, 2), File("leer.jpg", 0, 9),
        File("Braut & Bräutigam 💍.jpg", 70_000, 3), File("dsc_0001.jpg", 5, 4),
    ]

    private func layout(_ files: [File]) -> ZipLayout {
        ZipLayout(files.enumerated().map { $1.entry($0) })
    }

    @Test("unzip and python find every file whole, under a name of its own")
    func whole() throws {
        let folder = try TemporaryFolder()
        let files = Self.names
        let layout = layout(files)
        let archive = bytes(layout, files, from: 0, to: layout.length)
        try folder.write(archive, to: "all.zip")
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
        for (line, file) in zip(said.lines, files) {
            let sum = SHA256.of(file.bytes)
            #expect(line.contains(" \(file.bytes.count) \(sum) (2026, 11, 21)"), "\(line)")
        }
        for name in ["DSC_0001.JPG", "DSC_0001-2.JPG", "dsc_0001-3.jpg", "Braut & Bräutigam 💍.jpg"] {
            #expect(said.lines.contains { $0.hasPrefix("\(name) ") }, "\(said.text)")
        }
    }

    @Test("from any place on come the bytes that stand there in the whole")
    func everyPlace() {
        let files = [File("a.jpg", 40, 1), File("leer.jpg", 0, 2), File("é.jpg", 3, 3)]
        let layout = layout(files)
        let whole = bytes(layout, files, from: 0, to: layout.length)
        #expect(UInt64(whole.count) == layout.length, "it was said beforehand")
        for place in 0..<layout.length {
            #expect(bytes(layout, files, from: place, to: layout.length) == Array(whole[Int(place)...]))
        }
    }

    @Test(
        "an archive has another tag when a name, a size, a time or a file is another, and the same otherwise")
    func tags() {
        let entries = Self.names.enumerated().map { $1.entry($0) }
        let tag = ZipLayout(entries).etag
        #expect(ZipLayout(entries).etag == tag)
        var others = [Array(entries.dropLast()), Array(entries.reversed())]
        for change in 0..<3 {
            var changed = entries
            let old = entries[3]
            changed[3] = ZipEntry(
                key: change == 0 ? Self.key(99) : old.key, name: change == 1 ? "x.jpg" : old.name,
                size: old.size,
                crc: old.crc,
                at: Timestamp(milliseconds: change == 2 ? 1_795_287_547_000 : 1_795_287_543_000),
                sequence: old.sequence)
            others.append(changed)
        }
        #expect(Set(others.map { ZipLayout($0).etag } + [tag]).count == others.count + 1)
        // Whether a CRC is known changes no byte.
        var unknown = entries
        unknown[0].crc = nil
        #expect(ZipLayout(unknown).etag == tag)
    }

    @Test("a photo that comes later changes the name of no other, wherever it stands")
    func stableNames() {
        let files = [File("a.jpg", 1, 1), File("A.JPG", 1, 2), File("a.jpg", 1, 3)]
        let before = ZipLayout([files[0].entry(0, sequence: 5), files[1].entry(1, sequence: 3)])
        let after = ZipLayout([
            files[2].entry(2, sequence: 9), files[0].entry(0, sequence: 5), files[1].entry(1, sequence: 3),
        ])
        #expect(before.files.map(\.name) == ["a-2.jpg", "A.JPG"])
        #expect(after.files.map(\.name) == ["a-3.jpg", "a-2.jpg", "A.JPG"])
        #expect(after.only { $0.sequence <= 5 }.etag == before.etag)
    }

    @Test("fifty thousand files of one name are named in a moment")
    func manyOfOneName() {
        let entries = (0..<50_000).map { File("image.jpg", 0, 1).entry($0) }
        let layout = ZipLayout(entries)
        #expect(Set(layout.files.map(\.name)).count == entries.count)
        #expect(layout.files.last?.name == "image-50000.jpg")
    }

    @Test("an event without a photo is an archive without a file")
    func empty() throws {
        let folder = try TemporaryFolder()
        let layout = ZipLayout([])
        try folder.write(bytes(layout, [], from: 0, to: layout.length), to: "all.zip")
        let said = try #require(Tool("python3")).run(
            [
                "-c", "import zipfile,sys; print(zipfile.ZipFile(sys.argv[1]).namelist())",
                folder.file("all.zip"),
            ])
        #expect(said.text == "[]\n", "\(said.errors)")
    }
}

/// Archives whose numbers do not fit into 32 or 16 bits: what Python's reader makes of what stands around their files, which
/// are holes in a file of the disk.
@Suite struct LargeZipTests {
    @Test("files of more than 4 GiB, behind 4 GiB, and more than 65,535 of them are found by Python")
    func large() throws {
        let folder = try TemporaryFolder()
        let small = ZipLayoutTests.File("klein.jpg", 100, 1)
        let many = (0..<65_600).map { ZipLayoutTests.File("f\($0).jpg", 0, 1).entry($0 + 2) }
        let big = ZipEntry(
            key: ZipLayoutTests.key(1), name: "big.tiff", size: 5 << 30, crc: 0,
            at: Timestamp(milliseconds: 1_795_287_543_000), sequence: 0)
        let layout = ZipLayout([big, small.entry(1)] + many)
        // The bytes of the first file are a hole between what stands before and behind them.
        try folder.write(ZipBytes.header(layout.files[0], crc: 0), to: "big.zip")
        var tail: [UInt8] = []
        while layout.start(of: 1) + UInt64(tail.count) < layout.length {
            switch layout.piece(at: layout.start(of: 1) + UInt64(tail.count)) {
            case .header(let index, _):
                tail += ZipBytes.header(layout.files[index], crc: index == 1 ? small.crc : 0)
            case .part: tail += small.bytes
            case .line(let index, _):
                tail += ZipBytes.line(
                    layout.files[index], at: layout.start(of: index), crc: index == 1 ? small.crc : 0)
            case .end: tail += layout.ending
            }
        }
        try folder.write(tail, to: "tail")
        let script = """
            import sys, zipfile
            with open(sys.argv[1], "r+b") as file:
                file.seek(\(layout.start(of: 1)))
                file.write(open(sys.argv[2], "rb").read())
            zip = zipfile.ZipFile(sys.argv[1])
            files = zip.infolist()
            print(len(files), files[0].file_size, files[1].header_offset, zip.read("klein.jpg").hex(), files[-1].filename)
            zip.open("big.tiff").read(100)
            zip.open(files[-1].filename).read()
            """
        let said = try #require(Tool("python3")).run(
            ["-c", script, folder.file("big.zip"), folder.file("tail")])
        #expect(
            said.text
                == "65602 5368709120 \(layout.start(of: 1)) \(Hexadecimal.text(small.bytes)) f65599.jpg\n",
            "\(said.errors)")
    }
}
