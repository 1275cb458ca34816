import Basics
import Glibc
import TestSupport
import Testing

/// Alerts and figures as an operator meets them, with a receiver of python's own and the judge of Prometheus.
@Suite struct AlertCommandTests {
    /// A receiver of webhooks that prints what it gets, a line each: path, signature, body. A line is one write:
    /// two that come at once would mix.
    private static func receiver() throws -> (daemon: Daemon, url: String) {
        let daemon = try Daemon(
            #require(Tool("python3")).path,
            [
                "-u", "-c",
                """
                import http.server, os
                class Ear(http.server.BaseHTTPRequestHandler):
                    def do_POST(self):
                        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                        line = " ".join(("heard", self.path, self.headers.get("X-Tetherline-Signature", "-"), body))
                        os.write(1, (line + "\\n").encode())
                        self.send_response(500 if self.path.startswith("/broken") else 200)
                        self.end_headers()
                    def log_message(self, *_): pass
                server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ear)
                print("port", server.server_port)
                server.serve_forever()
                """,
            ])
        try daemon.wait(for: "port ")
        let port = try #require(daemon.output.first { $0.hasPrefix("port ") }).dropFirst(5)
        return (daemon, "http://127.0.0.1:\(port)")
    }

    private static func settings(_ url: String) -> String {
        """
        {alerts: {cameraLost: {after: "1s", asleep: "1s"}, grace: "0s", desktop: false,
            webhooks: [{url: "\(url)/desk?auth=SECRET", as: "ntfy"},
                       {url: "\(url)/slack/SECRET", as: "slack", secret: "0123456789abcdef"}]}}
        """
    }

