import Glibc
import TestSupport
import Testing

/// How programs end, and what is left: by order, by signal, by a cut, by kill -9.
@Suite struct EndingTests {
    static func environment(_ person: Operator) -> [String: String] {
        ["TETHERLINE_HOME": person.folder.file("home")]
    }

    @Test(
        "camsim is ready when its port file is there, and ends by Ctrl-C and SIGTERM alike",
        arguments: [2, 15])
    func camsimEnds(signal: Int32) throws {
        let folder = try TemporaryFolder()
        let camera = try Camsim("--port-file", folder.file("port"))
        let port = String(decoding: try readFile(folder.file("port")), as: UTF8.self)
        #expect(port == "\(camera.port)\n")
        let client = try HostileClient.connected(port: camera.port)
        #expect(camera.daemon.stop(signal) == 0)
        #expect(client.command.hear().isEmpty)
        // What it wrote last may still be on its way to us when it has ended.
        try camera.daemon.wait(for: "ended by signal \(signal)")
    }

    @Test("a download that is cut goes on where it was cut, within the same command")
    func resumesByItself() throws {
        let folder = try TemporaryFolder()
        try folder.write("cut after=3MiB times=2\n", to: "faults")
        let camera = try Camsim("--photos", "2", "--photo-size", "8MiB", "--faults", folder.file("faults"))
        let person = try Operator()
        let outcome = try person.run("camera", "get", camera.address, "--all", "--to", person.out)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("(resumed at "), "\(outcome.text)")
        #expect(outcome.errors.contains("Trying again in"))
        // No byte was asked for twice.
        #expect(outcome.lines.last?.contains("2 files, 16777216 bytes") == true, "\(outcome.text)")
        for (path, bytes) in try person.arrived() {
            #expect(bytes.count == 8 << 20)
            #expect(outcome.text.contains(try CommandTests.sum("\(person.out)/\(path)")))
        }
    }

    @Test(
        "killed in the middle of a photo, the next run goes on with it",
        arguments: [SIGINT, SIGTERM, SIGKILL])
    func resumesLater(signal: Int32) throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "30MiB", "--rate", "20MiB")
        let person = try Operator()
        let get = ["camera", "get", camera.address, "--all", "--to", person.out]
        let running = try Daemon(Built.tetherline, get, environment: Self.environment(person))
        try waitUntil { partialSize(person) > 4 << 20 }
        let code = running.stop(signal)
        #expect(code == (signal == SIGKILL ? -SIGKILL : 130))
        // Who is told to end leaves the camera in order: some keep their one slot for a lost client for a while.
        if signal != SIGKILL { try camera.daemon.wait(for: "the session is closed") }
        #expect(try person.arrived().isEmpty, "nothing has a name before it is whole")
        let outcome = try person.run(get)
        #expect(outcome.code == 0, "\(outcome.errors)")
        let resumed = try #require(outcome.text.split(separator: "(resumed at ").last?.prefix { $0 != ")" })
        #expect(try #require(Int(resumed)) > 4 << 20)
        let files = try person.arrived()
        #expect(files.count == 1 && files.values.first?.count == 30 << 20)
        #expect(outcome.text.contains(try CommandTests.sum("\(person.out)/\(files.keys.first ?? "")")))
        #expect(!person.folder.contents().contains { $0.hasSuffix(".part") })

        // The bytes are those of a card that was fetched without a cut.
        let other = try Operator()
        #expect(
            try other.run("camera", "get", camera.address, "--all", "--to", other.out, "--no-hash").code == 0)
        #expect(try other.arrived() == files)
    }

    private func partialSize(_ person: Operator) -> Int {
        var facts = stat()
        let partial = person.folder.contents().first { $0.hasSuffix(".part") }
        guard let partial, stat(person.folder.file(partial), &facts) == 0 else { return 0 }
        return Int(facts.st_size)
    }

    @Test("events are told until Ctrl-C, which is their proper end")
    func events() throws {
        let camera = try Camsim("--photos", "0", "--photo-size", "5000", "--shoot", "5", "--every", "20")
        let person = try Operator()
        let running = try Daemon(
            Built.tetherline, ["camera", "events", camera.address], environment: Self.environment(person))
        try running.wait(for: "ObjectAdded", times: 5)
        try running.wait(for: "CaptureComplete", times: 5)
        #expect(running.stop(SIGINT) == 0)
        #expect(running.output.count == 10, "five photos, each with its CaptureComplete: \(running.output)")
    }

    @Test(
        "events end when no process reads them any more, and the camera is released",
        .timeLimit(.minutes(Cases.minutesOfHang)))
    func eventsIntoAPipe() throws {
        let camera = try Camsim("--photos", "0", "--photo-size", "5000", "--shoot", "200", "--every", "20")
        let person = try Operator()
        let seen = try #require(Tool("bash")).run(
            ["-c", "set -o pipefail; $0 camera events \(camera.address) | head -n 3", Built.tetherline],
            environment: Self.environment(person))
        #expect(seen.code == 0, "\(seen.errors)")
        #expect(seen.lines.count == 3)
        try camera.daemon.wait(for: "the session is closed")
    }

    @Test("a recording is whole the moment its command has ended", arguments: 0..<6)
    func recordedToTheEnd(round: Int) throws {
        let camera = try Camsim("--photos", "6", "--photo-size", "2000000")
        let person = try Operator()
        let file = person.folder.file("session.pcap")
        let outcome = try person.run(
            "camera", "get", camera.address, "--all", "--to", person.out, "--no-sync", "--record", file)
        // Read at once, in this process: nothing may still be on its way.
        let atOnce = try readFile(file).count
        #expect(outcome.code == 0, "\(outcome.errors)")
        let explained = try person.run("camera", "explain", file)
        #expect(explained.errors.isEmpty && explained.text.contains("CloseSession"), "\(explained.errors)")
        #expect(fileSize(file) == atOnce)
    }

    @Test("what was recorded plays back the same photos")
    func recordAndReplay() throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "150000")
        let person = try Operator()
        let file = person.folder.file("session.pcap")
        let recorded = try person.run(
            "camera", "get", camera.address, "--all", "--to", person.out, "--record", file)
        #expect(recorded.code == 0, "\(recorded.errors)")
        let files = try person.arrived()
        #expect(files.count == 3)
        let replay = try Camsim("--replay", file)
        let other = try Operator()
        let played = try other.run("camera", "get", replay.address, "--all", "--to", other.out)
        #expect(played.code == 0, "\(played.errors)")
        #expect(try other.arrived() == files)
        let refused = try other.run("camera", "thumb", replay.address, "0x00010003")
        #expect(refused.code == 1)
        try replay.daemon.wait(for: "was not asked while this was recorded")
        let explained = try other.run("camera", "explain", file)
        #expect(explained.code == 0 && explained.text.contains("TETH0003.JPG"))
    }

    @Test("a full disk stops the recording, says so, and disturbs nothing else")
    func recordingToNowhere() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "50000")
        let person = try Operator()
        let outcome = try person.run(
            "camera", "get", camera.address, "--all", "--to", person.out, "--record", "/dev/full")
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(
            outcome.errors.contains("/dev/full") && outcome.errors.contains("has stopped"),
            "\(outcome.errors)")
        #expect(try person.arrived().count == 1)
    }

    @Test(
        "killed at any moment, a recording is a file without a fault",
        .enabled(if: Tool.isThere("tshark"), "tshark is not installed"), arguments: 1...Cases.kills)
    func killedRecording(round: Int) throws {
        let camera = try Camsim("--photos", "40", "--photo-size", "300000", "--packets", "20000")
        let person = try Operator()
        let file = person.folder.file("session.pcap")
        let running = try Daemon(
            Built.tetherline,
            ["camera", "get", camera.address, "--all", "--to", person.out, "--record", file],
            environment: Self.environment(person))
        // Another moment each time, told by the size of the file and not by a clock.
        let size = (round * 7919) % 300 * 20_000 + 1000
        try waitUntil { size <= fileSize(file) }
        #expect(running.stop(SIGKILL) == -SIGKILL)
        let port = "tcp.port==\(camera.port),ptpip"
        let judged = try #require(Tool("tshark")).run([
            "-r", file, "-d", port, "-T", "fields", "-e", "_ws.malformed", "-e", "_ws.expert.message", "-e",
            "tcp.analysis.flags",
        ])
        #expect(judged.code == 0 && !judged.errors.contains("cut short"), "\(judged.errors)")
        // Nothing malformed, no doubt of TCP's; only that connections begin and end.
        #expect(!judged.lines.isEmpty)
        for line in judged.lines { #expect(line == "\t\t" || line.hasPrefix("\tConnection "), "\(line)") }
        let explained = try person.run("camera", "explain", file)
        #expect(explained.code == 0 && explained.errors.isEmpty, "\(explained.errors)")
    }

    private func fileSize(_ path: String) -> Int {
        var facts = stat()
        return stat(path, &facts) == 0 ? Int(facts.st_size) : -1
    }

    /// Looks until it is so. What is looked at is another process's doing, so there is nothing to be woken by.
    private func waitUntil(_ condition: () -> Bool) throws {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let end = now.tv_sec + 60
        while !condition() {
            try #require(now.tv_sec < end, "it never came to that")
            sched_yield()
            clock_gettime(CLOCK_MONOTONIC, &now)
        }
    }
}
