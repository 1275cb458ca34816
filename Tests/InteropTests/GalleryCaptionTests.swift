import Basics
import TestSupport
import Testing

/// Captions and keywords of the settings, as the gallery's own database has them afterwards.
@Suite(
    .timeLimit(.minutes(Cases.minutesOfHang)),
    .enabled(if: Tool.isThere("sqlite3"), "sqlite3 is not installed"))
struct GalleryCaptionTests {
    private let house: GalleryHouse
    private let ann: Operator

    init() throws {
        house = try GalleryHouse()
        ann = try Operator()
        let login = try ann.run(
            "login", house.url, "--email", "ann@example.org", "--password-file", house.folder.file("password")
        )
        #expect(login.code == 0, "\(login.errors)")
        #expect(try ann.run("consent", "--give").code == 0)
        #expect(try ann.run("events", "create", "Wedding").code == 0)
    }

    private func gallery(_ sql: String) throws -> [String] {
        try #require(Tool("sqlite3")).run(["\(house.data)/gallery.sqlite", sql]).lines
    }

    private func run(_ words: String...) throws -> Tool.Output {
        try ann.run(
            [
                "run", "--server", house.url, "--event", "Wedding", "--since", "all", "--reserve", "0",
                "--once",
            ]
                + words)
    }

    @Test("a gallery has captions and keywords as soon as a run has ended, cut to what it takes, and once")
    func arrive() throws {
        let long = String(repeating: "ü", count: 60)
        try ann.settings(
            #"""
            { captions: { caption: "{event}: \\9\\, {stem}", keywords: ["football", "{event}", "\#(long)"],
                          creator: "Ann Smith" } }
            """#)
        let camera = try Camsim("--photos", "2", "--photo-size", "200000")
        let run = try run("--camera", camera.address, "--idle", "300ms")
        #expect(run.code == 0, "\(run.text)\(run.errors)")
        #expect(run.errors.contains("the code '9' is not in the roster"), "\(run.errors)")
        let cut = String(repeating: "ü", count: 50)
        #expect(
            try gallery("SELECT caption, tags FROM photos ORDER BY filename") == [
                #"Wedding: \9\, TETH0001|["football","Wedding","\#(cut)"]"#,
                #"Wedding: \9\, TETH0002|["football","Wedding","\#(cut)"]"#,
            ])
        // Nothing is said twice, whatever others say meanwhile.
        let edits = "SELECT max(updated_at) FROM photos"
        let before = try gallery(edits)
        #expect(try self.run().code == 0)
        #expect(try ann.run("sync", "--now").code == 0)
        #expect(try gallery(edits) == before)
    }

    @Test("what an operator says of a photo counts more than the settings, and a keyword joins their tags")
    func operatorFirst() throws {
        try ann.settings(#"{ captions: { caption: "by the settings", keywords: ["football"] } }"#)
        #expect(try run().code == 0)
        #expect(try ann.run("pause").code == 0)
        let camera = try Camsim("--photos", "2", "--photo-size", "200000")
        let bridge = try Daemon(
            Built.tetherline,
            [
                "run", "--camera", camera.address, "--server", house.url, "--event", "Wedding", "--since",
                "all", "--reserve", "0",
            ], environment: ["TETHERLINE_HOME": ann.home])
        try bridge.wait(for: "TETH0001")
        #expect(try ann.run("photo", "caption", "by Ann", "TETH0001").code == 0)
        #expect(try ann.run("photo", "tag", "dance", "TETH0001").code == 0)
        #expect(try ann.run("resume").code == 0)
        while try gallery("SELECT count(*) FROM photos") != ["2"] { continue }
        // Said before the uploads, so all that there will be waits here by now, or is there.
        while try ann.run("sync", "--json").lines.map({ try JSON5.parse($0) })
            .contains(where: { $0["unsent"]?.integer ?? 0 != 0 })
        {
            continue
        }
        #expect(bridge.stop() == 0)
        #expect(
            try gallery("SELECT caption, tags FROM photos ORDER BY filename") == [
                #"by Ann|["dance","football"]"#, #"by the settings|["football"]"#,
            ])
    }
}
