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

    @Test("a bridge that gives no answer is shown at the event that it works for, and at no other")
    func silentElsewhere() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "5000")
        let person = try Operator()
        // The window of this one stays open: what follows has no camera.
        let first = try person.start([camera])
        try first.waitForDelivered(1)
        #expect(first.stop(SIGTERM) == 0)
        let bridge = try Daemon(
            Built.tetherline,
            [
                "run", "--once", "--event", "Match", "--idle", "1h", "--json", "--destination",
                "file://\(person.out)",
            ],
            environment: EndingTests.environment(person))
        var json = ""
        for _ in 0..<100 where !json.contains(#""live":true"#) {
            json = try person.run("status", "--json").text
        }
        try #require(json.contains(#""name":"Match""#), "\(json)")
        bridge.signal(SIGSTOP)
        var status = try person.run("status")
        for _ in 0..<50 where status.text.hasPrefix("Match: running") { status = try person.run("status") }
        #expect(status.text.hasPrefix("Match: a bridge runs and does not answer"), "\(status.text)")
        let other = try person.run("status", "--event", "Wedding")
        #expect(other.text.hasPrefix("Wedding: not running"), "\(other.text)")
        bridge.signal(SIGCONT)
        #expect(bridge.stop(SIGTERM) == 130, "it was to end by itself")
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
        try again.wait(for: #""event":"staged""#)
        let reason = try #require(try JSONLine.held(again))
        let live = try person.run("status").text
        #expect(live.contains(reason), "\(live)")
        #expect(again.stop(SIGTERM) == 0)
        let status = try person.run("status")
        #expect(status.text.hasPrefix("Wedding: not running"), "\(status.text)")
        #expect(status.text.contains(reason), "\(status.text)")
        #expect(status.text.contains("1 queued, 2 completed"), "\(status.text)")
        let jobs = try person.run("jobs", "--state", "queued")
        #expect(jobs.text.contains("took nothing, as the bridge noted last: \(reason)"), "\(jobs.text)")
        let json = try person.run("jobs", "--state", "queued", "--json")
        #expect(json.text.contains(#""destinationHeld":""#), "\(json.text)")
    }

    @Test("every line of 'run --json' is one object whose keys come once, and says when it was")
    func oneMeaning() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "5000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(2)
        #expect(bridge.stop(SIGTERM) == 0)
        // Python's own reader, told to refuse a key that comes twice.
        let judge = """
            import datetime, json, sys
            def once(pairs):
                assert len({key for key, _ in pairs}) == len(pairs), pairs
                return dict(pairs)
            kinds = set()
            for line in sys.stdin:
                value = json.loads(line, object_pairs_hook=once)
                datetime.datetime.fromisoformat(value["at"].replace("Z", "+00:00"))
                kinds.add(value["event"])
            assert {"staged", "delivered", "sum"} <= kinds, kinds
            """
        let verdict = try #require(Tool("python3")).run(
            ["-c", judge], input: Array(bridge.output.joined(separator: "\n").utf8))
        #expect(verdict.code == 0, "\(verdict.errors)")
        let journal = try person.run("journal")
        #expect(journal.text.contains("a run of 'Wedding' began"), "\(journal.text)")
        #expect(journal.text.contains("the run of 'Wedding' ended"), "\(journal.text)")
        #expect(!journal.text.contains("did not end in order"), "\(journal.text)")
    }

    @Test("the journal tells a run that was killed, and a camera that went away as one line")
    func nightInJournal() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "5000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(1)
        #expect(camera.daemon.stop() == 0)
        try bridge.wait(for: #""loss":"#, times: 3)
        _ = bridge.stop(SIGKILL)
        let other = try Camsim("--photos", "1", "--photo-size", "5000", "--serial", "2")
        let again = try person.start([other])
        try again.wait(for: #""event":"reconciled""#)
        defer { withExtendedLifetime(other) {} }
        #expect(again.stop(SIGTERM) == 0)
        let journal = try person.run("journal")
        #expect(journal.lines.count { $0.contains("no connection") } == 1, "\(journal.text)")
        #expect(journal.text.contains("the run before did not end in order"), "\(journal.text)")
        let worst = try person.run("journal", "--level", "error")
        #expect(worst.lines.count == 1 && worst.text.contains("did not end in order"), "\(worst.text)")
    }

    @Test("a destination without keys is told of when a run begins, before any photo wants to go there")
    func probed() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "5000")
        let person = try Operator()
        #expect(try person.runOnce([camera]).code == 0)
        let bridge = try Daemon(
            Built.tetherline,
            [
                "run", "--camera", "127.0.0.1:1", "--event", "Match", "--json", "--destination",
                "s3://bucket/x?endpoint=https://10.9.9.9:9000",
            ], environment: ["TETHERLINE_HOME": person.home, "HOME": person.folder.path])
        let line = try bridge.wait(for: #""event":"destinationHeld""#)
        #expect(line.contains("there are no keys for S3"), "\(line)")
        let status = try person.run("status").text
        #expect(status.contains("there are no keys for S3") && status.contains("to do: "), "\(status)")
        _ = bridge.stop(SIGTERM)
        #expect(try person.run("journal").text.contains("takes no photos: there are no keys for S3"))
    }

    @Test("a disk that takes no photos stands in the text and in the JSON, and so does what it would take")
    func fullDisk() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "5000")
        let person = try Operator()
        let bridge = try person.start([camera], "--reserve", "1000000GiB")
        try bridge.wait(for: #""event":"held""#)
        let status = try person.run("status")
        #expect(status.text.contains("           nothing is fetched: "), "\(status.text)")
        #expect(status.text.contains(", 2 to fetch"), "\(status.text)")
        let json = try person.run("status", "--json")
        let hold = try JSON5.parse(json.text)["spool"]?["hold"]?.string
        #expect(hold?.contains("Make room") == true, "\(json.text)")
        #expect(bridge.stop(SIGTERM) == 0)
        // Also afterwards.
        #expect(try person.run("status").text.contains("as the bridge noted last: "), "it is forgotten")
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
