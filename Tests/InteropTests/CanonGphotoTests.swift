import Glibc
import TestSupport
import Testing

/// gphoto2's own code for Canon, as the judge of the models that say they are one: it asks for events, puts the body into
/// remote mode, has photos sent to the host, and gives memory back, all in Canon's operations.
///
/// What it cannot do here: press the shutter of `canon-m50`. For an EOS M it looks for the states of its buttons in
/// OLCInfoChanged records (0xC1A5), whose layout is not known.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct CanonGphotoTests {
    static let isThere = GphotoTests.isThere
    static let models = Cases.isFull ? ["canon-r6", "canon-80d", "canon-m50"] : ["canon-r6"]

    private func gphoto(_ camera: Camsim, _ folder: TemporaryFolder, _ arguments: String...) throws
        -> Tool.Output
    {
        try GphotoTests().gphoto(camera, arguments, in: folder)
    }

    @Test(
        "gphoto2 takes the model for a Canon, and lists and fetches what is on its card",
        .enabled(if: isThere, "gphoto2 is not installed"), arguments: models)
    func fetches(model: String) throws {
        let camera = try Camsim(
            "--model", model, "--photos", "3", "--photo-size", "1500k", "--raw-jpeg", "--serial", "4711")
        let folder = try TemporaryFolder()
        let summary = try gphoto(camera, folder, "--summary")
        #expect(summary.code == 0, "\(summary.errors)")
        for text in ["Manufacturer: Canon Inc.", "Canon EOS Capture", "Serial Number: 4711"] {
            #expect(summary.text.contains(text), "\(summary.text)")
        }
        let listed = try gphoto(camera, folder, "--list-files")
        #expect(listed.text.contains("There are 6 files in folder '/store_00010001/DCIM/100CANON'"))
        let fetched = try gphoto(camera, folder, "--get-all-files")
        #expect(fetched.code == 0, "\(fetched.errors)")
        let files = try Operator.files(in: folder).filter { $0.key.hasPrefix("IMG_") }
        #expect(files.count == 6)
        try expectTheSame(files, model)
    }

    /// tetherline fetches the same from a camera of the same model with the same card. It is another client to the body,
    /// which lets in only the one that it was paired with.
    private func expectTheSame(_ files: [String: [UInt8]], _ model: String) throws {
        let camera = try Camsim(
            "--model", model, "--photos", "3", "--photo-size", "1500k", "--raw-jpeg", "--serial", "4711")
        let operators = try Operator()
        let got = try operators.run("camera", "get", camera.address, "--all", "--to", operators.out)
        #expect(got.code == 0, "\(got.errors)")
        let ours = try operators.arrived()
        #expect(Set(ours.keys) == Set(files.keys.map { "DCIM/100CANON/\($0)" }))
        for (name, bytes) in files {
            let mine = ours["DCIM/100CANON/\(name)"]
            // Dates differ, and stand in the first kilobytes.
            #expect(
                mine?.count == bytes.count && mine?.suffix(1_000_000) == bytes.suffix(1_000_000), "\(name)")
        }
    }

    @Test(
        "gphoto2 hears of shots on the card in the records, with their names",
        .enabled(if: isThere, "gphoto2 is not installed"), arguments: models)
    func cardEvents(model: String) throws {
        let camera = try Camsim(
            "--model", model, "--photos", "0", "--photo-size", "100k", "--shoot", "5", "--every", "1200")
        let folder = try TemporaryFolder()
        let waited = try gphoto(camera, folder, "--set-config", "capturetarget=1", "--wait-event=7s")
        #expect(waited.code == 0, "\(waited.errors)")
        // Those that were shot before it had begun to listen are not told.
        let names = waited.lines.filter { $0.contains("FILEADDED IMG_000") }
        #expect(!names.isEmpty && names.allSatisfy { $0.contains("/store_00010001/DCIM/100CANON") })
    }

    @Test(
        "photos that gphoto2 has sent to itself come whole, RAW and JPEG, and their memory is given back",
        .enabled(if: isThere, "gphoto2 is not installed"), arguments: models)
    func tethered(model: String) throws {
        // More than the memory holds.
        let camera = try Camsim(
            "--model", model, "--photos", "0", "--photo-size", "100k", "--raw-jpeg", "--shoot", "14",
            "--every", "1200")
        let folder = try TemporaryFolder()
        let tethered = try gphoto(camera, folder, "--capture-tethered=20s", "--keep")
        #expect(tethered.code == 0, "\(tethered.errors)")
        let files = try Operator.files(in: folder).filter { $0.key.hasPrefix("capt") }
        #expect(files.count > 16 && files.count.isMultiple(of: 2))
        for (name, bytes) in files {
            #expect(bytes.count == (name.hasSuffix(".jpg") ? 100_000 : 200_000), "\(name)")
        }
        #expect(
            !camera.daemon.output.contains { $0.contains("busy:") }, "no shot was refused for want of memory")
    }

    @Test(
        "a shot that gphoto2 asks for comes to it",
        .enabled(if: isThere, "gphoto2 is not installed"),
        arguments: models.filter { $0 != "canon-m50" })
    func captures(model: String) throws {
        let camera = try Camsim("--model", model, "--photos", "0", "--photo-size", "100k")
        let folder = try TemporaryFolder()
        let captured = try gphoto(camera, folder, "--capture-image-and-download")
        #expect(captured.code == 0, "\(captured.errors)")
        #expect(try Operator.files(in: folder).values.contains { $0.count == 100_000 })
    }

    static let python = GphotoTests.python

    @Test(
        "the newest libgphoto2, from PyPI, fetches from the card, and what it has sent to itself",
        .enabled(if: Tool.isThere(python), "the PyPI gphoto2 is not installed; tools/setup does it"),
        arguments: models)
    func newest(model: String) throws {
        let camera = try Camsim(
            "--model", model, "--photos", "2", "--photo-size", "100k", "--raw-jpeg", "--shoot", "8",
            "--every",
            "1500")
        let folder = try TemporaryFolder()
        let fetched = try #require(Tool(Self.python)).run([
            "tools/gphoto-fetch", "\(camera.port)", folder.path, "4",
        ])
        #expect(fetched.code == 0, "\(fetched.errors)")
        let files = try Operator.files(in: folder)
        #expect(files.keys.count { $0.hasPrefix("IMG_") } >= 4)
        #expect(files.keys.count { $0.hasPrefix("capt") } == 4)
        for (name, bytes) in files {
            #expect(bytes.count == (name.uppercased().hasSuffix(".JPG") ? 100_000 : 200_000), "\(name)")
        }
    }
}
