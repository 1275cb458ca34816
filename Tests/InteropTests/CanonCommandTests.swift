import Glibc
import TestSupport
import Testing

/// The programs with Canon's models, as an operator runs them.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct CanonCommandTests {
    /// A body lets in only the client that it was paired with: every command is the same one.
    private static let guid = ["--guid", String(repeating: "5", count: 32)]
    private static let models = Cases.isFull ? ["canon-r6", "canon-80d", "canon-m50"] : ["canon-r6"]

    private static func card(_ camera: Camsim) throws -> [[UInt8]] {
        let other = try Operator()
        let got = try other.run(
            ["camera", "get", camera.address, "--all", "--to", other.out, "--no-sync"] + guid)
        #expect(got.code == 0, "\(got.errors)")
        return Array(try other.arrived().values)
    }

    @Test(
        "two bodies with the same file names shoot thirty pairs of RAW and JPEG, 50 ms apart: each file arrives once",
        arguments: models)
    func bursts(model: String) throws {
        let cameras = try ["1", "2"].map { serial in
            try Camsim(
                "--model", model, "--serial", serial, "--photos", "0", "--photo-size", "60k", "--raw-jpeg",
                "--shoot", "30", "--every", "50")
        }
        let person = try Operator()
        let bridge = try person.start(person.arguments(cameras, ["--json", "--since", "all"] + Self.guid))
        try bridge.waitForDelivered(120)
        bridge.end()
        for camera in cameras { try camera.daemon.wait(for: "event mode 0") }
        let wanted = try cameras.flatMap { try Self.card($0) }
        let arrived = try person.arrived()
        #expect(wanted.count == 120 && arrived.count == 120)
        #expect(Set(arrived.values) == Set(wanted))
        let names = try person.query("SELECT count(*), count(DISTINCT camera_id) FROM captures")
        #expect(names == ["120|2"], "each is known once, of two bodies")
    }

    @Test(
        "RAW files in a body's memory that the operator does not take give their place to what comes after them"
    )
    func unwanted() throws {
        // Its memory holds sixteen.
        let camera = try camsim(
            faults: "canon-destination to=both", "--model", "canon-r6", "--photos", "0", "--photo-size",
            "60k",
            "--raw-jpeg", "--shoot", "60", "--every", "100")
        let person = try Operator()
        let bridge = try person.start(
            person.arguments([camera], ["--json", "--since", "all", "--take", "jpeg"] + Self.guid))
        try bridge.waitForDelivered(20)
        bridge.end()
        let arrived = try person.arrived()
        #expect(arrived.count >= 20 && arrived.keys.allSatisfy { $0.hasSuffix(".JPG") }, "\(arrived.keys)")
        #expect(arrived.values.allSatisfy { $0.count == 60_000 })
    }

    @Test(
        "RAW files that are in a body's memory and nowhere else are taken with their JPEGs, and that is said")
    func onlyCopies() throws {
        // Until it knows how much room the client has, a body takes no photo.
        let camera = try camsim(
            faults: "canon-destination to=host", "--model", "canon-r6", "--photos", "0", "--photo-size",
            "60k", "--raw-jpeg", "--shoot", "2", "--every", "2s")
        let person = try Operator()
        let bridge = try person.start(
            person.arguments([camera], ["--json", "--since", "all", "--take", "jpeg"] + Self.guid))
        try bridge.wait(for: "taken all the same, because the camera keeps no copy of it")
        try bridge.waitForDelivered(4)
        bridge.end()
        #expect(try person.arrived().keys.filter { $0.hasSuffix(".CR3") }.count == 2)
    }

    @Test("what a body tells is shown record by record, with the names of files")
    func events() throws {
        let camera = try Camsim(
            "--model", "canon-r6", "--photos", "0", "--photo-size", "60k", "--shoot", "1", "--every", "50")
        let person = try Operator()
        let events = try person.start(["camera", "events", camera.address])
        let line = try events.wait(for: "ObjectAddedEx64")
        #expect(line.contains("0x51900012") && line.contains("IMG_0001.JPG"), "\(line)")
        events.end()
    }

    @Test(
        "a body is in remote mode when the command line or the settings say so, and is let go of at the end")
    func remoteMode() throws {
        func modes(_ person: Operator, _ arguments: [String]) throws -> [String] {
            let camera = try Camsim("--model", "canon-m50", "--photos", "1", "--photo-size", "60k")
            try person.settings(
                "{ cameras: [{ at: \"\(camera.address)\", driver: \"canon:remote\" }] }")
            let listed = try person.run(["camera", "ls", camera.address] + arguments)
            #expect(listed.code == 0 && listed.text.contains("IMG_0001.JPG"), "\(listed.errors)")
            try camera.daemon.wait(for: "the client is gone")
            return camera.daemon.output.filter { $0.contains(" mode ") }.map { String($0.dropFirst(8)) }
        }
        let remote = ["remote mode 21", "event mode 1", "event mode 0", "remote mode 0"]
        #expect(try modes(Operator(), []) == remote)
        #expect(try modes(Operator(), ["--driver", "canon:remote"]) == remote)
        #expect(try modes(Operator(), ["--driver", "canon"]) == ["event mode 1", "event mode 0"])
        #expect(try modes(Operator(), ["--driver", "generic"]) == [])
    }

    @Test("a driver that there is not is answered with the nearest, on the command line and in the settings")
    func unknownDriver() throws {
        let person = try Operator()
        let typed = try person.run(["camera", "ls", "127.0.0.1:1", "--driver", "cannon"])
        #expect(typed.code == 64 && typed.errors.contains("did you mean 'canon'?"), "\(typed.errors)")
        try person.settings("{ cameras: [{ at: \"127.0.0.1\", driver: \"canon:remoted\" }] }")
        let set = try person.run(["camera", "ls", "127.0.0.1:1"])
        #expect(set.code != 0 && set.errors.contains("canon:remote"), "\(set.errors)")
    }

    @Test("a body that is paired with another computer is told how to make its connection anew")
    func unknownComputer() throws {
        let camera = try Camsim("--model", "canon-80d", "--photos", "1", "--photo-size", "60k")
        #expect(try Operator().run(["camera", "info", camera.address]).code == 0)
        let other = try Operator().run(["camera", "info", camera.address, "--driver", "canon"])
        #expect(other.code == 77, "\(other.code)")
        #expect(other.errors.contains("'Remote control (EOS Utility)'"), "\(other.errors)")
    }
}
