import Basics
import TestSupport
import Testing

/// Two operators who edit the same photos without an uplink, with the programs as they are.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct CopyCommandTests {
    private let house: GalleryHouse

    init() throws {
        house = try GalleryHouse()
    }

    private func host(_ words: String...) throws -> Operator {
        let person = try Operator()
        let login = try person.run(
            "login", house.url, "--email", "ann@example.org", "--password-file", house.folder.file("password")
        )
        #expect(login.code == 0, "\(login.errors)")
        return person
    }

    /// What the gallery's own database says, as another program reads it.
    private func gallery(_ sql: String) throws -> String {
        try #require(Tool("sqlite3")).run(["-readonly", "\(house.data)/gallery.sqlite", sql]).text
    }

    private func values(_ output: Tool.Output) throws -> [JSONValue] {
        try output.lines.map { try JSON5.parse($0) }
    }

    @Test(
        "edits of two homes without the gallery are merged when it is back; what lost is shown, and can be made again",
        .enabled(if: Tool.isThere("sqlite3")))
    func twoHomes() throws {
        let (ann, ben) = (try host(), try host())
        #expect(try ann.run("consent", "--give").code == 0)
        #expect(try ann.run("events", "create", "Wedding").code == 0)
        let camera = try Camsim("--photos", "2", "--photo-size", "200000")
        let shot = try ann.run(
            "run", "--camera", camera.address, "--server", house.url, "--event", "Wedding", "--since", "all",
            "--reserve", "0", "--once", "--idle", "2s")
        #expect(shot.code == 0, "\(shot.errors)")
        let idle = try ben.run("run", "--server", house.url, "--event", "Wedding", "--reserve", "0", "--once")
        #expect(idle.code == 0, "\(idle.errors)")
        for person in [ann, ben] { #expect(try person.run("sync", "--now").code == 0) }
        let captures = try values(try ann.run("captures", "--json"))
        let name = try #require(captures.first?["path"]?.string?.split(separator: "/").last.map(String.init))

        // The gallery answers nothing: all of it works.
        house.gallery.signal(19)
        for (person, words) in [
            (ann, ["caption", "by Ann"]), (ann, ["rate", "5"]), (ann, ["album", "Church"]),
            (ben, ["caption", "by Ben"]),
            (ben, ["tag", "dance"]),
        ] {
            let said = try person.run(["photo"] + words + [name])
            #expect(said.code == 0, "\(words): \(said.errors)")
        }
        let seen = try #require(try values(try ann.run("photo", "show", name, "--json")).first)
        #expect(seen["caption"]?.string == "by Ann" && seen["rating"]?.integer == 5)
        #expect(seen["albums"] == ["Church"] && seen["unsent"]?.integer == 3)
        house.gallery.signal(18)

        // Ben's are newer.
        #expect(try ben.run("sync", "--now").code == 0)
        let lost = try ann.run("sync", "--now", "--json")
        let conflicts = try values(lost).filter { $0["state"]?.string == "conflict" }
        #expect(lost.code == 1 && !conflicts.isEmpty)
        #expect(conflicts.allSatisfy { $0["cause"]?.string == "newer" })
        #expect(conflicts.first?["change"]?["photo"]?["caption"]?.string == "by Ann")
        #expect(try gallery("SELECT caption FROM photos WHERE filename = '\(name)'") == "by Ben\n")

        let numbers = try conflicts.map { try #require($0["edit"]?.integer) }
        let again = try ann.run(["sync", "--now"] + numbers.flatMap { ["--again", "\($0)"] })
        #expect(again.code == 0, "\(again.text)\(again.errors)")
        #expect(try ben.run("sync", "--now").code == 0)
        #expect(
            try gallery("SELECT caption, rating, tags, hidden FROM photos WHERE filename = '\(name)'")
                == "by Ann|5|[\"dance\"]|0\n")
        #expect(try gallery("SELECT name FROM albums") == "Church\n")
        let views = try [ann, ben].map { try values(try $0.run("photo", "show", name, "--json")).first }
        for key in ["caption", "rating", "tags", "hidden", "albums"] {
            #expect(views[0]?[key] == views[1]?[key], "\(key)")
        }
        #expect(views[0]?["unsent"]?.integer == 0)
    }

    @Test(
        "a bridge that runs sends edits by itself, also those made before the upload",
        .enabled(if: Tool.isThere("sqlite3")))
    func running() throws {
        let ann = try host()
        #expect(try ann.run("consent", "--give").code == 0)
        #expect(try ann.run("events", "create", "Wedding").code == 0)
        let first = try ann.run(
            "run", "--server", house.url, "--event", "Wedding", "--reserve", "0", "--once")
        #expect(first.code == 0, "\(first.errors)")
        // Deliveries wait, and the operator rates all the same.
        #expect(try ann.run("pause").code == 0)
        let camera = try Camsim("--photos", "1", "--photo-size", "200000")
        let bridge = try Daemon(
            Built.tetherline,
            [
                "run", "--camera", camera.address, "--server", house.url, "--event", "Wedding", "--since",
                "all",
                "--reserve", "0",
            ], environment: ["TETHERLINE_HOME": ann.home])
        try bridge.wait(for: "TETH0001")
        let rated = try ann.run("photo", "rate", "4", "TETH0001")
        #expect(rated.code == 0, "\(rated.errors)")
        #expect(try ann.run("resume").code == 0)
        while try gallery("SELECT rating FROM photos") != "4\n" { continue }
        while try values(try ann.run("sync", "--json")).contains(where: { $0["unsent"]?.integer != 0 }) {
            continue
        }
        #expect(try ann.run("sync").code == 0)
        #expect(bridge.stop() == 0)
    }

    @Test("what cannot be meant is said, and changes nothing")
    func mistakes() throws {
        let ann = try Operator()
        #expect(try ann.run("sync").code != 0, "there is no home yet")
        let local = try ann.run(
            "run", "--event", "Wedding", "--destination", "file://\(ann.out)", "--reserve", "0", "--once")
        #expect(local.code == 0, "\(local.errors)")
        let none = try ann.run("sync")
        #expect(none.code == 0 && none.text.contains("nothing was edited"))
        for (words, code, text) in [
            (["rate", "9", "A.JPG"], 64, "from 0 to 5"), (["rate", "5"], 64, "which photos"),
            (["rate", "5", "A.JPG"], 66, "no photo 'A.JPG'"),
            (["tag", String(repeating: "x", count: 51), "A.JPG"], 64, "from 1 to 50"),
        ] {
            let said = try ann.run(["photo"] + words)
            #expect(
                said.code == Int32(code) && said.errors.contains(text),
                "\(words): \(said.code) \(said.errors)")
        }
        let unknown = try ann.run("sync", "--drop", "17")
        #expect(unknown.code == 1 && unknown.errors.contains("no edit 17"), "\(unknown.errors)")
        #expect(try ann.run("sync", "--again", "x").code == 64)
    }
}
