import Glibc
import TestSupport
import Testing

/// The programs as services: what they tell the service manager, and that it hears nothing from one that is stuck.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct ServiceTests {
    let manager: NotifySocket
    let person: Operator

    init() throws {
        manager = try NotifySocket()
        person = try Operator()
    }

    private func service(
        _ program: String, _ words: [String], watchdog seconds: Int? = nil, _ more: [String: String] = [:]
    ) throws -> Daemon {
        var environment = more.merging(["NOTIFY_SOCKET": manager.path]) { $1 }
        if let seconds { environment["WATCHDOG_USEC"] = "\(seconds * 1_000_000)" }
        return try Daemon(program, words, environment: environment)
    }

    private func bridge(_ camera: Camsim, watchdog seconds: Int? = nil) throws -> Daemon {
        try service(
            Built.tetherline, person.arguments([camera], ["--since", "all", "--reserve", "0"]),
            watchdog: seconds,
            ["TETHERLINE_HOME": person.home])
    }

    private func status(_ message: [String]) -> String? { message.first { $0.hasPrefix("STATUS=") } }

    @Test("a bridge says when it watches its cameras, how many photos there are, and that it ends")
    func life() throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "20000")
        let bridge = try bridge(camera, watchdog: 4)
        let before = try #require(manager.messages { $0 == "READY=1" })
        #expect(before.last?.contains("WATCHDOG=1") == true, "\(before)")
        // Before that it does nothing but look at its home.
        #expect(
            before.dropLast().allSatisfy { $0.count == 1 && $0[0].hasPrefix("STATUS=looking at") },
            "\(before)")
        let counted = "STATUS=Wedding: 1 of 1 cameras connected; 3 photos; 3 completed"
        let working = try #require(manager.messages { $0 == counted })
        #expect(working.allSatisfy { $0.contains("WATCHDOG=1") }, "\(working)")
        bridge.signal(SIGTERM)
        let end = try #require(manager.messages { $0 == "STOPPING=1" })
        #expect(end.dropLast().allSatisfy { $0.contains("WATCHDOG=1") }, "\(end)")
        #expect(bridge.wait() == 0)
    }

    // MARK: Stuck

    /// Whether strace(1) may hold a thread of another program.
    static let mayHold: Bool = {
        guard let strace = Tool("strace"), let sleeper = Tool("sleep") else { return false }
        do {
            let process = try Spawned([sleeper.path, "600"], output: "/dev/null", errors: "/dev/null")
            let held = try Daemon(strace.path, ["-p", "\(process.pid)"])
            try held.wait(for: "attached")
            return true
        } catch {
            return false
        }
    }()

    /// Threads of a process by the names that it gave them; its first thread does nothing but wait.
    private func threads(of process: Int32) throws -> [(name: String, id: String)] {
        let script = "cd /proc/$0/task && for t in *; do [ $t = $0 ] || echo $(cat $t/comm) $t; done"
        let listed = try #require(Tool("bash")).run(["-c", script, "\(process)"])
        return listed.lines.compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            return words.count == 2 ? (words[0], words[1]) : nil
        }
    }

    /// Holds a thread at its next system call, as a disk that hangs does, for longer than any test runs.
    private func hold(_ name: String, of process: Int32) throws -> Daemon {
        let thread = try #require(try threads(of: process).first { $0.name == name }, "no thread \(name)")
        let strace = try Daemon(
            #require(Tool("strace")).path, ["-p", thread.id, "-e", "inject=all:delay_enter=3600s"])
        try strace.wait(for: "attached")
        // What was said until then.
        while manager.next(within: 0) != nil {}
        return strace
    }

    @Test(
        "a bridge whose ledger hangs is not said to work: the watchdog hears nothing, the status names the ledger, and it goes on afterwards",
        .enabled(if: mayHold, "strace may not hold other programs here"))
    func stuckLedger() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "20000")
        let bridge = try bridge(camera, watchdog: 4)
        _ = try #require(manager.messages { $0.contains("1 completed") })
        let hand = try hold("ledger", of: bridge.pid)
        let until = try #require(
            manager.messages(atMost: 10) { $0.hasPrefix("STATUS=the ledger has not answered for ") })
        // One may have been under way. A loop that went on would have told two more, one a second, by now.
        #expect(until.dropLast().count <= 1, "\(until)")
        try bridge.wait(for: "the ledger has not answered for ")
        #expect(manager.next(within: 4000) == nil, "the manager would not start it anew")
        hand.letGo()
        #expect(manager.messages { $0 == "WATCHDOG=1" } != nil)
        #expect(bridge.stop() == 0)
    }

    @Test(
        "a bridge whose main loop or whose loop of uploads hangs is not said to work",
        .enabled(if: mayHold, "strace may not hold other programs here"), arguments: ["tetherline", "http"])
    func stuckLoop(thread: String) throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "20000")
        let bridge = try bridge(camera, watchdog: 4)
        _ = try #require(manager.messages { $0.contains("1 completed") })
        let hand = try hold(thread, of: bridge.pid)
        // What was under way when the thread was held, and what the others still say.
        var beats = 0
        while beats < 10, let message = manager.next(within: 4000) {
            beats += message.contains("WATCHDOG=1") ? 1 : 0
        }
        #expect(beats <= 1)
        hand.letGo()
        #expect(manager.messages { $0 == "WATCHDOG=1" } != nil)
        #expect(bridge.stop() == 0)
    }

    // MARK: The gallery

    @Test("a gallery says when guests can come, that it works, and that it ends")
    func gallery() throws {
        let gallery = try service(
            Built.gallery, ["serve", "--listen", "127.0.0.1:0", "--data", person.folder.file("data")],
            watchdog: 4)
        let ready = try #require(manager.next())
        #expect(ready.prefix(2) == ["READY=1", "WATCHDOG=1"], "\(ready)")
        let url = try #require(status(ready)?.split(separator: " ").last.map(String.init))
        // By then it does listen.
        let page = try #require(Tool("curl")).run([
            "-sS", "-o", "/dev/null", "-w", "%{http_code}", "\(url)/health",
        ])
        #expect(page.text == "200", "\(page.errors)")
        #expect(manager.next()?.first == "WATCHDOG=1")
        gallery.signal(SIGTERM)
        #expect(manager.messages { $0 == "STOPPING=1" } != nil)
        #expect(gallery.wait() == 0)
    }

    // MARK: The units

    static let unitFiles = ["tetherline.service", "tetherline-user.service", "gallery.service"]

    /// A unit as it is installed beside the programs that were built.
    private func installed(_ unit: String) throws -> String {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(
            separator: "/")
        let text = String(decoding: try readFile("\(root)/tools/\(unit)"), as: UTF8.self)
        let folder = Built.tetherline.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        #expect(text.contains("ExecStart=/usr/local/bin/"))
        try person.folder.write(
            text.replacing("/usr/local/bin", with: folder.joined(separator: "/")), to: unit)
        return person.folder.file(unit)
    }

    @Test(
        "systemd finds nothing wrong with the units, and grants them little",
        .enabled(if: Tool.isThere("systemd-analyze"), "systemd-analyze is not installed"),
        arguments: unitFiles)
    func units(_ unit: String) throws {
        let path = try installed(unit)
        let judge = try #require(Tool("systemd-analyze"))
        let verified = try judge.run(["verify", "--man=no", path])
        #expect(verified.code == 0 && verified.errors.isEmpty, "\(verified.errors)")
        // Twenty is an exposure of 2.0; it ends with an error above that.
        let secured = try judge.run(["security", "--offline=true", "--threshold=20", "--no-pager", path])
        #expect(secured.code == 0, "\(secured.text.suffix(200)) \(secured.errors)")
    }

    @Test(
        "systemd finds nothing wrong with the socket of the page, which passes what the bridge looks for",
        .enabled(if: Tool.isThere("systemd-analyze"), "systemd-analyze is not installed"))
    func socketUnit() throws {
        _ = try installed("tetherline.service")
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        let text = try readFile("\(root.joined(separator: "/"))/tools/tetherline-hud.socket")
        try person.folder.write(text, to: "tetherline-hud.socket")
        let verified = try #require(Tool("systemd-analyze")).run([
            "verify", "--man=no", person.folder.file("tetherline-hud.socket"),
        ])
        #expect(verified.code == 0 && verified.errors.isEmpty, "\(verified.errors)")
        #expect(String(decoding: text, as: UTF8.self).contains("\nFileDescriptorName=hud\n"))
    }
}
