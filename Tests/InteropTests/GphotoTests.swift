import Glibc
import PTP
import Simulator
import TestSupport
import Testing

/// gphoto2 as the client of camsim: a stranger's program as the judge of our camera.
@Suite struct GphotoTests {
    static let isThere = Tool.isThere("gphoto2")
    static let modes = ["one-end", "data-then-empty-end", "data-then-end", "1000"]

    static func arguments(_ camera: Camsim) -> [String] {
        ["--camera", "PTP/IP Camera", "--port", "ptpip:127.0.0.1:\(camera.port):\(camera.port)"]
    }

    func gphoto(_ camera: Camsim, _ arguments: [String], in folder: TemporaryFolder) throws -> Tool.Output {
        try #require(Tool("gphoto2")).run(
            Self.arguments(camera) + arguments, in: folder.path,
            environment: ["LANG": "C", "HOME": folder.path])
    }

    /// A card that is a folder: what is on it is known without asking a camera.
    func card() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        folder.makeFolder("DCIM")
        folder.makeFolder("DCIM/100TETHR")
        folder.makeFolder("DCIM/101TETHR")
        for (number, size) in [(1, 5000), (2, 153_600), (3, 3_000_001)] as [(Int, UInt64)] {
            let description = PhotoDescription(
                make: "M", model: "O", serial: "1", number: number,
                date: DateTime(secondsSince1970: 1_790_000_000),
                seed: 5)
            let photo = GeneratedPhoto(jpeg: description, size: size, noise: Noise(seed: 5))
            let path = "DCIM/10\(number / 3)TETHR/TETH000\(number).JPG"
            try folder.write(try photo.bytes(0..<size), to: path)
        }
        return folder
    }

    @Test(
        "gphoto2 finds what is on the card, and fetches it byte for byte",
        .enabled(if: isThere, "gphoto2 is not installed"), arguments: modes)
    func fetches(mode: String) throws {
        let card = try card()
        let camera = try Camsim("--card", card.path, "--packets", mode)
        let folder = try TemporaryFolder()
        let listed = try gphoto(camera, ["--list-files"], in: folder)
        #expect(listed.code == 0, "\(listed.errors)")
        #expect(listed.text.contains("There are 2 files in folder '/store_00010001/DCIM/100TETHR'"))
        let size = listed.lines.first { $0.contains("TETH0002.JPG") }
        #expect(size?.contains("150 KB") == true && size?.contains("image/jpeg") == true)

        let fetched = try gphoto(camera, ["--get-all-files"], in: folder)
        #expect(fetched.code == 0, "\(fetched.errors)")
        let expected = try Operator.files(in: card)
        let got = try Operator.files(in: folder).filter { $0.key.hasSuffix(".JPG") }
        #expect(Set(got.keys) == ["TETH0001.JPG", "TETH0002.JPG", "TETH0003.JPG"])
        for (path, bytes) in expected {
            #expect(got[String(path.split(separator: "/").last ?? "")] == bytes, "\(path)")
        }
    }

    @Test(
        "gphoto2 understands what the camera says of itself, of its card and of a photo",
        .enabled(if: isThere, "gphoto2 is not installed"), arguments: modes)
    func describes(mode: String) throws {
        let camera = try Camsim(
            "--packets", mode, "--photos", "2", "--photo-size", "300k", "--serial", "4711")
        let folder = try TemporaryFolder()
        let summary = try gphoto(camera, ["--summary"], in: folder)
        #expect(summary.code == 0, "\(summary.errors)")
        for text in [
            "Model: Generic", "Serial Number: 4711", "Storage Type: Removable RAM (memory card)",
            "VolumeLabel: CAMSIM1",
            "Battery Level(0x5001):(read only) (type=0x2) Range [0 - 100, step 1] value: 80%",
            "Exposure Bias Compensation(0x5010):(read only) (type=0x3) Range [-3000 - 3000, step 333] value: -0.3 stops",
        ] { #expect(summary.text.contains(text), "\(text)") }
        let storage = try gphoto(camera, ["--storage-info"], in: folder)
        #expect(storage.text.contains("basedir=/store_00010001") && storage.text.contains("totalcapacity="))
        let info = try gphoto(camera, ["--show-info", "1"], in: folder)
        #expect(
            info.text.contains("Size:        300000 byte(s)")
                && info.text.contains("Width:       768 pixel(s)"))
        let thumbs = try gphoto(camera, ["--get-all-thumbnails"], in: folder)
        #expect(thumbs.code == 0, "\(thumbs.errors)")
        let pictures = try Operator.files(in: folder).filter { $0.key.hasPrefix("thumb_") }
        #expect(pictures.count == 2)
        for (name, bytes) in pictures { #expect(bytes.starts(with: [0xFF, 0xD8]), "\(name)") }
    }

    @Test(
        "twenty shots tethered by gphoto2 all arrive, the same as by tetherline",
        .enabled(if: isThere, "gphoto2 is not installed"), arguments: modes)
    func tethered(mode: String) throws {
        let camera = try Camsim(
            "--packets", mode, "--photos", "0", "--photo-size", "200k", "--shoot", "20", "--every", "20")
        let folder = try TemporaryFolder()
        let gphoto = try Daemon(
            "/usr/bin/env",
            ["-C", folder.path, "stdbuf", "-oL", "gphoto2"] + Self.arguments(camera)
                + ["--capture-tethered", "--keep", "--force-overwrite", "--filename", "%f.%C"],
            environment: ["LANG": "C", "HOME": folder.path])
        try gphoto.wait(for: "Saving file as", times: 20)
        try camera.daemon.wait(for: "photo taken", times: 20)
        // It says so before it has written the last one; its orderly end comes after.
        _ = gphoto.stop(SIGINT)
        let tethered = try Operator.files(in: folder).filter { $0.key.hasSuffix(".JPG") }
        #expect(tethered.count == 20)

        let operators = try Operator()
        let fetched = try operators.run(
            "camera", "get", camera.address, "--all", "--to", operators.folder.file("out"))
        #expect(fetched.code == 0, "\(fetched.errors)")
        for (name, bytes) in tethered {
            let stem = name.split(separator: ".")[0]
            let ours = try readFile(operators.folder.file("out/DCIM/100TETHR/\(stem).JPG"))
            #expect(ours == bytes, "\(name)")
        }
    }

    @Test(
        "gphoto2 hears of shots while it waits, and of one that it asks for",
        .enabled(if: isThere, "gphoto2 is not installed"), arguments: modes)
    func events(mode: String) throws {
        let camera = try Camsim(
            "--packets", mode, "--photos", "0", "--photo-size", "100k", "--shoot", "3", "--every", "10")
        let folder = try TemporaryFolder()
        let waited = try gphoto(camera, ["--wait-event=600ms"], in: folder)
        #expect(waited.code == 0, "\(waited.errors)")
        #expect(waited.lines.filter { $0.contains("FILEADDED") }.count == 3, "\(waited.text)")
        let captured = try gphoto(camera, ["--capture-image-and-download", "--keep"], in: folder)
        #expect(captured.code == 0, "\(captured.errors)")
        #expect(try Operator.files(in: folder).values.contains { $0.count == 100_000 })
    }

    static let python = ".build/python/bin/python"

    @Test(
        "the newest libgphoto2, from PyPI, fetches the same bytes",
        .enabled(if: Tool.isThere(python), "the PyPI gphoto2 is not installed; tools/setup does it"),
        arguments: modes)
    func newest(mode: String) throws {
        let card = try card()
        let camera = try Camsim("--card", card.path, "--packets", mode)
        let folder = try TemporaryFolder()
        let fetched = try #require(Tool(Self.python)).run([
            "tools/gphoto-fetch", "\(camera.port)", folder.path,
        ])
        #expect(fetched.code == 0, "\(fetched.errors)")
        let got = try Operator.files(in: folder)
        for (path, bytes) in try Operator.files(in: card) {
            #expect(got[String(path.split(separator: "/").last ?? "")] == bytes, "\(path)")
        }
    }
}
