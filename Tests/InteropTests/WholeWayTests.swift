import Basics
import TestSupport
import Testing

/// A gallery with one host, as an operator starts it.
struct GalleryHouse {
    let folder: TemporaryFolder
    let gallery: Daemon
    let url: String
    var data: String { folder.file("data") }

    /// `terms`: what those who upload agree to.
    init(_ more: String..., terms: String? = nil) throws {
        folder = try TemporaryFolder()
        try folder.write(terms ?? "", to: "terms")
        try folder.write(Array("correct horse\n".utf8), to: "password")
        let data = folder.file("data")
        let words = ["--data", data]
        let added = try #require(Tool(Built.gallery)).run(
            ["user", "add", "ann@example.org", "--password-file", folder.file("password")] + words)
        guard added.code == 0 else { throw FileProblem(path: added.errors, number: 0) }
        gallery = try Daemon(
            Built.gallery,
            ["serve", "--listen", "127.0.0.1:0"] + more + words
                + (terms == nil ? [] : ["--terms", folder.file("terms"), "--terms-version", "3"]))
        // "gallery: http://127.0.0.1:40000, for hosts …"
        let line = try gallery.wait(for: "for hosts")
        url = String(line.drop { $0 != "h" }.prefix { $0 != "," })
    }

    func sums(in path: String) throws -> [String] {
        let found = try #require(Tool("bash")).run(
            ["-c", "find \(path) -type f ! -name '.*' -exec sha256sum {} + | cut -d ' ' -f 1 | sort"])
        return found.lines
    }
}

/// All three programs as they are: a camera shoots, the bridge takes and uploads, the gallery makes photos of it.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct WholeWayTests {
    @Test(
        "what a camera shoots is in the gallery, each photo once and equal to the card, also after a kill of the bridge"
    )
    func wholeWay() throws {
        let house = try GalleryHouse()
        let camera = try Camsim("--photos", "5", "--photo-size", "300000", "--shoot", "5", "--every", "100")
        let person = try Operator()
        let login = try person.run(
            "login", house.url, "--email", "ann@example.org", "--password-file", house.folder.file("password")
        )
        #expect(login.code == 0, "\(login.errors)")
        #expect(try person.run("consent", "--give").code == 0)
        #expect(try person.run("events", "create", "Wedding").code == 0)
        let words = [
            "run", "--camera", camera.address, "--server", house.url, "--event", "Wedding", "--since", "all",
            "--reserve",
            "0",
        ]
        let first = try Daemon(
            Built.tetherline, words, environment: ["TETHERLINE_HOME": person.folder.file("home")])
        try first.wait(for: "TETH0003")
        _ = first.stop(9)
        let second = try person.run(words + ["--once", "--idle", "2s"])
        #expect(second.code == 0, "\(second.errors)")
        #expect(second.text.contains("10 completed"), "\(second.text)")
        let card = try person.run("camera", "get", camera.address, "--all", "--to", person.out)
        #expect(card.code == 0)
        let shot = try house.sums(in: person.out)
        let kept = try house.sums(in: "\(house.data)/objects")
        #expect(shot.count == 10 && kept.count == 40)
        #expect(shot.allSatisfy { sum in kept.count { $0 == sum } == 1 })
        let check = try #require(Tool(Built.gallery)).run(["check", "--data", house.data])
        #expect(check.code == 0 && check.text.contains("10 photos, 40 objects, 0 of them"), "\(check.text)")
        #expect(house.gallery.stop() == 0, "it ends in order")
    }

    @Test("a gallery gets photos no faster than the operator allows, over whatever network leads there")
    func rate() throws {
        let house = try GalleryHouse()
        let camera = try Camsim("--photos", "2", "--photo-size", "1000000")
        let person = try Operator()
        let login = try person.run(
            "login", house.url, "--email", "ann@example.org", "--password-file", house.folder.file("password")
        )
        #expect(login.code == 0, "\(login.errors)")
        #expect(try person.run("consent", "--give").code == 0)
        #expect(try person.run("events", "create", "Wedding").code == 0)
        let run = try person.run(
            "run", "--camera", camera.address, "--server", house.url, "--event", "Wedding", "--since", "all",
            "--reserve", "0", "--rate", "500000", "--once", "--json")
        #expect(run.code == 0, "\(run.errors)")
        let lines = try run.lines.map { try JSON5.parse($0) }
        func moments(_ event: String) -> [Timestamp] {
            lines.filter { $0["event"]?.string == event }.compactMap { $0["at"]?.string }
                .compactMap { Timestamp(rfc3339: $0) }
        }
        let begun = try #require(moments("receiving").min())
        let ended = try #require(moments("delivered").max())
        #expect(moments("delivered").count == 2)
        // Two megabytes at half a megabyte a second take four seconds, but for the first burst.
        #expect(ended - begun >= .milliseconds(3500), "\(ended - begun)")
    }
}
