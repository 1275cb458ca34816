import Glibc
import TestSupport
import Testing

/// The life of a connection as an operator sees it: what `run` and `status` say of each make, and what to do there.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct CameraLifeTests {
    private static let ours = ["--guid", String(repeating: "5", count: 32)]

    private func camsim(
        _ model: String, faults: String = "", at port: Int = 0, _ arguments: [String]
    ) throws -> Camsim {
        let folder = try TemporaryFolder()
        try folder.write(faults + "\n", to: "faults")
        return try Camsim(
            Daemon(
                Built.camsim,
                ["--listen", "127.0.0.1:\(port)", "--model", model, "--faults", folder.file("faults")]
                    + arguments))
    }

    private func camsim(_ model: String, faults: String = "", photos: Int) throws -> Camsim {
        try camsim(model, faults: faults, ["--photos", "\(photos)", "--photo-size", "60k"])
    }

    private func run(_ person: Operator, _ camera: Camsim, _ arguments: String...) throws -> Daemon {
        try person.start(person.arguments([camera], ["--json", "--since", "all"] + Self.ours + arguments))
    }

    /// What `status` says of the one camera: the word and the sentence.
    private func status(_ person: Operator) throws -> (json: String, line: String) {
        let json = try person.run("status", "--json")
        let text = try person.run("status")
        #expect(json.code == 0 && text.code == 0, "\(json.errors)\(text.errors)")
        return (json.text, text.lines.first { $0.hasPrefix("camera ") } ?? "")
    }

    @Test("a Z 8 is paired with its code, its access point begins anew, and its photos come by themselves")
    func pairs() throws {
        let camera = try camsim("nikon-z8", faults: "nikon-pairing code=4711 confirm=1500ms", photos: 2)
        let person = try Operator()
        let bridge = try run(person, camera)
        let line = try bridge.wait(for: "The pairing code of the Z 8 is 4711")
        #expect(line.contains("Network menu → Connect to computer") && line.contains("press OK"), "\(line)")
        let shown = try status(person)
        #expect(shown.json.contains(#""phase":"confirmingCode""#), "\(shown.json)")
        #expect(shown.line.contains("4711") && !shown.line.contains("not answered"), "\(shown.line)")
        let ended = try bridge.wait(for: "restarts its Wi-Fi")
        #expect(ended.contains(#""loss":"lost""#) && ended.contains("Z 8"), "\(ended)")
        try bridge.waitForDelivered(2)
        #expect(bridge.output.count { $0.contains("4711") } == 1, "it is paired once")
        bridge.end()
    }

    @Test("a body that knows another computer is told to the operator, with the menu that helps")
    func stranger() throws {
        let camera = try camsim("canon-80d", photos: 1)
        #expect(try Operator().run(["camera", "info", camera.address]).code == 0)
        let person = try Operator()
        let bridge = try run(person, camera, "--driver", "canon")
        let line = try bridge.wait(for: #""loss":"needsPerson""#)
        #expect(line.contains("'Start pairing'") && line.contains("The Canon "), "\(line)")
        let shown = try status(person)
        #expect(shown.line.contains("'Remote control (EOS Utility)'"), "\(shown.line)")
        _ = bridge.stop(SIGINT)
    }

    @Test("a generation without pairing is not told to pair: a Z 6 that refuses us after it was met")
    func generationOne() throws {
        let camera = try camsim(
            "nikon-z6", faults: "demand-guid value=\(String(repeating: "5", count: 32))", photos: 1)
        let person = try Operator()
        let bridge = try run(person, camera)
        try bridge.waitForDelivered(1)
        bridge.end()
        let other = try person.start(
            person.arguments([camera], ["--json", "--guid", String(repeating: "6", count: 32)]))
        let line = try other.wait(for: #""loss":"needsPerson""#)
        #expect(
            line.contains("The Z 6 does not know this computer") && line.contains("camera.guid"), "\(line)")
        #expect(!line.contains("profile") && !line.contains("press OK"), "\(line)")
        #expect(other.lines("advice").last?.contains("On the Z 6: Setup menu") == true, "\(other.output)")
        _ = other.stop(SIGINT)
    }

    @Test("a body that another program holds says so, and is left alone for half a minute")
    func taken() throws {
        let camera = try camsim("nikon-z6ii", photos: 1)
        let holder = try Operator().start(["camera", "events", camera.address] + Self.ours)
        try camera.daemon.wait(for: "application mode on")
        let person = try Operator()
        let bridge = try run(person, camera, "--driver", "nikon")
        let line = try bridge.wait(for: #""loss":"busy""#)
        #expect(line.contains("end SnapBridge, NX Tether or Wireless Transmitter Utility"), "\(line)")
        #expect(try status(person).line.contains("half a minute"))
        _ = bridge.stop(SIGINT)
        _ = holder.stop(SIGINT)
    }

    @Test("OK that no person presses is asked for by name, and given up after the wait")
    func neverOK() throws {
        let camera = try camsim("sony-a7m4", faults: "hold-ack for=60s", photos: 0)
        let person = try Operator()
        let bridge = try run(person, camera, "--driver", "sony", "--wait", "3s")
        let line = try bridge.wait(for: "has not answered yet")
        #expect(line.contains("The Sony") && line.contains("press OK"), "\(line)")
        #expect(try status(person).json.contains(#""phase":"waitingForOK""#))
        let ended = try bridge.wait(for: #""loss":"needsPerson""#)
        #expect(ended.contains("Press OK on the Sony when its screen shows our name"), "\(ended)")
        _ = bridge.stop(SIGINT)
    }

    @Test(
        "a body that goes while nothing is asked of it sleeps; awake it is the same one, and only the new photo comes"
    )
    func sleepAndWake() throws {
        let person = try Operator()
        let card = try DatedCard()
        try card.add("IMG_0001.JPG", "2026-05-01 12:00:00")
        let files = ["--card", card.folder.path, "--serial", "77"]
        var camera = try camsim("canon-r6", files)
        let port = camera.port
        let bridge = try run(person, camera)
        try bridge.waitForDelivered(1)
        _ = camera.daemon.stop(SIGKILL)
        let line = try bridge.wait(for: #""loss":"asleep""#)
        #expect(line.contains("Canon EOS R6 sleeps") && line.contains("half-press its shutter"), "\(line)")
        // It is looked for at once, and again and again, and is asleep between.
        var shown = try status(person)
        for _ in 0..<100 where !shown.json.contains(#""phase":"asleep""#) { shown = try status(person) }
        #expect(shown.json.contains(#""phase":"asleep""#), "\(shown.json)")
        try card.add("IMG_0002.JPG", "2026-05-01 12:30:00")
        camera = try camsim("canon-r6", at: port, files)
        try bridge.waitForDelivered(2)
        bridge.end()
        let rows = try person.query("SELECT count(*), count(DISTINCT camera_id) FROM captures")
        #expect(rows == ["2|1"], "\(rows)")
    }

    @Test("a body in its picture-transfer mode says which mode to choose instead")
    func pictureTransfer() throws {
        let camera = try camsim("nikon-z6ii", faults: "nikon-picture-transfer", photos: 2)
        let person = try Operator()
        let bridge = try run(person, camera)
        let line = try bridge.wait(for: #""loss":"needsPerson""#)
        #expect(line.contains("The Z 6II is in its picture-transfer mode"), "\(line)")
        #expect(line.contains("Camera control"), "\(line)")
        _ = bridge.stop(SIGINT)
    }

    @Test(
        "a battery that is pulled in the middle of a photo: what came is kept, and a Nikon's one place is not asked for"
    )
    func batteryPulled() throws {
        let camera = try camsim(
            "nikon-z6ii", ["--photos", "2", "--photo-size", "4MiB", "--rate", "1500k"])
        let person = try Operator()
        try person.settings("{ camera: { patience: \"1s\" } }")
        let bridge = try run(person, camera)
        try bridge.wait(for: #""event":"receiving""#)
        // Neither end of the links is told anything.
        camera.daemon.signal(SIGSTOP)
        let lost = try bridge.wait(for: #""loss":"lost""#)
        #expect(lost.contains("Move closer to the Z 6II") && lost.contains("kept"), "\(lost)")
        let held = try bridge.wait(for: #""loss":"busy""#)
        #expect(held.contains("the Z 6II was lost without a goodbye and holds its one place"), "\(held)")
        let shown = try status(person)
        #expect(shown.json.contains(#""phase":"lost","loss":"busy""#), "\(shown.json)")
        camera.daemon.signal(SIGCONT)
        _ = bridge.stop(SIGINT)
    }

    @Test("Send to Computer serves one connection: when that is lost, it is said what has to be chosen again")
    func sendToComputer() throws {
        let camera = try camsim("sony-a7m3", faults: "sony-send-to-computer", photos: 1)
        let person = try Operator()
        let bridge = try run(person, camera)
        try bridge.waitForDelivered(1)
        _ = camera.daemon.stop(SIGKILL)
        let line = try bridge.wait(for: #""loss":"needsPerson""#)
        #expect(line.contains("ILCE-7M3") && line.contains("choose Send to Computer on it again"), "\(line)")
        #expect(try status(person).json.contains(#""loss":"needsPerson""#))
        bridge.end()
    }

    @Test("another card in the same slot: the photos of both come, under whatever names they have")
    func cardSwap() throws {
        let camera = try camsim(
            "canon-r6", faults: "card-swap shots=2 handles=reused",
            ["--photos", "0", "--photo-size", "60k", "--shoot", "3", "--every", "1500"])
        let person = try Operator()
        let bridge = try run(person, camera)
        // No card is changed within the second that tells two photos of one name and size apart.
        try bridge.waitForDelivered(3)
        bridge.end()
        #expect(Set(try person.arrived().values).count == 3)
    }
}
