import Glibc
import TestSupport
import Testing

/// Nikon's models of camsim before other people's clients, and `tetherline` before them.
///
/// What gphoto2 cannot do with them, and why: it does not pair, so a Z 8 has to have paired before; it does not ask again
/// for a photo that is not ready, so those of a D7200 must be ready at once; and it tells twice what a Z 6 tells twice.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct NikonModelTests {
    struct Model: Sendable, CustomTestStringConvertible {
        let name: String
        let model: String
        let folder: String
        var script = ""

        var testDescription: String { name }

        func camera(_ arguments: String...) throws -> Camsim {
            let folder = try TemporaryFolder()
            try folder.write("nikon-paired\n\(script)\n", to: "faults")
            return try Camsim(
                Daemon(
                    Built.camsim,
                    ["--listen", "127.0.0.1:0", "--model", name, "--faults", folder.file("faults")]
                        + arguments))
        }
    }

    static let all = [
        Model(name: "nikon-d7200", model: "D7200", folder: "100D7200", script: "not-ready for=0ms"),
        Model(name: "nikon-z6", model: "Z 6", folder: "100NCZ_6"),
        Model(name: "nikon-z6ii", model: "Z 6II", folder: "100NCZ6_"),
        Model(name: "nikon-z8", model: "Z 8", folder: "100NCZ_8"),
    ]
    static let chosen = Cases.isFull ? all : [all[3]]

    private func gphoto(
        _ camera: Camsim, _ arguments: [String], in folder: TemporaryFolder
    ) throws -> Tool.Output {
        try GphotoTests().gphoto(camera, arguments, in: folder)
    }

    private static func names(_ count: Int, raw: Bool = false) -> Set<String> {
        Set((1...count).flatMap { raw ? ["DSC_000\($0).JPG", "DSC_000\($0).NEF"] : ["DSC_000\($0).JPG"] })
    }

    @Test(
        "gphoto2's Nikon code says who it is, lists RAW and JPEG, and fetches what tetherline fetches",
        .enabled(if: GphotoTests.isThere, "gphoto2 is not installed"), arguments: chosen)
    func fetches(model: Model) throws {
        let camera = try model.camera("--photos", "2", "--photo-size", "1200k", "--raw-jpeg")
        let folder = try TemporaryFolder()
        let summary = try gphoto(camera, ["--summary"], in: folder)
        #expect(summary.code == 0, "\(summary.errors)")
        for text in ["Manufacturer: Nikon Corporation", "Model: \(model.model)", "Vendor Extension ID: 0xa"] {
            #expect(summary.text.contains(text), "\(summary.text)")
        }
        let listed = try gphoto(camera, ["--list-files"], in: folder)
        #expect(listed.text.contains("There are 4 files in folder '/store_00010001/DCIM/\(model.folder)'"))
        let fetched = try gphoto(camera, ["--get-all-files"], in: folder)
        #expect(fetched.code == 0, "\(fetched.errors)")
        let theirs = try Operator.files(in: folder).filter { $0.key.hasPrefix("DSC_") }
        #expect(Set(theirs.keys) == Self.names(2, raw: true))
        let ours = try Operator().card(of: camera)
        #expect(Set(ours.values) == Set(theirs.values) && ours.count == 4)
    }

    @Test(
        "the newest libgphoto2 fetches the same",
        .enabled(
            if: Tool.isThere(GphotoTests.python), "the PyPI gphoto2 is not installed; tools/setup does it"),
        arguments: chosen)
    func newest(model: Model) throws {
        let camera = try model.camera("--photos", "3", "--photo-size", "1200k")
        let folder = try TemporaryFolder()
        let fetched = try #require(Tool(GphotoTests.python)).run([
            "tools/gphoto-fetch", "\(camera.port)", folder.path,
        ])
        #expect(fetched.code == 0, "\(fetched.errors)")
        let theirs = try Operator.files(in: folder)
        #expect(Set(theirs.keys) == Self.names(3))
        #expect(Set(try Operator().card(of: camera).values) == Set(theirs.values))
    }

    @Test(
        "gphoto2 is told of shots by Nikon's list of events, and has them tethered",
        .enabled(if: GphotoTests.isThere, "gphoto2 is not installed"), arguments: chosen)
    func tethers(model: Model) throws {
        let camera = try model.camera(
            "--photos", "0", "--photo-size", "200k", "--shoot", "5", "--every", "100")
        let folder = try TemporaryFolder()
        let waited = try gphoto(camera, ["--wait-event=1500ms"], in: folder)
        #expect(waited.code == 0, "\(waited.errors)")
        let told = waited.lines.filter { $0.contains("FILEADDED DSC_") }
        #expect(Set(told).count == 5 && told.count == (model.name == "nikon-z6" ? 10 : 5), "\(waited.text)")

        let second = try model.camera(
            "--photos", "0", "--photo-size", "200k", "--shoot", "5", "--every", "100")
        let tethering = try Daemon(
            "/usr/bin/env",
            ["-C", folder.path, "stdbuf", "-oL", "gphoto2"] + GphotoTests.arguments(second)
                + ["--capture-tethered", "--keep", "--force-overwrite"],
            environment: ["LANG": "C", "HOME": folder.path])
        try tethering.wait(for: "Saving file as DSC_0005.JPG", times: 1)
        _ = tethering.stop(SIGINT)
        let theirs = try Operator.files(in: folder).filter { $0.key.hasPrefix("DSC_") }
        #expect(Set(theirs.keys) == Self.names(5))
        #expect(Set(try Operator().card(of: second).values) == Set(theirs.values))

        let asked = try gphoto(
            second, ["--capture-image-and-download", "--keep", "--force-overwrite"], in: folder)
        #expect(asked.text.contains("New file is in location"), "\(asked.text)\(asked.errors)")
    }

    // MARK: tetherline

    @Test("shots of a Nikon arrive while the bridge runs, each once", arguments: chosen)
    func runs(model: Model) throws {
        let camera = try model.camera(
            "--photos", "2", "--photo-size", "60k", "--shoot", "5", "--every", "50", "--raw-jpeg")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(14)
        bridge.end()
        try person.expectEverything(of: [camera])
    }

    @Test(
        "a Z 8 that was never met is paired while the bridge runs: the code is told, and then its photos come"
    )
    func pairs() throws {
        // The shot comes about when its Wi-Fi restarts: before, meanwhile or after.
        let camera = try Camsim(
            "--model", "nikon-z8", "--photos", "3", "--photo-size", "60k", "--shoot", "1", "--every", "2000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.wait(for: "The pairing code of the Z 8 is 1234")
        try bridge.waitForDelivered(4)
        bridge.end()
        try person.expectNothingLeft(of: camera)
        // Another client is refused by now.
        let stranger = try Operator().run("camera", "info", camera.address)
        #expect(
            stranger.code != 0 && stranger.errors.contains("start pairing on the body"), "\(stranger.errors)")
    }

    @Test(
        "an unpaired Z 8 answers gphoto2 as real ones do: every property is refused with 0x2005",
        .enabled(if: GphotoTests.isThere, "gphoto2 is not installed"))
    func unpaired() throws {
        let camera = try Camsim("--model", "nikon-z8")
        let summary = try gphoto(camera, ["--summary"], in: try TemporaryFolder())
        #expect(summary.text.contains("Model: Z 8"))
        #expect(summary.lines.count { $0.hasSuffix("error 2005 on query.") } > 5, "\(summary.text)")
        let info = try Operator().run("camera", "info", camera.address)
        #expect(info.code != 0 && info.errors.contains("1234"), "\(info.text)\(info.errors)")
    }
}

extension Operator {
    /// Another run of the same program is let in without a code, and finds that everything has arrived.
    fileprivate func expectNothingLeft(of camera: Camsim) throws {
        let again = try runOnce([camera])
        #expect(again.code == 0 && !again.text.contains("code"), "\(again.text)\(again.errors)")
        let arrived = try arrived()
        #expect(Set(arrived.keys) == Set((1...4).map { "DSC_000\($0).JPG" }))
        // What the pairing showed is the installation's own: another command of it is let in as well.
        let listed = try run("camera", "ls", camera.address)
        #expect(listed.code == 0, "\(listed.errors)")
        #expect(listed.lines.count { $0.contains("DSC_") } == 4, "\(listed.text)")
        let got = try run("camera", "get", camera.address, "--all", "--to", folder.file("got"), "--no-sync")
        #expect(got.code == 0, "\(got.errors)")
        let photos = try folder.contents().filter { $0.hasPrefix("got/") }.map {
            try readFile(folder.file($0))
        }
        #expect(Set(photos) == Set(arrived.values))
    }
}
