import Glibc
import TestSupport
import Testing

/// Photos that are read back and sent again where a destination was replaced, a card gives only some, and who asked has gone.
@Suite struct RedeliverTroubleTests {
    private func empty(_ person: Operator) throws {
        for name in try person.arrived().keys { #expect(unlink("\(person.out)/\(name)") == 0) }
    }

    @Test("what was delivered under another name is read back, and sent again under the one of now")
    func replacedName() throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "30000")
        let person = try Operator()
        #expect(try person.runOnce([camera]).code == 0)
        let before = try person.arrived()
        let url = "file://\(person.out)?name=again-%7Bname%7D"
        let replaced = try person.run("destination", "replace", "file://\(person.out)", url)
        #expect(replaced.code == 0, "\(replaced.errors)")
        let place = try #require(person.query("SELECT url FROM destinations WHERE removed_at IS NULL").first)
        let well = try person.run("verify", "--read-back")
        #expect(well.code == 0 && well.text.contains("3 delivered: 3 there"), "\(well.text)\(well.errors)")
        try empty(person)
        let gone = try person.run("verify", "--read-back")
        #expect(gone.code == 1 && gone.text.contains("3 missing"), "\(gone.text)\(gone.errors)")
        #expect(gone.text.contains("'tetherline redeliver \(place)' sends again"), "\(gone.text)")
        let sent = try person.run("redeliver", place, "--yes")
        #expect(sent.code == 0, "\(sent.text)\(sent.errors)")
        let arrived = try person.arrived()
        #expect(Set(arrived.keys) == Set(before.keys.map { "again-\($0)" }), "\(arrived.keys)")
        #expect(Set(arrived.values) == Set(before.values))
        let again = try person.run("verify", "--read-back")
        #expect(again.code == 0 && again.text.contains("3 delivered: 3 there"), "\(again.text)")
    }

    @Test("what stayed where photos went before is looked at there, by the bridge as well")
    func replacedFolder() throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "30000")
        let person = try Operator()
        #expect(try person.runOnce([camera]).code == 0)
        let other = try TemporaryFolder()
        let replaced = try person.run(
            "destination", "replace", "file://\(person.out)", "file://\(other.path)")
        #expect(replaced.code == 0, "\(replaced.errors)")
        let bridge = try person.start(["run", "--event", "Wedding", "--camera", camera.address, "--json"])
        try bridge.wait(for: #""listed":3"#)
        let well = try person.run("verify", "--read-back")
        #expect(well.code == 0 && well.text.contains("3 delivered: 3 there"), "\(well.text)\(well.errors)")
        let name = try #require(person.arrived().keys.min())
        #expect(unlink("\(person.out)/\(name)") == 0)
        let sent = try person.run("redeliver", "file://\(other.path)", "--yes")
        #expect(sent.code == 0 && sent.text.contains("1 are on their way"), "\(sent.text)\(sent.errors)")
        try bridge.waitForDelivered(1)
        bridge.end()
        #expect(other.contents() == [name])
        #expect(try person.run("verify", "--read-back").code == 0)
    }

    @Test("a photo that its card does not give keeps none of the others from being sent again")
    func oneRefused() throws {
        // Given once, when it was taken.
        let camera = try camsim(
            faults: "access-lock object=0x00010003 operation=0x1009 skip=1", "--photos", "3", "--photo-size",
            "30000")
        let person = try Operator()
        let bridge = try person.start([camera], "--retention", "delete")
        try bridge.waitForDelivered(3)
        try empty(person)
        let sent = try person.run("redeliver", "file://\(person.out)", "--yes")
        #expect(sent.code == 1 && sent.text.contains("2 are on their way"), "\(sent.text)\(sent.errors)")
        #expect(sent.lines.count { $0.hasPrefix("not sent again") } == 1, "\(sent.text)")
        try bridge.waitForDelivered(5)
        bridge.end()
        #expect(try person.arrived().count == 2)
        #expect(
            !person.folder.contents().contains { $0.hasSuffix(".part") }, "nothing is left of what was begun")
    }

    @Test(
        "what was asked for is sent again, and removed again, also when the client no longer waits for the answer"
    )
    func hungUp() throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "30000")
        let person = try Operator()
        let bridge = try person.start([camera], "--retention", "delete")
        try bridge.waitForDelivered(3)
        let before = try person.arrived()
        try empty(person)
        let script = """
            import socket, sys
            asker = socket.socket(socket.AF_UNIX)
            asker.connect(sys.argv[1])
            asker.sendall(sys.argv[2].encode() + b"\\n")
            """
        let request =
            #"{"command":"redeliver","destination":"file://\#(person.out)","reasons":[{"reason":"it was gone","jobs":[1,2,3]}]}"#
        let asked = try #require(Tool("python3")).run(["-c", script, "\(person.home)/control.sock", request])
        #expect(asked.code == 0, "\(asked.errors)")
        try bridge.waitForDelivered(6)
        #expect(try person.arrived() == before)
        bridge.end()
        // What an end comes before the next run lets go of.
        #expect(try person.runOnce([camera], "--retention", "delete").code == 0)
        #expect(!person.folder.contents().contains { $0.hasPrefix("home/spool/") && $0.hasSuffix(".JPG") })
    }
}
