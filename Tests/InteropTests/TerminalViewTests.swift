import Basics
import Glibc
import TestSupport
import Testing

/// What commands print on a terminal of some width: Python has the other end of it.
@Suite(.enabled(if: Tool.isThere("python3"))) struct TerminalViewTests {
    private static let script = """
        import fcntl, os, pty, struct, sys, termios
        child, master = pty.fork()
        if child == 0:
            sys.stdin.readline()
            os.execv(sys.argv[2], sys.argv[2:])
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
        settings = termios.tcgetattr(master)
        settings[3] &= ~termios.ECHO
        termios.tcsetattr(master, termios.TCSANOW, settings)
        os.write(master, b"go\\n")
        seen = b""
        while True:
            try:
                seen += os.read(master, 65536)
            except OSError:
                break
        sys.stdout.buffer.write(seen.replace(b"\\r\\n", b"\\n"))
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """

    private static func seen(
        _ person: Operator, columns: Int, _ words: [String], _ environment: [String: String] = [:],
        codes: [Int32] = [0]
    ) throws -> [String] {
        let said = try #require(Tool("python3")).run(
            ["-c", script, "\(columns)", Built.tetherline] + words,
            environment: [
                "TETHERLINE_HOME": person.home, "TERM": "xterm", "LC_ALL": "C.UTF-8", "NO_COLOR": "",
            ].merging(environment) { $1 })
        #expect(codes.contains(said.code), "\(said.text)\(said.errors)")
        return said.lines
    }

    private static let problem =
        "the server has refused it, because a file of that name is there already and belongs to another user"

    /// A home with two photos, of which one has failed with a long sentence.
    private static func home() throws -> Operator {
        let camera = try Camsim("--photos", "2", "--photo-size", "5000")
        let person = try Operator()
        #expect(try person.runOnce([camera]).code == 0)
        let change = try #require(Tool("sqlite3")).run([
            "\(person.home)/tetherline.sqlite",
            "UPDATE upload_jobs SET state = 'failedPermanent', receipt = NULL, completed_at = NULL, problem = '\(problem)' "
                + "WHERE id = 1",
        ])
        #expect(change.code == 0, "\(change.errors)")
        return person
    }

    @Test(
        "a table has names, and its last column keeps to the terminal's width with every word in it",
        .enabled(if: Tool.isThere("sqlite3")))
    func tables() throws {
        let person = try Self.home()
        let jobs = try Self.seen(person, columns: 60, ["jobs"])
        #expect(jobs.first?.hasPrefix("job  state ") == true, "\(jobs)")
        // An address that has no room stands below, too, and whole.
        #expect(jobs.allSatisfy { $0.count <= 60 }, "\(jobs)")
        #expect(jobs.count { $0 == "    file://\(person.out)" } == 2, "\(jobs)")
        let remarks = jobs.filter {
            $0.hasPrefix("    ") && !$0.contains("remarks") && !$0.contains("destination")
                && !$0.contains("file://")
        }
        #expect(remarks.count == 2 && remarks.allSatisfy { $0.count <= 60 }, "\(jobs)")
        #expect(remarks.map { $0.drop { $0 == " " } }.joined(separator: " ") == Self.problem)
        // Another program gets a line for each delivery.
        #expect(try person.run("jobs").lines.count == 2)
        let views = [
            (["journal"], "at ", 60), (["events", "list"], "  event ", 80),
            (["camera", "known"], "name ", 120),
        ]
        for (words, name, columns) in views {
            let lines = try Self.seen(person, columns: columns, words)
            #expect(lines.first?.hasPrefix(name) == true, "\(lines)")
            #expect(lines.count > 1 && lines.allSatisfy { $0.count <= columns }, "\(lines)")
            let plain = try person.run(words)
            #expect(plain.lines.first?.hasPrefix(name) == false, "\(plain.text)")
            #expect(
                plain.text.split { $0.isWhitespace }.allSatisfy { lines.joined(separator: " ").contains($0) })
        }
    }

    private static func withoutBlanks(_ lines: [String]) -> String {
        lines.joined().filter { !$0.isWhitespace }
    }

    @Test(
        "one photo's story, the settings and what keeps photos from flowing keep to the width as well, with every word in them",
        .enabled(if: Tool.isThere("sqlite3")))
    func texts() throws {
        let person = try Self.home()
        for columns in [100, 60, 45] {
            let why = try Self.seen(person, columns: columns, ["why", "1"])
            #expect(why.allSatisfy { $0.count <= columns }, "\(why)")
            let story = try person.run("why", "1")
            #expect(Self.withoutBlanks(why) == Self.withoutBlanks(story.lines))
            // Another program gets a line for each sentence.
            #expect(story.lines.contains { $0.contains(Self.problem) && $0.hasPrefix("to file://") })

            let settings = try Self.seen(person, columns: columns, ["config", "show"])
            #expect(settings.allSatisfy { $0.count <= columns }, "\(settings)")
            let shown = try person.run("config", "show")
            let words = Set(settings.flatMap { $0.split(separator: " ") })
            for line in shown.lines.dropFirst() {
                guard let key = line.split(separator: " ").first else { continue }
                #expect(words.contains(key), "\(key)")
            }

            let doctor = try Self.seen(person, columns: columns, ["doctor"], codes: [0, 1, 69, 73, 78])
            #expect(doctor.allSatisfy { $0.count <= columns }, "\(doctor)")
            #expect(doctor.contains { $0.contains("-> ") }, "\(doctor)")
        }
        let whole = try person.run("doctor").lines
        #expect(whole.contains { $0.count > 100 }, "\(whole)")
    }

    @Test("NO_COLOR and a dumb terminal take the colours from every view; a width of forty is kept to")
    func colours() throws {
        let person = try Self.home()
        let coloured = try Self.seen(person, columns: 40, ["status"])
        #expect(coloured.contains { $0.contains("\u{1B}[31m") }, "\(coloured)")
        for environment in [["NO_COLOR": "1"], ["TERM": "dumb"], ["TERM": ""]] {
            for words in [
                ["status"], ["jobs"], ["captures"], ["events", "list"], ["journal"], ["camera", "known"],
            ] {
                let lines = try Self.seen(person, columns: 40, words, environment)
                #expect(!lines.isEmpty && lines.allSatisfy { !$0.contains("\u{1B}") }, "\(words): \(lines)")
            }
            let status = try Self.seen(person, columns: 40, ["status"], environment)
            #expect(status.allSatisfy { $0.count <= 40 }, "\(status)")
        }
    }
}
