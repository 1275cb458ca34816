import Basics
import TestSupport
import Testing

/// What `tetherline run` says where something is missing that photos need: one sentence, with the command that gives it.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct ClosedGateTests {
    private let person: Operator

    init() throws { person = try Operator() }

    @Test("without a camera or an event a run names the command that finds one, and makes nothing")
    func nothingSaid() throws {
        let none = try person.run("run")
        #expect(none.code == 64 && none.errors.contains("'tetherline setup camera'"), "\(none.errors)")
        let event = try person.run("run", "--camera", "auto")
        #expect(
            event.code == 64 && event.errors.contains("'tetherline setup destination'"), "\(event.errors)")
        #expect(event.errors.contains("'tetherline events select NAME'"))
        #expect(person.folder.contents().isEmpty)
    }

    @Test(
        "a run that looks for the cameras of a home that has none says how one is added; so does one without a destination"
    )
    func noCamera() throws {
        let bridge = try person.start(["run", "--camera", "auto", "--event", "E"])
        try bridge.wait(for: "this home has no camera yet", and: "tetherline camera add HOST")
        try bridge.wait(for: "'E' has no destination", and: "tetherline destination add URL")
        bridge.end()
    }

    @Test("a gallery that this home never logged in at is named with the command that logs in")
    func notLoggedIn() throws {
        let house = try GalleryHouse()
        let run = try person.run("run", "--camera", "127.0.0.1:1", "--server", house.url, "--event", "E")
        #expect(run.code == 77, "\(run.errors)")
        #expect(run.errors.contains("tetherline login \(house.url)") && run.errors.contains("--plain-http"))
        #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    }

    @Test(
        "an event of this home that is called as one at the gallery is told, and one that was chosen goes there by its name"
    )
    func namesake() throws {
        let house = try GalleryHouse()
        let login = try person.run(
            "login", house.url, "--plain-http", "--email", "ann@example.org", "--password-file",
            house.folder.file("password"))
        #expect(login.code == 0, "\(login.errors)")
        #expect(try person.run("consent", "--give").code == 0)
        #expect(try person.run("events", "create", "Wedding").code == 0)
        let alone = try person.start([
            "run", "--camera", "127.0.0.1:1", "--event", "Wedding", "--destination", "file://\(person.out)",
        ])
        try alone.wait(for: "has an event 'Wedding' too", and: "tetherline events select NAME")
        alone.end()
        #expect(try person.run("events", "select", "Wedding").code == 0)
        let camera = try Camsim("--photos", "1", "--photo-size", "200000")
        let run = try person.run(
            "run", "--camera", camera.address, "--event", "Wedding", "--once", "--since", "all", "--reserve",
            "0",
            "--idle", "300ms")
        #expect(run.code == 0, "\(run.errors)")
        #expect(!run.errors.contains("too, and this run"), "\(run.errors)")
        let status = try JSON5.parse(try person.run("status", "--json").text)
        let gallery = status["destinations"]?.array?.first { $0["kind"]?.string == "gallery" }
        #expect(gallery?["jobs"]?["completed"]?.integer == 1, "\(status.compact)")
    }

    @Test("terms that were not agreed to are told when the bridge starts, before the first photo comes")
    func noConsent() throws {
        let house = try GalleryHouse(terms: "Guests see \u{1B}[31mwhat\u{1B}[0m you send.\nAsk Ann.\n")
        let login = try person.run(
            "login", house.url, "--plain-http", "--email", "ann@example.org", "--password-file",
            house.folder.file("password"))
        #expect(login.code == 0, "\(login.errors)")
        #expect(try person.run("events", "create", "E").code == 0)
        #expect(try person.run("events", "select", "E").code == 0)
        let bridge = try person.start(["run", "--camera", "127.0.0.1:1"])
        try bridge.wait(for: "takes no photo until you agree", and: "tetherline consent --give")
        bridge.end()
        let shown = try person.run("consent")
        #expect(
            shown.code == 1 && shown.text.contains("you send.\nAsk Ann.\n") && !shown.text.contains("\u{1B}"))
        #expect(shown.text.contains("version 3"), "\(shown.text)")
        #expect(try person.run("consent", "--give").code == 0)
        let second = try person.start(["run", "--camera", "127.0.0.1:1"])
        try second.wait(for: "no connection")
        second.end()
        #expect(!second.output.contains { $0.contains("until you agree") })
    }
}
