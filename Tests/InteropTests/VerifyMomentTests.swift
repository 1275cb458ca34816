import Glibc
import TestSupport
import Testing

/// `tetherline verify` at the wrong moment: before a camera was ever there, while a shot is made, while one of the two ends.
@Suite struct VerifyMomentTests {
    @Test("a camera that was never reached is named, while a bridge runs and afterwards: exit code 69")
    func neverReached() throws {
        let person = try Operator()
        let bridge = try person.start([
            "run", "--event", "Wedding", "--destination", "file://\(person.out)", "--camera", "127.0.0.1:9",
            "--json",
        ])
        try bridge.wait(for: "no connection")
        let during = try person.run("verify")
        #expect(
            during.code == 69 && during.errors.contains("127.0.0.1:9 cannot be looked at"), "\(during.errors)"
        )
        bridge.end()
        let after = try person.run("verify", "--json")
        #expect(after.code == 69, "\(after.text)\(after.errors)")
        #expect(
            after.lines.count == 1 && after.text.contains(#"{"notReachable":"127.0.0.1:9""#), "\(after.text)")

        // The next run is told another place: what was mistyped is not looked for any more.
        let camera = try Camsim("--photos", "1", "--photo-size", "30000")
        #expect(try person.runOnce([camera]).code == 0)
        let corrected = try person.run("verify")
        #expect(corrected.code == 0, "\(corrected.text)\(corrected.errors)")
    }

    @Test("an event for which no camera was ever named is no event without frames")
    func noCamera() throws {
        let person = try Operator()
        let run = try person.run(
            "run", "--event", "Wedding", "--destination", "file://\(person.out)", "--once", "--idle", "0s")
        #expect(run.code == 0, "\(run.errors)")
        let verified = try person.run("verify")
        #expect(
            verified.code == 69 && verified.errors.contains("no camera was looked at"), "\(verified.errors)")
    }

    @Test("a camera that took part and gave no photo is looked at, too")
    func gaveNothing() throws {
        let card = try DatedCard()
        let person = try Operator()
        do {
            let camera = try card.camera()
            let bridge = try person.start(person.arguments([camera], ["--json"]))
            try bridge.wait(for: #""listed":0"#)
            bridge.end()
        }
        let verified = try person.run("verify")
        #expect(verified.code == 69, "\(verified.text)\(verified.errors)")
    }

    @Test("a frame of this very moment is on its way: exit code 75; then it is delivered")
    func thisMoment() throws {
        // It says nothing of a shot, and the list is compared when verify asks for it.
        let camera = try camsim(
            faults: "missing-notices", "--photos", "1", "--photo-size", "30000", "--shoot", "1", "--every",
            "1s")
        let person = try Operator()
        try person.settings("{transfer: {listAgain: '1h'}}")
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(1)
        try camera.daemon.wait(for: "photo taken")
        let verified = try person.run("verify")
        #expect(verified.code == 75, "\(verified.text)")
        #expect(
            verified.text.contains("on the way  ")
                && verified.text.contains("the bridge has only just seen it"), "\(verified.text)")
        #expect(verified.text.contains("2 frames: 1 delivered, 1 on the way, 0 filtered, 0 missing"))
        try bridge.waitForDelivered(2)
        #expect(try person.run("verify").code == 0)
        bridge.end()
    }

    @Test("a signal to verify is told in one word: exit code 130")
    func interrupted() throws {
        let (person, camera) = (try Operator(), try Camsim("--photos", "1", "--photo-size", "30000"))
        #expect(try person.runOnce([camera]).code == 0)
        let mute = try camsim(faults: "silent-accept", "--photos", "1")
        let verify = try person.start(["verify", "--camera", mute.address])
        try mute.daemon.wait(for: "say nothing")
        #expect(verify.stop(SIGTERM) == 130)
        try verify.wait(for: "tetherline: interrupted")
        #expect(verify.output.count == 1, "\(verify.output)")
    }

    @Test(
        "a bridge that is told to end in the middle of an answer ends it, and one whose asker has gone says nothing",
        arguments: ["SIGTERM", "hang up"])
    func cutShort(how: String) throws {
        let camera = try Camsim("--photos", "3000", "--photo-size", "1024")
        let person = try Operator()
        let bridge = try person.start(person.arguments([camera], []))
        try bridge.wait(for: "3000 photos on the card")
        // More than the socket holds: the bridge waits for the asker to read.
        let script = """
            import os, select, signal, socket, sys
            asker = socket.socket(socket.AF_UNIX)
            asker.connect(sys.argv[1])
            asker.sendall(b'{"command":"verify"}\\n')
            answer = asker.recv(1)
            if sys.argv[2] == "SIGTERM":
                ending = os.pidfd_open(int(sys.argv[3]))
                os.kill(int(sys.argv[3]), signal.SIGTERM)
                assert select.select([ending], [], [], 30)[0], "it did not end"
                while more := asker.recv(1 << 16):
                    answer += more
            print(0 < answer.count(b"verdict") < 3000, b"CancellationError" in answer, b"error" in answer)
            """
        let asked = try #require(Tool("python3")).run([
            "-c", script, "\(person.home)/control.sock", how, "\(bridge.pid)",
        ])
        #expect(asked.code == 0, "\(asked.errors)")
        #expect(asked.lines == [how == "SIGTERM" ? "True False False" : "False False False"])
        if how == "SIGTERM" {
            #expect(bridge.wait() == 0)
        } else {
            #expect(try person.run("verify").code == 0)
        }
        #expect(
            !bridge.output.contains {
                $0.contains("CancellationError") || $0.contains("could not be answered")
            })
    }
}
