import Basics
import Glibc
import TestSupport
import Testing

/// `doctor`: what keeps photos from flowing is found, named, and comes with what helps.
@Suite struct DoctorTests {
    /// Findings by check, as an independent program reads them, and the code.
    private func doctor(
        _ person: Operator, _ more: String...
    ) throws -> (findings: [String: [JSONValue]], code: Int32) {
        let said = try person.run(["doctor", "--json"] + more)
        try CommandTests.expectJSON(said)
        let values = try said.lines.map { try JSON5.parse($0) }
        for value in values
        where value["outcome"]?.string == "failed" || value["outcome"]?.string == "warning" {
            #expect(value["cure"]?.string?.isEmpty == false, "\(value.compact)")
        }
        return (Dictionary(grouping: values) { $0["check"]?.string ?? "" }, said.code)
    }

    private func outcomes(_ findings: [JSONValue]?) -> [String] {
        (findings ?? []).compactMap { $0["outcome"]?.string }
    }

    private func text(_ findings: [JSONValue]?) -> String {
        (findings ?? []).map(\.compact).joined(separator: "\n")
    }

    @Test("an empty home is told the commands to type next, and is not made by being looked at")
    func empty() throws {
        let person = try Operator()
        let (findings, code) = try doctor(person)
        #expect(code == 1)
        #expect(
            outcomes(findings["home"]) == ["warning"] && text(findings["home"]).contains("camera discover"))
        #expect(text(findings["event"]).contains("tetherline run --camera HOST --event NAME"))
        #expect(text(findings["home"]).contains("'tetherline setup' asks"))
        for (check, step) in [("event", "destination"), ("destination", "destination"), ("camera", "camera")]
        {
            #expect(text(findings[check]).contains("'tetherline setup \(step)'"), "\(text(findings[check]))")
        }
        #expect(!person.folder.contents().contains { $0.hasPrefix("home") })
        let shown = try person.run("doctor")
        #expect(shown.code == 1 && shown.text.contains("-> 'tetherline setup' asks"), "\(shown.text)")
    }

    @Test("before the first run the event and the places of the settings are what is looked at")
    func settled() throws {
        let person = try Operator()
        try person.settings("{ run: { event: 'Wedding' } }")
        #expect(chmod(person.home, 0o700) == 0 && chmod("\(person.home)/config.json5", 0o600) == 0)
        let bare = try doctor(person).findings
        #expect(
            outcomes(bare["event"]) == ["warning"] && text(bare["event"]).contains("'Wedding' go nowhere"))
        person.folder.makeFolder("out")
        let places = [person.out, "/proc/version", person.folder.file("new")].map { "'file://\($0)'" }
        try person.settings(
            "{ run: { event: 'Wedding', destinations: [\(places.joined(separator: ", "))] } }")
        let (findings, code) = try doctor(person)
        #expect(outcomes(findings["event"]) == ["ok"], "\(text(findings["event"]))")
        #expect(
            outcomes(findings["destination"]) == ["ok", "failed", "notChecked"],
            "\(text(findings["destination"]))")
        #expect(code != 0)
    }

    @Test("a camera is connected to where it is named, and is not greeted")
    func cameras() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "50000")
        let person = try Operator()
        #expect(try person.runOnce([camera]).code == 0)
        let met = try doctor(person).findings["camera"]
        #expect(outcomes(met) == ["notChecked"] && text(met).contains("not connected to"), "\(text(met))")
        let dead = "127.0.0.1:\(try FreePort.next())"
        let (findings, code) = try doctor(person, "--camera", camera.address, "--camera", dead)
        #expect(outcomes(findings["camera"]) == ["notChecked", "failed"], "\(text(findings["camera"]))")
        #expect(text(findings["camera"]).contains("was not greeted"))
        #expect(code == 69)
        // Its one place is free, and it still lets in who greets it.
        #expect(try person.run("camera", "info", camera.address).code == 0)
    }

    @Test("what others may write is refused by name, with chmod's own line, which mends it")
    func permissions() throws {
        let person = try Operator()
        try person.settings("{}")
        #expect(chmod(person.home, 0o700) == 0 && chmod("\(person.home)/config.json5", 0o666) == 0)
        let (findings, code) = try doctor(person)
        #expect(code == 77 && outcomes(findings["home"]) == ["failed"])
        let cure = try #require(findings["home"]?.first?["cure"]?.string)
        let words = try #require(cure.split(separator: "'").first).split(separator: " ").map(String.init)
        #expect(try #require(Tool(words[0])).run(Array(words.dropFirst())).code == 0)
        #expect(outcomes(try doctor(person).findings["home"]) == ["ok"])
    }

    @Test("a file that config.json5 links to is held to the same, and mended where it is")
    func linked() throws {
        let person = try Operator()
        try person.settings("{}")
        let elsewhere = person.folder.file("elsewhere.json5")
        try person.folder.write("{}", to: "elsewhere.json5")
        let path = "\(person.home)/config.json5"
        #expect(unlink(path) == 0 && symlink(elsewhere, path) == 0)
        #expect(chmod(person.home, 0o700) == 0 && chmod(elsewhere, 0o600) == 0)
        #expect(outcomes(try doctor(person).findings["home"]) == ["ok"])
        #expect(chmod(elsewhere, 0o666) == 0)
        #expect(outcomes(try doctor(person).findings["home"]) == ["failed"])
    }

    @Test(
        "the home of another user is not looked into, and what makes its owner look is said",
        .enabled(if: geteuid() == 0))
    func another() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "50000")
        let person = try Operator()
        #expect(try person.runOnce([camera]).code == 0)
        #expect(unlink("\(person.home)/lock") == 0 && chown(person.home, 1234, 1234) == 0)
        let (findings, code) = try doctor(person)
        #expect(code == 77 && findings.keys.sorted() == ["home"], "\(findings.keys)")
        #expect(text(findings["home"]).contains("sudo -u '#1234' tetherline doctor --home \(person.home)"))
        #expect(
            access("\(person.home)/lock", F_OK) != 0, "a lock of root's would keep the owner's bridge out")
    }

    @Test("settings that cannot be used are one failure, and what needs them says that it was not looked at")
    func settings() throws {
        let person = try Operator()
        try person.settings("{ nonsense: 1 }")
        #expect(chmod(person.home, 0o700) == 0 && chmod("\(person.home)/config.json5", 0o600) == 0)
        let (findings, code) = try doctor(person)
        #expect(code == 78 && text(findings["settings"]).contains("nonsense"))
        #expect(outcomes(findings["disk"]) == ["notChecked"], "\(text(findings["disk"]))")
        #expect(findings.values.joined().count { $0["outcome"]?.string == "failed" } == 1)
    }

    @Test("a destination is tried, also beside a bridge that runs, whose cameras say how they are")
    func running() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "50000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(1)
        let fine = try doctor(person).findings
        #expect(outcomes(fine["destination"]) == ["ok"] && outcomes(fine["camera"]) == ["ok"])
        let dead = "127.0.0.1:\(try FreePort.next())"
        let named = try doctor(person, "--camera", dead, "--camera", camera.address).findings["camera"]
        #expect(outcomes(named) == ["ok", "failed"] && text(named).contains(dead), "\(text(named))")
        #expect(text(fine["bridge"]).contains("a bridge runs here for 'Wedding'"))
        #expect(try person.arrived().count == 1, "nothing of the try is left there")
        #expect(try person.run("pause").code == 0)
        #expect(rename(person.out, "\(person.out)-away") == 0)
        try person.folder.write("no folder", to: "out")
        let bad = try doctor(person)
        #expect(outcomes(bad.findings["destination"]) == ["failed"])
        #expect(text(bad.findings["bridge"]).contains("tetherline resume"))
        #expect(bad.code == 69)
        bridge.end()
    }

    @Test("a bridge that is stopped delays neither the doctor nor a photo's story, and is named")
    func frozen() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "50000")
        let person = try Operator()
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(1)
        let line = String(decoding: try readFile("\(person.home)/lock"), as: UTF8.self)
        let process = try #require(Int32(line.filter(\.isNumber)))
        #expect(kill(process, SIGSTOP) == 0)
        let (findings, code) = try doctor(person)
        let story = try person.run("why", "1")
        #expect(kill(process, SIGCONT) == 0)
        #expect(outcomes(findings["bridge"]) == ["failed"] && code == 69, "\(text(findings["bridge"]))")
        #expect(text(findings["camera"]).contains("holds its cameras"), "\(text(findings["camera"]))")
        #expect(story.code == 0 && story.text.contains("Its destination has it."), "\(story.text)")
        #expect(story.errors.contains("from the ledger alone"), "\(story.errors)")
        bridge.end()
    }

    @Test("a gallery without consent and one with another clock are told apart, each with its cure")
    func galleries() throws {
        let served = try ServedGallery()
        let member = served.gallery.account()
        served.gallery.setConsent(false, of: member)
        let person = try Operator()
        try person.folder.write("correct horse\n", to: "password")
        let login = ["login", served.url, "--email", member.email, "--password-file"]
        #expect(try person.run(login + [person.folder.file("password")]).code == 0)
        let without = try doctor(person)
        #expect(text(without.findings["gallery"]).contains("tetherline consent --give"))
        #expect(try person.run("consent", "--give").code == 0)
        #expect(outcomes(try doctor(person).findings["gallery"]) == ["ok"])
        // Between two evenings the token ends; what renews it is this look, and no part of it is in another's way.
        served.gallery.expireAccessTokens()
        let renewed = try doctor(person)
        #expect(outcomes(renewed.findings["gallery"]) == ["ok"], "\(text(renewed.findings["gallery"]))")
        served.gallery.change { $0.skew = .seconds(7200) }
        let skewed = try doctor(person).findings["gallery"]
        #expect(
            outcomes(skewed) == ["ok", "warning"] && text(skewed).contains("2 h 0 min behind"),
            "\(text(skewed))")
    }
}
