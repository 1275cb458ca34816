import Glibc
import TestSupport
import Testing

/// `store check`: the spool's bytes against the ledger, and what is fetched again.
@Suite struct StoreMendTests {
    private static func spooled(_ person: Operator) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for path in person.folder.contents() where path.hasPrefix("home/spool/") {
            files[path] = try readFile(person.folder.file(path))
        }
        return files
    }

    /// One byte, so that only a hash can tell.
    private static func alter(_ path: String, of person: Operator) throws {
        var bytes = try readFile(person.folder.file(path))
        bytes[bytes.count / 2] ^= 1
        #expect(chmod(person.folder.file(path), 0o600) == 0)
        try person.folder.write(bytes, to: path)
    }

    @Test(
        "an altered file is found by its hash, and fetched again from the card, with a bridge and without one"
    )
    func mends() throws {
        let camera = try Camsim("--photos", "3", "--photo-size", "30000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(3)
        let before = try Self.spooled(person)
        let altered = try #require(before.keys.min())
        #expect(before.count == 3)
        for isRunning in [true, false] {
            if !isRunning { bridge.end() }
            try Self.alter(altered, of: person)
            let said = try person.run("store", "check")
            #expect(
                said.code == 65 && said.text.contains("another SHA-256 than when it was staged"),
                "\(said.text)")
            let mended = try person.run("store", "check", "--mend")
            #expect(mended.code == 0, "\(mended.text)\(mended.errors)")
            #expect(
                mended.lines.count { $0.hasPrefix("mended") && $0.hasSuffix("from the card") } == 1,
                "\(mended.text)")
            #expect(try Self.spooled(person) == before)
            #expect(try person.run("store", "check").code == 0)
        }
    }

    @Test("a card whose file differs is reported and not substituted, and the altered file stays")
    func differs() throws {
        let card = try DatedCard()
        try card.add("A.JPG", "2026-11-21 18:00:00")
        let camera = try card.camera()
        let person = try Operator()
        #expect(try person.runOnce([camera]).code == 0)
        for name in try person.arrived().keys { #expect(unlink("\(person.out)/\(name)") == 0) }
        #expect(camera.daemon.stop() == 0)
        try card.folder.write([UInt8](repeating: 9, count: 1000), to: "DCIM/100DATED/A.JPG")
        let touched = try #require(Tool("touch")).run(
            ["-d", "2026-11-21 18:00:00", card.folder.file("DCIM/100DATED/A.JPG")])
        #expect(touched.code == 0)
        let other = try card.camera()
        let altered = try #require(Self.spooled(person).keys.first)
        try Self.alter(altered, of: person)
        let before = try Self.spooled(person)
        let said = try person.run("store", "check", "--mend", "--camera", other.address, "--json")
        #expect(said.code == 65, "\(said.text)\(said.errors)")
        #expect(said.text.contains("the card gives other bytes than the ledger knows"), "\(said.text)")
        try CommandTests.expectJSON(said)
        #expect(try Self.spooled(person) == before)
    }

    @Test("a delivery that failed because of its file goes on when the file is mended; retention is no loss")
    func goesOn() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "30000")
        let person = try Operator()
        let words = ["run", "--event", "Wedding", "--camera", camera.address, "--retention", "delete"]
        let once = ["--once", "--since", "all", "--idle", "300ms"]
        #expect(try person.run(words + once).code == 0)
        let altered = try #require(Self.spooled(person).keys.min())
        try Self.alter(altered, of: person)
        let target = ["--destination", "file://\(person.out)"]
        let bridge = try person.start(words + ["--json"] + target)
        try bridge.wait(for: "localFileDamaged")
        try bridge.waitForDelivered(1)
        // A camera whose card is still being listed gives nothing yet, and says so.
        try bridge.wait(for: #""event":"reconciled""#)
        let mended = try person.run("store", "check", "--mend")
        #expect(mended.code == 0, "\(mended.text)\(mended.errors)")
        try bridge.waitForDelivered(2)
        bridge.end()
        #expect(try person.arrived().count == 2)
        // What an end comes before the next run lets go of.
        #expect(try person.run(words + once + target).code == 0)
        #expect(try Self.spooled(person).isEmpty, "every destination has them")
        #expect(try person.run("store", "check").code == 0, "what was let go of is not missing")
    }
}
