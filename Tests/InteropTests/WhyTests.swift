import Basics
import Glibc
import TestSupport
import Testing

/// `why`: one photo's story, beside a bridge that runs and without one.
@Suite struct WhyTests {
    private func story(_ person: Operator, _ photo: String) throws -> JSONValue {
        let said = try person.run("why", photo, "--json")
        #expect(said.code == 0, "\(said.errors)")
        return try JSON5.parse(said.text)
    }

    private func stages(_ story: JSONValue) -> [String] {
        (story["stages"]?.array ?? []).compactMap { $0["stage"]?.string }
    }

    @Test("a photo is told of by the hash that another program makes of it, from the notice to the receipt")
    func delivered() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "50000")
        let person = try Operator()
        #expect(try person.runOnce([camera]).code == 0)
        let name = try #require(try person.arrived().keys.sorted().first)
        let sum = try #require(Tool("sha256sum")).run(["\(person.out)/\(name)"])
        let hash = String(try #require(sum.lines.first).prefix { $0 != " " })
        let story = try story(person, hash)
        #expect(story["sha256"]?.string == hash && story["standing"]?.string == "delivered")
        #expect(stages(story).suffix(3) == ["noticed", "staged", "delivered"])
        let text = try person.run("why", name.lowercased())
        #expect(text.code == 0 && text.text.contains("Its destination has it."), "\(text.text)")
        #expect(text.text.contains(hash) && text.text.contains("file://\(person.out)"), "\(text.text)")
    }

    @Test("a photo of two destinations of which one failed says which, why, and how it goes on")
    func halfDelivered() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "50000")
        let person = try Operator()
        #expect(try person.runOnce([camera]).code == 0)
        let file = try #require(
            person.folder.contents().first { $0.contains("TETH0001") && $0.contains("spool") })
        #expect(chmod(person.folder.file(file), 0o600) == 0)
        try person.folder.write([UInt8](repeating: 7, count: 50000), to: file)
        person.folder.makeFolder("second")
        let second = "file://\(person.folder.file("second"))"
        let run = ["run", "--event", "Wedding", "--destination", second, "--once", "--idle", "0s"]
        #expect(try person.run(run).code == 1)
        let story = try story(person, "TETH0001.JPG")
        #expect(story["standing"]?.string == "needsOperator")
        let deliveries = story["deliveries"]?.array ?? []
        #expect(deliveries.map { $0["state"]?.string } == ["completed", "failedPermanent"])
        let text = try person.run("why", "1").text
        #expect(text.contains("1 of 2 destinations have it; the rest waits for you."), "\(text)")
        #expect(
            text.contains("localFileDamaged") && text.contains("tetherline store check --mend"), "\(text)")
        #expect(stages(story).contains("deliveryBegun"), "the second was wanted later")
    }

    @Test("while a bridge runs, why nothing goes to a destination is told of each photo that waits for it")
    func held() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "50000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(1)
        #expect(try person.run("pause").code == 0)
        let added = try person.run("destination", "add", "webdav://127.0.0.1:9/photos")
        #expect(added.code == 0, "\(added.errors)")
        let paused = try person.run("why", "1").text
        #expect(paused.contains("deliveries are paused") && paused.contains("tetherline resume"), "\(paused)")
        #expect(try person.run("resume").code == 0)
        try bridge.wait(for: #""event":"destinationHeld""#)
        let held = try person.run("why", "1").text
        #expect(held.contains("takes nothing now: "), "\(held)")
        bridge.end()
        let ended = try story(person, "1")
        #expect(ended["standing"]?.string == "waiting")
        #expect(ended["cures"]?.array?.first?.string?.contains("tetherline run") == true)
    }

    @Test(
        "several photos of a name are listed with their numbers; one that is not known says where it was looked for"
    )
    func choices() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "50000", "--raw-jpeg")
        let person = try Operator()
        #expect(try person.run("why", "X").code == 66, "there is no home yet")
        #expect(try person.runOnce([camera]).code == 0)
        let several = try person.run("why", "TETH0001")
        #expect(several.code == 1 && several.text.contains("2 photos may be meant"), "\(several.text)")
        let numbers = try person.query("SELECT id FROM captures ORDER BY id")
        #expect(several.lines.dropFirst().prefix(2).map { String($0.prefix { $0 != " " }) } == numbers)
        let all = try person.run("why", "TETH0001", "--json")
        #expect(all.code == 0 && all.lines.count == 2)
        let none = try person.run("why", "TETH")
        #expect(none.code == 66 && none.errors.contains("among the 2 photos"), "\(none.errors)")
        #expect(
            none.errors.contains("There are TETH0001.JPG") && none.errors.contains("tetherline camera ls"))
    }
}
