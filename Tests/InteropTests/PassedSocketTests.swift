import Glibc
import TestSupport
import Testing

/// The bridge's page at a socket that was there before the bridge: systemd's own program passes it, and Python.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct PassedSocketTests {
    let camera: Camsim
    let person: Operator

    init() throws {
        camera = try Camsim("--photos", "1", "--photo-size", "5000")
        person = try Operator()
    }

    private func words(_ more: String...) -> [String] {
        [Built.tetherline] + person.arguments([camera], ["--since", "all", "--reserve", "0"] + more)
    }

    @Test(
        "the first browser starts the bridge, and gets its page from it",
        .enabled(if: Tool.isThere("systemd-socket-activate") && Tool.isThere("curl")))
    func activated() throws {
        let port = try FreePort.next()
        let bridge = try Daemon(
            try #require(Tool("systemd-socket-activate")).path,
            [
                "--listen=127.0.0.1:\(port)", "--fdname=hud", "--setenv=TETHERLINE_HOME=\(person.home)",
                "--setenv=LC_ALL=C.UTF-8",
            ] + words("--hud", "127.0.0.1:1"))
        // Before a browser comes there is no bridge.
        try bridge.wait(for: "Listening on")
        #expect(access("\(person.home)/lock", F_OK) != 0)
        let page = try #require(Tool("curl")).run([
            "-s", "--retry", "9", "--retry-connrefused", "http://127.0.0.1:\(port)/",
        ])
        #expect(page.code == 0 && page.text.contains("<html"), "\(page.text) \(page.errors)")
        try bridge.wait(for: "the bridge's page: http://127.0.0.1:\(port)/")
        try bridge.wait(for: "and not at 127.0.0.1:1")
        let address = String(decoding: try readFile("\(person.home)/hud.url"), as: UTF8.self)
        #expect(address.hasPrefix("http://127.0.0.1:\(port)/#token="))
        bridge.signal(SIGTERM)
        #expect(bridge.wait() == 0)
    }

    /// A manager that keeps its socket: two bridges serve at it, one after the other.
    private static let manager = """
        import os, signal, socket, sys, urllib.request
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)
        port = listener.getsockname()[1]
        for turn in range(2):
            child = os.fork()
            if child == 0:
                os.dup2(2, 1)
                os.dup2(listener.fileno(), 3)
                os.set_inheritable(3, True)
                os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="hud")
                os.execv(sys.argv[1], sys.argv[1:])
            # It waits in the socket's queue until a bridge takes it.
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60) as answer:
                print(answer.status)
            os.kill(child, signal.SIGTERM)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """

    @Test(
        "a socket outlives the bridge that served at it, and the next one serves there",
        .enabled(if: Tool.isThere("python3")))
    func kept() throws {
        let run = try #require(Tool("python3")).run(
            ["-c", Self.manager] + words(), environment: ["TETHERLINE_HOME": person.home])
        #expect(run.lines == ["200", "0", "200", "0"], "\(run.errors)")
    }

    /// Passes standard input, as a manager of that number says.
    private func passing(as process: String, _ more: String...) throws -> Tool.Output {
        let script = "LISTEN_PID=\(process) LISTEN_FDS=1 exec \"$@\" 3</dev/null"
        return try #require(Tool("sh")).run(
            ["-c", script, "sh"] + words() + more, environment: ["TETHERLINE_HOME": person.home])
    }

    @Test("what is no socket is refused with what has to be written; what is another process's is left alone")
    func others() throws {
        let file = try passing(as: "$$")
        #expect(file.code == 64 && file.errors.contains("ListenStream="), "\(file.errors)")
        let other = try passing(as: "1", "--once", "--idle", "300ms")
        #expect(other.code == 0, "\(other.errors)")
    }
}
