import Basics
import Glibc
import TestSupport
import Testing

/// `watch`, and `run` on a terminal, as a person sees them: tmux is the terminal.
@Suite(.enabled(if: Tmux.isThere)) struct WatchTests {
    private static func terminal(
        _ person: Operator, _ command: String, columns: Int = 80, rows: Int = 24,
        _ environment: [String: String] = [:]
    ) throws -> Tmux {
        try Tmux(
            command, columns: columns, rows: rows,
            environment: [
                "TETHERLINE_HOME": person.home, "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin",
                "PS1": "shell$ ",
            ].merging(environment) { $1 })
    }

    /// In a shell that outlives it, and says how the terminal is before and after.
    private static func inShell(_ command: String, _ person: Operator) -> String {
        "stty -a >\(person.folder.file("before")); \(command); echo ended $?; "
            + "stty -a >\(person.folder.file("after")); exec cat"
    }

    private static func run(_ camera: Camsim, _ person: Operator, _ more: String = "") -> String {
        "\(Built.tetherline) run --camera \(camera.address) --event Wedding --destination file://\(person.out) "
            + "--since all \(more)"
    }

    /// The cursor is there, the first screen is, and its settings are what they were.
    private static func expectRestored(
        _ terminal: Tmux, _ person: Operator, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try terminal.fact("alternate_on") == "0", sourceLocation: sourceLocation)
        #expect(try terminal.fact("cursor_flag") == "1", sourceLocation: sourceLocation)
        #expect(try terminal.fact("wrap_flag") == "1", sourceLocation: sourceLocation)
        let before = try readFile(person.folder.file("before"))
        #expect(try readFile(person.folder.file("after")) == before, sourceLocation: sourceLocation)
    }

    @Test(
        "beside a bridge it shows what the bridge says, at every size, and its end leaves the bridge alone",
        arguments: [(80, 24), (40, 12), (200, 60)])
    func beside(_ columns: Int, _ rows: Int) throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "5000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(3)
        let terminal = try Self.terminal(
            person, Self.inShell("\(Built.tetherline) watch", person), columns: columns, rows: rows)
        let screen = try terminal.wait(for: columns == 40 ? "3 completed" : "0 queued   0 uploading")
        #expect(screen.count == rows)
        #expect(screen[0].hasPrefix("Wedding: running"))
        #expect(screen[1].contains("3 completed"))
        #expect(screen.contains { $0.hasPrefix("camera     \(camera.address)") }, "\(screen)")
        #expect(screen[rows - 1].hasPrefix("q quit"))
        // What stands there is what another view says.
        let status = try person.run("status").lines
        let place = try #require(status.first { $0.hasPrefix("to ") })
        #expect(columns != 200 || screen.contains(place), "\(screen)")
        try terminal.press("q")
        try terminal.wait(for: "ended 0")
        try Self.expectRestored(terminal, person)
        #expect(try person.run("status").text.hasPrefix("Wedding: running"))
        bridge.end()
    }

    @Test("p pauses the bridge and resumes it, and every view says so")
    func pause() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "5000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(1)
        let terminal = try Self.terminal(person, "\(Built.tetherline) watch")
        try terminal.wait(for: "1 completed")
        try terminal.press("p")
        try terminal.wait(for: "Wedding: running, PAUSED")
        #expect(try person.run("status", "--json").text.contains(#""paused":true"#))
        try terminal.wait(for: "p resume")
        try terminal.press("p")
        try terminal.wait("no PAUSED") { !$0[0].contains("PAUSED") && $0[0].contains("running") }
        #expect(try person.run("status", "--json").text.contains(#""paused":false"#))
        bridge.end()
    }

    @Test(
        "without a bridge it shows the ledger and says so, lets the event be changed, and connects by itself")
    func alone() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "5000")
        let person = try Operator()
        let terminal = try Self.terminal(person, "\(Built.tetherline) watch")
        try terminal.wait("that there is nothing yet") { $0.first?.isEmpty == false }
        for event in ["Match", "Wedding"] {
            let words = ["run", "--event", event, "--destination", "file://\(person.out)", "--once"]
            #expect(try person.run(words + ["--idle", "100ms"]).code == 0)
        }
        try terminal.wait(for: "Wedding: not running")
        try terminal.press("e")
        try terminal.wait(for: "The next run takes photos into:")
        try terminal.wait(for: "> Wedding")
        try terminal.press("j")
        try terminal.wait(for: "> Match")
        try terminal.press("Enter")
        try terminal.wait(for: "Match: not running")
        let event = try person.query("SELECT id FROM events WHERE name = 'Match'")
        #expect(try person.run("config", "show", "run.event", "--json").text.contains(event[0]))
        let bridge = try person.start(
            [
                "run", "--camera", camera.address, "--since", "all", "--json", "--destination",
                "file://\(person.out)",
            ])
        try bridge.waitForDelivered(2)
        try terminal.wait(for: "Match: running")
        try terminal.press("e")
        try terminal.wait(for: "has its event until it ends")
        bridge.end()
        try terminal.wait(for: "Match: not running")
    }

    @Test("r begins again what failed for good")
    func retry() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "5000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(1)
        #expect(bridge.stop(SIGTERM) == 0)
        let sqlite = try #require(Tool("sqlite3"))
        let broken = try sqlite.run([
            "\(person.home)/tetherline.sqlite",
            "UPDATE upload_jobs SET state = 'failedPermanent', receipt = NULL, problem = 'it was refused', completed_at = NULL",
        ])
        #expect(broken.code == 0, "\(broken.errors)")
        let terminal = try Self.terminal(person, "\(Built.tetherline) watch")
        try terminal.wait(for: "1 failed")
        try terminal.press("r")
        try terminal.wait(for: "1 delivery begun again")
        #expect(try person.query("SELECT state FROM upload_jobs") == ["staged"])
    }

    @Test("a bridge on a terminal asks before it ends, ends in order, and the terminal is what it was")
    func run() throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "5000")
        let person = try Operator()
        let terminal = try Self.terminal(person, Self.inShell(Self.run(camera, person), person))
        try terminal.wait(for: "3 completed")
        try terminal.press("q")
        try terminal.wait(for: "Stop the bridge?")
        try terminal.press("n")
        try terminal.wait(for: "q quit")
        #expect(try person.run("status").text.hasPrefix("Wedding: running"))
        try terminal.press("q")
        try terminal.wait(for: "Stop the bridge?")
        try terminal.press("y")
        // The line of an end in order is on the first screen.
        let screen = try terminal.wait(for: "ended 0")
        #expect(screen.contains { $0.contains(#/^\d\d:\d\d:\d\d  Wedding: photos: 3 staged/#) }, "\(screen)")
        try Self.expectRestored(terminal, person)
        #expect(try person.run("status").text.hasPrefix("Wedding: not running"))
    }

    @Test(
        "the terminal is what it was after every end, a crash among them",
        arguments: ["INT", "TERM", "HUP", "QUIT", "SEGV", "ABRT"])
    func ends(_ signal: String) throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "5000")
        let person = try Operator()
        let terminal = try Self.terminal(
            person,
            Self.inShell(
                "ulimit -c 0; sh -c 'echo $$ >\(person.folder.file("pid")); exec "
                    + "\(Self.run(camera, person))'", person), ["SWIFT_BACKTRACE": "enable=no"])
        try terminal.wait(for: "1 completed")
        #expect(try terminal.fact("alternate_on") == "1")
        let pid = String(decoding: try readFile(person.folder.file("pid")), as: UTF8.self).filter(\.isNumber)
        #expect(kill(try #require(Int32(pid)), try #require(Self.numbers[signal])) == 0)
        try terminal.wait("the end") { $0.contains { $0.contains("ended ") } }
        try Self.expectRestored(terminal, person)
    }

    private static let numbers = [
        "INT": SIGINT, "TERM": SIGTERM, "HUP": SIGHUP, "QUIT": SIGQUIT, "SEGV": SIGSEGV, "ABRT": SIGABRT,
    ]

    @Test("^Z gives the terminal back to the shell, 'bg' leaves it alone, and 'fg' draws the screen anew")
    func background() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "5000")
        let person = try Operator()
        let terminal = try Self.terminal(person, "exec bash --norc -i")
        try terminal.wait(for: "shell$")
        try terminal.press(Self.run(camera, person), "Enter")
        try terminal.wait(for: "1 completed")
        try terminal.press("C-z")
        try terminal.wait(for: "Stopped")
        #expect(try terminal.fact("alternate_on") == "0")
        #expect(try terminal.fact("cursor_flag") == "1")
        try terminal.press("bg", "Enter")
        try terminal.press("echo shell is here", "Enter")
        try terminal.wait("what the shell says") { $0.contains("shell is here") }
        // The bridge works in the background.
        #expect(try person.run("status").text.hasPrefix("Wedding: running"))
        #expect(try terminal.fact("alternate_on") == "0")
        try terminal.press("fg", "Enter")
        try terminal.wait(for: "1 completed")
        #expect(try terminal.fact("alternate_on") == "1")
        try terminal.press("C-c")
        try terminal.wait(for: "Wedding: photos: 1 staged")
        #expect(try terminal.fact("alternate_on") == "0")
    }

    @Test("the screen follows the terminal's size, however small, and comes back")
    func resized() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "5000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(1)
        let terminal = try Self.terminal(person, "\(Built.tetherline) watch")
        try terminal.wait(for: "1 completed")
        for (columns, rows) in [(1, 1), (2, 5), (200, 60), (20, 3), (1, 24), (80, 1)] {
            try terminal.resize(columns: columns, rows: rows)
            try terminal.wait("\(columns)x\(rows)") {
                $0.count == rows && $0.allSatisfy { $0.count <= columns } && !$0[0].isEmpty
            }
        }
        try terminal.resize(columns: 80, rows: 24)
        let screen = try terminal.wait("the whole screen") { $0.count == 24 && $0[23].hasPrefix("q quit") }
        #expect(screen[0].hasPrefix("Wedding: running"), "\(screen)")
        #expect(screen[0].count == 80, "\(screen)")
        bridge.end()
    }

    @Test(
        "names that a terminal would obey are written out; wide ones and a terminal of ASCII are no trouble")
    func names() throws {
        let person = try Operator()
        let name = "\u{1B}]0;owned\u{7}\u{1B}[31m結婚式"
        let words = ["run", "--event", name, "--destination", "file://\(person.out)", "--once"]
        #expect(try person.run(words + ["--idle", "100ms"]).code == 0)
        let terminal = try Self.terminal(person, "\(Built.tetherline) watch")
        let screen = try terminal.wait(for: "not running")
        #expect(screen[0].hasPrefix(#"\u{1B}]0;owned\u{7}\u{1B}[31m結婚式: not running"#), "\(screen)")
        #expect(try terminal.fact("pane_title") != "owned")
        let plain = try Self.terminal(person, "\(Built.tetherline) watch", ["LC_ALL": "C"])
        let ascii = try plain.wait(for: "not running")
        #expect(ascii[0].hasPrefix(#"\u{1B}]0;owned\u{7}\u{1B}[31m??????: not running"#), "\(ascii)")
        let bare = try Self.terminal(person, "\(Built.tetherline) watch", ["NO_COLOR": "1"])
        try bare.wait(for: "not running")
        #expect(try bare.screen(isColoured: true).allSatisfy { !$0.contains("[33m") })
    }

    @Test("where there is no terminal, or a dumb one, there are lines with their times, and nothing else")
    func lines() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "5000")
        let person = try Operator()
        let watch = try Daemon(
            Built.tetherline, ["watch"], environment: ["TETHERLINE_HOME": person.home, "TERM": "xterm"])
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(1)
        let line = try watch.wait(for: "Wedding: running; 1 completed")
        #expect(line.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  Wedding: running; 1 completed/) != nil)
        bridge.end()
        try watch.wait(for: "Wedding: not running; 1 completed")
        #expect(watch.output.allSatisfy { !$0.contains("\u{1B}") })
        #expect(watch.stop(SIGINT) == 0)
        let dumb = try Self.terminal(
            person, Self.inShell("TERM=dumb \(Self.run(camera, person, "--once --idle 300ms"))", person))
        let screen = try dumb.wait(for: "ended 0")
        #expect(screen.contains { $0.contains(#/^\d\d:\d\d:\d\d  Wedding: photos: /#) }, "\(screen)")
        #expect(try dumb.fact("alternate_on") == "0")
    }

    @Test("a terminal that is not read holds up no photo")
    func deaf() throws {
        let camera = try Camsim("--photos", "40", "--photo-size", "20000")
        let person = try Operator()
        // Python has the other end of the terminal, and does not read it until the program has ended.
        let script = """
            import fcntl, os, pty, struct, sys, termios
            child, master = pty.fork()
            if child == 0:
                os.environ["TERM"] = "xterm"
                os.execv(sys.argv[1], sys.argv[1:])
            fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 300, 300, 0, 0))
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
            """
        let words =
            ["-c", script, Built.tetherline]
            + person.arguments([camera], ["--once", "--since", "all", "--idle", "1s"])
        let ended = try #require(Tool("python3")).run(words, environment: ["TETHERLINE_HOME": person.home])
        #expect(ended.lines == ["0"], "\(ended.text) \(ended.errors)")
        #expect(try person.arrived().count == 40)
    }
}