    @Test(
        "a camera that goes away is an alert at every way, in the status and in the figures, until it is back",
        .enabled(if: Tool.isThere("python3") && Tool.isThere("promtool")))
    func cameraLost() throws {
        let (ear, url) = try Self.receiver()
        let camera = try Camsim("--photos", "2", "--photo-size", "5000")
        let person = try Operator()
        try person.settings(Self.settings(url))
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(2)
        #expect(try person.run("status").text.contains("ALERT") == false)
        camera.daemon.letGo()
        try bridge.wait(for: #""event":"alert""#, and: #""state":"began""#)
        try ear.wait(for: "heard /?auth=SECRET ", and: #""topic":"desk","title":"A camera is away""#)
        try ear.wait(for: "heard /slack/SECRET sha256=", and: #"{"text":"*A camera is away* (Wedding)"#)
        let status = try person.run("status")
        #expect(
            status.lines.contains { $0.hasPrefix("ALERT ") && $0.contains(camera.address) }, "\(status.text)")
        let json = try JSON5.parse(try person.run("status", "--json").output)
        #expect(json["alerts"]?.array?.first?["alert"]?.string == "cameraLost")
        #expect(try person.run("journal").text.contains("A camera is away: "))
        let figures = try person.run("metrics")
        #expect(figures.code == 0 && figures.lines.contains(#"tetherline_alerts{alert="cameraLost"} 1"#))
        #expect(figures.lines.contains("tetherline_bridge_up 1"), "\(figures.text)")
        #expect(figures.lines.contains { $0.hasPrefix("tetherline_process_resident_memory_bytes ") })
        let judged = try #require(Tool("promtool")).run(["check", "metrics"], input: figures.output)
        #expect(
            judged.code == 0 && judged.text.isEmpty && judged.errors.isEmpty,
            "\(judged.text) \(judged.errors)")
        // Nothing of what is secret in an address is told.
        #expect(!bridge.output.joined().contains("SECRET") && !status.text.contains("SECRET"))
        #expect(try person.run("journal").text.contains("SECRET") == false)
        #expect(bridge.stop(SIGTERM) == 0)
    }

    @Test("a camera whose clock is hours off is an alert that names it, and how far off it is")
    func cameraClock() throws {
        // Its owner has flown here: three hours west of Greenwich, as tzset(3) writes it.
        let camera = try Camsim(
            Daemon(
                Built.camsim, ["--listen", "127.0.0.1:0", "--photos", "1", "--photo-size", "5000"],
                environment: ["TZ": "WEST3"]))
        let person = try Operator()
        try person.settings(#"{alerts: {grace: "0s", desktop: false}}"#)
        let right = try Camsim(
            Daemon(Built.camsim, ["--listen", "127.0.0.1:0", "--photos", "0"], environment: ["TZ": "UTC"]))
        let words = person.arguments([camera, right], ["--json", "--since", "all"])
        let bridge = try person.start(words, under: ["env", "TZ=UTC"])
        try bridge.wait(for: #""event":"alert""#, and: "the clock of ")
        let alerts = try JSON5.parse(try person.run("status", "--json").output)["alerts"]?.array ?? []
        #expect(alerts.compactMap { $0["alert"]?.string } == ["clockWrong"])
        #expect(alerts.first?["subject"]?.string == camera.address)
        let text = alerts.first?["text"]?.string ?? ""
        // It was read to the second, and takes a moment.
        #expect(
            text.contains("is 3 h 0 min behind this machine's") || text.contains("is 2 h 59 min"), "\(text)")
        #expect(bridge.stop(SIGTERM) == 0)
    }

    @Test(
        "a run that ends before a receiver took an alert says so, and names the receiver by its host alone",
        .enabled(if: Tool.isThere("python3")))
    func unsent() throws {
        let (ear, url) = try Self.receiver()
        let camera = try Camsim("--photos", "1", "--photo-size", "5000")
        let person = try Operator()
        try person.settings(
            """
            {alerts: {cameraLost: {after: "1s", asleep: "1s"}, grace: "0s", desktop: false,
                webhooks: [{url: "\(url)/broken/SECRET"}]}}
            """)
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(1)
        camera.daemon.letGo()
        try ear.wait(for: "heard /broken/SECRET ")
        #expect(bridge.stop(SIGTERM) == 0)
        let told = bridge.output.filter { $0.contains("the run ended before it took them") }
        #expect(told.count == 1 && told[0].contains("\(url) was not told of 1 alert"), "\(told)")
        #expect(!told.joined().contains("SECRET"))
    }

    @Test(
        "'alerts test' tries every way, with a bridge and without one, and says what came of each",
        .enabled(if: Tool.isThere("python3")))
    func test() throws {
        let (ear, url) = try Self.receiver()
        let person = try Operator()
        try person.settings(Self.settings(url))
        let alone = try person.run("alerts", "test", "--json")
        let trials = try alone.lines.map { try JSON5.parse($0) }
        #expect(trials.compactMap { $0["way"]?.string } == ["bell", "journal", url, url])
        #expect(trials.compactMap { $0["works"]?.bool } == [false, true, true, true])
        #expect(trials.compactMap { $0["here"]?.bool } == [false, true, true, true])
        #expect(alone.code == 0, "that a pipe has no bell is no failure")
        try ear.wait(for: "heard /?auth=SECRET ", and: #""title":"Test: this is what an alert looks like""#)
        #expect(try person.run("journal").text.contains("'tetherline alerts test' has sent this"))
        try person.settings(
            "{alerts: {bell: false, desktop: false, webhooks: [{url: '\(url)/broken/SECRET'}]}}")
        let camera = try Camsim("--photos", "1", "--photo-size", "5000")
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(1)
        let asked = try person.run("alerts", "test")
        #expect(asked.code == 1 && asked.text == "journal: a line was written\n", "\(asked.text)")
        #expect(asked.errors == "tetherline: \(url): it answered 500\n", "\(asked.errors)")
        #expect(bridge.stop(SIGTERM) == 0)
        try person.settings("{alerts: {bell: false, desktop: false, webhooks: [{url: '\(url)/fine'}]}}")
        #expect(try person.run("alerts", "test").code == 0)
        try person.settings("{alerts: {bell: false, desktop: false, journal: false}}")
        let none = try person.run("alerts", "test")
        #expect(none.code == 1 && none.errors.contains("no way is on"))
    }

    @Test("settings of alerts that cannot be used are named, and an address is shown by its host alone")
    func settings() throws {
        let person = try Operator()
        func problem(_ text: String) throws -> String {
            try person.settings("{alerts: \(text)}")
            let checked = try person.run("config", "check")
            #expect(checked.code == 78, "\(text): \(checked.text)")
            return checked.text + checked.errors
        }
        #expect(try problem("{diskLow: {photos: 0}}").contains("alerts.diskLow.photos"))
        #expect(try problem("{repeat: '1s'}").contains("alerts.repeat"))
        #expect(
            try problem("{webhooks: [{url: 'https://ntfy.sh', as: 'ntfy'}]}").contains("ends in the topic"))
        #expect(
            try problem("{webhooks: [{url: 'https://h/a', as: 'slak'}]}").contains("Did you mean 'slack'?"))
        #expect(try problem("{webhooks: [{url: 'https://h/a', body: '{text}'}]}").contains("is no JSON"))
        #expect(try problem("{webhooks: [{url: 'https://h/a', secret: 'short'}]}").contains("16 to 1024"))
        try person.settings("{alerts: {webhooks: [{url: 'https://h.example/SECRET', as: 'slack'}]}}")
        #expect(try person.run("config", "check").code == 0)
        let shown = try person.run("config", "show", "alerts")
        #expect(shown.text.contains("https://h.example") && !shown.text.contains("SECRET"), "\(shown.text)")
    }

    @Test(
        "the figures are there without a bridge, go into a file in one step, and exit codes say what is missing",
        .enabled(if: Tool.isThere("promtool")))
    func metrics() throws {
        let person = try Operator()
        #expect(try person.run("metrics").code == 66, "there is no home yet")
        let camera = try Camsim("--photos", "2", "--photo-size", "5000")
        #expect(try person.runOnce([camera]).code == 0)
        let file = person.folder.file("tetherline.prom")
        try person.folder.write(Array("old".utf8), to: "tetherline.prom")
        let written = try person.run("metrics", "--file", file)
        #expect(written.code == 0 && written.output.isEmpty && written.errors.isEmpty)
        let bytes = try readFile(file)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines.contains("tetherline_bridge_up 0"))
        #expect(
            lines.contains { $0.hasPrefix("tetherline_event_photos{") && $0.hasSuffix(#"state="staged"} 2"#) }
        )
        #expect(!lines.contains { $0.hasPrefix("tetherline_process_") })
        #expect(bytes.last == 10, "a file of lines")
        var facts = stat()
        #expect(
            stat(file, &facts) == 0 && facts.st_mode & 0o444 == 0o444, "another user's collector reads it")
        #expect(person.folder.contents().filter { $0.contains(".prom") } == ["tetherline.prom"])
        let judged = try #require(Tool("promtool")).run(["check", "metrics"], input: bytes)
        #expect(judged.code == 0 && judged.text.isEmpty, "\(judged.text) \(judged.errors)")
        let nowhere = try person.run("metrics", "--file", "\(person.folder.path)/none/x.prom")
        #expect(nowhere.code == 73 && nowhere.errors.contains("cannot be written"), "\(nowhere.errors)")
        #expect(try person.run("metrics", "--file", "/").code == 64)
    }
}
