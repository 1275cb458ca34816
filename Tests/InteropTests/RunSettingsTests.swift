import TestSupport
import Testing

/// What `tetherline run` is told in `config.json5` instead of on its command line.
@Suite struct RunSettingsTests {
    @Test(
        "a run without options does what the file says, and lists of the command line replace those of the file"
    )
    func withoutOptions() throws {
        let camera = try Camsim("--photos", "2", "--photo-size", "20000")
        let person = try Operator()
        try person.settings(
            """
            {
                run: { cameras: ["\(camera.address)"], event: "Wedding", destinations: ["file://\(person.out)"],
                       since: "all", once: true, idle: "300ms", retry: "20s", json: true, stats: true },
            }
            """)
        let run = try person.run("run")
        #expect(run.code == 0, "\(run.errors)")
        #expect(try person.arrived().keys.sorted() == ["TETH0001.JPG", "TETH0002.JPG"])
        #expect(run.lines.allSatisfy { $0.hasPrefix("{") } && run.errors.contains("peak memory"))
        let other = person.folder.file("other")
        let more = try person.run("run", "--event", "Party", "--destination", "file://\(other)")
        #expect(more.code == 0, "\(more.errors)")
        #expect(person.folder.contents().count { $0.hasPrefix("other/") } == 2)
        #expect(
            try person.query(
                "SELECT e.name, d.url FROM destinations d JOIN events e ON e.id = d.event_id ORDER BY d.id")
                == ["Wedding|file://\(person.out)", "Party|file://\(other)"])
        // The camera that the file names is not asked any more.
        let elsewhere = try person.run("run", "--camera", "127.0.0.1:1", "--retry", "1s")
        #expect(elsewhere.code != 0 && elsewhere.text.contains("127.0.0.1:1"), "\(elsewhere.text)")
        #expect(!elsewhere.text.contains(camera.address), "\(elsewhere.text)")
    }

    @Test(
        "what the file says has the same effect as the option",
        arguments: [
            (
                ["--server", "http://127.0.0.1:1"], "run: { server: 'http://127.0.0.1:1', since: 'all' }",
                "http://127.0.0.1:1/"
            ),
            (["--since", "2099-01-01"], "run: { since: '2099-01-01' }", "1 older left on the card"),
            (
                ["--interface", "nosuch0"], "camera: { interface: 'nosuch0' }, run: { since: 'all' }",
                "nosuch0"
            ),
        ] as [([String], String, String)])
    func sameEffect(option: [String], section: String, effect: String) throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "20000")
        let words = [
            "run", "--camera", camera.address, "--event", "E", "--once", "--idle", "300ms", "--retry", "1s",
        ]
        let all = ["--since", "all"]
        let (first, second, third) = (try Operator(), try Operator(), try Operator())
        let said = try first.run(words + (option[0] == "--since" ? [] : all) + option)
        try second.settings("{\(section)}")
        let written = try second.run(words)
        #expect(said.code == written.code, "\(said.errors)\n\(written.errors)")
        for run in [said, written] {
            #expect((run.text + run.errors).contains(effect), "\(run.text)\(run.errors)")
        }
        #expect(said.lines.last == written.lines.last)
        let without = try third.run(words + all)
        #expect(
            without.lines.last == "E: photos: 1 staged" && !(without.text + without.errors).contains(effect))
    }

    @Test("an identity that the file gives is ours, and the home makes none")
    func identity() throws {
        let camera = try Camsim("--photos", "1", "--photo-size", "20000")
        let person = try Operator()
        try person.settings("{camera: {guid: '00112233445566778899aabbccddeeff'}}")
        #expect(try person.run("camera", "info", camera.address).code == 0)
        #expect(person.folder.contents() == ["home/config.json5"])
        try person.settings("{}")
        #expect(try person.run("camera", "info", camera.address).code == 0)
        #expect(person.folder.contents().count == 2)
    }

    @Test("there is a setting for every option of a run, but for the home that the file lies in")
    func complete() throws {
        let article = try Documents.text(SettingsTests.article)
        let rows = article.split(separator: "\n").filter { $0.hasPrefix("| `--") }.map { row in
            row.split(separator: "`", omittingEmptySubsequences: false)
        }
        let help = try Operator().run("run", "--help").lines.compactMap { line in
            line.firstRange(of: "  --").map { line[$0.upperBound...].prefix { $0 != " " && $0 != "\n" } }
        }
        let options = Set(help.map { "--\($0)" }).subtracting(["--home", "--help"])
        #expect(options.count > 25 && Set(rows.map { String($0[1]) }) == options)
        for row in rows {
            #expect(article.contains("\n| `\(row[3])` |"), "\(row[3]) is a setting")
        }
    }

    @Test(
        "what the file cannot mean is said with the key",
        arguments: [
            ("{run: {cameras: 'h'}}", "run.cameras is a list of texts, not \"h\""),
            ("{run: {cameras: ['h', 'h:15740']}}", "run.cameras: h:15740 is given twice"),
            ("{run: {cameras: ['h:99999']}}", "run.cameras: 'h:99999' names no host"),
            ("{run: {event: ''}}", "run.event: Say which event"),
            ("{run: {server: 'ftp://gallery'}}", "run.server: "),
            ("{run: {destinations: ['/out']}}", "file:///absolute/path"),
            ("{run: {destinations: ['sftp://ann:4711@h/x']}}", "no password stands in this file"),
            ("{run: {destinations: 'sftp://ann:4711@h/x'}}", "run.destinations is a list of texts."),
            ("{run: {since: 'yesterday'}}", "run.since is session, last-seen, all, or a date"),
            ("{run: {once: 'yes'}}", "run.once is true or false, not \"yes\""),
            ("{run: {retry: '0s'}}", "run.retry is a time"),
            ("{run: {camera: []}}", "did you mean 'run.cameras'?"),
            ("{camera: {guid: '12'}}", "camera.guid is 32 hexadecimal digits, not \"12\""),
            ("{deliver: {rate: 0}}", "deliver.rate is a size such as \"2GiB\" from 1 to"),
        ] as [(String, String)])
    func mistakes(text: String, sentence: String) throws {
        let person = try Operator()
        try person.settings(text)
        let run = try person.run("run", "--once", "--event", "E")
        #expect(run.code == 78 && run.errors.contains("config.json5: "), "\(run.errors)")
        #expect(run.errors.contains(sentence) && !run.errors.contains("4711"), "\(run.errors)")
        #expect(run.output.isEmpty && person.folder.contents() == ["home/config.json5"])
    }
}
