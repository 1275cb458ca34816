import Glibc
import TestSupport
import Testing

/// Answers of a bridge that ends before they are whole.
@Suite struct CutAnswerTests {
    /// Listens where a bridge would, answers each command with the lines given for it, and closes.
    private static let script = """
        import json, os, socket, sys
        lines = json.loads(sys.argv[2])
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(sys.argv[1])
        listener.listen(8)
        print("ready", flush=True)
        while True:
            asker, _ = listener.accept()
            command = json.loads(asker.makefile().readline())["command"]
            for line in lines[command]:
                asker.sendall((json.dumps(line) + "\\n").encode())
            asker.close()
        """

    private func bridge(_ person: Operator, _ lines: String) throws -> Daemon {
        let answers = #"{"cameras":[{"cameras":[],"event":"Wedding"}],\#(lines)}"#
        let bridge = try Daemon(
            #require(Tool("python3")).path, ["-c", Self.script, "\(person.home)/control.sock", answers])
        try bridge.wait(for: "ready")
        return bridge
    }

    private func delivered() throws -> Operator {
        let camera = try Camsim("--photos", "1", "--photo-size", "30000")
        let person = try Operator()
        #expect(try person.runOnce([camera]).code == 0)
        return person
    }

    private func expectTryAgain(_ said: Tool.Output, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(
            said.code == 75 && said.errors.contains("the bridge ended before it had answered"),
            "\(said.text)\(said.errors)", sourceLocation: sourceLocation)
    }

    @Test("nothing is concluded from an answer without its end: exit code 75")
    func cut() throws {
        let person = try delivered()
        let url = "file://\(person.out)"
        let spooled = try #require(
            person.folder.contents().first { $0.hasPrefix("home/spool/") && $0.hasSuffix(".JPG") })
        #expect(chmod(person.folder.file(spooled), 0o600) == 0)
        try person.folder.write("other", to: spooled)
        let sum =
            #"{"readBackOf":"\#(url)","delivered":1,"chosen":1,"looked":1,"there":1,"gone":0,"altered":0,"withdrawn":0,"notCheckable":0,"unanswered":0,"consumed":false,"reason":null}"#
        let counted = #"{"event":"1","name":"Wedding"}"#
        for part in ["", #"{"readBackLooked":1}"#, sum] {
            let bridge = try bridge(
                person, #""readBack":[\#(part)],"verify":[\#(counted),{"end":true}],"mend":[]"#)
            expectTryAgain(try person.run("verify", "--read-back"))
            expectTryAgain(try person.run("redeliver", url, "--yes"))
            expectTryAgain(try person.run("store", "check", "--mend"))
            bridge.letGo()
            #expect(unlink("\(person.home)/control.sock") == 0)
        }
        let whole = try bridge(
            person, #""readBack":[\#(sum),{"end":true}],"verify":[\#(counted),{"end":true}]"#)
        #expect(try person.run("verify", "--read-back").code == 0)
        #expect(try person.run("redeliver", url, "--yes").code == 0)
        whole.letGo()
        #expect(unlink("\(person.home)/control.sock") == 0)
        let cut = try bridge(person, #""verify":[\#(counted)]"#)
        expectTryAgain(try person.run("verify"))
        cut.letGo()
    }

    @Test("a refusal of a bridge is exit code 66 only where something is not there")
    func refused() throws {
        let person = try delivered()
        for (kind, code) in [("true", 66), ("false", 1)] {
            let refusal = #"{"error":"no","nothingThere":\#(kind)}"#
            let bridge = try bridge(person, #""readBack":[\#(refusal)],"verify":[\#(refusal)]"#)
            for words in [["verify"], ["verify", "--read-back"], ["redeliver", "file://\(person.out)"]] {
                let said = try person.run(words)
                #expect(said.code == Int32(code) && said.errors.contains("tetherline: no"), "\(said.errors)")
            }
            bridge.letGo()
            #expect(unlink("\(person.home)/control.sock") == 0)
        }
    }
}
