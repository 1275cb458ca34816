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
}
