import Basics
import Glibc
import TestSupport
import Testing

/// `status` beside a bridge that runs: the bridge answers, and nothing else is asked.
@Suite struct StatusTests {
    @Test("a bridge that runs is asked, and no database is opened for that")
    func withoutDatabase() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "5000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(2)
        #expect(try person.run("status").text.hasPrefix("Wedding: running"))
        // The bridge has its own connection open by now; no other process gets at the file.
        let database = "\(person.home)/tetherline.sqlite"
        #expect(rename(database, "\(database).away") == 0)
        for words in [["status"], ["status", "--event", "Wedding"]] {
            let status = try person.run(words)
            #expect(status.code == 0, "\(status.errors)")
            #expect(status.text.hasPrefix("Wedding: running"), "\(status.text)")
            #expect(status.text.contains("2 completed"), "\(status.text)")
        }
        // Of another event the ledger would have to be read.
        #expect(try person.run("status", "--event", "Other").code == 66)
        #expect(rename("\(database).away", database) == 0)
        #expect(bridge.stop(SIGTERM) == 0)
    }

    @Test("what a bridge cannot say is an error, and not that none runs")
    func refused() throws {
        let person = try Operator()
        person.folder.makeFolder("home")
        let bridge = try Daemon(
            #require(Tool("python3")).path,
            [
                "-c",
                """
                import socket, sys
                door = socket.socket(socket.AF_UNIX)
                door.bind(sys.argv[1])
                door.listen()
                print("ready", flush=True)
                while True:
                    link, _ = door.accept()
                    link.makefile().readline()
                    link.sendall(b'{"error":"the ledger cannot be read"}\\n')
                    link.close()
                """, "\(person.home)/control.sock",
            ])
        try bridge.wait(for: "ready")
        let status = try person.run("status")
        #expect(status.code == 1, "\(status.text)")
        #expect(status.errors.contains("the ledger cannot be read"), "\(status.errors)")
        #expect(status.output.isEmpty, "\(status.text)")
    }

    @Test("why a photo is missing is said, until it is there")
    func missing() throws {
        let isRefused = Notes()
        let card = HostileCard(HostileObject.jpegs(2), mayGrow: true)
        let camera = try HostileCamera(always: { peer in
            try peer.serve(card) { request in
                guard request.code == 0x1009, request.parameters == [2] else { return false }
                isRefused.note(2)
                try peer.answer(0x200F, request)
                return true
            }
        })
        let person = try Operator()
        let bridge = try Daemon(
            Built.tetherline, Trouble.run(camera, person) + ["--json"],
            environment: EndingTests.environment(person))
        try bridge.wait(for: #""event":"givenUp""#, and: "B.JPG")
        let status = try person.run("status")
        let line = status.lines.first { $0.hasPrefix("missing ") }
        #expect(line?.contains("B.JPG: ") == true, "\(status.text)")
        let json = try person.run("status", "--json")
        #expect(json.text.contains(#""missing":[{"camera":"\#(camera.address)""#), "\(json.text)")
        #expect(bridge.stop(SIGTERM) == 0)
        #expect(!isRefused.handles.isEmpty)
    }

    @Test("a bridge that is stopped does not stop 'status': the ledger answers, and the first line says so")
    func stopped() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "5000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(2)
        bridge.signal(SIGSTOP)
        var status = try person.run("status")
        // The kernel stops its threads one after another: until then it may answer once more.
        for _ in 0..<50 where status.text.hasPrefix("Wedding: running") { status = try person.run("status") }
        #expect(status.code == 0, "\(status.errors)")
        #expect(status.text.hasPrefix("Wedding: a bridge runs and does not answer"), "\(status.text)")
        #expect(status.text.contains("deliveries 2 completed"), "\(status.text)")
        #expect(status.text.contains("has not answered within 0.7 s"), "\(status.text)")
        let json = try person.run("status", "--json")
        #expect(json.text.contains(#""running":true,"live":false"#), "\(json.text)")
        bridge.signal(SIGCONT)
        status = try person.run("status")
        #expect(status.text.hasPrefix("Wedding: running"), "\(status.text) \(status.errors)")
        #expect(bridge.stop(SIGTERM) == 0)
    }

    @Test("why a destination took nothing is known after the bridge has ended, to 'status' and to 'jobs'")
    func reasonsStay() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "5000")
        let person = try Operator()
        let lost = "file://\(person.folder.file("gone"))"
        person.folder.makeFolder("gone")
        let bridge = try person.start([camera], "--destination", lost)
        try bridge.waitForDelivered(4)
        #expect(rename(person.folder.file("gone"), person.folder.file("away")) == 0)
        try person.folder.write([], to: "gone")
        let more = try Camsim("--photos", "1", "--photo-size", "6000")
        #expect(bridge.stop(SIGTERM) == 0)
        let again = try person.start([more], "--destination", lost)
        try again.wait(for: #""event":"destinationHeld""#)
        let reason = try #require(try JSONLine.held(again))
        let live = try person.run("status").text
        #expect(live.contains(reason), "\(live)")
        #expect(again.stop(SIGTERM) == 0)
        let status = try person.run("status")
        #expect(status.text.hasPrefix("Wedding: not running"), "\(status.text)")
        #expect(status.text.contains(reason), "\(status.text)")
        #expect(status.text.contains("1 queued, 2 completed"), "\(status.text)")
        let jobs = try person.run("jobs", "--state", "queued")
        #expect(jobs.text.contains(reason), "\(jobs.text)")
        let json = try person.run("jobs", "--state", "queued", "--json")
        #expect(json.text.contains(#""destinationHeld":""#), "\(json.text)")
    }

    @Test("a disk that takes no photos stands in the text and in the JSON, and so does what it would take")
    func fullDisk() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "5000")
        let person = try Operator()
        let bridge = try person.start([camera], "--reserve", "1000000GiB")
        try bridge.wait(for: #""event":"held""#)
        let status = try person.run("status")
        #expect(status.text.contains("full: nothing is fetched: "), "\(status.text)")
        #expect(status.text.contains(", 2 to fetch"), "\(status.text)")
        let json = try person.run("status", "--json")
        let hold = try JSON5.parse(json.text)["spool"]?["hold"]?.string
        #expect(hold?.contains("Make room") == true, "\(json.text)")
        #expect(bridge.stop(SIGTERM) == 0)
        // Also afterwards.
        #expect(try person.run("status").text.contains("when the last run ended: "), "it is forgotten")
        // What the settings keep free is kept free of photos also where no bridge runs.
        try person.folder.write(#"{ spool: { reserve: "1000000GiB" } }"#, to: "home/config.json5")
        let rest = try JSON5.parse(try person.run("status", "--json").text)
        #expect(rest["spool"]?["reserve"]?.integer == 1_000_000 << 30, "\(rest.compact)")
    }
}

private enum JSONLine {
    /// Why the destination is held, as `run --json` told it first.
    static func held(_ bridge: Daemon) throws -> String? {
        try bridge.lines("destinationHeld").first.flatMap { try JSON5.parse($0)["reason"]?.string }
    }
}
