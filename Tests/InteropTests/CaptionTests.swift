import Basics
import Glibc
import TestSupport
import Testing

/// What is said about photos, from the settings to the files that arrive; exiftool reads them.
@Suite(
    .enabled(if: Tool.isThere("exiftool") && Tool.isThere("sqlite3"), "exiftool or sqlite3 is not installed"))
struct CaptionTests {
    static let roster = "7\tJude Bellingham (5)\tBellingham\r\n9\tHarry Kane\r\n"
    static let settings = #"""
        {
            captions: {
                roster: "ROSTER", variables: ["venue=Wembley Stadium"],
                caption: "{event} at {venue}: \\7\\ and \\9\\, {stem}", keywords: ["football", "{event}"],
                copyright: "© {year} Agency",
                rules: [{ event: "Wedding", headline: "\\7#2\\ wins" }, { event: "Other", headline: "no" }],
            },
        }
        """#

    private func person(_ change: (String) -> String = { $0 }) throws -> Operator {
        let person = try Operator()
        try person.folder.write(Self.roster, to: "players.txt")
        try person.settings(
            change(Self.settings.replacing("ROSTER", with: person.folder.file("players.txt"))))
        return person
    }

    private func run(_ person: Operator, _ camera: Camsim, query: String = "?metadata=iptc") throws
        -> Tool.Output
    {
        try person.run([
            "run", "--event", "Wedding", "--destination", "file://\(person.out)\(query)", "--camera",
            camera.address, "--once", "--since", "all", "--idle", "300ms",
        ])
    }

    private func exiftool(_ path: String, _ tags: String...) throws -> [String] {
        let said = try #require(Tool("exiftool")).run(
            ["-charset", "iptc=UTF8", "-s3", "-sep", " | ", "-f"] + tags.map { "-\($0)" } + [path])
        return said.lines
    }

    @Test(
        "photos arrive with what is said about them, and those on the card and in the spool stay as they were"
    )
    func arrive() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "30000", "--raw-jpeg")
        let person = try person()
        let run = try run(person, camera)
        #expect(run.code == 0, "\(run.text)\(run.errors)")
        let names = try person.arrived().keys.sorted()
        let pictures = names.filter { $0.hasSuffix(".JPG") }
        #expect(pictures.count == 2, "\(names)")
        for name in pictures {
            let path = "\(person.out)/\(name)"
            let text = "Wedding at Wembley Stadium: Jude Bellingham (5) and Harry Kane, \(name.dropLast(4))"
            #expect(try exiftool(path, "XMP-dc:Description", "IPTC:Caption-Abstract") == [text, text])
            #expect(
                try exiftool(path, "XMP-dc:Subject", "IPTC:Keywords", "XMP-photoshop:Headline")
                    == ["football | Wedding", "football | Wedding", "Bellingham wins"])
            let year = try exiftool(path, "DateTimeOriginal")[0].prefix(4)
            #expect(try exiftool(path, "IPTC:CopyrightNotice") == ["© \(year) Agency"])
        }
        let spool = try person.query("SELECT c.sha256 || ' ' || c.event_id || '/' || c.file FROM captures c")
        for row in spool {
            let parts = row.split(separator: " ", maxSplits: 1)
            let sum = try #require(Tool("sha256sum")).run(["\(person.home)/spool/\(parts[1])"])
            #expect(sum.text.prefix(64) == parts[0])
        }
        // The ledger has both: what the camera wrote, and what lies there.
        let delivered = try person.query(
            """
            SELECT json_extract(receipt, '$.key') || ' ' || json_extract(receipt, '$.sha256') FROM upload_jobs
            WHERE json_extract(receipt, '$.caption.place') = 'photo'
            """)
        #expect(delivered.count == 2)
        for row in delivered {
            let parts = row.split(separator: " ")
            let sum = try #require(Tool("sha256sum")).run(["\(person.out)/\(parts[0])"])
            #expect(sum.text.prefix(64) == parts[1])
            #expect(!spool.contains { $0.hasPrefix(parts[1]) })
            let why = try person.run("why", String(parts[0]))
            #expect(why.text.contains("with its caption (SHA-256 \(parts[1]))"), "\(why.text)\(why.errors)")
        }
        #expect(try person.run("verify", "--read-back").code == 0)
        // Nothing that was made on the way is left.
        #expect(!person.folder.contents().contains { $0.contains("captions/") && $0.hasSuffix(".jpg") })
    }

    @Test("a destination that asks for captions later, or no longer, gets no photo a second time")
    func toggled() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "30000")
        let person = try person()
        #expect(try run(person, camera, query: "").code == 0)
        let before = try person.arrived()
        for query in ["?metadata=iptc", ""] {
            let changed = try person.run(
                "destination", "replace", "file://\(person.out)", "file://\(person.out)\(query)")
            #expect(changed.code == 0, "\(changed.errors)")
            #expect(try run(person, camera, query: query).code == 0)
            #expect(try person.arrived() == before)
        }
    }

    @Test(
        "a photo that cannot say anything arrives as it is, and its story and the list of destinations tell it"
    )
    func damaged() throws {
        let card = try DatedCard()
        // It begins like a JPEG, and its first segment ends beyond the file.
        try card.add(
            "BAD.JPG", "2026-11-20 10:00", content: [0xFF, 0xD8, 0xFF, 0xE1, 0xFF, 0xFF] + Array("x".utf8))
        let camera = try card.camera()
        let person = try person()
        let run = try run(person, camera)
        #expect(run.code == 0, "\(run.text)\(run.errors)")
        #expect(try person.arrived().values.map(\.count) == [7])
        #expect(
            run.errors.contains("delivered without its caption: its segments are damaged"), "\(run.errors)")
        let why = try person.run("why", "BAD.JPG")
        #expect(why.text.contains("without its caption: its segments are damaged"), "\(why.text)")
        let list = try person.run("destination", "list")
        #expect(list.text.contains("1 of them without their caption"), "\(list.text)")
        let json = try person.run("destination", "list", "--json")
        #expect(json.text.contains(#""withoutCaption":1"#), "\(json.text)")
    }

    @Test("captions check and show say what would be written, and what is wrong with it")
    func commands() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "30000")
        let person = try person()
        let check = try person.run("captions", "check")
        #expect(check.code == 0, "\(check.errors)")
        #expect(check.text.contains("codes in the roster: 2"), "\(check.text)")
        #expect(try run(person, camera).code == 0)
        let name = try #require(try person.arrived().keys.first)
        let show = try person.run("captions", "show", name)
        #expect(show.text.contains("Jude Bellingham (5) and Harry Kane"), "\(show.text)\(show.errors)")
        try CommandTests.expectJSON(try person.run("captions", "show", name, "--json"))
        try CommandTests.expectJSON(try person.run("captions", "check", "--json"))
        // Somewhere in the match the roster is saved with a mistake.
        try person.folder.write("7 Jude Bellingham\n9\tHarry Kane\n", to: "players.txt")
        let wrong = try person.run("captions", "check")
        #expect(wrong.code == 1)
        #expect(wrong.errors.contains("line 1 has no tab"), "\(wrong.errors)")
        #expect(wrong.errors.contains("the code '7' stands in a template"), "\(wrong.errors)")
        let shown = try person.run("captions", "show", name)
        #expect(shown.text.contains(#"\7\ and Harry Kane"#), "\(shown.text)")
        #expect(unlink(person.folder.file("players.txt")) == 0)
        let missing = try person.run("captions", "check")
        #expect(missing.code == 78 && missing.errors.contains("captions.roster"), "\(missing.errors)")
        let again = try run(person, camera)
        #expect(again.code == 0, "photos come first")
        #expect((again.text + again.errors).contains("captions.roster"), "\(again.text)\(again.errors)")
    }

    @Test(
        "what cannot be meant is said when the settings are read, with its key",
        arguments: [
            ("{venue}", "{venu}", "captions.caption", "did you mean {venue}?"),
            ("\\\\9\\\\,", "\\\\9,", "captions.caption", "is not closed"),
            ("event: \"Other\"", "evnet: \"Other\"", "captions.rules[1].evnet", "did you mean"),
            ("event: \"Other\"", "from: \"25:00\"", "captions.rules[1].from", "18:30"),
            ("variables", "delimiter: \"ab\", variables", "captions.delimiter", "one character"),
        ])
    func mistakes(old: String, new: String, key: String, reason: String) throws {
        let person = try person { $0.replacing(old, with: new) }
        let check = try person.run("config", "check")
        #expect(check.code != 0)
        #expect((check.text + check.errors).contains(key), "\(check.text)\(check.errors)")
        #expect((check.text + check.errors).contains(reason), "\(check.text)\(check.errors)")
    }
}
