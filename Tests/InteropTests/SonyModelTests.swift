import Glibc
import TestSupport
import Testing

/// Sony's models of camsim before other people's clients, and `tetherline` before them.
///
/// What gphoto2 cannot do with them, and why: its names (`capt0000.jpg`) are its own, because it goes by the one handle
/// under which all photos come; it takes the number of a property out of notice 0xC203, which has none, and ends with
/// "General Error" where a body pushes its notices, so that those are silent here; it does not list a card that remote mode
/// does not show; and it presses no shutter of an RX100 M7, which has no compression setting.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct SonyModelTests {
    struct Model: Sendable, CustomTestStringConvertible {
        let name: String
        let model: String
        let serves: [String]

        var testDescription: String { name }

        func camera(_ script: String = "sony-silent", _ arguments: String...) throws -> Camsim {
            let folder = try TemporaryFolder()
            try folder.write(script + "\n", to: "faults")
            return try Camsim(
                Daemon(
                    Built.camsim,
                    [
                        "--listen", "127.0.0.1:0", "--model", name, "--faults", folder.file("faults"),
                        "--photo-size", "200k",
                    ] + (arguments.contains("--photos") ? [] : ["--photos", "0"]) + arguments))
        }
    }

    static let all = [
        Model(name: "sony-a7m3", model: "ILCE-7M3", serves: ["capture"]),
        Model(name: "sony-a7m4", model: "ILCE-7M4", serves: ["capture"]),
        Model(name: "sony-rx100m7", model: "DSC-RX100M7", serves: []),
    ]
    static let chosen = Cases.isFull ? all : [all[1]]

    private func gphoto(
        _ camera: Camsim, _ arguments: [String], in folder: TemporaryFolder
    ) throws -> Tool.Output {
        try GphotoTests().gphoto(camera, arguments, in: folder)
    }

    private static func expectPhotos(_ files: [String: [UInt8]], _ jpegs: Int, _ raws: Int) {
        let bytes = files.filter { $0.key.hasSuffix("jpg") || $0.key.hasSuffix("arw") }.values
        #expect(bytes.count { $0.count == 200_000 && $0.starts(with: [0xFF, 0xD8]) } == jpegs)
        #expect(bytes.count { $0.count == 400_000 && $0.starts(with: [0x49, 0x49, 0x2A, 0]) } == raws)
        #expect(Set(bytes).count == jpegs + raws, "no two are the same photo")
    }

    @Test(
        "gphoto2's Sony code greets it, and understands what it says of itself",
        .enabled(if: GphotoTests.isThere, "gphoto2 is not installed"), arguments: chosen)
    func summary(model: Model) throws {
        let camera = try model.camera("")
        let folder = try TemporaryFolder()
        let summary = try gphoto(camera, ["--summary"], in: folder)
        #expect(summary.code == 0, "\(summary.errors)")
        for text in [
            "Manufacturer: Sony Corporation", "Model: \(model.model)", "Vendor Extension ID: 0x11",
            "Sony Capture",
            "F-Number(0x5007):(readwrite) (type=0x4) Enumeration [280,320,350,400,450,500,560]",
            "Objects in memory(0xd215)",
            "Capture Target(0xd222):(readwrite) (type=0x4) Enumeration [] value: 17",
        ] { #expect(summary.text.contains(text), "\(summary.text)") }
        let listed = try gphoto(camera, ["--list-files"], in: folder)
        #expect(listed.errors.contains("PTP Store Not Available"), "\(listed.text)\(listed.errors)")
    }

    @Test(
        "gphoto2 takes RAW and JPEG out of its memory, as they are shot",
        .enabled(if: GphotoTests.isThere, "gphoto2 is not installed"), arguments: chosen)
    func tethers(model: Model) throws {
        let camera = try model.camera("sony-silent", "--raw-jpeg", "--shoot", "3", "--every", "400")
        let folder = try TemporaryFolder()
        let tethering = try Daemon(
            "/usr/bin/env",
            ["-C", folder.path, "stdbuf", "-oL", "gphoto2"] + GphotoTests.arguments(camera)
                + ["--capture-tethered", "--keep", "--force-overwrite"],
            environment: ["LANG": "C", "HOME": folder.path])
        try tethering.wait(for: "Saving file as capt0005.arw")
        _ = tethering.stop(SIGINT)
        Self.expectPhotos(try Operator.files(in: folder), 3, 3)

        let waiting = try model.camera("sony-silent", "--shoot", "3", "--every", "300")
        let waited = try gphoto(waiting, ["--wait-event=4s"], in: folder)
        #expect(waited.lines.count { $0.contains("FILEADDED capt") } == 3, "\(waited.text)\(waited.errors)")
    }

    @Test(
        "gphoto2 presses its shutter, and takes what comes of it",
        .enabled(if: GphotoTests.isThere, "gphoto2 is not installed"),
        arguments: chosen.filter { $0.serves.contains("capture") })
    func captures(model: Model) throws {
        let camera = try model.camera("sony-silent", "--raw-jpeg")
        let folder = try TemporaryFolder()
        let captured = try gphoto(camera, ["--capture-image-and-download", "--keep"], in: folder)
        #expect(captured.code == 0, "\(captured.text)\(captured.errors)")
        Self.expectPhotos(try Operator.files(in: folder), 1, 1)
    }

    @Test(
        "gphoto2 has it send its card to the computer",
        .enabled(if: GphotoTests.isThere, "gphoto2 is not installed"))
    func sendsToComputer() throws {
        let camera = try Self.all[0].camera("sony-send-to-computer", "--photos", "2", "--raw-jpeg")
        let folder = try TemporaryFolder()
        let fetched = try gphoto(camera, ["--get-all-files"], in: folder)
        #expect(fetched.code == 0, "\(fetched.errors)")
        let theirs = try Operator.files(in: folder).filter { $0.key.hasPrefix("DSC0") }
        #expect(Set(theirs.keys) == Set((1...2).flatMap { ["DSC0000\($0).JPG", "DSC0000\($0).ARW"] }))
        #expect(Set(try Operator().card(of: camera).values) == Set(theirs.values))
    }

    /// Waits for photos and takes them: PORT FOLDER COUNT.
    private static let newest = """
        import gphoto2 as gp, os, sys, time, warnings
        warnings.simplefilter("ignore")
        port, target, wanted = sys.argv[1], sys.argv[2], int(sys.argv[3])
        camera, ports, models = gp.Camera(), gp.PortInfoList(), gp.CameraAbilitiesList()
        ports.load()
        models.load()
        camera.set_abilities(models[models.lookup_model("PTP/IP Camera")])
        camera.set_port_info(ports[ports.lookup_path(f"ptpip:127.0.0.1:{port}:{port}")])
        camera.init()
        until, got = time.monotonic() + 60, 0
        while got < wanted and time.monotonic() < until:
            kind, data = camera.wait_for_event(200)
            if kind == gp.GP_EVENT_FILE_ADDED:
                photo = camera.file_get(data.folder, data.name, gp.GP_FILE_TYPE_NORMAL)
                photo.save(os.path.join(target, data.name.lower()))
                got += 1
        camera.exit()
        """

    @Test(
        "the newest libgphoto2 takes the same out of its memory",
        .enabled(
            if: Tool.isThere(GphotoTests.python), "the PyPI gphoto2 is not installed; tools/setup does it"),
        arguments: chosen)
    func newest(model: Model) throws {
        let camera = try model.camera("sony-silent", "--raw-jpeg", "--shoot", "3", "--every", "300")
        let folder = try TemporaryFolder()
        let taken = try #require(Tool(GphotoTests.python)).run(
            ["-c", Self.newest, "\(camera.port)", folder.path, "6"])
        #expect(taken.code == 0, "\(taken.errors)")
        Self.expectPhotos(try Operator.files(in: folder), 3, 3)
    }

    // MARK: tetherline

    @Test("shots of a Sony arrive while the bridge runs, each once", arguments: chosen)
    func runs(model: Model) throws {
        let camera = try model.camera("", "--raw-jpeg", "--shoot", "5", "--every", "50")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(10)
        bridge.end()
        let arrived = try person.arrived()
        #expect(
            Set(arrived.keys.map { $0.split(separator: "/").last.map(String.init) ?? "" })
                == Set((1...5).flatMap { ["DSC0000\($0).JPG", "DSC0000\($0).ARW"] }))
        #expect(arrived.values.count { $0.count == 200_000 } == 5 && Set(arrived.values).count == 10)
    }

    @Test("a RAW that is not wanted does not keep the next JPEG from coming", arguments: chosen)
    func passesOver(model: Model) throws {
        let camera = try model.camera("", "--raw-jpeg", "--shoot", "3", "--every", "50")
        let person = try Operator()
        let bridge = try person.start([camera], "--take", "jpeg")
        try bridge.waitForDelivered(3)
        bridge.end()
        #expect(try person.arrived().values.allSatisfy { $0.count == 200_000 })
        #expect(try person.arrived().count == 3)
    }

    @Test(
        "a photo that is cut off is named, with where it still is, and all others arrive", arguments: chosen)
    func cut(model: Model) throws {
        let camera = try model.camera(
            "cut after=50000 operation=0x1009 skip=1 times=1", "--shoot", "4", "--every", "50")
        let person = try Operator()
        let bridge = try person.start([camera])
        let line = try bridge.wait(for: "DSC00002.JPG: only 50000 of 200000 bytes came")
        #expect(line.contains("it is still on the card in the camera: copy it from there"))
        try bridge.waitForDelivered(3)
        bridge.end()
        let names = try person.arrived().keys.compactMap { $0.split(separator: "/").last }
        #expect(Set(names) == ["DSC00001.JPG", "DSC00003.JPG", "DSC00004.JPG"])
    }

    @Test("a photo that is given twice, because its answer was lost, is kept once", arguments: chosen)
    func givenTwice(model: Model) throws {
        let camera = try model.camera(
            "sony-keeps-cut\ncut after=200000 operation=0x1009 skip=1 times=1", "--shoot", "4", "--every",
            "50")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(4)
        bridge.end()
        #expect(try Set(person.arrived().values).count == 4 && person.arrived().count == 4)
    }

    @Test("a Sony that lists its card while it shoots loses nothing with a connection")
    func contents() throws {
        let camera = try Self.all[1].camera(
            "sony-contents\nsony-saves to=card\ncut after=50000 operation=0x923D skip=2 times=1",
            "--raw-jpeg",
            "--shoot", "4", "--every", "300")
        let person = try Operator()
        let bridge = try person.start([camera], "--driver", "sony:contents")
        try bridge.waitForDelivered(8)
        bridge.end()
        let arrived = try person.arrived().values
        #expect(arrived.count { $0.count == 200_000 } == 4 && arrived.count { $0.count == 400_000 } == 4)
        #expect(Set(arrived).count == 8)
    }
}
