import Basics
import Glibc
import TestSupport
import Testing

/// `tetherline setup` at a terminal, with cameras in software and a gallery as it is.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang)), .enabled(if: Tool.isThere("python3")))
struct SetupTests {
    private let person: Operator

    init() throws { person = try Operator() }

    private func setup(_ words: String..., turns: [Typist.Turn]) throws -> Typist.Outcome {
        try Typist.types(turns, into: [Built.tetherline, "setup"] + words, home: person.home)
    }

    /// Loopback carries no announcements, so that the camera is named by its address.
    private func adding(_ camera: Camsim) -> [Typist.Turn] {
        [("address", "\(camera.address)\n"), ("Another camera? [y/N]", "\n"), ("Press Enter", "\n")]
    }

    private func setting(_ key: String) throws -> JSONValue? {
        let shown = try person.run("config", "show", key, "--json")
        return try JSON5.parse(shown.text)["settings"]?.array?.first?["value"]
    }

    @Test(
        "from an empty home to a photo that the gallery has confirmed; then 'run' without an option goes on, and all that is shot arrives"
    )
    func wholeHour() throws {
        let house = try GalleryHouse(terms: "Guests see what you send.\n")
        let camera = try Camsim("--shoot", "40", "--every", "250", "--photo-size", "50000")
        let hour = try setup(
            turns: adding(camera) + [
                ("Number: [1]", "1\n"), ("The gallery's address", "\(house.url)\n"), ("not encrypted", "y\n"),
                ("Do you have an account there?", "\n"), ("E-mail:", "ann@example.org\n"),
                ("Password:", "correct horse\n"), ("Guests see what you send.", ""),
                ("agree to its terms", "y\n"),
                ("What is the new one called?", "Ann and Ben\n"), ("Another place", "\n"),
                ("Try it with a photo", "\n"), ("Should the bridge start by itself", "\n"),
            ])
        #expect(hour.code == 0, "\(hour.shown)")
        for part in [
            "Press the shutter", "notice  ", "on disk  ", "confirmed  by \(house.url)", "the whole way",
        ] {
            #expect(hour.shown.contains(part), "\(part)\n\(hour.shown)")
        }
        #expect(hour.shown.contains("'tetherline run' begins") && !hour.shown.contains("horse"))
        let bridge = try person.start(["run", "--json"])
        try bridge.wait(for: "TETH0040", and: #""event":"staged""#)
        bridge.end()
        let rest = try person.run("run", "--once", "--idle", "1s")
        #expect(rest.code == 0 && rest.text.contains("Ann and Ben"), "\(rest.text)\(rest.errors)")
        let card = try person.run("camera", "get", camera.address, "--all", "--to", person.out)
        #expect(card.code == 0, "\(card.errors)")
        let shot = try house.sums(in: person.out)
        let kept = try house.sums(in: "\(house.data)/objects")
        let staged = try person.query("SELECT sha256 FROM captures WHERE state = 'staged'")
        #expect(shot.count >= 40 && Set(staged).isSubset(of: Set(shot)), "\(shot.count)")
        #expect(staged.count >= 2, "the photo of the setup, and those behind it")
        #expect(staged.allSatisfy { sum in kept.count { $0 == sum } == 1 })

        // Once more: everything stands, and Enter keeps it.
        let again = try setup(turns: [
            ("is paired; keep it? [Y/n]", "\n"), ("Another camera?", "\n"),
            ("into the event 'Ann and Ben'; keep that? [Y/n]", "\n"), ("Another place", "\n"),
            ("Try it with a photo", "n\n"), ("start by itself", "\n"),
        ])
        #expect(again.code == 0 && again.shown.contains("'tetherline run' begins"), "\(again.shown)")
    }

    @Test(
        "a folder: what is written is settings that a run goes by, and an address that is mistyped is told plainly"
    )
    func folder() throws {
        let camera = try Camsim("--shoot", "40", "--every", "250", "--photo-size", "5000")
        let turns: [Typist.Turn] = [
            ("address", "Z 9\n"), ("No camera that announces itself is called 'Z 9'", ""),
            ("address", "127.0.0.1:1\n"), ("Another camera?", "\n"), ("Press Enter", "\n"),
            ("Try again? [Y/n]", "n\n"), ("Number: [1]", "2\n"), ("event called", "Ann & Ben's\n"),
            ("Which folder?", "somewhere\n"), ("the whole path of a folder", ""),
            ("Which folder?", "\(person.out)\n"), ("works: a small file was written", ""),
            ("Another place", "\n"), ("Try it with a photo", "n\n"), ("start by itself", "n\n"),
        ]
        let first = try setup(turns: turns)
        #expect(first.code == 0, "\(first.shown)")
        #expect(first.shown.contains("127.0.0.1:1") && first.shown.contains("tetherline setup pair"))
        #expect(try setting("run.cameras")?.array?.compactMap(\.string) == ["auto"])
        #expect(try setting("run.event")?.string == "Ann & Ben's")
        let second = try setup(
            "camera", "pair", "photo",
            turns: [("was added, and is not paired yet; keep it?", "n\n")] + adding(camera) + [
                ("Try it with a photo", "\n"), ("confirmed  by file://", ""),
            ])
        #expect(second.code == 0, "\(second.shown)")
        #expect(try !person.arrived().isEmpty)
        let known = try person.run("camera", "known", "--json")
        #expect(known.lines.count == 1 && known.text.contains(camera.address), "\(known.text)")
    }

    @Test("a Nikon is paired by the code that it shows, and is connected to again when it is back")
    func nikon() throws {
        let camera = try Camsim("--model", "nikon-z8")
        let pairing = try setup(
            "camera", "pair", turns: adding(camera) + [("is 1234", ""), ("lets this computer in", "")])
        #expect(pairing.code == 0, "\(pairing.shown)")
        #expect(pairing.shown.contains("Connect to computer") && pairing.shown.contains("Z 8"))
        let listed = try person.run("camera", "ls", camera.address)
        #expect(listed.code == 0, "\(listed.errors)")
        // Before a run has met it, too.
        let again = try setup(
            "camera", "pair",
            turns: [("is paired; keep it? [Y/n]", "\n"), ("Another camera?", "\n"), ("Paired already", "")])
        #expect(again.code == 0, "\(again.shown)")
    }

    @Test(
        "nothing is shot, a place takes nothing: it is said which part of the way is missing, and what to do")
    func missing() throws {
        let camera = try Camsim("--photos", "0")
        let place = person.folder.file("out")
        try person.settings(
            "{run: {cameras: ['\(camera.address)'], event: 'E', destinations: ['file://\(place)']}}")
        let none = try setup(
            "photo", "--wait", "1s",
            turns: [
                ("There is no camera yet", "")
            ])
        #expect(none.code == 0 && none.shown.contains("'tetherline setup camera' finds one"), "\(none.shown)")
        #expect(try person.run("camera", "add", camera.address).code == 0)
        let waiting = try setup(
            "photo", "--wait", "1s",
            turns: [("Try it with a photo", "\n"), ("No photo has come within", ""), ("Try again?", "n\n")])
        #expect(waiting.code == 0 && waiting.shown.contains("tetherline camera events"), "\(waiting.shown)")
        camera.daemon.letGo()
        let gone = try setup(
            "photo", "--wait", "1s",
            turns: [
                ("Try it with a photo", "\n"), ("No camera has connected within", ""), ("Try again?", "n\n"),
            ])
        #expect(
            gone.shown.contains(camera.address) && gone.shown.contains("tetherline doctor"), "\(gone.shown)")
    }

