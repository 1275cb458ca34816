import Basics
import Glibc
import TestSupport
import Testing

/// `status`, `jobs`, `retry`, `cancel`, `pause` and `resume`, beside a bridge that runs and without one.
@Suite struct OperatorCommandTests {
    private func json(_ text: String) throws -> JSONValue { try JSON5.parse(text) }

    private func status(_ person: Operator) throws -> JSONValue {
        let said = try person.run("status", "--json")
        #expect(said.code == 0, "\(said.errors)")
        return try json(said.text)
    }

    @Test("a status without an event yet says so, to programs as JSON")
    func nothingYet() throws {
        let person = try Operator()
        // A gallery that cannot be asked: the home is made, and no event.
        let words = [
            "run", "--event", "X", "--server", "http://127.0.0.1:9", "--camera", "127.0.0.1:9", "--once",
            "--since", "all",
        ]
        #expect(try person.run(words).code != 0)
        #expect(try status(person) == ["event": .null])
        #expect(try person.run("status").text.contains("no event yet"))
    }

    @Test("a pause holds deliveries while the camera goes on, is seen in the status, and survives a restart")
    func pauses() throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "100000")
        let person = try Operator()
        #expect(try person.run("pause").code == 66, "there is no home yet")
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(3)
        #expect(try person.run("pause").text.contains("paused"))
        #expect(try status(person)["paused"]?.bool == true)
        bridge.end()
        let busy = try Camsim("--photos", "3", "--photo-size", "100000", "--seed", "9", "--serial", "2")
        let again = try person.start([busy])
        try again.wait(for: #""event":"staged""#, times: 3)
        let held = try status(person)
        #expect(held["running"]?.bool == true && held["paused"]?.bool == true)
        #expect(held["jobs"]?["queued"]?.integer == 3 && held["jobs"]?["completed"]?.integer == 3)
        #expect(try person.arrived().count == 3, "nothing was delivered while it was paused")
        #expect(try person.run("resume").text.contains("goes on"))
        try again.waitForDelivered(3)
        again.end()
        let ended = try status(person)
        #expect(ended["running"]?.bool == false && ended["paused"]?.bool == false)
        #expect(ended["jobs"]?["completed"]?.integer == 6)
    }

    @Test("a delivery that is taken back does not arrive; taken up again, it does")
    func cancels() throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "100000")
        let person = try Operator()
        #expect(
            try person.run([
                "run", "--event", "Wedding", "--camera", camera.address, "--once", "--since", "all",
                "--idle", "0s",
            ]).code == 0)
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(3)
        bridge.end()
        // A second place, which cannot be written to, and so holds its jobs.
        let blocked = person.folder.file("blocked")
        let run = [
            "run", "--event", "Wedding", "--destination", "file://\(blocked)/inner", "--once", "--retry",
            "1s",
        ]
        try person.folder.write("no folder", to: "blocked")
        #expect(try person.run(run).code != 0)
        person.folder.makeFolder("elsewhere")
        #expect(unlink(blocked) == 0)
        person.folder.makeFolder("blocked")
        #expect(try person.run("pause").code == 0)
        let place = try person.start(
            [
                "run", "--json", "--event", "Wedding", "--camera", camera.address, "--destination",
                "file://\(blocked)",
            ])
        try place.wait(for: #""event":"reconciled""#)
        let open = try person.run("jobs", "--state", "queued", "--json").lines.map { try json($0) }
        #expect(open.count == 3 && open.allSatisfy { $0["destination"]?.string == "file://\(blocked)" })
        let first = try #require(open.first?["id"]?.integer)
        #expect(try person.run("cancel", "\(first)").code == 0)
        #expect(try person.run("resume").code == 0)
        try place.waitForDelivered(2)
        let after = try status(person)
        #expect(after["cancelled"]?.integer == 1 && after["jobs"]?["failed"]?.integer == 0)
        #expect(try person.run("retry", "--failed").text.contains("nothing has failed"))
        #expect(try person.run("retry", "\(first)").code == 0)
        try place.waitForDelivered(3)
        place.end()
        #expect(try status(person)["cancelled"]?.integer == 0)
    }

    @Test("what failed for good says why, and begins again when it is told to")
    func retries() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "100000")
        let person = try Operator()
        #expect(
            try person.run(
                [
                    "run", "--event", "Wedding", "--camera", camera.address, "--once", "--since", "all",
                    "--idle", "0s",
                ]
            ).code == 0)
        // A byte of a photo in the spool was changed.
        let file = try #require(
            person.folder.contents().first { $0.contains("TETH0001") && $0.contains("spool") })
        let path = person.folder.file(file)
        let bytes = try readFile(path)
        #expect(chmod(path, 0o600) == 0)
        try person.folder.write([UInt8(1)] + bytes.dropFirst(), to: file)
        let deliver = [
            "run", "--event", "Wedding", "--destination", "file://\(person.out)", "--once", "--idle", "0s",
        ]
        #expect(try person.run(deliver).code == 1)
        let failed = try person.run("jobs", "--state", "failed")
        #expect(failed.lines.count == 1 && failed.text.contains("localFileDamaged"), "\(failed.text)")
        try person.folder.write(bytes, to: file)
        #expect(try person.run("retry", "--failed").text.contains("1 delivery begun again"))
        #expect(try person.run(deliver).code == 0)
        #expect(try status(person)["jobs"]?["completed"]?.integer == 2)
    }

    @Test("numbers that are none, and jobs that are not there, are said")
    func mistakes() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "100000")
        let person = try Operator()
        #expect(try person.runOnce([camera]).code == 0)
        #expect(try person.run("retry").code == 64)
        #expect(try person.run("cancel", "x").errors.contains("'x' is no job's number"))
        #expect(try person.run("retry", "99").code == 1)
        #expect(try person.run("jobs", "--state", "faild").errors.contains("failed"))
        let none = try person.run("run", "--event", "Wedding")
        #expect(none.code == 64 && none.errors.contains("--camera HOST"))
        let odd = try person.run(
            "run", "--once", "--event", "Wedding", "--destination", "https://x.example/a")
        #expect(odd.code == 64 && odd.errors.contains("--server"))
    }
}
