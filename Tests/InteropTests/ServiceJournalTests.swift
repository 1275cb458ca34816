import Basics
import Glibc
import TestSupport
import Testing

/// What the programs write into logs: with fields where systemd's journal reads it, and nothing that opens a door.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct ServiceJournalTests {
    /// systemd's own journal in a mount namespace, and a program whose standard error leads there, as systemd does it.
    private static let journald = """
        import os, signal, socket, subprocess, sys, time
        os.makedirs("/run/systemd/journal")
        daemon = subprocess.Popen(["/lib/systemd/systemd-journald"], stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while not os.path.exists("/run/systemd/journal/stdout"):
            assert daemon.poll() is None and time.monotonic() < end, "journald does not start"
            time.sleep(0.05)
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        stream.connect("/run/systemd/journal/stdout")
        stream.sendall(b"tetherline\\n\\n6\\n1\\n0\\n0\\n0\\n")
        facts = os.fstat(stream.fileno())
        os.environ["JOURNAL_STREAM"] = f"{facts.st_dev}:{facts.st_ino}"
        code = subprocess.call(sys.argv[1:], stdout=stream, stderr=stream)
        stream.close()
        daemon.send_signal(signal.SIGTERM)
        daemon.wait()
        subprocess.run(["journalctl", "-D", "/run/log/journal", "-o", "json", "-t", "tetherline"], check=True)
        sys.exit(code)
        """

    private static func journal(of words: [String], home: String) throws -> Tool.Output {
        let line = [
            "-m", "sh", "-c", "mount -t tmpfs tmpfs /run && exec \"$@\"", "sh", "python3", "-c", journald,
        ]
        return try #require(Tool("unshare")).run(line + words, environment: ["TETHERLINE_HOME": home])
    }

    /// Only root may, and only where systemd is.
    static let hasJournal: Bool = {
        guard getuid() == 0, access("/lib/systemd/systemd-journald", X_OK) == 0, let yes = Tool("true") else {
            return false
        }
        do {
            return try journal(of: [yes.path], home: "/nowhere").code == 0
        } catch {
            return false
        }
    }()

    @Test(
        "the journal has each line once, with its kind, its camera and its photo as fields",
        .enabled(if: hasJournal, "systemd's journal cannot run here beside the machine's own"))
    func fields() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "20000")
        let person = try Operator()
        let words = person.arguments([camera], ["--once", "--since", "all", "--reserve", "0"])
        let ended = try Self.journal(of: [Built.tetherline] + words, home: person.home)
        #expect(ended.code == 0, "\(ended.errors)")
        let entries = try ended.lines.map { try JSON5.parse($0) }
        func those(of kind: String) -> [JSONValue] {
            entries.filter { $0["TETHERLINE_KIND"]?.string == kind }
        }
        let staged = those(of: "staged")
        #expect(staged.count == 2, "\(ended.text)")
        for entry in staged {
            #expect(entry["PRIORITY"]?.string == "6" && entry["_TRANSPORT"]?.string == "journal")
            #expect(entry["SYSLOG_IDENTIFIER"]?.string == "tetherline")
            #expect(entry["TETHERLINE_ADDRESS"]?.string == camera.address, "\(entry.compact)")
            #expect(entry["TETHERLINE_CAPTURE"]?.string.flatMap { Int($0) } != nil, "\(entry.compact)")
            #expect(entry["MESSAGE"]?.string?.contains("TETH000") == true, "\(entry.compact)")
        }
        let sum = those(of: "sum")
        #expect(
            sum.count == 1 && sum.first?["MESSAGE"]?.string?.contains("2 completed") == true, "\(ended.text)")
        // Nothing of it came by standard output as well.
        #expect(entries.count { $0["_TRANSPORT"]?.string == "stdout" } == 0, "\(ended.text)")
    }

    @Test("neither a token nor a signed address is in what a bridge and a gallery say, whatever goes wrong")
    func noSecrets() throws {
        let house = try GalleryHouse("--log-requests")
        let camera = try Camsim("--photos", "2", "--photo-size", "20000000")
        let person = try Operator()
        let login = try person.run(
            "login", house.url, "--email", "ann@example.org", "--password-file", house.folder.file("password")
        )
        #expect(login.code == 0, "\(login.errors)")
        #expect(try person.run("consent", "--give").code == 0)
        #expect(try person.run("events", "create", "Wedding").code == 0)
        let words = [
            "run", "--camera", camera.address, "--server", house.url, "--event", "Wedding", "--since", "all",
            "--reserve", "0", "--rate", "50000", "--json",
        ]
        let bridge = try Daemon(Built.tetherline, words, environment: ["TETHERLINE_HOME": person.home])
        try bridge.wait(for: #""event":"staged""#, times: 2)
        var isUploading = false
        // It has signed addresses by then, and sends to them.
        for _ in 0..<2000 where !isUploading {
            let status = try JSON5.parse(try person.run("status", "--json").text)
            isUploading = (status["jobs"]?["uploading"]?.integer ?? 0) > 0
        }
        #expect(isUploading)
        #expect(house.gallery.output.contains { $0.contains("path=") }, "requests are logged")
        house.gallery.letGo()
        try bridge.wait(for: #""event":"destinationHeld""#)
        var said = bridge.output + house.gallery.output
        let asked = [
            ["status"], ["status", "--json"], ["jobs"], ["jobs", "--json"], ["captures", "--json"],
            ["journal"],
            ["why", "TETH0001.JPG"], ["why", "TETH0001.JPG", "--json"], ["config", "show"], ["verify"],
        ]
        for words in asked {
            let answer = try person.run(words)
            said += answer.lines + [answer.errors]
        }
        #expect(bridge.stop() == 0)
        said += bridge.output
        let text = said.joined(separator: "\n")
        let kept = try JSON5.parse(try readFile("\(person.home)/credentials.json")).compact
        let tokens = kept.split(separator: "\"").filter { $0.count >= 32 }
        #expect(tokens.count >= 2, "there is something to be found")
        // And in the ledger there is.
        let ledger = try #require(Tool("sqlite3")).run([
            "-readonly", "\(person.home)/tetherline.sqlite", ".dump",
        ])
        #expect(ledger.text.contains("signature="), "no signed address was kept: nothing is shown by this")
        for token in tokens { #expect(!text.contains(token), "a token is told") }
        for word in ["signature=", "X-Amz-Signature", "Bearer "] { #expect(!text.contains(word), "\(word)") }
    }
}