    @Test(
        "Ctrl-C and Ctrl-D leave what is done in place, wherever they come, and say how to go on",
        arguments: ["\u{3}", "\u{4}"])
    func interrupted(key: String) throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "2000")
        let left = try setup(turns: adding(camera) + [("Number: [1]", key)])
        #expect(
            left.code == 130 && left.shown.contains("To go on: tetherline setup destination"), "\(left.shown)"
        )
        #expect(try person.run("camera", "known").text.contains(camera.address))
        #expect(try setting("run.cameras")?.array?.compactMap(\.string) == ["auto"])
    }

    @Test("Ctrl-C ends a look for cameras, a connection and a test photo in order")
    func interruptedWork() throws {
        let look = try setup("camera", turns: [("Looking for cameras", "\u{3}")])
        #expect(look.code == 130 && look.shown.contains("tetherline setup camera"), "\(look.shown)")
        let camera = try Camsim("--photos", "0")
        #expect(try person.run("camera", "add", camera.address).code == 0)
        try person.settings("{run: {cameras: ['auto'], event: 'E', destinations: ['file://\(person.out)']}}")
        let photo = try setup(
            "photo", turns: [("Try it with a photo", "\n"), ("Press the shutter", "\u{3}")])
        #expect(photo.code == 130 && photo.shown.contains("tetherline setup photo"), "\(photo.shown)")
        #expect(try person.run("doctor", "--json").code != 75, "nothing holds the home")
    }

    @Test("where nobody can be asked it says the commands that do the same, each of which there is")
    func withoutTerminal() throws {
        let run = try person.run("setup")
        #expect(run.code == 64 && run.output.isEmpty)
        let commands = run.errors.split(separator: "\n").filter { $0.hasPrefix("  tetherline ") }
        #expect(commands.count > 8)
        for command in commands {
            let words = command.split(separator: "#")[0].split(separator: " ").dropFirst().map(String.init)
            let help = try person.run(words + ["--help"])
            #expect(help.code == 0, "\(command): \(help.errors)")
        }
        #expect(try person.run("setup", "camra").errors.contains("'camera'"))
    }

    @Test("beside a bridge that runs it changes nothing, and says so")
    func besideBridge() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "2000")
        let bridge = try person.start([camera])
        try bridge.waitForDelivered(1)
        let run = try setup(turns: [])
        #expect(run.code == 75 && run.shown.contains("a bridge runs in"), "\(run.shown)")
        bridge.end()
    }
}
